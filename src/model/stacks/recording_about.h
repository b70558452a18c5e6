// SPDX-License-Identifier: BSD-3-Clause
// Facts about the recorded run apart from its samples; used for headlines. Unknown facts are empty, never guessed.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"

namespace wperf::stacks {

struct RecordingAbout {
  std::string command;  // the command line of the recorder: "wperf record -g -- ./program"
  std::string program;  // the program's part of the recorder's command line: "./program"
  std::string image;    // the recorded program: "program"; empty for the whole machine, or if unknown
  std::string host, processor, version;
  u32 watched = 0;                 // the process given with `-p`; 0 if there is none
  u32 cores = 0;                   // the number of cores of the machine
  u64 begun_unix_ns = 0;           // 0: not known
  u64 elapsed_ns = 0;              // duration of the recording, measured independently of samples; 0 if not known
  std::optional<u64> cpu_ns = {};  // measured CPU time of the program and of the processes that it started
  bool is_of_machine = false;      // all processes were recorded
  bool has_ended = false;          // the program ended on its own, so elapsed_ns is its run time
};

// Kinds of cores ("cpu_core", "armv8_cortex_a76"), to find on which kind a sample was taken. Filled only if a view asks
// for it.
inline constexpr u32 kNothing = ~u32{0};

struct CoreKinds {
  struct Event {
    bool has_cores = false;  // the samples of this event say on which core they were taken
    u32 kind = kNothing;     // the only kind of core on which this event counts
  };
  std::vector<std::string> names;
  std::vector<u32> of_core;  // by core: index into names; kNothing if not recorded
  std::vector<Event> events;
  u32 of_others = kNothing;  // the kind of all other cores, if the machine has only one kind

  // Returns an index into names, or kNothing.
  u32 of(u32 event, u32 core) const {
    const Event about = event < events.size() ? events[event] : Event{};
    if (about.has_cores && core < of_core.size() && of_core[core] != kNothing) return of_core[core];
    return about.kind != kNothing ? about.kind : of_others;
  }
  std::string_view name(u32 kind) const { return kind < names.size() ? std::string_view(names[kind]) : "?"; }
};

}  // namespace wperf::stacks
