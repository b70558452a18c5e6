// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/waits/wait_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "analysis/waits/wait_report.h"
#include "model/stacks/python_modules.h"
#include "model/stacks/stack_aggregator.h"
#include "model/stacks/stack_rows.h"

namespace wperf::waits {
namespace {

using recording::RecordedSwitches;
using waits::WaitClass;

u32 process_in(const RecordedSwitches& switches, u32 thread) {
  const auto known = switches.threads.find(thread);
  return known != switches.threads.end() ? known->second.process : 0;
}
u32 number_in(const RecordedSwitches& switches, u32 thread) {
  const auto known = switches.threads.find(thread);
  return known != switches.threads.end() && known->second.number != 0 ? known->second.number : thread;
}
std::string_view name_in(const RecordedSwitches& switches, u32 thread) {
  const auto known = switches.threads.find(thread);
  return known != switches.threads.end() ? std::string_view(known->second.name) : std::string_view();
}

}  // namespace

bool is_recorder(const RecordedSwitches& switches, u32 thread) {
  static constexpr std::string_view kRecorders[] = {"wperf",     "wperf.exe", "perf",        "wpr.exe",
                                                    "xperf.exe", "WPRUI.exe", "PerfView.exe"};
  if (switches.recorder != 0) return process_in(switches, thread) == switches.recorder;
  return std::ranges::find(kRecorders, name_in(switches, thread)) != std::end(kRecorders);
}

std::vector<bool> chosen_threads(const waits::Accounting& accounting, const RecordedSwitches& switches,
                                 const WaitSelection& selection) {
  const auto is_name = [&](const std::string& name) {
    return std::ranges::any_of(accounting.threads,
                               [&](const auto& one) { return name_in(switches, one.thread) == name; });
  };
  const std::vector<std::string> asked = stacks::names_in({selection.names.begin(), selection.names.end()}, is_name);
  const std::set<std::string> names(asked.begin(), asked.end());
  std::vector<bool> chosen;
  for (const waits::ThreadTimes& times : accounting.threads) {
    const auto allows = [](const auto& wanted, const auto& one) { return wanted.empty() || wanted.contains(one); };
    chosen.push_back(allows(selection.threads, number_in(switches, times.thread)) &&
                     allows(selection.processes, process_in(switches, times.thread)) &&
                     allows(names, std::string(name_in(switches, times.thread))));
  }
  return chosen;
}

u32 first_thread(const waits::Accounting& accounting, const RecordedSwitches& switches,
                 const std::vector<bool>& chosen) {
  enum class Rank : u8 { program, of_program, leader, other, recorder, none };
  const auto rank_of = [&](u32 thread) {
    const u32 process = process_in(switches, thread);
    if (switches.program != 0 && thread == switches.program) return Rank::program;
    // On Windows, no thread has the number of its process.
    if (switches.has_windows_reasons && switches.program != 0 && process == switches.program) return Rank::of_program;
    if (is_recorder(switches, thread)) return Rank::recorder;
    return process == thread ? Rank::leader : Rank::other;
  };
  u32 best = static_cast<u32>(chosen.size());
  Rank best_rank = Rank::none;
  for (u32 i = 0; i < chosen.size(); ++i) {
    if (!chosen[i]) continue;
    const Rank rank = rank_of(accounting.threads[i].thread);
    if (rank >= best_rank) continue;
    best = i;
    best_rank = rank;
  }
  return best;
}

WaitNames::WaitNames(const RecordedSwitches& switches, const recording::RecordedSamples& recorded)
    : switches_(switches), profile_(recorded.profile), lists_(recorded.lists), row_of_sample_(recorded.row_of_sample) {
  places_.resize(profile_.samples.size());
}

WaitNames::WaitNames(const RecordedSwitches& switches, const recording::RecordedSamples& recorded,
                     const waits::Accounting& accounting)
    : WaitNames(switches, recorded) {
  find_gils(accounting);
}

// In a stripped interpreter, some stacks of waits for the GIL have no names that show the GIL.
void WaitNames::find_gils(const waits::Accounting& accounting) {
  std::set<std::pair<u32, u64>> gils;  // processes and addresses
  std::vector<std::pair<u32, std::pair<u32, u64>>> others;
  for (const waits::Wait& wait : accounting.waits) {
    if (!wait.is_known) continue;
    const auto address = switches_.argument_of(wait.sample);
    if (!address.has_value()) continue;
    const WaitPlace& place = place_of_sample(wait.sample);
    if (!place.is_futex) continue;
    const std::pair lock{process_of(accounting.threads[wait.thread].thread), *address};
    if (place.wait == WaitClass::gil) gils.insert(lock);
    if (place.wait == WaitClass::lock) others.emplace_back(wait.sample, lock);
  }
  for (const auto& [sample, lock] : others) {
    if (gils.contains(lock)) for_gil_.push_back(sample);
  }
  std::ranges::sort(for_gil_);
}

std::string_view WaitNames::thread_name(u32 thread) const {
  return name_in(switches_, thread);
}
u32 WaitNames::process_of(u32 thread) const {
  return process_in(switches_, thread);
}
u32 WaitNames::number_of(u32 thread) const {
  return number_in(switches_, thread);
}
std::string WaitNames::text_of(u32 thread) const {
  if (thread == stacks::kUnknown) return "not recorded";
  if (thread == kNotEnded) return std::string(waits::kNotEnded);
  if (thread == stacks::kNobody || thread == stacks::kIdleThread) return "an interrupt";
  const std::string_view name = thread_name(thread);
  return name.empty() ? fmt::format("thread {}", number_of(thread)) : fmt::format("{} ({})", name, number_of(thread));
}

// The place and class of a wait, from the stack with which the thread left its core.
WaitPlace WaitNames::place_of(u32 sample, u8 wait_reason) {
  WaitPlace place = place_of_sample(sample);
  place.wait = class_of(sample, wait_reason);
  return place;
}

WaitClass WaitNames::class_of(u32 sample, u8 wait_reason) {
  if (std::ranges::binary_search(for_gil_, sample)) return WaitClass::gil;
  const WaitPlace& place = place_of_sample(sample);
  const bool is_clear = place.wait != WaitClass::unexplained && place.wait != WaitClass::other;
  if (is_clear || !switches_.has_windows_reasons) return place.wait;
  const WaitClass reason = waits::class_of_reason(wait_reason);
  return reason != WaitClass::unexplained ? reason : place.wait;
}

WaitClass WaitNames::class_of(const waits::Wait& wait) {
  const WaitClass known = class_of(wait.sample, wait.reason);
  if (known != WaitClass::lock || !place_of_sample(wait.sample).for_object) return known;
  const WaitClass ending = place_of_ender(wait).ending;
  return ending != WaitClass::unexplained ? ending : known;
}

WaitPlace WaitNames::place_of(const waits::Wait& wait) {
  WaitPlace place = place_of_sample(wait.sample);
  place.wait = class_of(wait);
  return place;
}

// A thread that waits for a signal is also woken by one, but continues.
bool WaitNames::is_cut_off(const waits::Wait& wait) {
  if (!wait.is_last || !place_of_sample(wait.wake_sample).by_signal) return false;
  static constexpr std::string_view kForSignals[] = {"sigsuspend", "pause", "sigtimedwait", "sigwait", "sigwaitinfo"};
  const std::string_view function = place_of_sample(wait.sample).function;
  return std::ranges::none_of(kForSignals, [&](std::string_view one) { return function.find(one) != function.npos; });
}

// Examines each distinct stack once.
const WaitPlace& WaitNames::place_of_sample(u32 sample) {
  const u32 row = sample < row_of_sample_.size() ? row_of_sample_[sample] : stacks::StackAggregator::kNoRow;
  if (row >= places_.size() || !switches_.has_stacks) return nowhere_;
  WaitPlace& place = places_[row];
  if (!place.is_known) {
    place = look_at(row);
    place.is_known = true;
    place.group = group_of(place);
  }
  return place;
}

u32 WaitNames::group_of_sample(u32 sample) {
  const u32 row = sample < row_of_sample_.size() ? row_of_sample_[sample] : stacks::StackAggregator::kNoRow;
  if (row >= places_.size() || !switches_.has_stacks) return nowhere_.group;
  if (group_of_row_.empty()) group_of_row_.resize(places_.size(), kNoGroup);
  u32& group = group_of_row_[row];
  if (group == kNoGroup) group = place_of_sample(sample).group;
  return group;
}

// Equal for all stacks that end in the same function with the same caller.
u32 WaitNames::group_of(const WaitPlace& place) {
  const std::array functions{place.function, place.module, place.caller, place.caller_module};
  const auto [group, is_new] = groups_.try_emplace(functions, static_cast<u32>(groups_.size()));
  if (is_new) function_of_group_.push_back(place.function);
  return group->second;
}

// Visits the innermost function first.
template <class Visit>
void WaitNames::for_each_place(u32 row, Visit visit) const {
  if (lists_.stack_begins.empty()) {
    for (u32 node = profile_.samples[row].node; profile_.nodes[node].place != stacks::kNothing;
         node = profile_.nodes[node].parent) {
      visit(profile_.nodes[node].place);
    }
    return;
  }
  for (u64 i = lists_.stack_begins[row]; i < lists_.stack_begins[row + usize{1}]; ++i) {
    const u32 address = lists_.addresses[i];
    for (u32 frame = lists_.frame_begins[address]; frame < lists_.frame_begins[address + usize{1}]; ++frame) {
      visit(lists_.frames[frame].place);
    }
  }
}

WaitPlace WaitNames::look_at(u32 row) const {
  WaitPlace place;
  waits::StackClass wait;
  waits::PythonWait python_wait;
  const stacks::StackFunction *own = nullptr, *inner = nullptr, *kernel = nullptr, *unnamed = nullptr;
  std::array<bool, 2> has_reason{}, is_seen{};
  bool reports_child = false;
  for_each_place(row, [&](u32 number) {
    const stacks::StackFunction& function = profile_.functions[profile_.places[number].function];
    const std::string_view module = profile_.modules[function.module].name;
    if (!function.is_kernel) python_wait.take(function.is_known ? function.name : std::string_view(), module);
    if (!function.is_known) {
      if (unnamed == nullptr && !profile_.modules[function.module].is_nowhere) unnamed = &function;
      return;
    }
    wait.take(function.name, function.is_kernel);
    place.by_timer = place.by_timer || (function.is_kernel && waits::is_timer_interrupt(function.name));
    place.by_signal = place.by_signal || (function.is_kernel && waits::is_signal_wake(function.name));
    place.for_object = place.for_object || waits::waits_for_object(function.name);
    if (place.ending == WaitClass::unexplained) place.ending = waits::class_of_ending(function.name);
    reports_child = reports_child || (function.is_kernel && waits::reports_child(function.name));
    // If kernel functions have no names, the function that entered the kernel decides.
    place.is_futex =
        place.is_futex || (function.is_kernel ? waits::is_futex_call(function.name)
                                              : !is_seen[0] && !is_seen[1] && waits::waits_by_futex(function.name));
    is_seen[function.is_kernel] = true;
    const bool tells = waits::class_of_function(function.name) != WaitClass::unexplained;
    const stacks::StackFunction*& shown = function.is_kernel ? kernel : own;
    // Shows the function that users know: pthread_mutex_lock, not the internal functions that it calls.
    if (tells && !has_reason[function.is_kernel]) shown = &function;
    // A Python function is more useful than the functions of the interpreter.
    const bool is_python = stacks::is_python_file(module) && !stacks::is_python_file(place.caller_module);
    if (is_python || (place.caller.empty() && !function.is_kernel && !waits::is_library_module(module) &&
                      !waits::is_library_function(function.name))) {
      place.caller = function.name;
      place.caller_module = module;
    }
    if (shown == nullptr && !function.is_kernel) {
      const bool is_inner = waits::is_inner_wake(function.name);
      if (!is_inner) shown = &function;
      if (is_inner && inner == nullptr) inner = &function;
    }
    has_reason[function.is_kernel] = has_reason[function.is_kernel] || tells;
  });
  // Frame pointers may miss the caller of an internal function, but the internal function is still more useful than the
  // kernel function. If no function has a name, shows "clr.dll+0x5a24".
  const stacks::StackFunction* shown = unnamed;
  for (const stacks::StackFunction* one : {kernel, inner, own}) {
    if (one != nullptr) shown = one;
  }
  if (shown != nullptr) {
    place.function = shown->name;
    place.module = profile_.modules[shown->module].name;
  }
  place.wait = wait.get();
  if (place.wait == WaitClass::lock && python_wait.kind() != WaitClass::unexplained) place.wait = python_wait.kind();
  // In a page fault, the thread waits for the page, not for the lock. The word that shows the end of a thread is not a
  // lock.
  if (place.wait == WaitClass::paging || place.wait == WaitClass::thread_end) place.is_futex = false;
  // Here the signal reports the end of the child for which the parent waits, so it is not an interruption.
  place.by_signal = place.by_signal && !reports_child;
  return place;
}

ThreadTasks::ThreadTasks(const WaitNames& names, stacks::StackProfile& profile) : names_(names), profile_(profile) {
  for (u32 i = 0; i < profile_.tasks.size(); ++i) tasks_[profile_.tasks[i].tid] = i;
  // If the record of a name was lost, the task has an older name, but switches also contain the name.
  std::erase_if(tasks_, [&](const auto& one) {
    const std::string_view name = names_.thread_name(one.first);
    return !name.empty() && profile_.names[profile_.tasks[one.second].name] != name;
  });
}

u32 ThreadTasks::operator()(u32 thread) {
  const auto [known, is_new] = tasks_.try_emplace(thread, static_cast<u32>(profile_.tasks.size()));
  if (is_new) {
    profile_.tasks.push_back({.pid = names_.process_of(thread),
                              .tid = names_.number_of(thread),
                              .name = static_cast<u32>(profile_.names.size())});
    profile_.names.emplace_back(names_.thread_name(thread));
  }
  return known->second;
}

}  // namespace wperf::waits
