// SPDX-License-Identifier: BSD-3-Clause
// Names for what is in accounted switches: which threads are asked for, what they are called, where they waited and
// what for. Called by what builds the answers of `waits`.
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
  std::set<std::string> names;       // of threads; empty: all
  bool timeline = false;             // of the only thread that is selected
  u64 from = 0, to = ~u64{0};        // of the timeline or the path, since the recording began
  bool critical_path = false;
  u64 min_ns = 0;  // shorter waits are not listed
};

// By thread of the accounting.
std::vector<bool> chosen_threads(const waits::Accounting& accounting, const recording::RecordedSwitches& switches,
                                 const WaitSelection& selection);
// Of several chosen threads, the one that a process began with; threads.size(): none is chosen.
u32 first_thread(const waits::Accounting& accounting, const recording::RecordedSwitches& switches,
                 const std::vector<bool>& chosen);

// Where a thread was when it left its core, or made somebody ready.
struct WaitPlace {
  std::string_view function, module;  // empty: nobody knows
  // The program's own: the first that is neither the C library's nor the kernel's. Empty: none has a name.
  std::string_view caller, caller_module;
  std::string_view shown() const { return caller.empty() ? function : caller; }
  waits::WaitClass wait = waits::WaitClass::unexplained;
  u32 group = 0;          // of its functions; 0: nobody knows them
  bool by_timer = false;  // it is a timer that expires there
  bool is_futex = false;  // it is a word of its memory that it waits for there
  bool is_known = false;
};

class WaitNames {
 public:
  // `recorded`: the samples of the switches, each with its row, and lists or the tree. All are read as long as this
  // lives.
  WaitNames(const recording::RecordedSwitches& switches, const recording::RecordedSamples& recorded);

  std::string_view thread_name(u32 thread) const;
  u32 process_of(u32 thread) const;
  u32 number_of(u32 thread) const;        // that the system calls it by
  std::string text_of(u32 thread) const;  // "name (tid)"
  // Where functions tell too little of what for, Windows' reason does.
  WaitPlace place_of(u32 sample, u8 wait_reason);
  WaitPlace place_of(const waits::Wait& wait) { return place_of(wait.sample, wait.reason); }
  const WaitPlace& place_of_sample(u32 sample);
  // Who ended a wait. That a core idled then does not matter, nor whom an interrupt struck: it is an interrupt.
  static u32 ender_of(const waits::Wait& wait) {
    return wait.waker == stacks::kIdleThread ? stacks::kNobody : wait.waker;
  }
  const WaitPlace& place_of_ender(const waits::Wait& wait) {
    const u32 by = ender_of(wait);
    return place_of_sample(by != stacks::kNobody && by != stacks::kUnknown ? wait.wake_sample : stacks::kNoSample);
  }

 private:
  u32 group_of(const WaitPlace& place);
  WaitPlace look_at(u32 row) const;
  template <class Visit>
  void for_each_place(u32 row, Visit visit) const;

  const recording::RecordedSwitches& switches_;
  const stacks::StackProfile& profile_;
  const stacks::LineStacks& lists_;
  const stacks::GrowingArray<u32>& row_of_sample_;
  std::vector<WaitPlace> places_;  // by row; looked at when they are asked for
  const WaitPlace nowhere_{};
  std::map<std::array<std::string_view, 4>, u32> groups_{{{}, 0}};  // functions and modules
};

// The tasks of a profile by thread, the last of its names. Of a thread that was seen in switches only there may be no
// sample, and so no task: it is added when it is asked for.
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
