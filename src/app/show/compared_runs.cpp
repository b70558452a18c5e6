// SPDX-License-Identifier: BSD-3-Clause
#include "app/show/compared_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/compare/comparison.h"
#include "analysis/recording/recorded_samples.h"
#include "analysis/recording/sampled_recording.h"
#include "app/measure/tool.h"
#include "app/measure/warnings_only_console.h"
#include "app/output/outputs.h"
#include "app/show/named_samples.h"
#include "app/show/recorded_spe.h"
#include "code/modules/for_each_module.h"
#include "formats/perf_data/aux_traces.h"
#include "formats/profiles/fleet_profile.h"
#include "formats/profiles/stat_counts.h"
#include "ground/os/mapped_file.h"
#include "ground/text/json_reader.h"
#include "ground/text/json_writer.h"
#include "views/report/stack_report.h"

namespace wperf::show {
namespace {

// Shorter than the time blocks of comparisons, so that blocks can be made for recordings of any length.
constexpr u64 kSliceNs = 10'000'000;

class RunReader {
 public:
  RunReader(const std::string& path, bool is_alone, const ComparisonOptions& options, diag::Console& console)
      : path_(path), is_alone_(is_alone), options_(options), console_(console) {}

  // Returns one run for a file, or one for each host of a fleet.
  diag::Result<std::vector<MeasuredRun>> read() {
    WPERF_TRY(const auto opened, options_.open(path_, console_));
    const recording::OpenedProfile* const profile = opened.profile();
    if (profile != nullptr && profile->format == profiles::Format::fleet) return read_fleet(*profile);
    if (opened.perf() != nullptr) WPERF_CHECK_OK(read_perf(*opened.perf()));
    if (opened.trace() != nullptr) WPERF_CHECK_OK(read_trace(*opened.trace()));
    if (profile != nullptr) WPERF_CHECK_OK(read_foreign(*profile));
    if (opened.counts() != nullptr) WPERF_CHECK_OK(keep_counts(*opened.counts()));
    costs_.file = path_;
    return std::vector{MeasuredRun{.costs = std::move(costs_), .seconds = measured_seconds_}};
  }

 private:
  diag::Result<void> keep_counts(const profiles::StatCounts& counts) {
    if (!counts.is_whole) {
      return diag::Error{.text = path_ + " ends too early: it is not a complete document of `stat --json`",
                         .hint = {},
                         .code = diag::ExitCode::damaged_input};
    }
    costs_.seconds = measured_seconds_ = counts.seconds;
    costs_.cpu_seconds = counts.cpu_seconds;
    for (const auto& [event, value] : counts.counts) costs_.counts.push_back({event, value});
    costs_.losses = counts.losses;
    costs_.uncounted = counts.uncounted;
    return {};
  }

  bool wants_stacks() const { return options_.report.folded || options_.report.pages.wanted(); }
  bool wants_inclusive() const {
    const auto& conditions = options_.asked.conditions;
    return std::any_of(conditions.begin(), conditions.end(), [](const request::FailCondition& one) {
      return one.kind == request::FailCondition::Kind::inclusive;
    });
  }
  bool wants_lines() const { return options_.report.read.lines; }

  diag::Result<void> read_perf(const perf_data::PerfFile& file) {
    recording::ReadOptions wanted = options_.report.read;
    wanted.file = path_;
    wanted.callers = wants_stacks() || wants_inclusive();
    if (is_alone_) wanted.slice_ns = kSliceNs;
    const std::optional<perf_data::AuxTraces> traces = spe_traces(file);
    if (traces.has_value()) wanted.traces = &*traces;
    WPERF_TRY(const recording::RecordedSamples recorded,
              read_named_samples(file, wanted, options_.report.naming, console_));
    keep(recorded.profile);
    keep_times(recorded.about);
    return {};
  }

  // Stores the measured times, which are better than the times of samples.
  void keep_times(const stacks::RecordingAbout& about) {
    measured_seconds_ = static_cast<double>(about.elapsed_ns) / 1e9;
    if (!about.is_of_machine) costs_.cpu_seconds = static_cast<double>(about.cpu_ns.value_or(0)) / 1e9;
  }

