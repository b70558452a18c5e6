// SPDX-License-Identifier: BSD-3-Clause
#include "code/unwind/unwinder.h"

#include "code/unwind/frame_expression.h"

namespace wperf::unwind {
namespace {

constexpr u8 kX64FramePointer = 6, kX64StackPointer = 7, kX64InstructionPointer = 16;
constexpr u8 kArmFramePointer = 29, kArmLink = 30, kArmStackPointer = 31, kArmInstructionPointer = 32;

class Walk {
 public:
  Walk(Architecture architecture, const Registers& registers, const StackCopy& stack, const FindCode& find)
      : architecture_(architecture), registers_(registers), stack_(stack), find_(find) {}

  Ending run(const Walking& walking, std::vector<u64>& callers);

 private:
  enum class Step : u8 { done, outermost, failed };

  Step step_by_row(const CodeAt& code);
  Step step_by_frame_pointer(bool is_entry);
  bool apply_plain(const FrameRow& row, u64 cfa);
  bool apply(const FrameRow& row, u64 cfa, u64 moved_by);
  std::optional<u64> value_of(const RegisterRule& rule, u64 cfa, u64 moved_by);
  std::optional<u64> frame_address(const CodeAt& code);
  bool is_code(u64 address) const { return find_(address).is_code; }

  Step fail(Ending why) {
    ending_ = why;
    return Step::failed;
  }
  Ending reading_failed() const {
    if (!beyond_.has_value()) return Ending::damaged;
    const bool is_behind_copy = *beyond_ >= stack_.address + stack_.bytes.size() && *beyond_ >= stack_.address;
    return is_behind_copy && !stack_.is_whole ? Ending::stack_copy_too_short : Ending::damaged;
  }
  std::optional<u64> word(u64 address) {
    const auto found = read_stack(stack_, address);
    if (!found.has_value()) beyond_ = address;
    return found;
  }
  // Arm puts the signature of a return address into bits that user addresses do not use.
  u64 plain(u64 address) const {
    constexpr u64 kUserAddresses = (u64{1} << 48) - 1;
    return architecture_ == Architecture::aarch64 ? address & kUserAddresses : address;
  }
  u64 pc() const { return registers_.value[instruction_pointer(architecture_)]; }

