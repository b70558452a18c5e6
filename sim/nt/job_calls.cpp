// SPDX-License-Identifier: BSD-3-Clause
// Jobs: groups of processes that end together. A process that a member starts becomes a member.
#include <algorithm>
#include <array>

#include "sim/nt/services.h"

namespace wperf::sim::nt {
namespace {

constexpr u32 kAccounting = 1, kBasicLimits = 2, kProcessList = 3, kWindowLimits = 4, kExtendedLimits = 9;
constexpr usize kMostJobs = 64;

// arguments: handle, access, attributes
u64 create_job(Call& call) {
  return create_named(call, std::make_shared<Job>());
}

u64 open_job(Call& call) {
  return open_named(call, Object::Kind::job);
}

// arguments: job, process
u64 assign(Call& call) {
  const auto job = call.state.handles.at<Job>(call.argument(0));
  State* const process = call.process_of(call.argument(1));
  if (job == nullptr || process == nullptr) return kInvalidHandle;
  if (process->jobs.size() == kMostJobs) return kAccessDenied;
  join_job(*process, job);
  return kSuccess;
}

// arguments: process, job or null for any
u64 is_in_job(Call& call) {
  constexpr u64 kNotInJob = 0x123, kInJob = 0x124;
  const State* const process = call.process_of(call.argument(0));
  const auto job = call.state.handles.at<Job>(call.argument(1));
  if (process == nullptr || (job == nullptr && call.argument(1) != 0)) return kInvalidHandle;
  return std::ranges::any_of(process->jobs,
                             [&](const auto& one) { return !one.expired() && (job == nullptr || one.lock() == job); })
             ? kInJob
             : kNotInJob;
}

// arguments: job, exit code
u64 terminate_job(Call& call) {
  const auto job = call.state.handles.at<Job>(call.argument(0));
  if (job == nullptr) return kInvalidHandle;
  end_job(*call.state.system, *job, call.argument32(1), call.state.process_id);
  const bool is_member = std::ranges::find(job->processes, call.state.process_id) != job->processes.end();
  return is_member ? call.end_process(call.argument32(1)) : u64{kSuccess};
}

// arguments: job, class, buffer, its size
u64 set_job(Call& call) {
  constexpr u64 kFlagsAt = 16;
  const auto job = call.state.handles.at<Job>(call.argument(0));
  if (job == nullptr) return kInvalidHandle;
  if (call.argument32(1) == kWindowLimits) return kSuccess;  // there are no windows
  if (call.argument32(1) != kBasicLimits && call.argument32(1) != kExtendedLimits) return kInvalidInfoClass;
  if (!call.get(call.argument(2) + kFlagsAt, job->limits)) return 0;
  return kSuccess;
}

// arguments: job or null, class, buffer, its size, size used
u64 query_job(Call& call) {
  auto job = call.state.handles.at<Job>(call.argument(0));
  if (call.argument(0) == 0 && !call.state.jobs.empty()) job = call.state.jobs.back().lock();  // the caller's own
  if (job == nullptr) return call.argument(0) == 0 ? kAccessDenied : kInvalidHandle;
  const u64 buffer = call.argument(2), room = call.argument32(3), size_at = call.argument(4);
  std::vector<u64> running;
  for (const u32 one : job->processes)
    if (find_process(*call.state.system, one) != nullptr) running.push_back(one);
  std::array<u32, 36> words{};  // JOBOBJECT_EXTENDED_LIMIT_INFORMATION
  words[4] = job->limits;
  switch (call.argument32(1)) {
    case kBasicLimits:
      return call.answer_with(buffer, room, words.data(), 64, size_at);
    case kExtendedLimits:
      return call.answer_with(buffer, room, words.data(), sizeof words, size_at);
    case kAccounting: {
      std::array<u32, 12> counts{};
      counts[9] = static_cast<u32>(job->processes.size());
      counts[10] = static_cast<u32>(running.size());
      counts[11] = counts[9] - counts[10];
      return call.answer_with(buffer, room, counts.data(), sizeof counts, size_at);
    }
    case kProcessList: {
      const u32 counts[2] = {static_cast<u32>(running.size()), static_cast<u32>(running.size())};
      const u64 size = sizeof counts + running.size() * sizeof(u64);
      if (!call.put_if_wanted(size_at, static_cast<u32>(size))) return 0;
      if (room < size) return kBufferOverflow;
      return call.write(buffer, counts, sizeof counts) &&
                     call.write(buffer + sizeof counts, running.data(), running.size() * sizeof(u64))
                 ? kSuccess
                 : kAccessViolation;
    }
    default:
      return kInvalidInfoClass;
  }
}

constexpr Service kJobs[] = {
    {"NtCreateJobObject", create_job},          {"NtOpenJobObject", open_job},
    {"NtAssignProcessToJobObject", assign},     {"NtIsProcessInJob", is_in_job},
    {"NtTerminateJobObject", terminate_job},    {"NtSetInformationJobObject", set_job},
    {"NtQueryInformationJobObject", query_job},
};

}  // namespace

void join_job(State& process, const std::shared_ptr<Job>& job) {
  if (std::ranges::any_of(process.jobs, [&](const auto& one) { return one.lock() == job; })) return;
  process.jobs.push_back(job);
  job->processes.push_back(process.process_id);
}

void end_job(System& system, const Job& job, u32 exit_code, u32 spared) {
  for (const u32 id : std::vector(job.processes))
    if (id != spared && find_process(system, id) != nullptr) system.host->end(id, exit_code);
}

bool close_job(System& system, const ObjectPointer& closed, u32 caller) {
  if (closed->kind != Object::Kind::job || closed.use_count() != 1) return false;
  const Job& job = static_cast<const Job&>(*closed);
  if ((job.limits & Job::kKillsAtClose) == 0) return false;
  end_job(system, job, 0, caller);
  return std::ranges::find(job.processes, caller) != job.processes.end();
}

std::span<const Service> job_services() {
  return kJobs;
}

}  // namespace wperf::sim::nt
