// SPDX-License-Identifier: BSD-3-Clause
// What a recording tells of the run it is of, beside its samples: what a headline is made of. What it does not tell is
// empty; nothing here is guessed. Made by recording, shown by report.
#pragma once
#include <optional>
#include <string>

#include "base/ints.h"

namespace wperf::stacks {

struct RecordingAbout {
  std::string command;  // that made it, as it was typed: "wperf record -g -- ./program"
  std::string program;  // the words of it that are the program's: "./program"
  std::string image;    // of the program it is of: "program"; empty: of the whole machine, or not known
  std::string host, processor, version;
  u32 watched = 0;                 // the process that `-p` of it names; 0: none
  u32 cores = 0;                   // of the machine
  u64 begun_unix_ns = 0;           // 0: not known
  u64 elapsed_ns = 0;              // that was recorded, measured and not taken from samples; 0: not known
  std::optional<u64> cpu_ns = {};  // that the program, and what it started, had of the cores meanwhile; measured
  bool is_of_machine = false;      // nobody's samples were left out
  bool has_ended = false;          // the program ended by itself: elapsed_ns is how long it ran
};

}  // namespace wperf::stacks
