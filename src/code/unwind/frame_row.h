// SPDX-License-Identifier: BSD-3-Clause
// How the caller's registers are computed from those of a function at one of its instructions.
#pragma once
#include <cstdint>
#include <vector>

#include "code/symbols/elf/endian_bytes.h"

namespace wperf::unwind {

enum class Rule : u8 {
  undefined,
  at_cfa,         // saved at the canonical frame address + value
  cfa_plus,       // is that sum
  in_register,    // is in the register `value`
  at_expression,  // saved where the expression says
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
  u8 cfa_register = 0;  // the canonical frame address: this register + offset, or the value of the expression
  std::int64_t cfa_offset = 0;
  symbols::Bytes cfa_expression;
  std::vector<RegisterRule> rules;
  u8 return_register = 0;
  bool is_signal_frame = false;  // its caller was interrupted anywhere, not after a call
  bool is_outermost = false;     // there is no caller
  bool is_plain = true;          // all rules need the canonical frame address and the stack, but no other register
};

}  // namespace wperf::unwind
