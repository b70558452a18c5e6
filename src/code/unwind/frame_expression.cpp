// SPDX-License-Identifier: BSD-3-Clause
#include "code/unwind/frame_expression.h"

#include <array>

#include "code/symbols/dwarf/cursor.h"

namespace wperf::unwind {
namespace {

using symbols::dwarf::Cursor;

enum Operation : u8 {
  kAddress = 0x03,
  kDereference = 0x06,
  kConst1u = 0x08,
  kConst1s = 0x09,
  kConst2u = 0x0a,
  kConst2s = 0x0b,
  kConst4u = 0x0c,
  kConst4s = 0x0d,
  kConst8u = 0x0e,
  kConst8s = 0x0f,
  kConstU = 0x10,
  kConstS = 0x11,
  kDuplicate = 0x12,
  kDrop = 0x13,
  kOver = 0x14,
  kPick = 0x15,
  kSwap = 0x16,
  kRotate = 0x17,
  kAbsolute = 0x19,
  kAnd = 0x1a,
  kDivide = 0x1b,
  kMinus = 0x1c,
  kModulo = 0x1d,
  kMultiply = 0x1e,
  kNegate = 0x1f,
  kNot = 0x20,
  kOr = 0x21,
  kPlus = 0x22,
  kPlusConst = 0x23,
  kShiftLeft = 0x24,
  kShiftRight = 0x25,
  kShiftSigned = 0x26,
  kXor = 0x27,
  kBranch = 0x28,
  kEqual = 0x29,
  kGreaterEqual = 0x2a,
  kGreater = 0x2b,
  kLessEqual = 0x2c,
  kLess = 0x2d,
  kNotEqual = 0x2e,
  kSkip = 0x2f,
  kLiteral0 = 0x30,
  kLiteral31 = 0x4f,
  kBase0 = 0x70,
  kBase31 = 0x8f,
  kBaseX = 0x92,
  kDereferenceSize = 0x94,
  kNothing = 0x96,
};

std::int64_t as_signed(u64 value) {
  return static_cast<std::int64_t>(value);
}

class Evaluation {
 public:
  Evaluation(symbols::Bytes expression, const ExpressionInput& input)
      : cursor_(symbols::EndianBytes(expression, false)), input_(input) {
    if (input.first.has_value()) push(*input.first);
  }

  std::optional<u64> run() {
    constexpr u32 kMostSteps = 1000;  // limited because branches may lead back
    for (u32 step = 0; !cursor_.at_end() && sound(); ++step) {
      if (step == kMostSteps) return std::nullopt;
      const u8 operation = cursor_.number<u8>();
      if (!constant(operation) && !arrange(operation) && !memory(operation) && !compute(operation)) fail();
    }
    if (!sound() || depth_ == 0) return std::nullopt;
    return stack_[depth_ - 1];
  }
  std::optional<u64> beyond() const { return beyond_; }

 private:
  bool sound() const { return !failed_ && !cursor_.failed(); }
  void fail() { failed_ = true; }
  void push(u64 value) {
    if (depth_ == stack_.size()) return fail();
    stack_[depth_++] = value;
  }
  u64 pop() {
    if (depth_ == 0) {
      fail();
      return 0;
    }
    return stack_[--depth_];
  }
  u64 nth(usize from_top) {
    if (from_top >= depth_) {
      fail();
      return 0;
    }
    return stack_[depth_ - 1 - from_top];
  }

  bool constant(u8 operation);
  bool arrange(u8 operation);
  bool memory(u8 operation);
  bool compute(u8 operation);
  void push_register(u64 number, std::int64_t offset) {
    if (!input_.registers.knows(number)) return fail();
    push(input_.registers.value[number] + static_cast<u64>(offset));
  }
  void jump(std::int16_t distance) {
    const std::int64_t target = static_cast<std::int64_t>(cursor_.offset()) + distance;
    if (target < 0) return fail();
    cursor_.seek(static_cast<u64>(target));
  }
  void push_signed(std::int64_t value) { push(static_cast<u64>(value)); }

