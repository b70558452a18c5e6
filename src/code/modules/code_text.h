// SPDX-License-Identifier: BSD-3-Clause
// The machine code of modules as text, with the names of the targets of branches and calls.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "code/address.h"
#include "code/modules/code_file.h"
#include "code/symbols/disassembly/disassembler.h"
#include "ground/diag/result.h"

namespace wperf::modules {

// One disassembler for each instruction set, opened on first use.
class Disassemblers {
 public:
  diag::Result<std::vector<symbols::Instruction>> disassemble(const CodeBytes& code);

 private:
  std::map<symbols::InstructionSet, symbols::Disassembler> opened_;
};

struct InstructionStyle {
  int mnemonic_width = 0;
  bool decorated = false;            // show the targets' decorated names
  code::AddressRange function = {};  // a target inside it is shown only as an offset
};
// "b.ne  0x180001038 <mul+0x24>", "jne     0x401136 <+0x16>"; without a name if the target has none.
std::string instruction_text(const CodeFile& file, u64 base, const symbols::Instruction& instruction,
                             const InstructionStyle& style);

}  // namespace wperf::modules
