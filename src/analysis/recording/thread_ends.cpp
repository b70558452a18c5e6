// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/thread_ends.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace wperf::recording {
namespace {

using stacks::Leaving;
using stacks::Switch;

constexpr auto kByTime = [](const auto& a, const auto& b) { return a.time < b.time; };

class EndSettler {
 public:
  EndSettler(ThreadEnds ends, const ProcessOf& process_of) : ends_(std::move(ends)), process_of_(process_of) {
    std::stable_sort(ends_.exits.begin(), ends_.exits.end(), kByTime);
    std::stable_sort(ends_.execs.begin(), ends_.execs.end(), kByTime);
    std::unordered_set<u32> ended;
    for (const Switch& one : ends_.exits) ended.insert(one.leaves);
    for (const Exec& one : ends_.execs) {
      if (ended.contains(one.process)) alive_.try_emplace(one.process);
    }
  }

  std::vector<Switch> settle(const std::vector<Switch>& switches) {
    out_.reserve(switches.size() + ends_.exits.size());
    for (Switch one : switches) {
      pass_until(one.time);
      if (one.kind == stacks::Kind::switched) take_leaving(one);
      if (is_thread(one.comes)) appears(one.comes);
      out_.push_back(one);
    }
    pass_until(~u64{0});
    // The last switch of these threads was not recorded. Threads with other switches after their exit have not ended
    // yet.
    for (const auto& [thread, end] : ending_) {
      if (!end.goes_on) out_.push_back(end.exit);
    }
    std::stable_sort(out_.begin(), out_.end(), kByTime);
    return std::move(out_);
  }

 private:
  static bool is_thread(u32 number) { return number != stacks::kNobody && number != stacks::kIdleThread; }

  void pass_until(u64 time) {
    while (true) {
      const bool has_exit = next_exit_ < ends_.exits.size(), has_exec = next_exec_ < ends_.execs.size();
      const u64 exit = has_exit ? ends_.exits[next_exit_].time : ~u64{0};
      const u64 exec = has_exec ? ends_.execs[next_exec_].time : ~u64{0};
      if (has_exit && exit <= time && exit <= exec) {
        pass_exit(ends_.exits[next_exit_++]);
      } else if (has_exec && exec <= time) {
        pass_exec(ends_.execs[next_exec_++]);
      } else {
        return;
      }
    }
  }
  void pass_exit(const Switch& exit) {
    if (ends_.of_whole_cores) {
      ending_.insert_or_assign(exit.leaves, Ending{.exit = exit});
      return;
    }
    out_.push_back(exit);
    disappears(exit.leaves);
  }
  void pass_exec(const Exec& exec) {
    // The last switch of the first thread was not recorded.
    if (const auto first = ending_.find(exec.process); first != ending_.end()) {
      out_.push_back(first->second.exit);
      ending_.erase(first);
      disappears(exec.process);
    }
    if (gone_.contains(exec.process)) take_over(exec.process, exec.time);
  }

  void take_leaving(Switch& one) {
    const u32 ran = runs_on(one.core);
    if (one.core != stacks::kUnknownCore) runs_[one.core] = one.comes;
    if (!is_thread(one.leaves)) return;
    // The first thread leaves under the number of the thread that replaced it.
    const bool has_ended = one.leaving == Leaving::ended && ending_.contains(ran);
    if (has_ended && !ending_.contains(one.leaves)) one.leaves = ran;
    if (const auto end = ending_.find(one.leaves); end != ending_.end()) {
      if (one.leaving == Leaving::preempted) {
        end->second.goes_on = true;
        return;
      }
      one.leaving = Leaving::ended;
      ending_.erase(end);
    } else if (gone_.contains(one.leaves)) {
      take_over(one.leaves, one.time);
    } else {
      appears(one.leaves);
    }
    if (one.leaving == Leaving::ended) disappears(one.leaves);
  }

  u32 runs_on(u16 core) {
    if (core == stacks::kUnknownCore) return stacks::kNobody;
    if (core >= runs_.size()) runs_.resize(core + usize{1}, stacks::kNobody);
    return runs_[core];
  }

  // The living threads of the thread's process. Only processes in which threads may change their numbers are kept.
  std::unordered_set<u32>* others_like(u32 thread) {
    if (alive_.empty()) return nullptr;
    const auto found = alive_.find(process_of_(thread));
    return found != alive_.end() ? &found->second : nullptr;
  }
  void appears(u32 thread) {
    std::unordered_set<u32>* const threads = others_like(thread);
    if (threads == nullptr) return;
    gone_.erase(thread);
    threads->insert(thread);
  }
  void disappears(u32 thread) {
    std::unordered_set<u32>* const threads = others_like(thread);
    if (threads == nullptr) return;
    gone_.insert(thread);
    threads->erase(thread);
  }

  void take_over(u32 first, u64 time) {
    gone_.erase(first);
    const std::unordered_set<u32>& threads = alive_[first];
    if (threads.size() != 1) return;
    const u32 goes_on = *threads.begin();
    out_.push_back({.time = time, .leaves = goes_on, .comes = first, .kind = stacks::Kind::renamed});
    disappears(goes_on);
    appears(first);
  }

  ThreadEnds ends_;
  const ProcessOf& process_of_;
  usize next_exit_ = 0, next_exec_ = 0;
  struct Ending {
    Switch exit;
    bool goes_on = false;  // the thread was preempted after its exit
  };
  std::unordered_map<u32, Ending> ending_;                  // threads that have ended; their last switch follows
  std::unordered_map<u32, std::unordered_set<u32>> alive_;  // by process
  std::unordered_set<u32> gone_;
  std::vector<u32> runs_;  // by core
  std::vector<Switch> out_;
};

}  // namespace

void settle_ends(ThreadEnds ends, const ProcessOf& process_of, std::vector<Switch>& switches) {
  if (!ends.exits.empty()) switches = EndSettler(std::move(ends), process_of).settle(switches);
}

}  // namespace wperf::recording
