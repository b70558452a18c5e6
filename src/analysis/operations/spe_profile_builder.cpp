// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/operations/spe_profile_builder.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analysis/operations/spe_memory.h"
#include "analysis/operations/spe_places.h"
#include "analysis/operations/spe_record_row.h"
#include "formats/spe/contract_names.h"
#include "model/stacks/time_slices.h"

namespace wperf::operations {
namespace {

using spe::Aggregator;
using spe::EventHits;
using spe::OperationName;
using spe::OwnerHits;

using Kind = std::pair<OperationName, u64>;  // the operation and its events

u64 process_and_thread(const SpeRun& run, u32 context) {
  const auto found = std::lower_bound(run.threads.begin(), run.threads.end(), context,
                                      [](const SpeThread& thread, u32 wanted) { return thread.context < wanted; });
  const bool known = found != run.threads.end() && found->context == context;
  return known ? u64{found->process} << 32 | found->thread : context;
}

const answers::AddressAnswer* find_answer(const std::vector<answers::AddressAnswer>& answers, u32 rva) {
  const auto found =
      std::lower_bound(answers.begin(), answers.end(), rva,
                       [](const answers::AddressAnswer& answer, u32 wanted) { return answer.rva < wanted; });
  return found != answers.end() && found->rva == rva ? &*found : nullptr;
}

// Names the places of a profile and makes a node for each, in the order of their numbers.
class PlaceNames {
 public:
  PlaceNames(const std::vector<answers::SampleModule>& modules,
             const std::vector<std::vector<answers::AddressAnswer>>& answers, usize places,
             stacks::StackProfile& profile)
      : modules_(modules), answers_(answers), map_(modules), places_(places), profile_(profile) {
    profile.nodes.reserve(places);
    profile.address_of_node.reserve(places);
    profile.site_of_node.reserve(places);
    for (const answers::SampleModule& module : modules) {
      stacks::StackModule& made = profile.modules.emplace_back();
      made.name = module.name;
      made.path = module.path;
    }
    profile.modules.emplace_back().is_nowhere = true;
  }

  CodePlace add(const Place& place) {
    if (profile_.nodes.empty()) return add_other_processes();
    CodePlace code{.address = place.address, .kernel = place.kernel, .symbol = 0, .module = map_.find(place)};
    const bool is_nowhere = code.module == answers::kNone;
    const answers::AddressAnswer* const answer =
        is_nowhere || code.module >= answers_.size()
            ? nullptr
            : find_answer(answers_[code.module], static_cast<u32>(place.address - modules_[code.module].base));
    u32 function = 0;
    if (answer != nullptr && !answer->function.empty()) {
      code.symbol = function = function_of(answer->function, code.module, true);
    } else {
      const bool is_kernel = is_nowhere && place.kernel;
      code.symbol = function_of(is_kernel ? "[kernel]" : "unknown", nowhere(), false);
      profile_.functions[code.symbol].is_kernel = is_kernel;
      function = is_nowhere ? code.symbol : function_of("unknown", code.module, false);
    }
    add_node(function, place.address, answer != nullptr ? add_site(function, code, *answer) : stacks::kNothing);
    return code;
  }

