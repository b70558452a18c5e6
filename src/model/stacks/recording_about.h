// SPDX-License-Identifier: BSD-3-Clause
// Facts about the recorded run, apart from its samples: the input of a headline. Unknown facts are empty; no fact is
// guessed.
#pragma once
#include <optional>
#include <string>

#include "base/ints.h"

namespace wperf::stacks {

struct RecordingAbout {
  std::string command;  // that made it, as typed: "wperf record -g -- ./program"
  std::string program;  // the words of it that are the program's: "./program"
  std::string image;    // the recorded program: "program"; empty: the whole machine, or unknown
  std::string host, processor, version;
  u32 watched = 0;                 // the process that its `-p` names; 0: none
  u32 cores = 0;                   // the machine's
  u64 begun_unix_ns = 0;           // 0: not known
  u64 elapsed_ns = 0;              // of the recording, measured and not taken from samples; 0: not known
  std::optional<u64> cpu_ns = {};  // CPU time of the program and the processes that it started; measured
  bool is_of_machine = false;      // no process was left out
  bool has_ended = false;          // the program ended by itself: elapsed_ns is how long it ran
};

}  // namespace wperf::stacks
