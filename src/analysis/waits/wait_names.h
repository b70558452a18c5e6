// SPDX-License-Identifier: BSD-3-Clause
// Names for accounted switches: the chosen threads, their names, and where and for what they waited.
#pragma once
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/recording/recorded_samples.h"
#include "analysis/recording/recorded_switches.h"
#include "analysis/waits/thread_times.h"
#include "analysis/waits/wait_classes.h"

namespace wperf::waits {

struct WaitSelection {
  std::set<u32> processes, threads;  // empty: all
  std::set<std::string> names;       // texts for stacks::names_in(); empty: all threads
  // list the waits of the only selected thread; otherwise the tables of a time range have sums
  bool timeline = false;
  u64 from = 0, to = ~u64{0};  // relative to the start of the recording
  bool critical_path = false;
  bool lists_steps = true;  // list the steps of the path; false if only their sums are needed
  u64 min_ns = 0;           // shorter waits are not listed
  bool is_part() const { return from != 0 || to != ~u64{0}; }
};

// Is it a thread of the program that made the recording? Decides by RecordedSwitches::recorder, or else by the thread's
// name.
bool is_recorder(const recording::RecordedSwitches& switches, u32 thread);
// Whether each thread of the accounting is chosen.
std::vector<bool> chosen_threads(const waits::Accounting& accounting, const recording::RecordedSwitches& switches,
                                 const WaitSelection& selection);
// The chosen thread with which to start: the program's first thread, or else the first thread of a process, or else the
// thread that appeared first. A thread of the recorder is returned only if there is no other. Returns threads.size() if
// none is chosen.
u32 first_thread(const waits::Accounting& accounting, const recording::RecordedSwitches& switches,
                 const std::vector<bool>& chosen);

// Where a thread was when it left its core or woke another thread.
struct WaitPlace {
  std::string_view function, module;  // empty: unknown
  // The program's own function: the innermost function that is neither in the C library nor in the kernel. Empty if it
  // has no name.
  std::string_view caller, caller_module;
  std::string_view shown() const { return caller.empty() ? function : caller; }
  waits::WaitClass wait = waits::WaitClass::unexplained;
  u32 group = 0;            // number of its stack of functions; 0 if unknown
  bool by_timer = false;    // a timer ends the waits there
  bool by_signal = false;   // a signal ends the waits there
  bool is_futex = false;    // threads wait there for a word of its memory
  bool for_object = false;  // threads wait there for a Windows object, such as a mutex, a thread or a process
  // thread_end or process_end if a thread or process of Windows ends there.
  waits::WaitClass ending = waits::WaitClass::unexplained;
  bool is_known = false;
};

class WaitNames {
 public:
  // `recorded`: the samples of the switches, read with ReadOptions::rows or sample_rows. Both must outlive this object.
  WaitNames(const recording::RecordedSwitches& switches, const recording::RecordedSamples& recorded);
  // Also compares the waits with each other: a wait for a lock that is a GIL in other waits is a wait for the GIL.
  WaitNames(const recording::RecordedSwitches& switches, const recording::RecordedSamples& recorded,
            const waits::Accounting& accounting);

  std::string_view thread_name(u32 thread) const;
  u32 process_of(u32 thread) const;
  u32 number_of(u32 thread) const;        // the system's number of the thread
  std::string text_of(u32 thread) const;  // "name (tid)"
  const WaitPlace& place_of_sample(u32 sample);
  // Returns only WaitPlace::group of the sample's place, and the function of such a group.
  u32 group_of_sample(u32 sample);
  std::string_view function_of_group(u32 group) const { return function_of_group_[group]; }
  // The purpose of a wait. If the functions of the place do not show it, Windows' reason is used.
  WaitClass class_of(u32 sample, u8 wait_reason);
  // A wait for a Windows object counts as a wait for a thread or process if the end of a thread or process woke the
  // waiting thread.
  WaitClass class_of(const waits::Wait& wait);
  // The place with this class.
  WaitPlace place_of(u32 sample, u8 wait_reason);
  WaitPlace place_of(const waits::Wait& wait);
  // False if the wait lasted until the end of the recording, or until a signal ended its thread: then the thread never
  // got what it waited for. True if that is unknown because of a gap in the recording.
  bool has_end(const waits::Wait& wait) { return wait.is_cut || (wait.has_end && !is_cut_off(wait)); }
  static constexpr u32 kNotEnded = stacks::kUnknown - 1;
  // The thread that ended a wait, or kNotEnded. If an interrupt ended the wait, returns the interrupt, not the thread
  // that ran on the core.
  u32 ender_of(const waits::Wait& wait) {
    if (!has_end(wait)) return kNotEnded;
    return wait.waker == stacks::kIdleThread ? stacks::kNobody : wait.waker;
  }
  const WaitPlace& place_of_ender(const waits::Wait& wait) {
    const u32 by = ender_of(wait);
    const bool by_thread = by != stacks::kNobody && by != stacks::kUnknown && by != kNotEnded;
    return place_of_sample(by_thread ? wait.wake_sample : stacks::kNoSample);
  }

 private:
  static constexpr u32 kNoGroup = ~u32{0};
  bool is_cut_off(const waits::Wait& wait);
  void find_gils(const waits::Accounting& accounting);
  u32 group_of(const WaitPlace& place);
  WaitPlace look_at(u32 row) const;
  template <class Visit>
  void for_each_place(u32 row, Visit visit) const;

  const recording::RecordedSwitches& switches_;
  const stacks::StackProfile& profile_;
  const stacks::LineStacks& lists_;
  const stacks::GrowingArray<u32>& row_of_sample_;
  std::vector<WaitPlace> places_;  // by row; computed on demand
  std::vector<u32> group_of_row_;  // kNoGroup: not known yet; much smaller than places_
  std::vector<std::string_view> function_of_group_{{}};
  const WaitPlace nowhere_{};
  std::vector<u32> for_gil_;  // samples of waits for a GIL that the functions do not show; sorted
  std::map<std::array<std::string_view, 4>, u32> groups_{{{}, 0}};  // keyed by functions and modules
};

// The tasks of a profile by thread, with the last name of each thread. A thread that occurs only in switches may have
// no sample and so no task; then a task is added on demand.
class ThreadTasks {
 public:
  ThreadTasks(const WaitNames& names, stacks::StackProfile& profile);
  u32 operator()(u32 thread);

 private:
  const WaitNames& names_;
  stacks::StackProfile& profile_;
  std::unordered_map<u32, u32> tasks_;
};

}  // namespace wperf::waits
