// SPDX-License-Identifier: BSD-3-Clause
#include "machine/etw/etw_counting.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/event_class.h"
#include "formats/etl/switch_counts.h"
#include "formats/etl/trace_history.h"
#include "ground/os/mapped_file.h"
#include "ground/os/recording_file.h"
#include "machine/etw/trace_events.h"

namespace wperf::etw {
namespace {

class TraceCountSession final : public device::CountSession {
 public:
  TraceCountSession(etw::TraceApi& api, device::Programs& programs, const plan::CountPlan& plan,
                    etw::SessionPlan session, std::vector<etw::CountedEntry> entries, os::RecordingFile file)
      : api_(api),
        programs_(programs),
        plan_(plan),
        session_plan_(std::move(session)),
        entries_(std::move(entries)),
        file_(std::move(file)) {}

  diag::Result<void> start() override {
    WPERF_TRY(session_, etw::Session::start(api_, session_plan_));
    start_ns_ = programs_.now_ns();
    return {};
  }
  diag::Result<void> check() override {
    const auto state = session_->state();
    if (!state.has_value()) return state.error();
    return {};
  }
  diag::Result<void> stop() override {
    if (end_ns_ != 0) return {};
    end_ns_ = programs_.now_ns();
    WPERF_TRY(const etw::SessionState state, session_->stop());
    events_lost_ = state.events_lost;
    return {};
  }
  diag::Result<readings::CountCapture> read() override;

 private:
  u64 value_of(const etw::CountedEntry& entry, const etl::SwitchCounts::Spent& spent, const etl::Trace& trace) const;
  void add_cores(const etl::Trace& trace, const etl::SwitchCounts& counts, readings::CountCapture& capture) const;
  readings::UnitCounts unit_of(u32 number) const;
  static u64 ns_of(const etl::Trace& trace, u64 ticks) { return trace.nanoseconds(trace.header().first_ticks + ticks); }

  etw::TraceApi& api_;
  device::Programs& programs_;
  plan::CountPlan plan_;
  etw::SessionPlan session_plan_;
  std::vector<etw::CountedEntry> entries_;
  os::RecordingFile file_;
  std::unique_ptr<etw::Session> session_;
  u64 start_ns_ = 0, end_ns_ = 0, events_lost_ = 0;
};

u64 TraceCountSession::value_of(const etw::CountedEntry& entry, const etl::SwitchCounts::Spent& spent,
                                const etl::Trace& trace) const {
  switch (entry.kind) {
    case etw::CountedEntry::Kind::time:
      return ns_of(trace, spent.running);
    case etw::CountedEntry::Kind::switches:
      return spent.switches;
    default:
      return entry.counter < spent.values.size() ? spent.values[entry.counter] : 0;
  }
}

readings::UnitCounts TraceCountSession::unit_of(u32 number) const {
  readings::UnitCounts unit;
  unit.unit = number;
  unit.enabled_ns = end_ns_ - start_ns_;
  unit.entries.resize(entries_.size());
  for (readings::CounterReading& entry : unit.entries) entry.running_ns = entry.enabled_ns = unit.enabled_ns;
  return unit;
}

void TraceCountSession::add_cores(const etl::Trace& trace, const etl::SwitchCounts& counts,
                                  readings::CountCapture& capture) const {
  const etl::SwitchCounts::Spent nothing;
  for (const u32 core : plan_.cores) {
    readings::UnitCounts& unit = capture.units.emplace_back(unit_of(core));
    const etl::SwitchCounts::Spent& spent = core < counts.cores().size() ? counts.cores()[core] : nothing;
    for (usize i = 0; i < entries_.size(); ++i) unit.entries[i].value = value_of(entries_[i], spent, trace);
  }
}

diag::Result<readings::CountCapture> TraceCountSession::read() {
  readings::CountCapture capture{.start_ns = start_ns_, .end_ns = end_ns_, .units = {}};
  WPERF_TRY(const os::MappedFile mapped, os::MappedFile::open(file_.openable_path()));
  WPERF_TRY(const etl::Trace trace, etl::Trace::open(mapped.bytes()));
  etl::TraceHistory history;
  etl::TraceLosses losses;
  u64 end = trace.header().first_ticks;
  trace.for_each_event(
      [&](const etl::Event& event) {
        history.take(event);
        end = std::max(end, event.time);
      },
      losses);
  history.finish();
  const std::span<const u32> cores = plan_.of_program ? std::span<const u32>() : plan_.cores;
  etl::SwitchCounts counts(session_plan_.counted.size(), cores, trace.header().first_ticks, losses.unrecorded);
  etl::TraceLosses again;
  trace.for_each_event([&](const etl::Event& event) { counts.take(event); }, again);
  counts.finish(end);

  const std::set<u32> family =
      plan_.of_program ? readings::with_children(plan_.process.value_or(0), history.children()) : std::set<u32>();
  for (const etl::SwitchCounts::Thread& one : counts.threads()) {
    if (one.thread == 0) continue;
    const u32 process = history.process_of(one.thread, one.time);
    if (plan_.of_program && !family.contains(process)) continue;
    capture.unseen_ns += ns_of(trace, one.spent.unseen);
    capture.lost_ns += ns_of(trace, one.spent.lost);
    if (one.spent.switches == 0 && one.spent.running == 0) continue;
    readings::ThreadCounts& thread = capture.threads.emplace_back();
    thread.process = process;
    thread.thread = one.thread;
    thread.name = history.image_of(process, one.time);
    thread.running_ns = ns_of(trace, one.spent.running);
    thread.switches = one.spent.switches;
    for (const etw::CountedEntry& entry : entries_) thread.values.push_back(value_of(entry, one.spent, trace));
  }
  capture.events_lost = std::max<u64>(events_lost_, trace.header().events_lost) + losses.missing_buffers;
  if (plan_.of_program) {
    readings::UnitCounts& unit = capture.units.emplace_back(unit_of(0));
    for (const readings::ThreadCounts& thread : capture.threads) {
      for (usize i = 0; i < entries_.size(); ++i) unit.entries[i].value += thread.values[i];
    }
  } else {
    add_cores(trace, counts, capture);
  }
  return capture;
}

}  // namespace

diag::Result<std::unique_ptr<device::CountSession>> open_trace_count(etw::TraceApi& api, device::Programs& programs,
                                                                     const plan::CountPlan& plan,
                                                                     std::span<const etw::ProfileSource> sources,
                                                                     bool force) {
  etw::SessionPlan session;
  session.stacks = false;
  session.watches = true;
  session.cores = static_cast<u32>(api.machine().core_midr.size());
  session.force = force;
  WPERF_TRY(std::vector<etw::CountedEntry> entries, etw::plan_counts(plan, sources, session));
  const u32 most = etw::most_counters(api);
  if (most != 0 && session.counted.size() > most) {
    return diag::Error{.text = fmt::format("Windows can count at most {} events at once on this machine, not {}", most,
                                           session.counted.size()),
                       .hint = "choose fewer with -e",
                       .code = diag::ExitCode::usage};
  }
  WPERF_TRY(os::RecordingFile file, os::RecordingFile::create({}));
  file.close();  // Windows writes it, not we
  session.file = file.openable_path();
  return std::unique_ptr<device::CountSession>(std::make_unique<TraceCountSession>(
      api, programs, plan, std::move(session), std::move(entries), std::move(file)));
}

}  // namespace wperf::etw
