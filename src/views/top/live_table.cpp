// SPDX-License-Identifier: BSD-3-Clause
#include "views/top/live_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/ascii.h"
#include "views/report/count_derived.h"
#include "views/report/top_report.h"

namespace wperf::top {
namespace {

using stacks::kNothing;

// Limits, so that names do not fill the memory on a machine that starts programs for weeks.
constexpr usize kMostNames = 200'000, kMostPlaces = 2'000'000;

bool contains(std::string_view text, std::string_view part) {
  const auto same = [](char a, char b) { return ascii_lower(a) == ascii_lower(b); };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

}  // namespace

u32 LiveTable::place_number(const Place& place) {
  return places_->insert(u64{place.function} << 32 | place.thread, u64{place.core} << 32 | place.event).id;
}

LiveTable::Place LiveTable::place(u32 number) const {
  const u64 first = places_->first(number), second = places_->second(number);
  return {.function = static_cast<u32>(first >> 32),
          .thread = static_cast<u32>(first),
          .core = static_cast<u32>(second >> 32),
          .event = static_cast<u32>(second)};
}

void LiveTable::clear() {
  *this = LiveTable();
}

void LiveTable::add_beside(Counts& sum, const Counts& one) {
  for (const auto& [number, hits] : one.waits) {
    Hits& own = sum.waits[number];
    own.samples += hits.samples;
    own.period += hits.period;
  }
  answers::add_counts(sum.counters, one.counters);
  sum.seconds += one.seconds;
  sum.looks += one.looks;
  sum.lost += one.lost;
  sum.throttled += one.throttled;
  sum.unseen_ns += one.unseen_ns;
  sum.python.add(one.python);
}

u32 LiveTable::module_number(const stacks::StackModule& module) {
  const auto [found, is_new] = module_numbers_.try_emplace(module.name, static_cast<u32>(modules_.size()));
  if (is_new) modules_.emplace_back(module.name, module.reason);
  return found->second;
}

u32 LiveTable::core_number(u32 core) {
  const auto [found, is_new] = core_numbers_.try_emplace(core, static_cast<u32>(cores_.size()));
  if (is_new) cores_.push_back(fmt::format("core {}", core));
  return found->second;
}

u32 LiveTable::wait_number(const waits::FunctionWaits& one) {
  std::string where = report::waiting_function(one);
  const auto [found, is_new] = wait_numbers_.try_emplace({where, one.wait}, static_cast<u32>(waits_.size()));
  if (is_new) waits_.emplace_back(std::move(where), waits::name_of(one.wait));
  return found->second;
}

u32 LiveTable::function_number(const stacks::StackProfile& profile, u32 function) {
  const stacks::StackFunction& one = profile.functions[function];
  const u32 module = module_number(profile.modules[one.module]);
  const u64 hash = std::hash<std::string>()(one.name);
  u64 others = u64{module} << 1 | (one.is_kernel ? 1 : 0);
  u32 number = function_numbers_->insert(hash, others).id;
  // If another name has the same hash, tries the next entry with this hash.
  while (number < functions_.size() && functions_[number].name != one.name) {
    others += u64{1} << 33;
    number = function_numbers_->insert(hash, others).id;
  }
  if (number < functions_.size()) return number;
  functions_.push_back({.name = one.name,
                        .shown = (one.is_kernel ? "[k] " : "") + one.name,
                        .module = modules_[module].first,
                        .is_kernel = one.is_kernel,
                        .is_known = one.is_known,
                        .module_number = module});
  return number;
}

u32 LiveTable::thread_number(const stacks::StackProfile& profile, const stacks::StackTask& task) {
  const std::string& name = profile.names[task.name];
  const auto [found, is_new] =
      thread_numbers_.try_emplace({task.pid, task.tid, name}, static_cast<u32>(threads_.size()));
  if (is_new) {
    const auto pid = static_cast<int>(task.pid), tid = static_cast<int>(task.tid);
    threads_.push_back({name, pid == tid ? fmt::format("{}", tid) : fmt::format("{}/{}", pid, tid)});
  }
  return found->second;
}

void LiveTable::add(const stacks::StackProfile& profile, double seconds, u64 unseen_ns,
                    const stacks::StackFilter& filter, const ExtraRecords& beside) {
  if (functions_.size() + threads_.size() + waits_.size() > kMostNames || places_->size() > kMostPlaces) clear();
  if (events_.empty()) {
    for (const stacks::StackEvent& event : profile.events) {
      events_.push_back({.name = event.name, .is_clock = report::is_clock_event(event)});
    }
  }
  std::vector<u32> functions(profile.functions.size(), kNothing), threads(profile.tasks.size(), kNothing);
  const stacks::ChosenSamples chosen(profile, filter);
  u32 last_core = kNothing, core = kNothing;
  std::vector<u32> index(places_->size(), kNothing);  // index into one.hits, by place
  Counts one{.hits = {},
             .waits = {},
             .counters = beside.counters,
             .seconds = seconds,
             .looks = 1,
             .lost = profile.losses.missing(),
             .throttled = profile.losses.throttled,
             .unseen_ns = unseen_ns,
             .python = profile.python};
  for (const stacks::StackSample& sample : profile.samples) {
    if (!chosen.has(sample)) continue;
    const u32 function = profile.function_of(sample.node);
    if (functions[function] == kNothing) functions[function] = function_number(profile, function);
    if (threads[sample.task] == kNothing) threads[sample.task] = thread_number(profile, profile.tasks[sample.task]);
    if (core == kNothing || sample.core != last_core) core = core_number(last_core = sample.core);
    const u32 number = place_number({functions[function], threads[sample.task], core, sample.event});
    if (number >= index.size()) index.resize(number + usize{1}, kNothing);
    if (index[number] == kNothing) {
      index[number] = static_cast<u32>(one.hits.size());
      one.hits.push_back({number, {}});
    }
    Hits& hits = one.hits[index[number]].hits;
    hits.samples += sample.count;
    hits.period += sample.period;
  }
  all_hits_.resize(places_->size());
  for (const PlaceHits& place : one.hits) {
    all_hits_[place.place].samples += place.hits.samples;
    all_hits_[place.place].period += place.hits.period;
  }
  for (const waits::FunctionWaits& wait : beside.waits) {
    Hits& hits = one.waits[wait_number(wait)];
    hits.samples += wait.begun;
    hits.period += wait.waited;
  }
  add_beside(all_, one);
  newest_.push_back(std::move(one));
  if (newest_.size() > kLooksOfTen) newest_.pop_front();
}

u32 LiveTable::key_of(const Place& place, Grouping grouping) const {
  switch (grouping) {
    case Grouping::function:
      return place.function;
    case Grouping::thread:
      return place.thread;
    case Grouping::core:
      return place.core;
    case Grouping::module:
      return functions_[place.function].module_number;
    case Grouping::wait:  // has no samples: see rows()
    case Grouping::counter:
      break;
  }
  return place.function;
}

bool LiveTable::is_within(const Place& place, const Within& within) const {
  return (within.thread == kNothing || within.thread == place.thread) &&
         (within.core == kNothing || within.core == place.core) &&
         (within.module == kNothing || within.module == functions_[place.function].module_number);
}

std::string_view LiveTable::name_of(Grouping grouping, u32 key) const {
  switch (grouping) {
    case Grouping::function:
      return functions_[key].shown;
    case Grouping::thread:
      return threads_[key].name;
    case Grouping::core:
      return cores_[key];
    case Grouping::module:
      return modules_[key].first;
    case Grouping::wait:
      return waits_[key].first;
    case Grouping::counter:  // see take_counters()
      break;
  }
  return {};
}

std::string_view LiveTable::detail_of(Grouping grouping, u32 key) const {
  if (grouping == Grouping::function) return functions_[key].module;
  if (grouping == Grouping::thread) return threads_[key].numbers;
  if (grouping == Grouping::wait) return waits_[key].second;
  return {};
}

template <class Visit>
void LiveTable::for_each_place(Extent extent, Visit visit) const {
  if (extent == Extent::all) {
    for (u32 number = 0; number < all_hits_.size(); ++number) {
      if (all_hits_[number].samples != 0 || all_hits_[number].period != 0) visit(place(number), all_hits_[number]);
    }
    return;
  }
  const usize wanted = extent == Extent::newest ? 1 : newest_.size();
  for (usize i = newest_.size() - std::min(wanted, newest_.size()); i < newest_.size(); ++i) {
    for (const PlaceHits& one : newest_[i].hits) visit(place(one.place), one.hits);
  }
}

// Sums the samples of each row, and of all rows.
void LiveTable::take_samples(const TableQuery& query, TableAnswer& answer, std::vector<Hits>& by_key) const {
  std::unordered_map<u32, Hits> nameless;
  by_key.resize(std::max({functions_.size(), threads_.size(), cores_.size(), modules_.size()}));
  for_each_place(query.extent, [&](const Place& place, const Hits& hits) {
    if (place.event < answer.events.size()) answer.events[place.event].period += hits.period;
    if (place.event != query.event || !is_within(place, query.within)) return;
    answer.samples += hits.samples;
    answer.period += hits.period;
    Hits& own = by_key[key_of(place, query.grouping)];
    own.samples += hits.samples;
    own.period += hits.period;
    if (functions_[place.function].is_known) return;
    answer.nameless_period += hits.period;
    nameless[functions_[place.function].module_number].period += hits.period;
  });
  const auto worst = std::max_element(nameless.begin(), nameless.end(), [](const auto& a, const auto& b) {
    return std::tie(a.second.period, b.first) < std::tie(b.second.period, a.first);
  });
  if (worst != nameless.end()) {
    answer.nameless_module = modules_[worst->first].first;
    answer.nameless_reason = modules_[worst->first].second;
    if (answer.nameless_reason.empty()) answer.nameless_reason = "its files have no function at these addresses";
  }
}

void LiveTable::take_waits(const Counts& counts, TableAnswer& answer, std::vector<Hits>& by_key) const {
  by_key.assign(waits_.size(), {});
  answer.samples = answer.period = answer.nameless_period = 0;
  for (const auto& [number, hits] : counts.waits) {
    by_key[number] = hits;
    answer.samples += hits.samples;
    answer.period += hits.period;
  }
}

// Counters are in the order in which they were requested.
void LiveTable::take_counters(const Counts& counts, const TableQuery& query, TableAnswer& answer) const {
  answer.counters = counts.counters;
  answer.counted = answer.counters.size();
  for (const TableEvent& event : answer.events) {
    answers::CountRow& row = answer.counters.emplace_back();
    row.name = event.name;
    row.value = row.scaled = event.period;
  }
  for (usize i = 0; i < answer.counters.size(); ++i) {
    const bool is_counted = i < answer.counted;
    const answers::CountRow& row = answer.counters[i];
    if (is_counted && report::repeats_cycles(row, counts.counters)) continue;
    // Uses names of the table, because the answer is copied.
    const std::string& name = is_counted ? all_.counters[i].name : events_[i - answer.counted].name;
    if (!query.filter.empty() && !contains(name, query.filter)) continue;
    answer.rows.push_back(
        {.key = static_cast<u32>(i), .period = row.scaled, .name = name, .detail = is_counted ? "counter" : "samples"});
  }
}

TableAnswer LiveTable::rows(const TableQuery& query) const {
  Counts ten;
  const Counts* counts = &all_;
  if (query.extent == Extent::newest && !newest_.empty()) counts = &newest_.back();
  if (query.extent == Extent::ten) {
    for (const Counts& one : newest_) add_beside(ten, one);
    counts = &ten;
  }
  TableAnswer answer{.rows = {},
                     .seconds = counts->seconds,
                     .looks = counts->looks,
                     .lost = counts->lost,
                     .throttled = counts->throttled,
                     .unseen_ns = counts->unseen_ns,
                     .python = counts->python,
                     .events = events_,
                     .counters = {},
                     .nameless_module = {},
                     .nameless_reason = {}};
  std::vector<Hits> by_key;
  take_samples(query, answer, by_key);
  if (query.grouping == Grouping::wait) take_waits(*counts, answer, by_key);
  if (query.grouping == Grouping::counter) {
    by_key.clear();
    answer.nameless_period = 0;
    take_counters(*counts, query, answer);
  }
  for (u32 key = 0; key < by_key.size(); ++key) {
    const Hits& hits = by_key[key];
    if (hits.samples == 0 && hits.period == 0) continue;
    const TableRow row{key, hits.samples, hits.period, name_of(query.grouping, key), detail_of(query.grouping, key)};
    if (!query.filter.empty() && !contains(row.name, query.filter) && !contains(row.detail, query.filter)) continue;
    answer.shown_period += hits.period;
    answer.rows.push_back(row);
  }
  std::sort(answer.rows.begin(), answer.rows.end(), [&](const TableRow& a, const TableRow& b) {
    if (!query.by_name && query.grouping == Grouping::counter) return a.key < b.key;
    if (!query.by_name && a.period != b.period) return a.period > b.period;
    return std::tie(a.name, a.detail, a.key) < std::tie(b.name, b.detail, b.key);
  });
  return answer;
}

}  // namespace wperf::top
