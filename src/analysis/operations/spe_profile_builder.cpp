// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/operations/spe_profile_builder.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/naming/sample_rows.h"
#include "analysis/operations/spe_memory.h"
#include "analysis/operations/spe_places.h"

namespace wperf::operations {
namespace {

using spe::Aggregator;
using spe::EventHits;
using spe::OperationName;
using spe::OwnerHits;

using Kind = std::pair<OperationName, u64>;  // the operation and its events

// The aggregator's hits of one kind of operation.
struct KindHits {
  std::vector<naming::PlaceHits> places;  // all places of other processes as one, the others each once
  std::map<u64, u64> threads;             // process << 32 | thread
  std::map<u32, u64> cores;
  u64 hits = 0, of_others = 0;
  usize place_count = 0;
};

u64 process_and_thread(const SpeRun& run, u32 context) {
  const auto found = std::lower_bound(run.threads.begin(), run.threads.end(), context,
                                      [](const SpeThread& thread, u32 wanted) { return thread.context < wanted; });
  const bool known = found != run.threads.end() && found->context == context;
  return known ? u64{found->process} << 32 | found->thread : context;
}

std::map<Kind, KindHits> hits_by_kind(const Aggregator& aggregator, const SpeRun& run, const SpePlaces& places) {
  std::map<Kind, KindHits> kinds;
  // Twice, so that no list is longer than it has to be.
  aggregator.for_each_event([&](const EventHits& row) { ++kinds[{row.operation, row.events}].place_count; });
  for (auto& [kind, of_kind] : kinds) of_kind.places.reserve(of_kind.place_count + 1);
  aggregator.for_each_event([&](const EventHits& row) {
    KindHits& kind = kinds[{row.operation, row.events}];
    const u32 place = places.number_of_site(row.site);
    kind.hits += row.hits;
    if (place == naming::kOtherProcess) {
      kind.of_others += row.hits;
    } else {
      kind.places.push_back({.place = place, .hits = row.hits});
    }
  });
  for (auto& [kind, of_kind] : kinds) {
    if (of_kind.of_others != 0) of_kind.places.push_back({.place = naming::kOtherProcess, .hits = of_kind.of_others});
  }
  for (const OwnerHits& row : aggregator.owners()) {
    KindHits& kind = kinds[{row.operation, row.events}];
    kind.cores[row.core] += row.hits;
    if (row.thread != spe::kNoThread) kind.threads[process_and_thread(run, row.thread)] += row.hits;
  }
  return kinds;
}

// The index into `out` for each place number. The first place represents all other processes and stays in front.
std::vector<u32> add_code_places(const std::vector<naming::Place>& places, const std::vector<naming::NamedPlace>& named,
                                 naming::NameTable& names, std::vector<CodePlace>& out) {
  std::vector<u32> order;
  for (u32 number = 0; number < places.size(); ++number) order.push_back(number);
  std::sort(order.begin() + 1, order.end(), [&](u32 a, u32 b) {
    return std::tie(places[a].address, places[a].kernel) < std::tie(places[b].address, places[b].kernel);
  });
  std::vector<u32> index(places.size());
  for (const u32 number : order) {
    const naming::NamedPlace& place = named[number];
    CodePlace code{.address = places[number].address,
                   .kernel = places[number].kernel,
                   .symbol = place.symbol,
                   .module = place.module};
    if (place.answer != nullptr && !place.answer->frames.empty()) {
      const answers::AddressFrame& own = place.answer->frames.back();
      if (own.line != 0 && !own.file.empty()) {
        code.file = names.file(own.file);
        code.line = own.line;
      }
    }
    index[number] = static_cast<u32>(out.size());
    out.push_back(code);
  }
  return index;
}

SpeCore& core_of(std::vector<SpeCore>& cores, u32 number) {
  const auto at = std::lower_bound(cores.begin(), cores.end(), number,
                                   [](const SpeCore& core, u32 wanted) { return core.core < wanted; });
  if (at != cores.end() && at->core == number) return *at;
  return *cores.insert(at, SpeCore{.core = number});
}

// Decoded records by core; counted samples beyond these were lost.
void add_cores(const Aggregator& aggregator, SpeRun& run, SpeProfile& profile) {
  std::map<u32, u64> recorded;
  for (usize i = 0; i < std::min(run.recorded_of_core.size(), run.cores.size()); ++i) {
    recorded[run.cores[i].core] = run.recorded_of_core[i];
  }
  profile.cores = std::move(run.cores);
  for (SpeCore& core : profile.cores) core.records = 0;
  for (const OwnerHits& row : aggregator.owners()) core_of(profile.cores, row.core).records += row.hits;
  for (const SpeCore& core : profile.cores) {
    const u64 generated = std::max(core.records, recorded[core.core]);
    profile.samples.cores.push_back(
        {.core = core.core, .generated = generated, .lost_ring_full = generated - core.records});
  }
}

answers::SampledEvent make_event(const Kind& kind, KindHits& hits, const SpeRun& run,
                                 const std::vector<naming::NamedPlace>& named, const std::vector<u32>& ranks,
                                 naming::NameTable& names, answers::CompatProfile& profile) {
  answers::SampledEvent event;
  event.name = spe::source_name(kind.first, kind.second);
  event.samples = hits.hits;
  const std::vector<naming::PlaceHits> places = std::move(hits.places);
  event.rows = naming::make_symbol_rows(places, named, names);
  naming::sort_symbol_rows(ranks, event.rows);
  naming::add_threads(hits.threads, run.processes, event);
  naming::add_modules(places, named, profile.symbols, profile.target.modules, event);
  for (const auto& [core, count] : hits.cores) event.cores.push_back({.core = core, .count = count});
  return event;
}

}  // namespace

void add_damage(SpeCore& core, const spe::DecodeState& state) {
  core.damaged += state.damage.damaged_records;
  core.bad_bytes += state.damage.bad_bytes;
  core.unfinished += state.damage.unfinished_records;
}

std::vector<std::vector<u32>> spe_addresses_to_name(const Aggregator& aggregator, const SpeRun& run) {
  const SpePlaces places(aggregator, run.target, run.processes_known);
  return naming::addresses_in_modules({&places.places()}, run.target.modules);
}

SpeProfile make_spe_profile(const Aggregator& aggregator, SpeRun run,
                            const std::vector<std::vector<answers::AddressAnswer>>& answers) {
  SpeProfile profile;
  answers::CompatProfile& samples = profile.samples;
  samples.target = std::move(run.target);
  SpePlaces places(aggregator, samples.target, run.processes_known);
  naming::NameTable names;
  const std::vector<naming::NamedPlace> named =
      naming::name_places(places.places(), samples.target.modules, answers, names);
  std::map<Kind, KindHits> kinds = hits_by_kind(aggregator, run, places);
  samples.symbols = names.take_symbols();
  const std::vector<u32> ranks = naming::name_ranks(samples);
  for (auto& [kind, hits] : kinds) {
    samples.events.push_back(make_event(kind, hits, run, named, ranks, names, samples));
  }
  std::sort(samples.events.begin(), samples.events.end(),
            [](const answers::SampledEvent& a, const answers::SampledEvent& b) {
              return std::tie(b.samples, a.name) < std::tie(a.samples, b.name);
            });
  const std::vector<u32> code_place_of = add_code_places(places.places(), named, names, profile.places);
  samples.files = names.take_files();
  samples.exit_code = run.exit_code;
  samples.elapsed_seconds = run.elapsed_seconds;
  profile.forgotten_mappings = run.forgotten_mappings;
  profile.population = run.population;
  add_cores(aggregator, run, profile);
  if (aggregator.options().memory) {
    profile.memory =
        make_memory_profile(aggregator, {.places = places, .code_place_of = code_place_of, .code = profile.places});
  }
  return profile;
}

}  // namespace wperf::operations
