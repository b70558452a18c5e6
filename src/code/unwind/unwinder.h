// SPDX-License-Identifier: BSD-3-Clause
// Finds the callers from a program's registers and a copy of the top of its stack, using the call frame information of
// its ELF files (.eh_frame, .debug_frame). For x86-64 and AArch64. Opens no files: the caller provides the facts about
// each address.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "code/unwind/frame_program.h"

namespace wperf::unwind {

enum class Architecture : u8 { x86_64, aarch64 };

constexpr Architecture architecture_here() {
#if defined(__aarch64__) || defined(_M_ARM64)
  return Architecture::aarch64;
#else
  return Architecture::x86_64;
#endif
}

struct StackCopy {
  u64 address = 0;  // address of the first byte: the stack pointer at the time of the sample
  std::span<const std::byte> bytes;
  bool is_whole = false;  // the copy reaches the beginning of the stack; it was not cut
};

// Registers by DWARF number; unknown ones are not set.
struct Registers {
  static constexpr usize kCount = 33;  // AArch64: x0..x30, sp, pc; x86-64: 16 registers and the instruction pointer
  u64 value[kCount] = {};
  u64 known = 0;  // one bit for each register

  bool knows(u64 number) const { return number < kCount && ((known >> number) & 1) != 0; }
  void set(u8 number, u64 what) {
    value[number] = what;
    known |= u64{1} << number;
  }
  void forget(u8 number) { known &= ~(u64{1} << number); }
};
u8 instruction_pointer(Architecture architecture);  // the DWARF numbers of these registers
u8 stack_pointer(Architecture architecture);

// The state of the thread when it was interrupted.
struct Thread {
  Architecture architecture;
  Registers registers;
};

struct CodeAt {
  const FrameRow* row = nullptr;  // null if there is no call frame information
  u64 moved_by = 0;               // address in the process minus linked address
  bool is_code = false;           // false: the address cannot be in code
  bool is_entry = false;          // code without information at the file's entry point
};
using FindCode = std::function<CodeAt(u64 address)>;

// Called for each frame, the interrupted one first, with an address in its code and its registers. The stack pointer is
// the end of the frame that it called.
using VisitFrame = std::function<void(u64 address, const Registers& registers)>;

struct Walking {
  usize most_frames = 0;
  const VisitFrame* visit = nullptr;  // may be null
};

enum class Ending : u8 { outermost, stack_copy_too_short, no_table, damaged, too_many_frames };

// Appends an address for each caller, the nearest first. Usually it is the return address. For a frame that a signal
// interrupted, and for a signal return frame, it is the instruction's address + 1. So the byte before it is always in
// the caller's instruction.
Ending unwind(const Thread& thread, const StackCopy& stack, const FindCode& find, const Walking& walking,
              std::vector<u64>& callers);

}  // namespace wperf::unwind
