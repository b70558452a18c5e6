// SPDX-License-Identifier: BSD-3-Clause
// Arbitrary SPE bytes, counted, named and shown. No record is lost or counted twice, limits are kept, two merged
// aggregators equal a single one, and reports can be made of any result.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "analysis/operations/spe_profile_builder.h"
#include "analysis/operations/spe_record_row.h"
#include "formats/spe/aggregator.h"
#include "formats/spe/record_reader.h"
#include "views/compat/compat_view.h"
#include "views/report/spe_report.h"

namespace {

using namespace wperf;
using spe::Aggregator;
using spe::Record;

void check(bool holds) {
  if (!holds) std::abort();
}

template <class Rows>
u64 hits_of(const Rows& rows) {
  u64 hits = 0;
  for (const auto& row : rows) hits += row.hits;
  return hits;
}

u64 event_hits(const Aggregator& aggregator) {
  u64 hits = 0;
  aggregator.for_each_event([&](const spe::EventHits& row) { hits += row.hits; });
  return hits;
}

u64 distinct_events(const Aggregator& aggregator) {
  u64 rows = 0;
  aggregator.for_each_event([&](const spe::EventHits&) { ++rows; });
  return rows;
}

void check_sum(const spe::AccessSum& sum) {
  check(sum.timed <= sum.hits && sum.stores <= sum.hits && sum.refills <= sum.hits && sum.saturated <= sum.hits);
}

// Sums that do not depend on the order of records.
void check_sums(const Aggregator& aggregator) {
  const spe::AggregatorOptions& options = aggregator.options();
  check(event_hits(aggregator) == aggregator.records());
  check(hits_of(aggregator.owners()) == aggregator.records());
  u64 accesses = 0, timed = 0, of_sites = 0, timed_of_sites = 0;
  for (const spe::SourceAccesses& row : aggregator.sources()) {
    check_sum(row.sum);
    accesses += row.sum.hits;
    timed += row.sum.timed;
  }
  aggregator.for_each_access([&](const spe::SiteAccesses& row) {
    check_sum(row.sum);
    of_sites += row.sum.hits;
  });
  aggregator.for_each_latency_of_site([&](const spe::LatencyHits& row) { timed_of_sites += row.hits; });
  aggregator.for_each_latency_of_source([&](const spe::LatencyHits& row) { timed -= row.hits; });
  check(timed == 0 && timed_of_sites <= of_sites && accesses == of_sites && accesses <= aggregator.records());
  const spe::TouchedData& data = aggregator.data();
  u64 in_lines = data.forgotten_lines(), in_pages = data.forgotten_pages();
  check(data.line_count() <= options.most_lines && data.page_count() <= options.most_pages);
  for (u32 i = 0; i < data.line_count(); ++i) {
    const spe::LineHits line = data.line(i);
    u64 in_places = line.without_place;
    check(line.places.size() <= options.most_places);
    for (const spe::LinePlace& place : line.places) in_places += place.counts.hits;
    check(in_places == line.counts.hits);
    in_lines += line.counts.hits;
  }
  for (u32 i = 0; i < data.page_count(); ++i) in_pages += data.page(i).counts.hits;
  check(in_lines == in_pages && in_lines <= accesses);
}

operations::SpeRun run_with_module() {
  operations::SpeRun run;
  run.target.modules.resize(1);
  run.target.modules[0].name = "a.exe";
  run.target.modules[0].base = 0x1000;
  run.target.modules[0].size = 0x7fff'ffff;
  run.population = operations::SpePopulation{.operations = 7, .chosen = 5, .recorded = 3, .collided = 1};
  return run;
}

void show(const Aggregator& aggregator, bool processes_known) {
  operations::SpeRun run = run_with_module();
  run.processes_known = processes_known;
  std::vector<std::vector<answers::AddressAnswer>> answers(1);
  const std::vector<std::vector<u32>> addresses = operations::spe_addresses_to_name(aggregator, run);
  for (const u32 rva : addresses.at(0)) {
    if ((rva & 4) != 0) continue;
    answers::AddressAnswer answer;
    answer.rva = rva;
    answer.function = std::string(1, static_cast<char>('a' + rva / 8 % 7));
    answer.frames = {{.function = answer.function, .file = (rva & 8) != 0 ? "a.c" : "", .line = rva / 16}};
    answers[0].push_back(std::move(answer));
  }
  const operations::SpeProfile profile = operations::make_spe_profile(aggregator, std::move(run), answers);
  const compat::CompatView view = compat::make_view(profile.samples, profile.run);
  u64 samples = 0;
  for (const compat::SampledEvent& event : view.events) {
    u64 counted = 0;
    for (const compat::SymbolRow& row : event.rows) counted += row.count;
    check(counted == event.samples);
    samples += counted;
  }
  check(samples == aggregator.records() && samples == view.run.samples_generated());
  report::SpeOptions options;
  options.memory = true;
  options.samples.annotate = options.samples.verbose = true;
  check(!report::spe_text(profile, view, nullptr, options).empty());
  check(report::spe_json(profile, view, nullptr, options).ends_with('}'));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto bytes = std::as_bytes(std::span(data, size)).subspan(1);
  const spe::AggregatorOptions tight{
      .memory = true, .most_lines = 4, .most_pages = 3, .most_owners = 5, .most_places = 2, .most_latencies = 3};
  Aggregator small(tight), whole({.memory = true}),
      halves[2] = {Aggregator({.memory = true}), Aggregator({.memory = true})};
  for (Aggregator* aggregator : {&small, &whole, &halves[0], &halves[1]}) {
    aggregator->set_data_sources(0, &spe::data_source_families()[data[0] % spe::data_source_families().size()]);
  }
  spe::DecodeState state;
  report::RecordLines lines(data[0] % 2 == 0 ? report::RecordFormat::csv : report::RecordFormat::json);
  const operations::SpeProfile nameless;
  const operations::SpeRecordNames names(
      nameless,
      report::RecordLines::spelling(data[0] % 2 == 0 ? report::RecordFormat::csv : report::RecordFormat::json));
  operations::SpeRecordNamer namer(names);
  const usize used = spe::for_each_record(bytes, state, [&](const Record& record) {
    const spe::Origin origin{.core = static_cast<u32>(state.records % 2), .other_process = (record.pc() >> 4) % 5 == 0};
    for (Aggregator* aggregator : {&small, &whole, &halves[origin.core]}) aggregator->add(origin, record);
    namer.add(origin, record, [&](const operations::SpeRecordRow& row) { lines.add(row); });
  });
  namer.flush([&](const operations::SpeRecordRow& row) { lines.add(row); });
  spe::end_of_buffer(state, bytes.size() - used);
  check(whole.records() == state.records);
  for (const Aggregator* aggregator : {&small, &whole}) check_sums(*aggregator);
  halves[0].merge(halves[1]);
  check_sums(halves[0]);
  check(halves[0].records() == whole.records() && distinct_events(halves[0]) == distinct_events(whole) &&
        halves[0].sources().size() == whole.sources().size() &&
        halves[0].data().line_count() == whole.data().line_count());
  show(small, (data[0] & 4) != 0);
  show(halves[0], (data[0] & 4) != 0);
  return 0;
}
