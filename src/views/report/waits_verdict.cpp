// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/waits_verdict.h"

#include <fmt/format.h>

#include "ground/text/number_text.h"
#include "views/report/waits_report.h"

namespace wperf::report {
namespace {

using waits::FunctionRow;
using waits::LockPlace;
using waits::WaitClass;
using waits::WaitReport;

bool is_for_an_end(const FunctionRow& row) {
  return row.wait == WaitClass::thread_end || row.wait == WaitClass::process_end;
}

// Waits for the end of other threads are not a cause, because these depend on what the other threads do. A cause with
// less than 1/kSmallest of the waiting time explains nothing.
const FunctionRow* largest_cause(const WaitReport& report, const WaitTotals& sums) {
  constexpr u64 kSmallest = 100;
  for (const FunctionRow& row : report.functions) {
    if (!is_for_an_end(row) && row.total >= sums.waiting / kSmallest) return &row;
  }
  return report.functions.empty() ? nullptr : &report.functions.front();
}

struct LockWait {
  const waits::LockRow* lock = nullptr;
  const LockPlace* place = nullptr;
};

// The lock for which threads waited longest in this place.
LockWait lock_of(const WaitReport& report, const FunctionRow& row) {
  LockWait most;
  if (row.wait != WaitClass::lock) return most;
  for (const waits::LockRow& lock : report.locks) {
    for (const LockPlace& place : lock.places) {
      const bool is_there = place.function == row.function && place.module == row.module &&
                            place.caller == row.caller && place.caller_module == row.caller_module;
      if (is_there && (most.place == nullptr || place.total > most.place->total)) most = {&lock, &place};
    }
  }
  return most;
}

std::string purpose_text(const FunctionRow& row, const LockWait& lock) {
  switch (row.wait) {
    case WaitClass::lock:
      return lock.lock != nullptr && lock.lock->is_known ? " for the lock " + lock.lock->name : " for a lock";
    case WaitClass::gil:
      return " for the GIL";
    case WaitClass::timer:
      return " for a timer";
    case WaitClass::message:
      return " for a message";
    case WaitClass::idle_pool:
      return " for work";
    case WaitClass::thread_end:
      return " for a thread's end";
    case WaitClass::process_end:
      return " for a process's end";
    case WaitClass::io:
    case WaitClass::paging:
      return fmt::format(" for {}", name_of(row.wait));
    case WaitClass::other:
    case WaitClass::unexplained:
      break;
  }
  return {};
}

std::string cause_text(const WaitReport& report, const FunctionRow& row, const WaitTotals& sums) {
  const LockWait lock = lock_of(report, row);
  const bool is_of_lock = lock.place != nullptr;
  const u64 total = is_of_lock ? lock.place->total : row.total, count = is_of_lock ? lock.place->count : row.count;
  const std::string& waker = is_of_lock ? lock.place->waker : row.waker;
  std::string text =
      fmt::format("most waiting: {} in {} {}{} in {}, {} of the waiting", wait_time_text(total),
                  text::with_commas(count), count == 1 ? "wait" : "waits", purpose_text(row, lock), row.shown(),
                  text::share(static_cast<double>(total), static_cast<double>(sums.waiting)));
  const std::string_view mostly = count == 1 ? "" : "mostly ";
  if (waker == waits::kNotEnded) return text + fmt::format("; {}{}", mostly, waits::kNotEnded);
  return waker.empty() ? text : text + fmt::format("; ended {}by {}", mostly, waker);
}

}  // namespace

WaitTotals totals_of(const WaitReport& report) {
  WaitTotals sums;
  for (const waits::ThreadRow& row : report.threads) {
    sums.running += row.times.running;
    sums.ready += row.times.ready;
    sums.waiting += row.times.waiting;
    sums.unknown += row.times.unknown;
    for (usize i = 0; i < sums.by_class.size(); ++i) sums.by_class[i] += row.by_class[i];
  }
  return sums;
}

std::vector<std::string> wait_verdict(const WaitReport& report) {
  const WaitTotals sums = totals_of(report);
  const auto of_wall = [&](u64 part) { return text::share(static_cast<double>(part), sums.wall()); };
  std::string states =
      fmt::format("{} {}: running {}, ready to run {}, waiting {}", text::with_commas(report.threads.size()),
                  report.threads.size() == 1 ? "thread" : "threads", of_wall(sums.running),
                  report.has_wakeups ? of_wall(sums.ready) : "not recorded", of_wall(sums.waiting));
  if (sums.unknown != 0) states += ", unknown " + of_wall(sums.unknown);
  std::vector<std::string> lines{std::move(states)};
  const FunctionRow* const most = largest_cause(report, sums);
  if (most != nullptr && !most->shown().empty()) lines.push_back(cause_text(report, *most, sums));
  return lines;
}

}  // namespace wperf::report
