// SPDX-License-Identifier: BSD-3-Clause
#include "app/show/named_samples.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/waits/thread_states.h"
#include "code/modules/elf_caches.h"
#include "model/stacks/stack_aggregator.h"
#include "model/stacks/stack_rows.h"

namespace wperf::show {
namespace {

// Checks without reading the records whether the file can have context switches.
bool may_have_switches(const perf_data::PerfFile& file) {
  constexpr u32 kSoftware = 1, kTracepoint = 2, kContextSwitchFlag = 26;
  constexpr u64 kContextSwitches = 3;
  return std::any_of(file.attrs().begin(), file.attrs().end(), [](const perf_data::Event& event) {
    const perf_data::EventAttributes& attributes = event.attributes;
    return (attributes.type == kTracepoint && event.name.starts_with("sched:")) ||
           (attributes.type == kSoftware && attributes.config == kContextSwitches) ||
           ((attributes.flags >> kContextSwitchFlag) & 1) != 0;
  });
}

// For a trace: adds the times and cores of its losses.
void add_losses(const stacks::TraceFacts& facts, stacks::Moments& moments) {
  for (const stacks::TraceLossSpan& span : facts.lost_over_time) {
    const stacks::TimedLoss loss{.begin_ns = span.begin, .end_ns = span.end, .count = 0, .what = {}};
    if (span.events != 0) {
      moments.losses.push_back(loss);
      moments.losses.back().count = span.events;
      moments.losses.back().what = "events";
    }
    if (span.buffers != 0) {
      moments.losses.push_back(loss);
      moments.losses.back().count = span.buffers;
      moments.losses.back().what = "buffers";
    }
  }
  for (const stacks::TraceGapFacts& gap : facts.gaps) {
    moments.losses.push_back({.begin_ns = gap.begin,
                              .end_ns = gap.end,
                              .core = gap.core.value_or(stacks::kNothing),
                              .count = gap.buffers,
                              .what = gap.evidence});
  }
  std::stable_sort(moments.losses.begin(), moments.losses.end(),
                   [](const auto& a, const auto& b) { return a.begin_ns < b.begin_ns; });
}

// Returns the weights, with 1 for the samples that show where threads wait.
std::vector<u64> with_waits(std::vector<u64> weights, const waits::Accounting& accounting) {
  for (const waits::Wait& wait : accounting.waits) {
    if (wait.sample < weights.size() && weights[wait.sample] == 0) weights[wait.sample] = 1;
  }
  return weights;
}

// Drops the samples that with_waits() added. They have other events than the weighted samples.
void drop_waits(const waits::Accounting& accounting, recording::RecordedSamples& recorded) {
  stacks::StackProfile& profile = recorded.profile;
  std::vector<bool> is_of_waits(profile.events.size());
  for (const waits::Wait& wait : accounting.waits) {
    if (wait.sample >= recorded.row_of_sample.size()) continue;
    const u32 row = recorded.row_of_sample[wait.sample];
    if (row != stacks::StackAggregator::kNoRow) is_of_waits[profile.samples[row].event] = true;
  }
  stacks::keep_rows([&](const stacks::StackSample& sample) { return !is_of_waits[sample.event]; }, profile,
                    recorded.moments);
}

}  // namespace

modules::DownloadProgress download_progress(diag::Console& console) {
  if (!console.shows_progress()) return {};
  return [&console](std::string_view address, usize received) {
    if (!console.progress_due()) return;
    constexpr usize kMegabyte = 1'000'000;
    const std::string size =
        received < kMegabyte ? std::string() : fmt::format("{:.1f} MB of ", static_cast<double>(received) / kMegabyte);
    console.progress(fmt::format("downloading {}{}", size, address));
  };
}

diag::Result<recording::RecordedSamples> read_named_samples(const perf_data::PerfFile& file,
                                                            recording::ReadOptions wanted, const NamingOptions& naming,
                                                            diag::Console& console) {
  std::optional<modules::DebugDownloads> downloads;
  if (naming.debuginfod) {
    auto servers = modules::DebugDownloads::servers_of_environment();
    if (!servers.has_value()) {
      return diag::usage_error("--debuginfod needs servers, and DEBUGINFOD_URLS is not set",
                               "DEBUGINFOD_URLS=\"https://debuginfod.debian.net\" wperf report --debuginfod");
    }
    downloads.emplace(
        *std::move(servers),
        [&](std::string_view line) {
          console.out("debuginfod: " + std::string(line) + "\n");
          console.progress("waiting for " + std::string(line));
        },
        [&](std::string_view line) { console.warn(line); });
    wanted.downloads = &*downloads;
  }
  modules::FunctionFiles functions([&](std::string_view line) {
    if (naming.verbose) console.warn(line);
  });
  wanted.functions = &functions;
  wanted.naming_progress = [&](usize done, usize all) {
    if (console.progress_due()) console.progress(fmt::format("naming code: {} of {} files", done, all));
  };
  wanted.symbols.download_progress = download_progress(console);
  return recording::read_recorded_samples(file, wanted);
}

diag::Result<recording::RecordedSamples> read_timed_samples(const recording::SampledRecording& source,
                                                            recording::ReadOptions wanted, const ReportOptions& options,
                                                            diag::Console& console) {
  const perf_data::PerfFile& file = source.file();
  const recording::RecordedSwitches* switches = nullptr;
  if (source.is_trace() || may_have_switches(file)) {
    // An error means that there are no switches; the samples are shown without them.
    if (const auto read = source.switches(); read.has_value()) switches = read.value();
  }
  const bool has_switches = switches != nullptr && !switches->switches.empty();
  waits::Accounting accounting;
  if (has_switches)
    accounting = waits::account(switches->switches, switches->unrecorded, switches->begin, switches->end);
  const bool is_weighted = wanted.weights != nullptr;
  std::vector<u64> weights;
  if (is_weighted) {
    weights = with_waits(*wanted.weights, accounting);
    wanted.weights = &weights;
  }
  wanted.traces = is_weighted ? nullptr : source.operations;
  wanted.callers = wanted.times = true;
  wanted.sample_rows = has_switches;
  WPERF_TRY(recording::RecordedSamples recorded, read_named_samples(file, wanted, options.naming, console));
  stacks::StackProfile& profile = recorded.profile;
  if (has_switches) {
    waits::add_thread_states(accounting, *switches, std::vector<bool>(accounting.threads.size(), true), recorded,
                             options.pages.html_file.has_value());
    if (is_weighted) drop_waits(accounting, recorded);
  }
  recorded.row_of_sample = {};
  if (has_switches && source.is_trace()) {
    const auto event = static_cast<u32>(profile.events.size() - 1);
    stacks::keep_rows([&](const stacks::StackSample& sample) { return sample.event != event; }, profile,
                      recorded.moments);
    profile.events.pop_back();
  }
  source.add_trace_facts(profile);
  if (profile.trace.has_value()) add_losses(*profile.trace, recorded.moments);
  if (const auto clock = file.features().clock_data(); clock.has_value() && recorded.moments.end_ns != 0) {
    recorded.moments.begin_unix_ns = clock->wall_clock_ns + recorded.moments.begin_ns - clock->clock_ns;
  }
  return recorded;
}

}  // namespace wperf::show
