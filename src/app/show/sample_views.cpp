// SPDX-License-Identifier: BSD-3-Clause
#include "app/show/sample_views.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/recording/recorded_code.h"
#include "app/output/outputs.h"
#include "app/show/named_samples.h"
#include "app/show/profile_views.h"
#include "app/show/recorded_compat.h"
#include "app/show/recorded_spe.h"
#include "app/show/records_output.h"
#include "app/show/report_options.h"
#include "app/show/weighted_samples.h"
#include "code/modules/symbol_folders.h"
#include "formats/perf_data/run_facts.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/stacks/stack_aggregator.h"
#include "views/report/sample_lines.h"
#include "views/report/sample_report.h"
#include "views/report/stack_report.h"

namespace wperf::show {
namespace {

// Writes to the file of --records, or for "-" to the console.
diag::Result<void> write_sample_lines(const NamedSamples& samples, const ReportOptions& options,
                                      diag::Console& console) {
  const recording::RecordedSamples& recorded = samples.recorded;
  WPERF_TRY(RecordsOutput output, RecordsOutput::open(options, console));
  const report::SampleLines spelled(recorded.profile, recorded.lists,
                                    output.json() ? report::LineFormat::json : report::LineFormat::text);
  LineBatches lines(spelled, [&](std::string_view part) { output.write(part); });
  const stacks::ChosenSamples chosen(recorded.profile, options.tables.filter);
  const auto& events = samples.file.attrs();
  const auto add = [&](const perf_data::Sample& sample, u32 row, u64 period) {
    if (!chosen.has(recorded.profile.samples[row])) return;
    const u32 event = recorded.profile.samples[row].event;
    const perf_data::EventAttributes& attributes = events[std::min<usize>(event, events.size() - 1)].attributes;
    lines.add(row, {.time_ns = sample.time,
                    .period = period,
                    .core = sample.cpu,
                    .has_time = attributes.has(perf_data::kSampleTime),
                    .has_core = attributes.has(perf_data::kSampleCpu)});
  };
  usize number = 0;
  auto part = recorded.parts.begin();
  samples.file.for_each_record([&](const perf_data::Sample& sample, const perf_data::Record&) {
    const usize own = number++;
    const u32 row = recorded.row_of_sample[own];
    if (row == stacks::StackAggregator::kNoRow) return;
    if (recorded.parts.empty())
      return add(sample, row, samples.weights != nullptr ? (*samples.weights)[own] : sample.period);
    for (; part != recorded.parts.end() && part->sample <= own; ++part) add(sample, part->row, part->period);
  });
  lines.finish();
  return output.close();
}

// For a run on a machine that clients of WindowsPerf support: the JSON that these clients read. Empty with filters,
// because the clients have none.
diag::Result<std::string> clients_json(const perf_data::PerfFile& file, const ReportOptions& options,
                                       diag::Console& console) {
  const stacks::StackFilter& filter = options.tables.filter;
  const bool filters = options.read.time.has_value() || !filter.comms.empty() || !filter.modules.empty() ||
                       !filter.pids.empty() || !filter.tids.empty();
  const auto run = perf_data::read_run_facts(file.features().section(perf_data::kRunFactsFeature));
  if (!output::wants_json(options.outputs) || filters || !run.has_value() || !run->windows) return std::string();
  WPERF_TRY(const compat::CompatView view, compat_with_progress(file, options, console));
  return report::sampling_value(view, options.samples());
}

// The headline of each view names the caller of the hottest function if this costs little: if callers were recorded,
// and no unwinding is needed.
bool can_show_callers_fast(const perf_data::PerfFile& file) {
  constexpr usize kSoon = usize{64} << 20;  // bytes of records
  const auto has = [&file](u64 field) {
    return std::any_of(file.attrs().begin(), file.attrs().end(),
                       [field](const perf_data::Event& event) { return event.attributes.has(field); });
  };
  return file.record_bytes().size() <= kSoon && has(perf_data::kSampleCallchain) && !has(perf_data::kSampleUserStack);
}

// Shows a page with all times, and with the memory data of SPE.
diag::Result<void> show_page(const recording::SampledRecording& source, const recording::ReadOptions& wanted,
                             const WeightedSamples* weighted, const ReportOptions& options, diag::Console& console) {
  WPERF_TRY(recording::RecordedSamples timed, read_timed_samples(source, wanted, options, console));
  if (weighted != nullptr) weighted->describe(options, timed.profile);
  std::optional<ReadSpe> spe;
  if (source.operations != nullptr) {
    ReportOptions of_memory = options;
    of_memory.display.memory = true;
    WPERF_TRY(spe, read_recorded_spe(source.file(), *source.operations, of_memory, console));
    const auto& clock = source.operations->time();
    // The times of SPE records are unknown, so the records are in no time slice.
    if (!clock.has_value() || !clock->has_zero) timed.profile.slice_counts = {};
  }
  return show_named({.file = source.file(),
                     .recorded = std::move(timed),
                     .as_lines = wanted.rows,
                     .with_code = wanted.code,
                     .weights = wanted.weights,
                     .spe = spe.has_value() ? &spe->profile : nullptr},
                    options, console);
}

// The wall-clock time at the end of the recording; 0 if not known.
u64 end_of(const recording::RecordedSamples& recorded) {
  const stacks::RecordingAbout& about = recorded.about;
  if (about.begun_unix_ns == 0) return 0;
  const auto sampled_ns = static_cast<u64>(recorded.profile.elapsed_seconds * 1e9);
  return about.begun_unix_ns + std::max(about.elapsed_ns, sampled_ns);
}

}  // namespace

void warn_of_damage(const Damage& damage, diag::Console& console) {
  const std::string text = report::damage_text(damage.places, damage.bytes, damage.records_about);
  if (!text.empty()) console.warn("warning: " + text);
}

diag::Result<void> show_named(NamedSamples samples, const ReportOptions& options, diag::Console& console) {
  stacks::StackProfile& profile = samples.recorded.profile;
  // The warning is printed before the tables.
  const stacks::StackLosses& losses = profile.losses;
  if (samples.as_lines || options.folded || output::silent(options.outputs)) {
    warn_of_damage({losses.damaged_places, losses.damaged_bytes, losses.damaged_records_about}, console);
  }
  if (samples.as_lines) return write_sample_lines(samples, options, console);
  if (samples.with_code) {
    const recording::CodeRequest code{.filter = options.tables.filter,
                                      .most_functions = options.tables.rows,
                                      .disassemble = options.display.disassemble,
                                      .with_calls = profile.has_callers,
                                      .decorated = options.display.decorated_names,
                                      .folders = modules::symbol_folders(options.read.symbols.symbol_path),
                                      .recorded_unix_ns = end_of(samples.recorded)};
    WPERF_CHECK_OK(recording::add_function_code(samples.recorded.files, code, profile));
    for (const std::string& file : profile.changed_sources) {
      console.warn(
          fmt::format("warning: {} was changed after the recording; the lines shown may not be those that ran", file));
    }
  }
  return show_profile({.profile = profile,
                       .moments = samples.recorded.moments,
                       .about = &samples.recorded.about,
                       .spe = samples.spe,
                       .waits = samples.waits,
                       .clients_json = std::move(samples.clients_json)},
                      options, console);
}

diag::Result<void> show_weighted(const perf_data::PerfFile& file, const WeightedSamples& weighted,
                                 const ReportOptions& options, diag::Console& console) {
  recording::ReadOptions wanted = options.read;
  weighted.use_in(wanted);
  WPERF_TRY(recording::RecordedSamples recorded, read_named_samples(file, wanted, options.naming, console));
  weighted.describe(options, recorded.profile);
  return show_named({.file = file,
                     .recorded = std::move(recorded),
                     .as_lines = wanted.rows,
                     .with_code = wanted.code,
                     .weights = &weighted.weights},
                    options, console);
}

std::string hint_of_memory(std::string_view how) {
  return fmt::format("{}; on x86, wperf can show neither which memory accesses wait nor false sharing", how);
}

diag::Result<void> show_samples(const recording::SampledRecording& source, const ReportOptions& options,
                                diag::Console& console) {
  if (options.display.memory) {
    return diag::usage_error("--mem needs SPE data, and " + options.file + " has none",
                             hint_of_memory("record on an Arm core that has SPE with -e arm_spe_0//"));
  }
  WPERF_TRY(const std::optional<WeightedSamples> chosen, chosen_weights(source, options, console));
  const WeightedSamples* const weighted = chosen.has_value() ? &*chosen : nullptr;
  if (options.exported.has_value()) return export_samples(source, weighted, options, console);
  const perf_data::PerfFile& file = source.file();
  recording::ReadOptions wanted = options.read;
  if (weighted != nullptr) weighted->use_in(wanted);
  if (options.pages.html_file.has_value()) return show_page(source, wanted, weighted, options, console);
  if (weighted != nullptr) return show_weighted(file, *weighted, options, console);
  wanted.traces = source.operations;
  wanted.callers = wanted.callers || can_show_callers_fast(file);
  WPERF_TRY(recording::RecordedSamples recorded, read_named_samples(file, wanted, options.naming, console));
  source.add_trace_facts(recorded.profile);
  WPERF_TRY(std::string for_clients, clients_json(file, options, console));
  return show_named({.file = file,
                     .recorded = std::move(recorded),
                     .as_lines = wanted.rows,
                     .with_code = wanted.code,
                     .clients_json = std::move(for_clients)},
                    options, console);
}

}  // namespace wperf::show
