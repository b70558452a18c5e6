// SPDX-License-Identifier: BSD-3-Clause
// Where the system's own kernel counts (Linux), it has words of its own for events, and an event is more than a number
// of 16 bits. The device brings the words (Capabilities::kernel); plan asks it for each name and hands what it found on
// to the device, untouched. See docs/decisions/0005.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"
#include "ground/diag/result.h"

namespace wperf::plan {

// What perf_event_open is asked for.
struct KernelEvent {
  u32 type = 0;
  u64 config = 0, config1 = 0, config2 = 0;
  bool hardware = false;       // needs a counter of the cores
  bool in_kernel = false;      // happens in kernel mode, so asking for user mode only would count nothing
  bool in_both_modes = false;  // is counted in kernel mode too, where this user may, whether -k is given or not
  bool clock = false;          // counts nanoseconds
  std::vector<u32> cores;      // those whose kernel thread reads it (units outside the cores); empty: any
};

// What perf's modifiers behind a name say (event_modifiers.h).
struct EventModifiers {
  bool user = false, kernel = false, hypervisor = false;  // none of them: the modes are as -k says
  u8 precision = 0;                                       // 1 to 3: how near a sample should be to what caused it

  bool choose_modes() const { return user || kernel || hypervisor; }
};

// Of Windows' tracing: who runs where, and who makes whom ready. What `waits` records.
inline constexpr std::string_view kSchedulerEvent = "switches";
// Of Linux: each switch of a thread, where it leaves its core. What `top --waits` records.
inline constexpr std::string_view kSwitchesForWaits = "context-switches";

class KernelEvents {
 public:
  virtual ~KernelEvents() = default;
  // Nothing: no such word. An error: the word is known, but says something that cannot be, or may not be looked up.
  virtual diag::Result<std::optional<KernelEvent>> find(std::string_view name) const = 0;
  // The event numbers of our catalogue (Arm) are those of the cores' counters.
  virtual bool counts_catalogue() const = 0;
  // The cores have hardware counters that this system shows.
  virtual bool has_counters() const = 0;
  // Why `cycles` cannot be sampled; empty: they can.
  virtual std::string why_no_cycles() const = 0;
  // What can be done about that; empty: nothing is known.
  virtual std::string way_to_counters() const { return {}; }
  // Whether the cores count this number of the catalogue, as far as their units tell; nothing: they do not tell.
  virtual std::optional<bool> counts_code(u16) const { return std::nullopt; }
  // Windows traces, or Linux counts and samples: what there is beside events differs.
  virtual bool is_windows() const { return false; }
  // What is sampled where nobody names an event.
  virtual std::string_view usual_event() const { return has_counters() ? "cycles" : "cpu-clock"; }
  // What `list` shows, with a word on what it is; those of hardware counters only where they are asked for.
  struct Word {
    std::string name, kind;
  };
  virtual std::vector<Word> words(bool of_hardware) const = 0;
  // Rows of `test`: what there is to tell of the counters, or of the recording that would be made.
  virtual std::vector<Word> session_facts() const { return {}; }
  // Between two samples of an event, where nobody names one.
  virtual u32 usual_interval() const { return 0x4000000; }
};

}  // namespace wperf::plan
