// SPDX-License-Identifier: BSD-3-Clause
// Runs the instructions of call frame information up to one address of a function.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "code/symbols/dwarf/cursor.h"
#include "code/symbols/elf/endian_bytes.h"

namespace wperf::unwind {

// How to compute the caller's registers at one instruction of a function.
enum class Rule : u8 {
  undefined,
  at_cfa,         // saved at the canonical frame address (CFA) + value
  cfa_plus,       // equal to the CFA + value
  in_register,    // in the register with the number `value`
  at_expression,  // saved at the address that the expression computes
  expression,     // the value of the expression
};

// A register without a rule keeps its value.
struct RegisterRule {
  u8 number = 0;
  Rule rule = Rule::undefined;
  std::int64_t value = 0;
  symbols::Bytes expression;
};

struct FrameRow {
  u8 cfa_register = 0;  // the canonical frame address (CFA): this register + offset, or the value of the expression
  std::int64_t cfa_offset = 0;
  symbols::Bytes cfa_expression;
  std::vector<RegisterRule> rules;
  u8 return_register = 0;
  bool is_signal_frame = false;  // its caller was interrupted at any instruction, not at a call
  bool is_outermost = false;     // there is no caller
  bool is_plain = true;          // no rule needs another register, only the CFA and the stack
};

struct CommonEntry {  // CIE
  u64 code_factor = 1;
  std::int64_t data_factor = 1;
  u8 return_register = 0;
  u8 pointer_encoding = 0;  // see read_pointer() (DW_EH_PE_…)
  bool is_signal_frame = false;
  bool has_augmentation_size = false;
  symbols::EndianBytes program;
};

struct FunctionEntry {  // FDE
  CommonEntry common;
  u64 begin = 0, end = 0;        // linked addresses
  u64 program_address = 0;       // linked address of the first byte of `program`
  symbols::EndianBytes program;  // to be run after the instructions of the common entry
};

// Returns nullopt if the instructions are damaged or unknown.
std::optional<FrameRow> row_in(const FunctionEntry& function, u64 address);

// Pointers in .eh_frame and .eh_frame_hdr (DW_EH_PE_…) of 64-bit files.

// `part_address`: linked address of the first byte in the cursor. `data_address`: the base of DW_EH_PE_datarel. Returns
// nullopt if the encoding is unknown or the bytes end.
std::optional<u64> read_pointer(symbols::dwarf::Cursor& cursor, u8 encoding, u64 part_address, u64 data_address);

}  // namespace wperf::unwind
