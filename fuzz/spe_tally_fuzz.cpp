// SPDX-License-Identifier: BSD-3-Clause
// SPE bytes from anywhere, counted, named and shown. No record is lost or counted twice, caps hold, two tallies merged
// say what one says, and the reports are made of anything.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "decode/spe/records.h"
#include "decode/spe/tally.h"
#include "profile/spe_profile_builder.h"
#include "profile/spe_record_row.h"
#include "report/spe_report.h"

namespace {

using namespace wperf;
using decode::spe::Record;
using decode::spe::Tally;

void check(bool holds) {
  if (!holds) std::abort();
}

template <class Rows>
u64 hits_of(const Rows& rows) {
  u64 hits = 0;
  for (const auto& row : rows) hits += row.hits;
  return hits;
}

// Sums that do not depend on the order of records.
void check_sums(const Tally& tally) {
  const decode::spe::TallyOptions& options = tally.options();
  check(hits_of(tally.events()) == tally.records());
  check(hits_of(tally.owners()) == tally.records());
  u64 accesses = 0, timed = 0;
  for (const decode::spe::AccessHits& row : tally.accesses()) {
    check(row.timed <= row.hits && row.refills <= row.hits && row.saturated <= row.hits);
    accesses += row.hits;
    timed += row.timed;
  }
  check(hits_of(tally.latencies()) == timed && accesses <= tally.records());
  u64 in_lines = tally.forgotten_lines(), in_pages = tally.forgotten_pages();
  const std::vector<decode::spe::LineHits> lines = tally.lines();
  check(lines.size() <= options.most_lines);
  for (const decode::spe::LineHits& line : lines) {
    u64 in_places = line.without_place;
    check(line.places.size() <= options.most_places);
    for (const decode::spe::LinePlace& place : line.places) in_places += place.counts.hits;
    check(in_places == line.counts.hits);
    in_lines += line.counts.hits;
  }
  for (const decode::spe::PageHits& page : tally.pages()) in_pages += page.counts.hits;
  check(in_lines == in_pages && in_lines <= accesses);
}

profile::SpeRun run_with_module() {
  profile::SpeRun run;
  run.target.modules.resize(1);
  run.target.modules[0].name = "a.exe";
  run.target.modules[0].base = 0x1000;
  run.target.modules[0].size = 0x7fff'ffff;
  run.population = profile::SpePopulation{.operations = 7, .chosen = 5, .recorded = 3, .collided = 1};
  return run;
}

void show(const Tally& tally, bool processes_known) {
  profile::SpeRun run = run_with_module();
  run.processes_known = processes_known;
  std::vector<std::vector<profile::AddressAnswer>> answers(1);
  const std::vector<std::vector<u32>> addresses = profile::spe_addresses_to_name(tally, run);
  for (const u32 rva : addresses.at(0)) {
    if ((rva & 4) != 0) continue;
    profile::AddressAnswer answer;
    answer.rva = rva;
    answer.function = std::string(1, static_cast<char>('a' + rva / 8 % 7));
    answer.frames = {{.function = answer.function, .file = (rva & 8) != 0 ? "a.c" : "", .line = rva / 16}};
    answers[0].push_back(std::move(answer));
  }
  const profile::SpeProfile profile = profile::make_spe_profile(tally, std::move(run), answers);
  u64 samples = 0;
  for (const profile::SampledEvent& event : profile.samples.events) {
    u64 counted = 0;
    for (const profile::SymbolRow& row : event.rows) counted += row.count;
    check(counted == event.samples);
    samples += counted;
  }
  check(samples == tally.records() && samples == profile.samples.samples_generated());
  report::SpeOptions options;
  options.memory = true;
  options.samples.annotate = options.samples.verbose = true;
  check(!report::spe_text(profile, nullptr, options).empty());
  check(report::spe_json(profile, nullptr, options).ends_with('}'));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto bytes = std::as_bytes(std::span(data, size)).subspan(1);
  const decode::spe::TallyOptions tight{
      .memory = true, .most_lines = 4, .most_pages = 3, .most_owners = 5, .most_places = 2};
  Tally small(tight), whole({.memory = true}), halves[2] = {Tally({.memory = true}), Tally({.memory = true})};
  for (Tally* tally : {&small, &whole, &halves[0], &halves[1]}) {
    tally->set_data_sources(0,
                            &decode::spe::data_source_families()[data[0] % decode::spe::data_source_families().size()]);
  }
  decode::spe::DecodeState state;
  std::string rows;
  report::RecordWriter writer(data[0] % 2 == 0 ? report::RecordFormat::csv : report::RecordFormat::json);
  const profile::SpeProfile nameless;
  profile::SpeRecordNamer namer(nameless);
  const usize used = decode::spe::for_each_record(bytes, state, [&](const Record& record) {
    const decode::spe::Origin origin{.core = static_cast<u32>(state.records % 2),
                                     .other_process = (record.pc() >> 4) % 5 == 0};
    for (Tally* tally : {&small, &whole, &halves[origin.core]}) tally->add(origin, record);
    writer.add(namer.row(origin, record), rows);
  });
  decode::spe::end_of_buffer(state, bytes.size() - used);
  check(whole.records() == state.records);
  for (const Tally* tally : {&small, &whole}) check_sums(*tally);
  halves[0].merge(halves[1]);
  check_sums(halves[0]);
  check(halves[0].records() == whole.records() && halves[0].events().size() == whole.events().size() &&
        halves[0].accesses().size() == whole.accesses().size() && halves[0].lines().size() == whole.lines().size());
  show(small, (data[0] & 4) != 0);
  show(halves[0], (data[0] & 4) != 0);
  return 0;
}
