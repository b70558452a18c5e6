// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/live_counts.h"

#include <algorithm>
#include <utility>

#include "app/measure/count_profile_builder.h"

namespace wperf::measure {
namespace {

// The same measurement for `stat`.
request::Measurement counting(request::Measurement wanted, std::vector<request::CountItem> counters,
                              const SampledProgram& sampled) {
  wanted.command = request::Command::stat;
  wanted.items = std::move(counters);
  if (wanted.cores.empty()) wanted.cores = wanted.sampling.cores;
  if (!wanted.timeout.has_value()) wanted.timeout.emplace();
  wanted.program.reset();
  wanted.process.reset();
  if (sampled.pid != 0 && !wanted.sampling.whole_machine) wanted.process = sampled.pid;
  return wanted;
}

u64 grown(u64 now, u64 before) {
  return now - std::min(now, before);
}

readings::CountCapture difference(readings::CountCapture now, const readings::CountCapture& before) {
  now.start_ns = std::max(now.start_ns, before.end_ns);
  for (usize i = 0; i < now.units.size() && i < before.units.size(); ++i) {
    readings::UnitCounts& unit = now.units[i];
    const readings::UnitCounts& old = before.units[i];
    unit.enabled_ns = grown(unit.enabled_ns, old.enabled_ns);
    unit.cycles = grown(unit.cycles, old.cycles);
    unit.cycles_running_ns = grown(unit.cycles_running_ns, old.cycles_running_ns);
    unit.cycles_enabled_ns = grown(unit.cycles_enabled_ns, old.cycles_enabled_ns);
    for (usize entry = 0; entry < unit.entries.size() && entry < old.entries.size(); ++entry) {
      readings::CounterReading& reading = unit.entries[entry];
      reading.value = grown(reading.value, old.entries[entry].value);
      reading.running_ns = grown(reading.running_ns, old.entries[entry].running_ns);
      reading.enabled_ns = grown(reading.enabled_ns, old.entries[entry].enabled_ns);
    }
  }
  return now;
}

}  // namespace

diag::Result<std::unique_ptr<LiveCounts>> LiveCounts::open(request::Measurement wanted,
                                                           std::vector<request::CountItem> counters,
                                                           const SampledProgram& sampled, Machine& machine) {
  const auto& kernel = machine.capabilities.kernel;
  if (kernel == nullptr || kernel->is_windows()) {
    return diag::Error{
        .text = kernel == nullptr
                    ? "--counters needs the linux device: a driver cannot sample and count at the same time"
                    : "--counters needs the linux device: Windows traces give counts only at their end",
        .hint = "top shows the rates of the events of -e; for exact counts use `wperf stat -t`",
        .code = diag::ExitCode::usage};
  }
  WPERF_TRY(plan::CountPlan plan, plan::make_count_plan(counting(std::move(wanted), std::move(counters), sampled),
                                                        machine.capabilities, machine.catalog));
  WPERF_TRY(std::unique_ptr<device::CountSession> session, machine.device->open_count(plan));
  WPERF_CHECK_OK(session->start());
  return std::unique_ptr<LiveCounts>(new LiveCounts(std::move(plan), std::move(session), machine));
}

diag::Result<std::vector<answers::CountRow>> LiveCounts::next() {
  WPERF_TRY(readings::CountCapture now, session_->read());
  const answers::CountProfile profile =
      build_count_profile(plan_, machine_.capabilities, machine_.catalog, difference(now, last_));
  last_ = std::move(now);
  const answers::ClassCounts& counts = profile.classes[index_of(EventClass::core)];
  std::vector<answers::CountRow> rows;
  for (const answers::CountUnit& unit : counts.units) answers::add_counts(rows, unit.rows);
  return rows;
}

}  // namespace wperf::measure
