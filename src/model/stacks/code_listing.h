// SPDX-License-Identifier: BSD-3-Clause
// The code of hot functions, as source lines and instructions with their samples.
#pragma once
#include <string>
#include <vector>

#include "base/ints.h"

namespace wperf::stacks {

struct CodeHits {
  u64 samples = 0, period = 0;
};

struct CodeLine {
  std::string file;  // the path in the debug information; empty for code without a line
  u32 line = 0;
  CodeHits hits;
  std::string source;  // empty if the file is not on this machine
  CodeHits all = {};   // including called code
};

struct CodeInstruction {
  u64 address = 0;   // address in the linked file
  std::string text;  // "jne   0x401136 <main+0x16>"
  CodeHits hits;
  std::string line;          // "file.c:12"; empty if not known
  bool follows_gap = false;  // code without samples was left out before this instruction
  CodeHits all = {};         // including called code
};

struct FunctionCode {
  u32 event = 0, function = 0;
  CodeHits hits;
  std::vector<CodeLine> lines;                // ordered by hits, the most first; includes called code if that is
                                              // counted
  std::vector<CodeInstruction> instructions;  // instructions with hits and their surroundings, by address
  std::string reason;                         // what is missing and why; empty if nothing is
  bool with_calls = false;                    // `all` includes called code
  CodeHits all = {};
};

}  // namespace wperf::stacks
