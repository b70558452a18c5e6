// SPDX-License-Identifier: BSD-3-Clause
// Options that only one command takes.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/ints.h"
#include "model/request/counted_items.h"

namespace wperf::request {

struct WaitView {
  bool critical_path = false;
  bool on_off = false;  // shows running and waiting in one profile
  u64 min_ns = 0;       // shorter waits are not listed
};

struct TopdownView {
  std::optional<u32> level;  // how many levels deep to go, from 1
  std::string node;          // the node to refine; empty: the node with the largest loss
  bool sampled = true;       // a last run takes samples, to find the functions
};

// For `top`.
struct LiveView {
  bool once = false;   // prints one interval and ends
  u64 look_ms = 1000;  // --every: the length of one interval; never 0
  bool waits = false;  // also shows where threads wait
  // Events to count while sampling; an empty list means the default events of `stat`.
  std::optional<std::vector<CountItem>> counters = {};
};

// For `machine`.
struct MachineWork {
  std::string action;              // start, run, ps, kill or stop; may be empty
  std::vector<std::string> words;  // the words after the action
  u64 affinity = 0;                // the cores on which the program's threads may run; 0: all
  bool detached = false;
};

// For `mcp`.
struct McpWork {
  std::optional<std::string> root;  // the folder that must contain all recordings; nullopt: the current folder
  bool may_start_programs = false;
};

struct DoctorWork {
  bool selftest = false;  // tests the devices with a program whose counts are known
  bool fix = false;       // repairs what can be repaired
};

}  // namespace wperf::request