 private:
  u32 nowhere() const { return static_cast<u32>(modules_.size()); }
  CodePlace add_other_processes() {
    CodePlace code;
    code.symbol = function_of("[other process]", nowhere(), false);
    add_node(code.symbol, 0, stacks::kNothing);
    return code;
  }
  u32 function_of(const std::string& name, u32 module, bool is_known) {
    const auto [entry, is_new] = functions_.try_emplace(std::to_string(module) + (is_known ? ':' : '?') + name,
                                                        static_cast<u32>(profile_.functions.size()));
    if (is_new) {
      profile_.places.push_back({.function = entry->second});
      stacks::StackFunction& made = profile_.functions.emplace_back();
      made.name = name;
      made.module = module;
      made.is_known = is_known;
    }
    return entry->second;
  }
  u32 text_of(const std::string& text) {
    const auto [entry, is_new] = texts_.try_emplace(text, static_cast<u32>(profile_.texts.size()));
    if (is_new) profile_.texts.push_back(text);
    return entry->second;
  }
  void add_node(u32 function, u64 address, u32 site) {
    const bool is_first = profile_.nodes.empty();
    profile_.nodes.push_back({.parent = is_first ? stacks::kNothing : 0, .place = function});
    profile_.address_of_node.push_back(address);
    profile_.site_of_node.push_back(site);
  }
  // kNothing if the line is not known.
  u32 add_site(u32 function, CodePlace& code, const answers::AddressAnswer& answer) {
    if (answer.frames.empty()) return stacks::kNothing;
    const answers::AddressFrame& own = answer.frames.back();
    if (own.line == 0 || own.file.empty()) return stacks::kNothing;
    if (profile_.sites.empty()) {
      profile_.sites.reserve(places_);
      profile_.code_frames.reserve(places_);
    }
    const u64 base = modules_[code.module].image_base;
    profile_.sites.push_back({.function = function,
                              .address = base + answer.rva,
                              .first_frame = static_cast<u32>(profile_.code_frames.size()),
                              .frame_count = static_cast<u32>(answer.frames.size()),
                              .line_begin = base + answer.line_begin,
                              .line_end = base + answer.line_end});
    for (const answers::AddressFrame& frame : answer.frames) {
      profile_.code_frames.push_back({.function = text_of(frame.function),
                                      .file = text_of(frame.file),
                                      .line = frame.line,
                                      .is_inlined = frame.inlined});
    }
    code.file = profile_.code_frames.back().file;
    code.line = own.line;
    return static_cast<u32>(profile_.sites.size() - 1);
  }

  const std::vector<answers::SampleModule>& modules_;
  const std::vector<std::vector<answers::AddressAnswer>>& answers_;
  const ModuleMap map_;
  const usize places_;
  stacks::StackProfile& profile_;
  std::unordered_map<std::string, u32> functions_, texts_;
};

// Names all places. Returns the index into profile.places for each place number.
std::vector<u32> add_code_places(const std::vector<Place>& places,
                                 const std::vector<std::vector<answers::AddressAnswer>>& answers, SpeProfile& profile) {
  PlaceNames names(profile.run.target.modules, answers, places.size(), profile.samples);
  std::vector<CodePlace> named;
  named.reserve(places.size());
  for (const Place& place : places) named.push_back(names.add(place));
  std::vector<u32> order;
  for (u32 number = 0; number < places.size(); ++number) order.push_back(number);
  std::sort(order.begin() + 1, order.end(), [&](u32 a, u32 b) {
    return std::tie(places[a].address, places[a].kernel) < std::tie(places[b].address, places[b].kernel);
  });
  std::vector<u32> index(places.size());
  profile.places.reserve(places.size());
  for (const u32 number : order) {
    index[number] = static_cast<u32>(profile.places.size());
    profile.places.push_back(named[number]);
  }
  return index;
}

// The events of the profile are the kinds of operations, in order. Samples are added event by event, and for each event
// place by place.
void add_samples(const Aggregator& aggregator, const SpeRun& run, const SpePlaces& places, SpeProfile& profile) {
  struct Event {
    u32 number = 0;
    usize samples = 0, next = 0;
  };
  std::map<Kind, Event> kinds;
  aggregator.for_each_event([&](const EventHits& row) { ++kinds[{row.operation, row.events}].samples; });
  const std::vector<OwnerHits> owners = aggregator.owners();
  for (const OwnerHits& row : owners) kinds[{row.operation, row.events}];
  for (auto& [kind, event] : kinds) {
    event.number = static_cast<u32>(profile.samples.events.size());
    event.next = profile.samples.samples.size();
    profile.samples.events.emplace_back().name = spe::source_name(kind.first, kind.second);
    for (usize i = 0; i < event.samples; ++i) profile.samples.samples.push_back({.event = event.number});
  }
  aggregator.for_each_event([&](const EventHits& row) {
    Event& event = kinds.at({row.operation, row.events});
    profile.samples.events[event.number].samples += row.hits;
    stacks::StackSample& sample = profile.samples.samples[event.next++];
    sample.node = places.number_of_site(row.site);
    sample.count = row.hits;
  });
  for (const OwnerHits& row : owners) {
    answers::OwnerCount& owner = profile.run.owners.emplace_back();
    owner.event = kinds.at({row.operation, row.events}).number;
    owner.core = row.core;
    if (row.thread != spe::kNoThread) owner.thread = process_and_thread(run, row.thread);
    owner.count = row.hits;
  }
}

SpeCore& core_of(std::vector<SpeCore>& cores, u32 number) {
  const auto at = std::lower_bound(cores.begin(), cores.end(), number,
                                   [](const SpeCore& core, u32 wanted) { return core.core < wanted; });
  if (at != cores.end() && at->core == number) return *at;
  return *cores.insert(at, SpeCore{.core = number});
}

// Counts decoded records by core. The difference to the driver's count was lost.
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
    profile.run.cores.push_back(
        {.core = core.core, .generated = generated, .lost_ring_full = generated - core.records});
  }
}