  Cursor cursor_;
  const ExpressionInput& input_;
  std::array<u64, 64> stack_{};
  usize depth_ = 0;
  bool failed_ = false;
  std::optional<u64> beyond_;
};

bool Evaluation::constant(u8 operation) {
  if (operation >= kLiteral0 && operation <= kLiteral31) {
    push(operation - kLiteral0);
    return true;
  }
  switch (operation) {
    case kAddress:
      push(cursor_.number<u64>() + input_.moved_by);
      return true;
    case kConst1u:
      push(cursor_.number<u8>());
      return true;
    case kConst1s:
      push_signed(static_cast<std::int8_t>(cursor_.number<u8>()));
      return true;
    case kConst2u:
      push(cursor_.number<u16>());
      return true;
    case kConst2s:
      push_signed(static_cast<std::int16_t>(cursor_.number<u16>()));
      return true;
    case kConst4u:
      push(cursor_.number<u32>());
      return true;
    case kConst4s:
      push_signed(static_cast<std::int32_t>(cursor_.number<u32>()));
      return true;
    case kConst8u:
    case kConst8s:
      push(cursor_.number<u64>());
      return true;
    case kConstU:
      push(cursor_.uleb());
      return true;
    case kConstS:
      push_signed(cursor_.sleb());
      return true;
    default:
      return false;
  }
}

bool Evaluation::arrange(u8 operation) {
  switch (operation) {
    case kDuplicate:
      push(nth(0));
      return true;
    case kDrop:
      pop();
      return true;
    case kOver:
      push(nth(1));
      return true;
    case kPick:
      push(nth(cursor_.number<u8>()));
      return true;
    case kSwap: {
      const u64 top = pop(), second = pop();
      push(top);
      push(second);
      return true;
    }
    case kRotate: {
      const u64 top = pop(), second = pop(), third = pop();
      push(top);
      push(third);
      push(second);
      return true;
    }
    case kSkip:
      jump(static_cast<std::int16_t>(cursor_.number<u16>()));
      return true;
    case kBranch: {
      const auto distance = static_cast<std::int16_t>(cursor_.number<u16>());
      if (pop() != 0) jump(distance);
      return true;
    }
    case kNothing:
      return true;
    default:
      return false;
  }
}

bool Evaluation::memory(u8 operation) {
  if (operation >= kBase0 && operation <= kBase31) {
    push_register(operation - kBase0, cursor_.sleb());
    return true;
  }
  if (operation == kBaseX) {
    const u64 number = cursor_.uleb();
    push_register(number, cursor_.sleb());
    return true;
  }
  if (operation != kDereference && operation != kDereferenceSize) return false;
  const u8 size = operation == kDereference ? u8{8} : cursor_.number<u8>();
  const u64 address = pop();
  if (!sound()) return true;
  const auto word = read_stack(input_.stack, address, size);
  if (!word.has_value()) {
    beyond_ = address;
    fail();
    return true;
  }
  push(*word);
  return true;
}

bool Evaluation::compute(u8 operation) {
  switch (operation) {
    case kNegate:
      push(0 - pop());
      return true;
    case kNot:
      push(~pop());
      return true;
    case kPlusConst: {
      const u64 constant = cursor_.uleb();
      push(pop() + constant);
      return true;
    }
    case kAbsolute: {
      const u64 value = pop();
      push(as_signed(value) < 0 ? 0 - value : value);
      return true;
    }
    default:
      break;
  }
  if (operation < kAnd || operation > kNotEqual) return false;
  const u64 b = pop(), a = pop();
  switch (operation) {
    case kAnd:
      push(a & b);
      return true;
    case kDivide:
      if (b == 0)
        fail();
      else
        push(b == ~u64{0} ? 0 - a : static_cast<u64>(as_signed(a) / as_signed(b)));
      return true;
    case kMinus:
      push(a - b);
      return true;
    case kModulo:
      if (b == 0)
        fail();
      else
        push(a % b);
      return true;
    case kMultiply:
      push(a * b);
      return true;
    case kOr:
      push(a | b);
      return true;
    case kPlus:
      push(a + b);
      return true;
    case kShiftLeft:
      push(b < 64 ? a << b : 0);
      return true;
    case kShiftRight:
      push(b < 64 ? a >> b : 0);
      return true;
    case kShiftSigned:
      push_signed(as_signed(a) >> (b < 64 ? b : 63));
      return true;
    case kXor:
      push(a ^ b);
      return true;
    case kEqual:
      push(a == b);
      return true;
    case kGreaterEqual:
      push(as_signed(a) >= as_signed(b));
      return true;
    case kGreater:
      push(as_signed(a) > as_signed(b));
      return true;
    case kLessEqual:
      push(as_signed(a) <= as_signed(b));
      return true;
    case kLess:
      push(as_signed(a) < as_signed(b));
      return true;
    case kNotEqual:
      push(a != b);
      return true;
    default:
      return false;
  }
}

}  // namespace

std::optional<u64> read_stack(const StackCopy& stack, u64 address, u8 size) {
  if (address < stack.address) return std::nullopt;
  const symbols::EndianBytes bytes(stack.bytes, false);
  const u64 offset = address - stack.address;
  if (!bytes.holds(offset, size)) return std::nullopt;
  switch (size) {
    case 1:
      return bytes.at_or_zero<u8>(offset);
    case 2:
      return bytes.at_or_zero<u16>(offset);
    case 4:
      return bytes.at_or_zero<u32>(offset);
    case 8:
      return bytes.at_or_zero<u64>(offset);
    default:
      return std::nullopt;
  }
}

std::optional<u64> evaluate(symbols::Bytes expression, const ExpressionInput& input, std::optional<u64>& beyond) {
  Evaluation evaluation(expression, input);
  const auto result = evaluation.run();
  if (evaluation.beyond().has_value()) beyond = evaluation.beyond();
  return result;
}

}  // namespace wperf::unwind