  Architecture architecture_;
  Registers registers_;
  const StackCopy& stack_;
  symbols::EndianBytes stack_bytes_{stack_.bytes, false};
  const FindCode& find_;
  std::optional<u64> beyond_;    // address of the last needed value that was not in the copy
  bool was_interrupted_ = true;  // this frame was interrupted, by the sample or by a signal
  bool is_first_ = true;
  Ending ending_ = Ending::damaged;
};

std::optional<u64> Walk::frame_address(const CodeAt& code) {
  const FrameRow& row = *code.row;
  if (!row.cfa_expression.empty()) {
    const ExpressionInput input{registers_, stack_, code.moved_by, std::nullopt};
    return evaluate(row.cfa_expression, input, beyond_);
  }
  if (!registers_.knows(row.cfa_register)) return std::nullopt;
  return registers_.value[row.cfa_register] + static_cast<u64>(row.cfa_offset);
}

std::optional<u64> Walk::value_of(const RegisterRule& rule, u64 cfa, u64 moved_by) {
  switch (rule.rule) {
    case Rule::undefined:
      return std::nullopt;
    case Rule::at_cfa:
      return word(cfa + static_cast<u64>(rule.value));
    case Rule::cfa_plus:
      return cfa + static_cast<u64>(rule.value);
    case Rule::in_register: {
      const auto number = static_cast<u64>(rule.value);
      if (!registers_.knows(number)) return std::nullopt;
      return registers_.value[number];
    }
    case Rule::at_expression:
    case Rule::expression: {
      const auto found = evaluate(rule.expression, {registers_, stack_, moved_by, cfa}, beyond_);
      return found.has_value() && rule.rule == Rule::at_expression ? word(*found) : found;
    }
  }
  return std::nullopt;
}

Walk::Step Walk::step_by_row(const CodeAt& code) {
  const FrameRow& row = *code.row;
  if (row.is_outermost) return Step::outermost;
  beyond_.reset();
  const auto cfa = frame_address(code);
  if (!cfa.has_value()) return fail(reading_failed());
  const u64 before = registers_.value[stack_pointer(architecture_)];
  // Only a signal may change to another stack, and only code without a frame leaves the stack unchanged.
  if (!row.is_signal_frame && (*cfa < before || (*cfa == before && !was_interrupted_))) return fail(Ending::damaged);
  const u8 returns_to = row.return_register;
  // Forgets the previous value: the instruction pointer must be found anew for each frame.
  if (returns_to == instruction_pointer(architecture_)) registers_.forget(returns_to);
  const bool found = row.is_plain ? apply_plain(row, *cfa) : apply(row, *cfa, code.moved_by);
  if (!found) return fail(reading_failed());
  if (!registers_.knows(returns_to)) return fail(Ending::damaged);
  const u64 caller = plain(registers_.value[returns_to]);
  if (caller == 0) return Step::outermost;
  registers_.set(instruction_pointer(architecture_), caller);
  return Step::done;
}

// Returns false if the return address could not be read.
bool Walk::apply_plain(const FrameRow& row, u64 cfa) {
  registers_.set(stack_pointer(architecture_), cfa);
  for (const RegisterRule& rule : row.rules) {
    const u64 address = cfa + static_cast<u64>(rule.value);
    const u64 offset = address - stack_.address;
    if (rule.rule == Rule::cfa_plus) {
      registers_.set(rule.number, address);
    } else if (address >= stack_.address && stack_bytes_.holds(offset, sizeof(u64))) {
      registers_.set(rule.number, stack_bytes_.at_or_zero<u64>(offset));
    } else {
      registers_.forget(rule.number);
      if (rule.number != row.return_register) continue;
      beyond_ = address;
      return false;
    }
  }
  return true;
}

bool Walk::apply(const FrameRow& row, u64 cfa, u64 moved_by) {
  Registers next = registers_;
  next.set(stack_pointer(architecture_), cfa);
  for (const RegisterRule& rule : row.rules) {
    beyond_.reset();
    const auto value = value_of(rule, cfa, moved_by);
    if (rule.number == row.return_register && !value.has_value()) return false;
    if (value.has_value())
      next.set(rule.number, *value);
    else
      next.forget(rule.number);
  }
  registers_ = next;
  return true;
}

// For code without call frame information, which may have a frame pointer. On Arm the first frame's return address is
// in lr. The kernel starts a program with a frame pointer of 0, and the first function does not change it.
Walk::Step Walk::step_by_frame_pointer(bool is_entry) {
  const bool is_arm = architecture_ == Architecture::aarch64;
  const u8 number = is_arm ? kArmFramePointer : kX64FramePointer;
  if (is_entry && registers_.knows(number) && registers_.value[number] == 0) return Step::outermost;
  if (is_arm && is_first_ && registers_.knows(kArmLink)) {
    const u64 link = plain(registers_.value[kArmLink]);
    if (link == 0) return Step::outermost;
    if (is_code(link - 1)) {
      registers_.set(kArmInstructionPointer, link);
      return Step::done;
    }
  }
  if (!registers_.knows(number)) return fail(Ending::no_table);
  const u64 frame = registers_.value[number];
  if (frame == 0 && is_arm) return Step::outermost;
  if (frame % 8 != 0 || frame < registers_.value[stack_pointer(architecture_)]) return fail(Ending::no_table);
  const auto next_frame = read_stack(stack_, frame), returns_to = read_stack(stack_, frame + 8);
  if (!next_frame.has_value() || !returns_to.has_value()) return fail(Ending::no_table);
  const u64 caller = plain(*returns_to);
  if (caller == 0) return Step::outermost;
  if (!is_code(caller - 1)) return fail(Ending::no_table);
  registers_.set(number, *next_frame);
  registers_.set(stack_pointer(architecture_), frame + 16);
  registers_.set(instruction_pointer(architecture_), caller);
  return Step::done;
}

Ending Walk::run(const Walking& walking, std::vector<u64>& callers) {
  for (usize frame = 0;; ++frame) {
    const u64 address = was_interrupted_ ? pc() : pc() - 1;
    const CodeAt code = find_(address);
    if (walking.visit != nullptr) (*walking.visit)(address, registers_);
    const bool is_signal_frame = code.row != nullptr && code.row->is_signal_frame;
    // A signal return frame was not called, either: the handler returns to its first instruction.
    if (frame != 0) callers.push_back(was_interrupted_ || is_signal_frame ? pc() + 1 : pc());
    if (frame == walking.most_frames) return Ending::too_many_frames;
    const Step step = code.row != nullptr ? step_by_row(code) : step_by_frame_pointer(code.is_entry);
    if (step == Step::outermost) return Ending::outermost;
    if (step == Step::failed) return ending_;
    was_interrupted_ = is_signal_frame;
    is_first_ = false;
  }
}

}  // namespace

u8 instruction_pointer(Architecture architecture) {
  return architecture == Architecture::aarch64 ? kArmInstructionPointer : kX64InstructionPointer;
}

u8 stack_pointer(Architecture architecture) {
  return architecture == Architecture::aarch64 ? kArmStackPointer : kX64StackPointer;
}

Ending unwind(const Thread& thread, const StackCopy& stack, const FindCode& find, const Walking& walking,
              std::vector<u64>& callers) {
  const auto& [architecture, registers] = thread;
  if (!registers.knows(instruction_pointer(architecture)) || !registers.knows(stack_pointer(architecture))) {
    return Ending::damaged;
  }
  return Walk(architecture, registers, stack, find).run(walking, callers);
}

}  // namespace wperf::unwind
