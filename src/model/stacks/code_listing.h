// SPDX-License-Identifier: BSD-3-Clause
// The code of hot functions, with the samples that hit it: source lines and instructions.
#pragma once
#include <string>
#include <vector>

#include "base/ints.h"

namespace wperf::stacks {

struct CodeHits {
  u64 samples = 0, period = 0;
};

struct CodeLine {
  std::string file;  // as the compiler wrote it; empty for code without a line
  u32 line = 0;
  CodeHits hits;
  std::string source;  // empty if the file is not on this machine
  CodeHits all = {};   // including the code called from there
};

struct CodeInstruction {
  u64 address = 0;   // as linked
  std::string text;  // "jne   0x401136 <main+0x16>"
  CodeHits hits;
  std::string line;          // "file.c:12"; empty if not known
  bool follows_gap = false;  // code without samples before it was left out
  CodeHits all = {};         // including the code called from there
};

struct FunctionCode {
  u32 event = 0, function = 0;
  CodeHits hits;
  std::vector<CodeLine> lines;                // most hits first, including calls if these are counted
  std::vector<CodeInstruction> instructions;  // the instructions around those with hits, by address
  std::string reason;                         // why something is missing; empty if everything is there
  bool with_calls = false;                    // called code is also counted: in each `all`
  CodeHits all = {};
};

}  // namespace wperf::stacks
