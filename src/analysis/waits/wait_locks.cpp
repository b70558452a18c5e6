// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/waits/wait_locks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace wperf::waits {

WaitLocks::WaitLocks(const perf_data::PerfFile& file, const ChosenWaits& all, WaitNames& names,
                     const modules::ElfSearch& search, bool decorated) {
  const auto& [accounting, switches, chosen] = all;
  std::vector<recording::DataAddress> asked;
  std::vector<u32> samples;
  for (const waits::Wait& wait : accounting.waits) {
    if (!chosen[wait.thread] || !wait.is_known || wait.sample >= switches.samples) continue;
    if (!names.place_of_sample(wait.sample).is_futex) continue;
    const auto address = switches.argument_of(wait.sample);
    if (of_sample_.empty()) of_sample_.resize(switches.samples, kNone);
    of_sample_[wait.sample] = kUnknown;
    if (!address.has_value()) continue;
    const u32 thread = accounting.threads[wait.thread].thread;
    asked.push_back({names.process_of(thread), names.number_of(thread), wait.begin, *address});
    samples.push_back(wait.sample);
  }
  recording::NamedData named = recording::name_data(file, asked, search, decorated);
  locks_ = std::move(named.names);
  for (usize i = 0; i < samples.size(); ++i) of_sample_[samples[i]] = named.of_address[i];
}

std::string WaitLocks::text_of(u32 lock) const {
  if (lock == kNone) return {};
  if (lock == kUnknown) return "not recorded";
  const recording::DataName& one = locks_[lock];
  const std::string& where = one.symbol.empty() ? one.module : one.symbol;
  if (!where.empty()) return one.offset == 0 ? where : fmt::format("{}+0x{:x}", where, one.offset);
  return fmt::format("at 0x{:x}{}", one.address, one.is_outside ? " (in no module)" : "");
}

namespace {

struct PlaceSums {
  waits::LockPlace row;
  std::map<u32, u64> wakers;
};

// The waker with the longest total time; the first one if several have the same.
std::string who_ended_most(const std::map<u32, u64>& wakers, const WaitNames& names) {
  const auto most =
      std::max_element(wakers.begin(), wakers.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most != wakers.end() ? names.text_of(most->first) : std::string();
}

void add_length(u64 length, auto& row) {
  ++row.count;
  row.total += length;
  row.longest = std::max(row.longest, length);
}

waits::LockRow row_of(u32 lock, const WaitLocks& locks) {
  waits::LockRow row{.name = locks.text_of(lock), .places = {}};
  if (lock == WaitLocks::kUnknown) return row;
  const recording::DataName& known = locks.all()[lock];
  row.is_known = true;
  row.process = known.process;
  row.address = known.address;
  row.symbol = known.symbol;
  row.module = known.module;
  row.offset = known.offset;
  return row;
}

bool has_more(const auto& a, const auto& b) {
  return a.total > b.total;
}

}  // namespace

void add_locks(const ChosenWaits& all, u64 min_ns, WaitNames& names, const WaitLocks& locks, WaitReport& report) {
  const auto& [accounting, switches, chosen] = all;
  struct Sums {
    waits::LockRow row;
    std::map<u32, PlaceSums> places;  // by group
  };
  std::map<u32, Sums> sums;  // by lock
  for (const waits::Wait& wait : accounting.waits) {
    if (!chosen[wait.thread] || !wait.is_known || wait.length() < min_ns) continue;
    const u32 lock = locks.lock_of(wait);
    if (lock == WaitLocks::kNone) continue;
    const auto [known, is_new] = sums.try_emplace(lock);
    Sums& one = known->second;
    if (is_new) {
      one.row = row_of(lock, locks);
      if (one.row.is_known) one.row.process_name = names.thread_name(accounting.threads[wait.thread].thread);
    }
    add_length(wait.length(), one.row);
    const WaitPlace& place = names.place_of_sample(wait.sample);
    PlaceSums& there = one.places[place.group];
    if (there.row.count == 0) {
      there.row.function = place.function;
      there.row.module = place.module;
      there.row.caller = place.caller;
      there.row.caller_module = place.caller_module;
    }
    add_length(wait.length(), there.row);
    if (wait.has_end && switches.has_wakeups) there.wakers[WaitNames::ender_of(wait)] += wait.length();
  }
  report.locks_are_missing = !sums.empty() && !switches.has_arguments;
  if (report.locks_are_missing) return;
  for (auto& [lock, one] : sums) {
    for (auto& [group, there] : one.places) {
      there.row.waker = who_ended_most(there.wakers, names);
      one.row.places.push_back(std::move(there.row));
    }
    std::stable_sort(one.row.places.begin(), one.row.places.end(), has_more<waits::LockPlace, waits::LockPlace>);
    report.locks.push_back(std::move(one.row));
  }
  std::stable_sort(report.locks.begin(), report.locks.end(), has_more<waits::LockRow, waits::LockRow>);
}

}  // namespace wperf::waits
