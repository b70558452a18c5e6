// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/waits/wait_locks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/waits/wait_sums.h"

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

struct LockMerge {
  LockSums sums;
  u32 thread = 0;  // index of the thread that waited first

  void add(const LockSums& other, u32 of) {
    if (other.first < sums.first) thread = of;
    sums.first = std::min(sums.first, other.first);
    for (const auto& [group, one] : other.places) {
      LockPlaceSums& there = sums.places[group];
      there.count += one.count;
      there.total += one.total;
      there.longest = std::max(there.longest, one.longest);
      for (const auto& [waker, time] : one.wakers) there.wakers[waker] += time;
    }
  }
};

}  // namespace

void add_locks(const ChosenWaits& all, const WaitSums& sums, const WaitNames& names, const WaitLocks& locks,
               WaitReport& report) {
  std::map<u32, LockMerge> merged;  // by lock
  for (u32 i = 0; i < sums.threads.size(); ++i) {
    if (!all.chosen[i]) continue;
    for (const auto& [lock, one] : sums.threads[i].locks) merged[lock].add(one, i);
  }
  report.locks_are_missing = !merged.empty() && !all.switches.has_arguments;
  if (report.locks_are_missing) return;
  for (const auto& [lock, one] : merged) {
    LockRow row = row_of(lock, locks);
    if (row.is_known) row.process_name = names.thread_name(all.accounting.threads[one.thread].thread);
    for (const auto& [group, there] : one.sums.places) {
      const WaitPlace& place = sums.places[group];
      row.places.push_back({.function = std::string(place.function),
                            .module = std::string(place.module),
                            .caller = std::string(place.caller),
                            .caller_module = std::string(place.caller_module),
                            .count = there.count,
                            .total = there.total,
                            .longest = there.longest,
                            .waker = who_ended_most(there.wakers, names)});
      row.count += there.count;
      row.total += there.total;
      row.longest = std::max(row.longest, there.longest);
    }
    std::stable_sort(row.places.begin(), row.places.end(), has_more<LockPlace, LockPlace>);
    report.locks.push_back(std::move(row));
  }
  std::stable_sort(report.locks.begin(), report.locks.end(), has_more<LockRow, LockRow>);
}

}  // namespace wperf::waits