  diag::Result<void> read_trace(const etl::Trace& trace) {
    WPERF_TRY(const recording::ConvertedTrace converted,
              recording::convert_trace(trace, measure::tool_version(),
                                       {.idle = options_.report.trace.idle, .cores = {}}, path_));
    return read_perf(converted.file);
  }

  diag::Result<void> read_foreign(const recording::OpenedProfile& opened) {
    auto read = profiles::read_foreign_profile(opened.bytes, opened.format, {.lines = wants_lines()}, opened.passed);
    if (!read.has_value()) return recording::with_file_name(path_, std::move(read).error());
    for (const std::string& warning : read.value().warnings) console_.warn("warning: " + warning);
    keep(read.value().profile);
    measured_seconds_ = costs_.seconds;
    return {};
  }

  diag::Result<std::vector<MeasuredRun>> read_fleet(const recording::OpenedProfile& opened) {
    WPERF_TRY(profiles::FleetProfile fleet,
              profiles::read_fleet(opened.bytes, {.lines = wants_lines()}, opened.passed));
    for (const std::string& warning : fleet.whole.warnings) console_.warn("warning: " + warning);
    std::vector<MeasuredRun> runs;
    for (usize host = 0; host < fleet.hosts.size(); ++host) {
      fleet.keep_only(host);
      keep(fleet.whole.profile);
      costs_.fleet = path_;
      costs_.profiles = std::max<u64>(fleet.hosts[host].profiles, 1);
      runs.push_back({.costs = std::exchange(costs_, {}), .seconds = fleet.hosts[host].seconds});
    }
    return runs;
  }

  void keep(const stacks::StackProfile& profile) {
    compare::RunCostOptions cost_options;
    cost_options.filter = options_.report.tables.filter;
    cost_options.lines = wants_lines();
    cost_options.scatters = is_alone_;
    cost_options.stacks = wants_stacks();
    cost_options.inclusive = wants_inclusive() && profile.has_callers;
    costs_ = compare::run_costs(profile, cost_options);
    for (report::StackLoss& loss : report::data_losses(profile)) costs_.losses.push_back(std::move(loss.text));
  }

