// SPDX-License-Identifier: BSD-3-Clause
#include "code/unwind/frame_program.h"

#include "code/symbols/dwarf/cursor.h"
#include "code/unwind/unwinder.h"

namespace wperf::unwind {
namespace {

using symbols::Bytes;
using symbols::dwarf::Cursor;

enum FrameInstruction : u8 {
  kCfaNothing = 0x00,
  kCfaSetLocation = 0x01,
  kCfaAdvance1 = 0x02,
  kCfaAdvance2 = 0x03,
  kCfaAdvance4 = 0x04,
  kCfaOffsetExtended = 0x05,
  kCfaRestoreExtended = 0x06,
  kCfaUndefined = 0x07,
  kCfaSameValue = 0x08,
  kCfaRegister = 0x09,
  kCfaRememberState = 0x0a,
  kCfaRestoreState = 0x0b,
  kCfaDefine = 0x0c,
  kCfaDefineRegister = 0x0d,
  kCfaDefineOffset = 0x0e,
  kCfaDefineExpression = 0x0f,
  kCfaExpression = 0x10,
  kCfaOffsetExtendedSigned = 0x11,
  kCfaDefineSigned = 0x12,
  kCfaDefineOffsetSigned = 0x13,
  kCfaValueOffset = 0x14,
  kCfaValueOffsetSigned = 0x15,
  kCfaValueExpression = 0x16,
  kCfaNegateSignedStateWithPc = 0x2c,
  kCfaNegateSignedState = 0x2d,
  kCfaArgumentsSize = 0x2e,
  kCfaNegativeOffsetExtended = 0x2f,
  kCfaAdvance = 0x40,  // this and the next two have a number in their lowest six bits
  kCfaOffset = 0x80,
  kCfaRestore = 0xc0,
};

// The rules for each register while a program runs.
struct State {
  u64 cfa_register = 0;
  std::int64_t cfa_offset = 0;
  Bytes cfa_expression;
  bool has_rule[Registers::kCount] = {};
  RegisterRule rules[Registers::kCount];

  void set(u64 number, Rule rule, std::int64_t value, Bytes expression = {}) {
    if (number >= Registers::kCount) return;  // vector registers and flags are not needed
    has_rule[number] = true;
    rules[number] = {static_cast<u8>(number), rule, value, expression};
  }
  void clear(u64 number) {
    if (number < Registers::kCount) has_rule[number] = false;
  }
  void restore(u64 number, const State& initial) {
    if (number >= Registers::kCount) return;
    has_rule[number] = initial.has_rule[number];
    rules[number] = initial.rules[number];
  }
};

class Program {
 public:
  Program(const FunctionEntry& function, u64 address)
      : function_(function), wanted_(address), location_(function.begin) {}

  bool run() {
    if (!run_part(function_.common.program, 0)) return false;
    initial_ = state_;
    has_initial_ = true;
    location_ = function_.begin;
    return run_part(function_.program, function_.program_address);
  }
  const State& state() const { return state_; }

 private:
  bool run_part(symbols::EndianBytes bytes, u64 address);
  bool packed(Cursor& cursor, u8 instruction);
  bool move(Cursor& cursor, u8 instruction, u64 part_address);
  bool define(Cursor& cursor, u8 instruction);
  bool rule(Cursor& cursor, u8 instruction);
  bool remember(u8 instruction);

  std::int64_t scaled(std::int64_t value) const {
    return static_cast<std::int64_t>(static_cast<u64>(value) * static_cast<u64>(function_.common.data_factor));
  }
  std::int64_t scaled(u64 value) const { return scaled(static_cast<std::int64_t>(value)); }
  void advance(u64 steps) { location_ += steps * function_.common.code_factor; }
  static Bytes block(Cursor& cursor, symbols::EndianBytes bytes) {
    const u64 size = cursor.uleb();
    const u64 begin = cursor.offset();
    cursor.skip(size);
    return cursor.failed() ? Bytes() : bytes.slice(begin, size).span();
  }

