// SPDX-License-Identifier: BSD-3-Clause
// The event names of the etw device: the timer, Windows' sample sources, and the events in wperf's catalogue, which are
// added as sources. One more name stands for the events that `waits` needs.
#pragma once
#include <span>

#include "machine/etw/trace_session.h"
#include "machine/plan/sample_plan.h"

namespace wperf::etw {

class TraceEvents final : public plan::KernelEvents {
 public:
  TraceEvents(std::vector<ProfileSource> sources, bool on_arm, u32 cores, u32 at_once)
      : sources_(std::move(sources)), on_arm_(on_arm), cores_(cores), at_once_(at_once) {}

  diag::Result<std::optional<plan::KernelEvent>> find(std::string_view name) const override;
  // Windows on Arm takes event numbers; on x64 the catalogue's numbers would mean other events.
  bool counts_catalogue() const override { return on_arm_; }
  bool has_counters() const override { return sources_.size() > 1; }
  std::string why_no_cycles() const override { return {}; }
  bool is_windows() const override { return true; }
  std::string_view usual_event() const override { return "timer"; }
  std::vector<Word> words(bool of_hardware) const override;
  std::vector<Word> session_facts() const override;
  u32 usual_interval() const override { return kUsualInterval; }

 private:
  std::vector<ProfileSource> sources_;
  bool on_arm_;
  u32 cores_, at_once_;  // at_once_: number of counters
};

// Plans the session: its sample sources, and whether it records switches.
diag::Result<void> plan_session(const plan::SamplePlan& plan, std::span<const ProfileSource> sources,
                                SessionPlan& session);

// The source that counts a plan entry.
struct CountedEntry {
  enum class Kind : u8 { counter, time, switches };
  Kind kind = Kind::counter;
  usize counter = 0;  // index into SessionPlan::counted
};
// Returns one CountedEntry for each entry of the cores' schedule. Adds the counters that are read at each switch to
// `session`.
diag::Result<std::vector<CountedEntry>> plan_counts(const plan::CountPlan& plan, std::span<const ProfileSource> sources,
                                                    SessionPlan& session);

}  // namespace wperf::etw