  const std::string& path_;
  bool is_alone_;  // it is the only run of its side
  const ComparisonOptions& options_;
  diag::Console& console_;
  compare::RunCosts costs_;
  double measured_seconds_ = 0;
};

constexpr usize kMostRunsRead = 10'000, kMostCountsRead = 10'000;

constexpr std::string_view kStopped = "ended-by-timeout";

// Reads a run: an object with a number for each time and event.
compare::RunCosts read_run(text::JsonReader& json, const std::string& program) {
  compare::RunCosts run;
  run.file = program;
  json.for_each_member([&](std::string_view key) {
    std::string name(key);
    const double value = json.number(-1);
    if (!(value >= 0) || !std::isfinite(value) || run.counts.size() == kMostCountsRead) return json.stop();
    if (name == compare::kElapsed) {
      run.seconds = value;
    } else if (name == compare::kCpuTime) {
      run.cpu_seconds = value;
    } else if (name == kStopped) {
      run.was_stopped = value != 0;
    } else {
      run.counts.push_back({std::move(name), value});
    }
  });
  return run;
}

}  // namespace

diag::Result<recording::OpenedRecording> open_file(const std::string& name, diag::Console& console) {
  return recording::OpenedRecording::open({.name = name}, console);
}

std::string KeptRuns::key_of(const std::string& file, bool is_alone) const {
  return fmt::format("{}\n{}", state_of_(file), is_alone);
}

const KeptRuns::File* KeptRuns::find(const std::string& key) const {
  const auto known = files_.find(key);
  return known != files_.end() ? &known->second : nullptr;
}

void KeptRuns::keep(const std::string& key, File read) {
  if (files_.size() >= kMost) files_.clear();
  files_.insert_or_assign(key, std::move(read));
}

diag::Result<ComparedRuns> read_compared_runs(const std::vector<std::string>& before,
                                              const std::vector<std::string>& after, const ComparisonOptions& options,
                                              diag::Console& console) {
  struct Outcome {
    std::optional<diag::Error> error;
    KeptRuns::File file;
    std::string new_key;  // the key under which to keep the file; empty if it is already kept, or must not be kept
  };
  std::vector<std::string> files = before;
  files.insert(files.end(), after.begin(), after.end());
  const bool are_alone = files.size() == 2;
  std::vector<Outcome> outcomes(files.size());
  modules::for_each_module(files.size(), [&](size_t i) {
    if (options.kept != nullptr) {
      std::string key = options.kept->key_of(files[i], are_alone);
      if (const KeptRuns::File* const kept = options.kept->find(key); kept != nullptr) {
        outcomes[i].file = *kept;
        return;
      }
      outcomes[i].new_key = std::move(key);
    }
    measure::KeptWarnings heard(console);
    auto read = RunReader(files[i], are_alone, options, heard).read();
    if (read.has_value()) {
      outcomes[i].file = {.runs = std::move(read).value(), .warnings = heard.lines()};
    } else {
      outcomes[i].error = std::move(read).error();
    }
  });
  bool are_measured = true;
  for (usize i = 0; i < files.size(); ++i) {
    const auto& [error, file, new_key] = outcomes[i];
    for (const std::string& line : file.warnings) console.warn(fmt::format("{} ({})", line, files[i]));
    if (error.has_value()) return *error;
    for (const MeasuredRun& run : file.runs) are_measured = are_measured && run.seconds > 0;
    if (!new_key.empty()) options.kept->keep(new_key, file);
  }
  // If the duration of one run is known only from its samples, the durations of all runs are taken from samples.
  ComparedRuns compared;
  for (usize i = 0; i < files.size(); ++i) {
    for (MeasuredRun& run : outcomes[i].file.runs) {
      if (are_measured) run.costs.seconds = run.seconds;
      (i < before.size() ? compared.before : compared.after).push_back(std::move(run.costs));
    }
  }
  return compared;
}

diag::Result<void> write_baseline(const std::vector<compare::RunCosts>& runs, const std::string& file,
                                  const request::Outputs& outputs, diag::Console& console) {
  std::string out;
  text::JsonWriter json(out);
  json.begin_object();
  json.begin_object("bench_baseline");
  json.string("program", runs.front().file);
  json.begin_array("runs");
  const auto number = [&](std::string_view name, double value) {
    json.key(name);
    json.shortest(value);
  };
  for (const compare::RunCosts& run : runs) {
    json.begin_object();
    if (run.seconds > 0) number(compare::kElapsed, run.seconds);
    if (run.cpu_seconds > 0) number(compare::kCpuTime, run.cpu_seconds);
    if (run.was_stopped) json.integer(kStopped, 1);
    for (const compare::ExactCount& count : run.counts) number(count.event, count.value);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  json.end_object();
  out += '\n';
  return output::write_named_output(file, out, outputs, console);
}

diag::Result<std::vector<compare::RunCosts>> read_baseline(const std::string& path) {
  WPERF_TRY(const os::MappedFile file, os::MappedFile::open(path));
  text::JsonReader json(file.bytes());
  std::string program = path;
  std::vector<compare::RunCosts> runs;
  json.for_each_member([&](std::string_view outer) {
    if (outer != "bench_baseline") return;
    json.for_each_member([&](std::string_view key) {
      if (key == "program") program = json.string();
      if (key != "runs") return;
      json.for_each([&] {
        if (runs.size() == kMostRunsRead) return json.stop();
        runs.push_back(read_run(json, program));
      });
    });
  });
  if (!json.sound() || runs.empty()) {
    return diag::Error{.text = path + " is not a complete file of `bench --save-baseline`",
                       .hint = "create one with wperf bench --save-baseline FILE -- PROGRAM",
                       .code = diag::ExitCode::damaged_input};
  }
  return runs;
}

}  // namespace wperf::show
