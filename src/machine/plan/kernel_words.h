// SPDX-License-Identifier: BSD-3-Clause
// If the system's own kernel counts (Linux), it has its own names for events, and an event is more than a 16-bit
// number. The device provides the names (Capabilities::kernel). plan looks up each name there and passes the result to
// the device unchanged. See docs/decisions/0005.
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
  bool hardware = false;       // needs a hardware counter of the cores
  bool in_kernel = false;      // occurs in kernel mode, so a user-mode count would be 0
  bool in_both_modes = false;  // is also counted in kernel mode if this user may do that, with or without -k
  bool clock = false;          // counts nanoseconds
  std::vector<u32> cores;      // the cores that read it (for PMUs outside of the cores); empty if any core can
};

// perf's modifiers after an event name (names.h).
struct EventModifiers {
  bool user = false, kernel = false, hypervisor = false;  // if none is set, -k decides
  u8 precision = 0;                                       // 1 to 3: how close a sample should be to the instruction
                                                          // that caused it

  bool choose_modes() const { return user || kernel || hypervisor; }
};

// For Windows' tracing: context switches and wake-ups, which `waits` records.
inline constexpr std::string_view kSchedulerEvent = "switches";
// For Linux: each context switch, with the place where the thread left its core. `top --waits` records this event.
inline constexpr std::string_view kSwitchesForWaits = "context-switches";

class KernelEvents {
 public:
  virtual ~KernelEvents() = default;
  // Returns nullopt if there is no such name, and an error if the name is known but cannot be used here or may not be
  // looked up.
  virtual diag::Result<std::optional<KernelEvent>> find(std::string_view name) const = 0;
  // True if the cores' counters use the event numbers of the (Arm) catalogue.
  virtual bool counts_catalogue() const = 0;
  // True if this system shows hardware counters of the cores.
  virtual bool has_counters() const = 0;
  // The reason why `cycles` cannot be sampled; empty if it can.
  virtual std::string why_no_cycles() const = 0;
  // The remedy if `cycles` cannot be sampled; empty if unknown.
  virtual std::string way_to_counters() const { return {}; }
  // Do the cores count the event with this catalogue number? nullopt if their PMUs do not report it.
  virtual std::optional<bool> counts_code(u16) const { return std::nullopt; }
  // Windows traces, while Linux counts and samples, so their events have different facts.
  virtual bool is_windows() const { return false; }
  // The default event for sampling.
  virtual std::string_view usual_event() const { return has_counters() ? "cycles" : "cpu-clock"; }
  // The names shown by `list`, with their kinds; hardware counters only on request.
  struct Word {
    std::string name, kind;
    std::string description = {};  // empty if there is none
    std::string same_as = {};      // the event's main name, if this is another name for it
  };
  virtual std::vector<Word> words(bool of_hardware) const = 0;
  // Rows of `test`: facts about the counters or about a recording.
  virtual std::vector<Word> session_facts() const { return {}; }
  // The default interval between two samples.
  virtual u32 usual_interval() const { return 0x4000000; }
};

}  // namespace wperf::plan
