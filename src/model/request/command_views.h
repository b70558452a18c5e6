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
  bool on_off = false;  // running and waiting in one profile
  u64 min_ns = 0;       // shorter waits are not listed
};

struct TopdownView {
  std::optional<u32> level;  // how deep to go; 1 is the first level; never 0
  std::string node;          // the node to go to; empty for the one that loses most
  bool sampled = true;       // a last run samples, to find the functions
};

// For `top`.
struct LiveView {
  bool once = false;     // prints one stretch of time
  u64 period_ms = 1000;  // how long a stretch is; never 0
  bool waits = false;    // also shows where threads wait
  // Counted while sampling; an empty list means the default events of `stat`.
  std::optional<std::vector<CountItem>> counters = {};
};

// For `machine`.
struct MachineWork {
  std::string action;              // start, run, ps, kill or stop; may be empty
  std::vector<std::string> words;  // after it
  u64 affinity = 0;                // the cores on which the program's threads may run; 0: all
  bool detached = false;
};

// For `mcp`.
struct McpWork {
  std::optional<std::string> root;  // the folder of all recordings; nullopt: the current one
  bool may_start_programs = false;
};

struct DoctorWork {
  bool selftest = false;  // tests the devices with known work
  bool fix = false;       // repairs what can be repaired
};

}  // namespace wperf::request
