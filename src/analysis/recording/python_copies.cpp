// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/python_copies.h"

#include <algorithm>
#include <utility>

namespace wperf::recording {
namespace {

// The time between two searches of a process, which are needed because a program may load an interpreter later.
constexpr u64 kFirstPauseNs = 100'000'000, kLongestPauseNs = 10'000'000'000;
// The pause before a search after a file was mapped, because the interpreter is not ready immediately.
constexpr u64 kPauseAfterMappingNs = 1'000'000;

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

bool PythonCopies::look_again(u32 pid) {
  const std::lock_guard lock(mutex_);
  const auto known = programs_.find(pid);
  if (known == programs_.end() || known->second.process != nullptr) return false;
  Program& program = known->second;
  program.pause_ns = kPauseAfterMappingNs;
  if (!std::exchange(program.is_new, true)) new_.push_back(pid);
  return true;
}

// A process that was just forked has the interpreter of its parent.
void PythonCopies::compare_with_parent(u32 pid) {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(programs_[pid].was_compared, true) || programs_[pid].process != nullptr) return;
  }
  const u64 now_ns = host_->now_ns();
  const std::shared_ptr<PythonProcess> parents = process_of(host_->forked_from(pid));
  std::shared_ptr<PythonProcess> process = parents != nullptr ? parents->forked(pid) : nullptr;
  if (process == nullptr) return;
  const std::lock_guard lock(mutex_);
  Program& program = programs_[pid];
  program.process = std::move(process);
  program.asked_ns = now_ns;
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
  compare_with_parent(owner.pid);
  std::unique_ptr<PythonCopy> copy = begin_copy(owner.pid);
  copy->owner = owner;
  copy->was_still = now_ns - std::min(owner.time, now_ns) < still_ns;
  if (copy->process != nullptr) copy->copied = copy->process->copy_frames(owner.tid, now_ns, copy->frames);
  const std::lock_guard lock(mutex_);
  finished_.push_back(std::move(copy));
}

std::vector<u32> PythonCopies::open_new() {
  std::vector<u32> pids, found;
  {
    const std::lock_guard lock(mutex_);
    pids.swap(new_);
  }
  for (const u32 pid : pids) {
    const u64 now_ns = host_->now_ns();
    std::shared_ptr<PythonProcess> process = PythonProcess::open(*host_, pid);
    if (process != nullptr) {
      versions_ |= u32{1} << (process->minor_version() & 31);
      found.push_back(pid);
    }
    const std::lock_guard lock(mutex_);
    Program& program = programs_[pid];
    program.is_new = false;
    program.process = std::move(process);
    program.pause_ns = program.pause_ns == 0 ? kFirstPauseNs : std::min(2 * program.pause_ns, kLongestPauseNs);
    program.asked_ns = now_ns;
  }
  return found;
}

void PythonCopies::forget(u32 pid, u64 time) {
  const std::lock_guard lock(mutex_);
  const auto known = programs_.find(pid);
  if (known != programs_.end() && known->second.asked_ns <= time) programs_.erase(known);
}

std::shared_ptr<PythonProcess> PythonCopies::process_of(u32 pid) {
  const std::lock_guard lock(mutex_);
  const auto known = programs_.find(pid);
  return known != programs_.end() ? known->second.process : nullptr;
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
