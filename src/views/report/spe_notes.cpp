// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/spe_notes.h"

#include <fmt/format.h>

#include <algorithm>

#include "ground/text/number_text.h"
#include "views/report/sample_tables.h"

namespace wperf::report {
namespace {

using Notes = std::vector<std::string>;

void add_population(const operations::SpePopulation& population, Notes& notes) {
  if (population.operations == 0 || population.chosen == 0) return;
  notes.push_back(
      fmt::format("of {} operations {} were selected, one of {}", text::with_commas(population.operations),
                  text::with_commas(population.chosen),
                  text::fixed(static_cast<double>(population.operations) / static_cast<double>(population.chosen), 1)));
  if (population.collided != 0) {
    notes.push_back(
        fmt::format("{} % of the selections were dropped ({}) because the previous operation was not finished, so code "
                    "next to slow operations has too few samples",
                    text::fixed(percent(population.collided, population.chosen + population.collided), 2),
                    text::with_commas(population.collided)));
  }
  if (population.recorded < population.chosen) {
    notes.push_back(fmt::format("{} % of the selected operations did not pass the filters",
                                text::fixed(percent(population.chosen - population.recorded, population.chosen), 2)));
  }
}

void add_core(const operations::SpeCore& core, Notes& notes) {
  const auto note = [&](std::string text) { notes.push_back(fmt::format("core {}: {}", core.core, text)); };
  if (core.faulted) note("its buffer could not be written any more, so its sampling ended early");
  if (core.full != 0) {
    note(fmt::format("its buffer was full {} times, so it was not sampled for {} ms", text::with_commas(core.full),
                     text::fixed(static_cast<double>(core.stopped_ns) / 1e6, 3)));
  }
  if (core.data_losses != 0)
    note(fmt::format("it reports {} times that records were lost", text::with_commas(core.data_losses)));
  if (core.damaged + core.bad_bytes + core.unfinished != 0) {
    note(fmt::format("{} bytes were not packets, {} records are damaged, {} unfinished",
                     text::with_commas(core.bad_bytes), text::with_commas(core.damaged),
                     text::with_commas(core.unfinished)));
  }
}

void add_limits(const operations::MemoryProfile& memory, Notes& notes) {
  const operations::MemoryLimits& limits = memory.limits;
  if (memory.all.hits == 0) {
    notes.push_back("no load or store was sampled");
    return;
  }
  if (limits.stores_without_source != 0) {
    notes.push_back(
        limits.stores_without_source == memory.all.stores
            ? "this core does not record where the data of stores comes from"
            : fmt::format("{} stores have no data source", text::with_commas(limits.stores_without_source)));
  }
  if (limits.loads_without_source != 0) {
    notes.push_back(limits.loads_without_source == memory.all.loads
                        ? "this core does not record where the data of loads comes from"
                        : fmt::format("{} loads have no data source", text::with_commas(limits.loads_without_source)));
  }
  if (limits.unnamed_sources != 0) {
    std::string cores;
    for (const std::string& core : limits.nameless_cores) cores += (cores.empty() ? "" : ", ") + core;
    notes.push_back(fmt::format("{} data sources are numbers whose meaning is not published for {}",
                                text::with_commas(limits.unnamed_sources), cores.empty() ? "this core" : cores));
  }
  if (limits.saturated != 0) {
    notes.push_back(
        fmt::format("{} latencies are 4095 cycles, the maximum of 12-bit counters: they may have been longer",
                    text::with_commas(limits.saturated)));
  }
  if (limits.latencies_rounded) {
    notes.push_back(
        "latencies differ too much to be stored individually: the percentiles of functions and lines are rounded up, "
        "by at most 6.25 %");
  }
  if (!limits.threads_known) {
    notes.push_back("records do not distinguish threads, so false sharing cannot be detected");
  }
  if (limits.forgotten_lines + limits.forgotten_pages != 0) {
    notes.push_back(
        fmt::format("{} hits of rare cache lines and {} of rare pages are missing from the tables by address",
                    text::with_commas(limits.forgotten_lines), text::with_commas(limits.forgotten_pages)));
  }
}

}  // namespace

Notes spe_notes(const operations::SpeProfile& profile) {
  Notes notes;
  for (const operations::SpeCore& core : profile.cores) add_core(core, notes);
  if (profile.forgotten_mappings != 0) {
    notes.push_back(fmt::format("{} mappings of forked processes were too many to store; records in them have no names",
                                text::with_commas(profile.forgotten_mappings)));
  }
  if (profile.population.has_value()) add_population(*profile.population, notes);
  if (profile.memory.has_value()) add_limits(*profile.memory, notes);
  return notes;
}

}  // namespace wperf::report