using spe::Origin;
using spe::Record;

// Calls callback(time, origin, record) for each record that has a time.
template <class Callback>
void for_each_moment(const recording::RecordedRecords& records, const perf_data::TimeConversion& time,
                     Callback&& callback) {
  recording::DecodeStates states;
  records.for_each(states, [&](const Origin& origin, const Record& record) {
    if (record.has(spe::Field::timestamp)) callback(time.to_perf_ns(record.timestamp()), origin, record);
  });
}

// The samples of each function and kind of operation over time.
class CountsOverTime {
 public:
  CountsOverTime(stacks::StackProfile& profile, const stacks::TimeSlices& slices) : profile_(profile), slices_(slices) {
    const auto nameless = std::find_if(profile.functions.begin() + 1, profile.functions.end(),
                                       [](const auto& one) { return !one.is_known && !one.is_kernel; });
    nameless_ = static_cast<u32>(nameless - profile.functions.begin());
    for (u32 row = 0; row < profile.samples.size(); ++row) {
      const stacks::StackSample& sample = profile.samples[row];
      auto& counts = counts_of_event_[profile.events[sample.event].name][symbol_of(sample)];
      if (counts.slices.empty()) counts = {row, std::vector<u32>(slices.count)};
    }
  }
  void add(const Record& record, u32 symbol, u64 moment) {
    const std::pair kind{spe::operation_name(record), spe::contract_events(record.events())};
    auto known = counts_of_kind_.find(kind);
    if (known == counts_of_kind_.end()) {
      const auto counts = counts_of_event_.find(spe::source_name(kind.first, kind.second));
      known = counts_of_kind_.emplace(kind, counts != counts_of_event_.end() ? &counts->second : nullptr).first;
    }
    if (known->second == nullptr) return;
    const auto counts = known->second->find(symbol);
    if (counts != known->second->end()) ++counts->second.slices[slices_.at(moment)];
  }
  // Stores at least the first slice of each function, so that all functions have slices.
  void take() {
    for (const auto& [event, symbols] : counts_of_event_) {
      for (const auto& [symbol, counts] : symbols) {
        for (u32 slice = 0; slice < counts.slices.size(); ++slice) {
          const u32 count = counts.slices[slice];
          if (slice == 0 || count != 0) profile_.slice_counts.push_back({counts.row, slice, count, 0});
        }
      }
    }
  }

