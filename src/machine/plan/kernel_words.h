// SPDX-License-Identifier: BSD-3-Clause
// Where the system's own kernel counts (Linux), it has its own words for events, and an event is more than a number of
// 16 bits. The device brings the words (Capabilities::kernel); plan asks it for each name and hands the result on to
// the device, untouched. See docs/decisions/0005.
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
  bool in_kernel = false;      // happens in kernel mode, so asking for user mode only would count nothing
  bool in_both_modes = false;  // is counted in kernel mode too, where this user may, whether -k is given or not
  bool clock = false;          // counts nanoseconds
  std::vector<u32> cores;      // those whose kernel thread reads it (units outside the cores); empty: any
};

// perf's modifiers after a name (event_modifiers.h).
struct EventModifiers {
  bool user = false, kernel = false, hypervisor = false;  // none of them set: -k chooses the modes
  u8 precision = 0;                                       // 1 to 3: how near a sample should be to its cause

  bool choose_modes() const { return user || kernel || hypervisor; }
};

// For Windows' tracing: context switches and wake-ups, as `waits` records them.
inline constexpr std::string_view kSchedulerEvent = "switches";
// For Linux: each switch of a thread, at the place where it leaves its core, as `top --waits` records them.
inline constexpr std::string_view kSwitchesForWaits = "context-switches";

class KernelEvents {
 public:
  virtual ~KernelEvents() = default;
  // nullopt: no such word. An error: the word is known, but its use is impossible, or it may not be looked up.
  virtual diag::Result<std::optional<KernelEvent>> find(std::string_view name) const = 0;
  // The catalogue's event numbers (Arm) are those of the cores' counters.
  virtual bool counts_catalogue() const = 0;
  // The cores have hardware counters that this system shows.
  virtual bool has_counters() const = 0;
  // Why `cycles` cannot be sampled; empty: they can.
  virtual std::string why_no_cycles() const = 0;
  // The remedy for that; empty if unknown.
  virtual std::string way_to_counters() const { return {}; }
  // Whether the cores count this number of the catalogue; nullopt: their units do not say.
  virtual std::optional<bool> counts_code(u16) const { return std::nullopt; }
  // Windows traces, Linux counts and samples: they differ in the facts that come with events.
  virtual bool is_windows() const { return false; }
  // The event that is sampled if the user names none.
  virtual std::string_view usual_event() const { return has_counters() ? "cycles" : "cpu-clock"; }
  // The words that `list` shows, with their kinds; hardware counters only if they are wanted.
  struct Word {
    std::string name, kind;
  };
  virtual std::vector<Word> words(bool of_hardware) const = 0;
  // Rows of `test`: facts about the counters, or about the recording that would be made.
  virtual std::vector<Word> session_facts() const { return {}; }
  // The interval between two samples if the user names none.
  virtual u32 usual_interval() const { return 0x4000000; }
};

}  // namespace wperf::plan