  const FunctionEntry& function_;
  u64 wanted_;
  u64 location_;
  symbols::EndianBytes part_;
  State state_, initial_;
  bool has_initial_ = false;
  std::vector<State> remembered_;
};

bool Program::run_part(symbols::EndianBytes bytes, u64 address) {
  part_ = bytes;
  Cursor cursor(bytes);
  while (!cursor.at_end() && location_ <= wanted_) {
    const u8 instruction = cursor.number<u8>();
    if (!packed(cursor, instruction) && !move(cursor, instruction, address) && !define(cursor, instruction) &&
        !rule(cursor, instruction) && !remember(instruction)) {
      return false;
    }
    if (cursor.failed()) return false;
  }
  return true;
}

bool Program::packed(Cursor& cursor, u8 instruction) {
  const u8 low = instruction & 0x3f;
  switch (instruction & 0xc0) {
    case kCfaAdvance:
      advance(low);
      return true;
    case kCfaOffset:
      state_.set(low, Rule::at_cfa, scaled(cursor.uleb()));
      return true;
    case kCfaRestore:
      if (has_initial_) state_.restore(low, initial_);
      return true;
    default:
      return false;
  }
}

bool Program::move(Cursor& cursor, u8 instruction, u64 part_address) {
  switch (instruction) {
    case kCfaNothing:
    case kCfaNegateSignedState:  // signatures are always removed from return addresses
    case kCfaNegateSignedStateWithPc:
      return true;
    case kCfaArgumentsSize:
      cursor.uleb();
      return true;
    case kCfaSetLocation: {
      const auto location = read_pointer(cursor, function_.common.pointer_encoding, part_address, 0);
      if (!location.has_value()) cursor.fail();
      location_ = location.value_or(0);
      return true;
    }
    case kCfaAdvance1:
      advance(cursor.number<u8>());
      return true;
    case kCfaAdvance2:
      advance(cursor.number<u16>());
      return true;
    case kCfaAdvance4:
      advance(cursor.number<u32>());
      return true;
    default:
      return false;
  }
}

bool Program::define(Cursor& cursor, u8 instruction) {
  switch (instruction) {
    case kCfaDefine:
      state_.cfa_register = cursor.uleb();
      state_.cfa_offset = static_cast<std::int64_t>(cursor.uleb());
      break;
    case kCfaDefineSigned:
      state_.cfa_register = cursor.uleb();
      state_.cfa_offset = scaled(cursor.sleb());
      break;
    case kCfaDefineRegister:
      state_.cfa_register = cursor.uleb();
      break;
    case kCfaDefineOffset:
      state_.cfa_offset = static_cast<std::int64_t>(cursor.uleb());
      break;
    case kCfaDefineOffsetSigned:
      state_.cfa_offset = scaled(cursor.sleb());
      break;
    case kCfaDefineExpression:
      state_.cfa_expression = block(cursor, part_);
      return !state_.cfa_expression.empty();
    default:
      return false;
  }
  state_.cfa_expression = {};
  return true;
}

bool Program::rule(Cursor& cursor, u8 instruction) {
  if (instruction < kCfaOffsetExtended || (instruction > kCfaRegister && instruction < kCfaExpression)) return false;
  if (instruction > kCfaValueExpression && instruction != kCfaNegativeOffsetExtended) return false;
  const u64 number = cursor.uleb();
  switch (instruction) {
    case kCfaOffsetExtended:
      state_.set(number, Rule::at_cfa, scaled(cursor.uleb()));
      return true;
    case kCfaOffsetExtendedSigned:
      state_.set(number, Rule::at_cfa, scaled(cursor.sleb()));
      return true;
    case kCfaNegativeOffsetExtended:
      state_.set(number, Rule::at_cfa, scaled(0 - cursor.uleb()));
      return true;
    case kCfaValueOffset:
      state_.set(number, Rule::cfa_plus, scaled(cursor.uleb()));
      return true;
    case kCfaValueOffsetSigned:
      state_.set(number, Rule::cfa_plus, scaled(cursor.sleb()));
      return true;
    case kCfaRestoreExtended:
      if (has_initial_) state_.restore(number, initial_);
      return true;
    case kCfaUndefined:
      state_.set(number, Rule::undefined, 0);
      return true;
    case kCfaSameValue:
      state_.clear(number);
      return true;
    case kCfaRegister:
      state_.set(number, Rule::in_register, static_cast<std::int64_t>(cursor.uleb()));
      return true;
    case kCfaExpression:
      state_.set(number, Rule::at_expression, 0, block(cursor, part_));
      return true;
    case kCfaValueExpression:
      state_.set(number, Rule::expression, 0, block(cursor, part_));
      return true;
    default:
      return false;
  }
}

bool Program::remember(u8 instruction) {
  constexpr usize kMostRemembered = 64;
  if (instruction == kCfaRememberState) {
    if (remembered_.size() == kMostRemembered) return false;
    remembered_.push_back(state_);
    return true;
  }
  if (instruction != kCfaRestoreState || remembered_.empty()) return false;
  state_ = remembered_.back();
  remembered_.pop_back();
  return true;
}

}  // namespace

std::optional<FrameRow> row_in(const FunctionEntry& function, u64 address) {
  Program program(function, address);
  if (!program.run()) return std::nullopt;
  const State& state = program.state();
  if (state.cfa_register >= Registers::kCount && state.cfa_expression.empty()) return std::nullopt;
  FrameRow row;
  row.cfa_register = state.cfa_expression.empty() ? static_cast<u8>(state.cfa_register) : u8{0};
  row.cfa_offset = state.cfa_offset;
  row.cfa_expression = state.cfa_expression;
  row.return_register = function.common.return_register;
  row.is_signal_frame = function.common.is_signal_frame;
  for (usize number = 0; number < Registers::kCount; ++number) {
    if (!state.has_rule[number]) continue;
    const RegisterRule& rule = state.rules[number];
    if (number == row.return_register && rule.rule == Rule::undefined) row.is_outermost = true;
    if (rule.rule != Rule::at_cfa && rule.rule != Rule::cfa_plus) row.is_plain = false;
    row.rules.push_back(rule);
  }
  return row;
}

namespace {

std::optional<u64> read_format(symbols::dwarf::Cursor& cursor, u8 format) {
  switch (format) {
    case 0x00:  // an absolute address
    case 0x04:
    case 0x0c:
      return cursor.number<u64>();
    case 0x01:
      return cursor.uleb();
    case 0x02:
      return cursor.number<u16>();
    case 0x03:
      return cursor.number<u32>();
    case 0x09:
      return static_cast<u64>(cursor.sleb());
    case 0x0a:
      return static_cast<u64>(static_cast<std::int64_t>(static_cast<std::int16_t>(cursor.number<u16>())));
    case 0x0b:
      return static_cast<u64>(static_cast<std::int64_t>(static_cast<std::int32_t>(cursor.number<u32>())));
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<u64> read_pointer(symbols::dwarf::Cursor& cursor, u8 encoding, u64 part_address, u64 data_address) {
  u64 base = 0;
  switch (encoding & 0x70) {
    case 0x00:
      break;
    case 0x10:
      base = part_address + cursor.offset();
      break;
    case 0x30:
      base = data_address;
      break;
    default:
      return std::nullopt;
  }
  const auto value = read_format(cursor, encoding & 0x0f);
  if (!value.has_value() || cursor.failed()) return std::nullopt;
  return *value + base;
}

}  // namespace wperf::unwind