 private:
  struct Counts {
    u32 row = 0;  // index of the function's first row in the profile's samples
    std::vector<u32> slices;
  };
  using CountsOfSymbols = std::unordered_map<u32, Counts>;

  // See CodePlace::symbol.
  u32 symbol_of(const stacks::StackSample& sample) const {
    const u32 function = profile_.nodes[sample.node].place;
    const stacks::StackFunction& one = profile_.functions[function];
    return one.is_known || one.is_kernel || function == 0 ? function : nameless_;
  }

  stacks::StackProfile& profile_;
  const stacks::TimeSlices& slices_;
  u32 nameless_ = 0;  // the function for all places without a name
  std::unordered_map<std::string, CountsOfSymbols> counts_of_event_;
  std::map<std::pair<spe::OperationName, u64>, CountsOfSymbols*> counts_of_kind_;
};

}  // namespace

void add_damage(SpeCore& core, const spe::DecodeState& state) {
  core.damaged += state.damage.damaged_records;
  core.bad_bytes += state.damage.bad_bytes;
  core.unfinished += state.damage.unfinished_records;
}

std::string display_name(const SpeProfile& profile, u32 function) {
  const stacks::StackFunction& one = profile.samples.functions[function];
  if (!one.is_known) return one.name;
  const answers::SampleModule& module = profile.run.target.modules[one.module];
  return module.main ? one.name : one.name + ':' + module.name;
}

std::vector<std::vector<u32>> spe_addresses_to_name(const Aggregator& aggregator, const SpeRun& run) {
  const SpePlaces places(aggregator, run.target, run.processes_known);
  return addresses_in_modules(places.places(), run.target.modules);
}

SpeProfile make_spe_profile(const Aggregator& aggregator, SpeRun run,
                            const std::vector<std::vector<answers::AddressAnswer>>& answers) {
  SpeProfile profile;
  profile.run.of_operations = true;
  profile.run.target = std::move(run.target);
  SpePlaces places(aggregator, profile.run.target, run.processes_known);
  const std::vector<u32> code_place_of = add_code_places(places.places(), answers, profile);
  add_samples(aggregator, run, places, profile);
  profile.run.processes = std::move(run.processes);
  profile.run.exit_code = run.exit_code;
  profile.run.elapsed_seconds = profile.samples.elapsed_seconds = run.elapsed_seconds;
  profile.forgotten_mappings = run.forgotten_mappings;
  profile.population = run.population;
  add_cores(aggregator, run, profile);
  if (aggregator.options().memory) {
    profile.memory =
        make_memory_profile(aggregator, {.places = places, .code_place_of = code_place_of, .code = profile.places});
  }
  return profile;
}

bool add_spe_timeline(const recording::RecordedRecords& records, const perf_data::AuxTraces& traces,
                      const perf_data::RunFacts* run, u64 slice_ns, operations::SpeProfile& profile) {
  const auto& time = traces.time();
  u64 begin = ~u64{0}, end = 0;
  if (time.has_value() && time->has_zero) {
    for_each_moment(records, *time, [&](u64 moment, const Origin&, const Record&) {
      begin = std::min(begin, moment);
      end = std::max(end, moment);
    });
  }
  if (begin > end) return false;
  const bool has_run_time = run != nullptr && run->start_ns < run->end_ns;
  const stacks::TimeSlices slices = has_run_time ? stacks::make_time_slices(run->start_ns, run->end_ns, slice_ns)
                                                 : stacks::make_time_slices(begin, end + 1, slice_ns);
  profile.samples.slices = slices;
  const operations::SpeRecordNames names(profile);
  operations::SpeRecordNamer namer(names);
  CountsOverTime counts(profile.samples, slices);
  for_each_moment(records, *time, [&](u64 moment, const Origin& origin, const Record& record) {
    counts.add(record, namer.row(origin, record).symbol, moment);
  });
  counts.take();
  return true;
}

}  // namespace wperf::operations
