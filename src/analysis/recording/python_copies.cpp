// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/python_copies.h"

#include <algorithm>
#include <utility>

namespace wperf::recording {
namespace {

// The time between two searches of a process, which are needed because a program may load an interpreter later.
constexpr u64 kShortestPauseNs = 100'000'000, kLongestPauseNs = 10'000'000'000;

}  // namespace

bool PythonCopies::note(u32 pid) {
  if (pid == 0) return false;
  const u64 now_ns = host_->now_ns();
  const std::lock_guard lock(mutex_);
  Program& program = programs_[pid];
  if (program.process != nullptr || program.is_new || now_ns - program.asked_ns < program.pause_ns) return false;
  program.is_new = true;
  new_.push_back(pid);
  return true;
}

std::unique_ptr<PythonCopy> PythonCopies::begin_copy(u32 pid) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<PythonCopy> copy;
  if (free_.empty()) {
    copy = std::make_unique<PythonCopy>();
  } else {
    copy = std::move(free_.back());
    free_.pop_back();
  }
  copy->process = programs_[pid].process;
  return copy;
}

void PythonCopies::copy(const perf_data::SampleOwner& owner, u64 still_ns) {
  if (owner.pid == 0) return;
  const u64 now_ns = host_->now_ns();
  std::unique_ptr<PythonCopy> copy = begin_copy(owner.pid);
  copy->owner = owner;
  copy->was_still = now_ns - std::min(owner.time, now_ns) < still_ns;
  if (copy->process != nullptr) copy->copied = copy->process->copy_frames(owner.tid, now_ns, copy->frames);
  const std::lock_guard lock(mutex_);
  finished_.push_back(std::move(copy));
}

void PythonCopies::open_new(std::map<u32, symbols::JitDumpWriter>& made) {
  std::vector<u32> pids;
  {
    const std::lock_guard lock(mutex_);
    pids.swap(new_);
  }
  for (const u32 pid : pids) {
    const u64 now_ns = host_->now_ns();
    std::shared_ptr<PythonProcess> process = PythonProcess::open(*host_, pid, made.try_emplace(pid, pid).first->second);
    if (process != nullptr) versions_ |= u32{1} << (process->minor_version() & 31);
    const std::lock_guard lock(mutex_);
    Program& program = programs_[pid];
    program.is_new = false;
    program.process = std::move(process);
    program.pause_ns = std::clamp(2 * program.pause_ns, kShortestPauseNs, kLongestPauseNs);
    program.asked_ns = now_ns;
  }
}

void PythonCopies::forget(u32 pid, u64 time) {
  const std::lock_guard lock(mutex_);
  const auto known = programs_.find(pid);
  if (known != programs_.end() && known->second.asked_ns <= time) programs_.erase(known);
}

bool PythonCopies::has_python(u32 pid) {
  const std::lock_guard lock(mutex_);
  const auto known = programs_.find(pid);
  return known != programs_.end() && known->second.process != nullptr;
}

std::unique_ptr<PythonCopy> PythonCopies::take(u32 tid, u64 time, u64 late_ns) {
  const auto find = [&]() -> std::unique_ptr<PythonCopy> {
    const auto found = by_time_.lower_bound({tid, time - std::min(late_ns, time)});
    if (found == by_time_.end() || found->first > std::pair(tid, time)) return nullptr;
    std::unique_ptr<PythonCopy> copy = std::move(found->second);
    by_time_.erase(found);
    return copy;
  };
  if (auto copy = find()) return copy;
  Copies finished;
  {
    const std::lock_guard lock(mutex_);
    finished.swap(finished_);
  }
  for (std::unique_ptr<PythonCopy>& copy : finished) {
    const std::pair key{copy->owner.tid, copy->owner.time};
    by_time_.emplace(key, std::move(copy));
  }
  return find();
}

void PythonCopies::drop_before(u64 time) {
  std::erase_if(by_time_, [time](const auto& entry) { return entry.first.second < time; });
  const std::lock_guard lock(mutex_);
  std::erase_if(finished_, [time](const auto& copy) { return copy->owner.time < time; });
}

void PythonCopies::give_back(std::unique_ptr<PythonCopy> copy) {
  constexpr usize kMostFree = 1024;
  copy->process.reset();
  const std::lock_guard lock(mutex_);
  if (free_.size() < kMostFree) free_.push_back(std::move(copy));
}

}  // namespace wperf::recording
