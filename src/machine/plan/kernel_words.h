// SPDX-License-Identifier: BSD-3-Clause
// A system whose own kernel counts (Linux) has its own names for events, and an event is more than a number of 16 bits.
// The device brings the names (Capabilities::kernel). plan asks it for each name and hands the result on to the device
// unchanged. See docs/decisions/0005.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"
#include "ground/diag/result.h"

namespace wperf::plan {

// The arguments of perf_event_open.
struct KernelEvent {
  u32 type = 0;
  u64 config = 0, config1 = 0, config2 = 0;
  bool hardware = false;       // needs a counter of the cores
  bool in_kernel = false;      // happens in kernel mode, so a count of user mode only would be 0
  bool in_both_modes = false;  // is also counted in kernel mode if this user may, with or without -k
  bool clock = false;          // counts nanoseconds
  std::vector<u32> cores;      // those whose kernel thread reads it (units outside the cores); empty if any can
};

// perf's modifiers after a name (names.h).
struct EventModifiers {
  bool user = false, kernel = false, hypervisor = false;  // if none is set, -k chooses the modes
  u8 precision = 0;                                       // 1 to 3: how close a sample should be to its cause

  bool choose_modes() const { return user || kernel || hypervisor; }
};

// For Windows' tracing: context switches and wake-ups, as `waits` records them.
inline constexpr std::string_view kSchedulerEvent = "switches";
// For Linux: each switch of a thread, at the place where it leaves its core, as `top --waits` records it.
inline constexpr std::string_view kSwitchesForWaits = "context-switches";

class KernelEvents {
 public:
  virtual ~KernelEvents() = default;
  // nullopt if there is no such word. An error if the word is known, but cannot be used here or may not be looked up.
  virtual diag::Result<std::optional<KernelEvent>> find(std::string_view name) const = 0;
  // True if the catalogue's event numbers (Arm) are those of the cores' counters.
  virtual bool counts_catalogue() const = 0;
  // True if the cores have hardware counters that this system shows.
  virtual bool has_counters() const = 0;
  // Why `cycles` cannot be sampled; empty if they can.
  virtual std::string why_no_cycles() const = 0;
  // The remedy for that; empty if unknown.
  virtual std::string way_to_counters() const { return {}; }
  // Whether the cores count this number of the catalogue; nullopt if their units do not say.
  virtual std::optional<bool> counts_code(u16) const { return std::nullopt; }
  // Windows traces, Linux counts and samples: they differ in the facts that events carry.
  virtual bool is_windows() const { return false; }
  // The event to sample if the user names none.
  virtual std::string_view usual_event() const { return has_counters() ? "cycles" : "cpu-clock"; }
  // The names that `list` shows, with their kinds; hardware counters only on request.
  struct Word {
    std::string name, kind;
  };
  virtual std::vector<Word> words(bool of_hardware) const = 0;
  // Rows of `test`: facts about the counters, or about a recording.
  virtual std::vector<Word> session_facts() const { return {}; }
  // The interval between two samples if the user names none.
  virtual u32 usual_interval() const { return 0x4000000; }
};

}  // namespace wperf::plan
