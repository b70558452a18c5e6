// SPDX-License-Identifier: BSD-3-Clause
// The perf events of one sampling run, opened for each thread and core, with their rings and their descriptions for a
// file. The first event also reports mappings, names and forks, so that addresses can be named after the program has
// ended.
#pragma once
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "formats/perf_data/perf_file_layout.h"
#include "machine/linux_kernel/linux_sessions_linux.h"
#include "machine/perf_events/rings_linux.h"

namespace wperf::linux_kernel {

class SampledEvents {
 public:
  using OpenEvent = perf_events::OpenEvent;

  // `opener` replaces the kernel in tests.
  SampledEvents(const LinuxMachine& machine, const plan::SamplePlan& plan, bool starts_with_program,
                OpenEvent opener = perf_events::open_event)
      : machine_(machine), plan_(plan), starts_with_program_(starts_with_program), open_event_(opener) {}

  // `threads`: {-1} for all programs on a core. `timed`: the threads whose CPU time is counted.
  diag::Result<void> open(const std::vector<int>& threads, const std::vector<int>& timed);
  void switch_all(unsigned long request);
  // Records of the losses that the kernel counted. A full ring can report its losses only when there is room again,
  // which may never happen. As with perf, these records also include losses that the rings already reported. Older
  // kernels do not count losses.
  std::string lost_samples() const;

  // The CPU time of the watched threads and of threads started by them; nullopt if other threads were also watched, or
  // if the kernel does not count it here.
  std::optional<u64> cpu_time_ns() const;

  // If switches are recorded: the cost of each switch for a thread; see switch_cost_ns.
  std::optional<u64> switch_cost() const;

  // Adds a larger ring for the same core to rings(), because a mapped ring cannot grow. Its events write into the new
  // ring from now on. The contents of the old ring remain in it. Does nothing if the ring already has the largest
  // possible size.
  void enlarge(usize ring);

  std::vector<perf_events::SampleRing>& rings() { return rings_; }
  const std::vector<perf_events::SampleRing>& rings() const { return rings_; }
  // One for each event of the plan, and for each kind of core if these have separate PMUs. If stack copies are
  // converted to call chains before they reach the file, these descriptions mention no copies.
  const std::vector<perf_data::WrittenEvent>& written() const { return written_; }
  // The same events as the kernel writes them into rings.
  const std::vector<perf_data::WrittenEvent>& as_recorded() const { return recorded_; }
  u64 sample_type() const { return sample_type_; }
  // Stack copies were one of several methods, but this kernel refused them.
  bool copies_were_refused() const { return copies_were_refused_; }

 private:
  struct Opened {
    perf_events::Descriptor descriptor;
    u64 id = 0;
    u32 core = 0;
    bool counts_losses = false;
  };
  // The events of a core and their rings.
  struct CoreEvents {
    perf_events::Scope scope;  // of the first event
    usize begin = 0, end = 0;  // range in events_
    usize ring = 0;            // index in rings_
    bool is_greatest = false;  // a larger ring cannot be mapped
    // events that own the rings, the newest last; the older rings still have records
    std::vector<perf_events::Descriptor> owners;
  };
  diag::Result<void> open_core(u32 core, const std::vector<int>& threads);
  void open_cpu_time(const std::vector<int>& threads);
  diag::Result<void> map_ring(CoreEvents& core);
  perf_events::Descriptor open_ring_owner(perf_events::Scope scope) const;
  diag::Result<std::vector<Opened>> open_watch(perf_events::Scope scope);
  diag::Result<Opened> open_event(usize number, perf_events::Scope scope);
  perf_events::Descriptor open_with_less(perf_event_attr& attributes, perf_events::Scope scope) const;
  bool records_switches() const;
  bool has_switch_records() const;                                      // records of threads that started and stopped
                                                                        // running on cores
  bool has_event(std::initializer_list<std::string_view> names) const;  // is at least one of them sampled?
  perf_event_attr attributes_of(usize number, perf_events::Scope scope) const;
  static perf_data::WrittenEvent& describe(const std::string& name, const perf_event_attr& attributes, u64 id,
                                           std::vector<perf_data::WrittenEvent>& events);

  const LinuxMachine& machine_;
  const plan::SamplePlan& plan_;
  bool starts_with_program_;
  OpenEvent open_event_;
  bool copies_were_refused_ = false;
  u64 sample_type_ = 0;
  std::vector<Opened> events_;
  std::vector<perf_events::Descriptor> cpu_time_;  // one for each thread; empty if not counted
  std::vector<CoreEvents> cores_;
  std::vector<perf_events::SampleRing> rings_;
  bool wakes_watchers_ = false;  // samples wake the watchers
  std::vector<perf_data::WrittenEvent> written_, recorded_;
};

}  // namespace wperf::linux_kernel
