// SPDX-License-Identifier: BSD-3-Clause
// Jobs: groups of processes that end together. A process that a member starts becomes a member.
#include <algorithm>
#include <array>
#include <cstddef>

#include "sim/nt/services.h"

namespace wperf::sim::nt {
namespace {

constexpr u32 kAccounting = 1, kBasicLimits = 2, kProcessList = 3, kWindowLimits = 4, kPort = 7, kAccountingWithIo = 8,
              kExtendedLimits = 9;
constexpr u64 kBasicSize = 64;  // of JOBOBJECT_BASIC_LIMIT_INFORMATION
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
  join_job(*process, job, call.now_ns);
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

std::vector<u64> running_members(const System& system, const Job& job) {
  std::vector<u64> running;
  for (const u32 one : job.processes) {
    const State* const process = find_process(system, one);
    if (process != nullptr && !process->process_object->signalled) running.push_back(one);
  }
  return running;
}

namespace message {
constexpr u32 kNoMember = 4, kNewProcess = 6, kExit = 7, kAbnormalExit = 8;
}

void tell_port(System& system, const Job& job, u32 what, u64 process, u64 now_ns) {
  if (job.port == nullptr || job.port->packets.size() == Port::kMostPackets) return;
  job.port->packets.push_back({job.port_key, process, kSuccess, what});
  wake_waiters(system, *job.port, now_ns);
}

// The port gets notifications about the present members, too.
u64 set_port(Call& call, Job& job) {
  struct {
    u64 key, port;
  } wanted{};
  if (call.argument32(3) < sizeof wanted) return kInfoLengthMismatch;
  if (!call.get(call.argument(2), wanted)) return kAccessViolation;
  const auto port = call.state.handles.at<Port>(wanted.port);
  if (port == nullptr && wanted.port != 0) return kInvalidHandle;
  if (port != nullptr && job.port != nullptr) return kInvalidParameter;
  job.port = port;
  job.port_key = wanted.key;
  for (const u64 process : running_members(*call.state.system, job))
    tell_port(*call.state.system, job, message::kNewProcess, process, call.now_ns);
  return kSuccess;
}

// arguments: job, class, buffer, its size
u64 set_job(Call& call) {
  const auto job = call.state.handles.at<Job>(call.argument(0));
  if (job == nullptr) return kInvalidHandle;
  switch (call.argument32(1)) {
    case kWindowLimits:
      return kSuccess;  // there are no windows
    case kPort:
      return set_port(call, *job);
    case kBasicLimits:
    case kExtendedLimits: {
      const u64 size = call.argument32(1) == kBasicLimits ? kBasicSize : sizeof job->limits;
      if (call.argument32(3) < size) return kInfoLengthMismatch;
      return call.read(call.argument(2), job->limits.data(), size) ? kSuccess : kAccessViolation;
    }
    default:
      return kInvalidInfoClass;
  }
}

// JOBOBJECT_BASIC_AND_IO_ACCOUNTING_INFORMATION.
struct Accounting {
  u64 user = 0, system = 0, user_in_period = 0, system_in_period = 0;
  u32 page_faults = 0, total = 0, active = 0, ended = 0;
  IoCounts io{};
};
static_assert(sizeof(Accounting) == 96);

Accounting account_for(const System& system, const Job& job) {
  Accounting sum;
  sum.io = job.io_of_ended;
  for (const u32 one : job.processes) {
    const std::array<u64, 4> times = times_of(system, one, 0);
    sum.system += times[2];
    sum.user += times[3];
  }
  const std::vector<u64> running = running_members(system, job);
  for (const u64 one : running) {
    const State& process = *find_process(system, static_cast<u32>(one));
    for (usize index = 0; index < sum.io.size(); ++index) sum.io[index] += process.io[index];
  }
  sum.user_in_period = sum.user;
  sum.system_in_period = sum.system;
  sum.total = static_cast<u32>(job.processes.size());
  sum.active = static_cast<u32>(running.size());
  sum.ended = sum.total - sum.active;
  return sum;
}

u64 answer_members(Call& call, const Job& job) {
  const std::vector<u64> running = running_members(*call.state.system, job);
  const u32 counts[2] = {static_cast<u32>(running.size()), static_cast<u32>(running.size())};
  const u64 size = sizeof counts + running.size() * sizeof(u64), buffer = call.argument(2);
  if (!call.put_if_wanted(call.argument(4), static_cast<u32>(size))) return 0;
  if (call.argument32(3) < size) return kBufferOverflow;
  return call.write(buffer, counts, sizeof counts) &&
                 call.write(buffer + sizeof counts, running.data(), running.size() * sizeof(u64))
             ? kSuccess
             : kAccessViolation;
}

// arguments: job or null, class, buffer, its size, size used
u64 query_job(Call& call) {
  auto job = call.state.handles.at<Job>(call.argument(0));
  if (call.argument(0) == 0 && !call.state.jobs.empty()) job = call.state.jobs.back().lock();  // the caller's own
  if (job == nullptr) return call.argument(0) == 0 ? kAccessDenied : kInvalidHandle;
  const u64 buffer = call.argument(2), room = call.argument32(3), size_at = call.argument(4);
  switch (call.argument32(1)) {
    case kBasicLimits:
      return call.answer_with(buffer, room, job->limits.data(), kBasicSize, size_at);
    case kExtendedLimits:
      return call.answer_with(buffer, room, job->limits.data(), sizeof job->limits, size_at);
    case kAccounting:
    case kAccountingWithIo: {
      const Accounting sum = account_for(*call.state.system, *job);
      const u64 size = call.argument32(1) == kAccounting ? offsetof(Accounting, io) : sizeof sum;
      return call.answer_with(buffer, room, &sum, size, size_at);
    }
    case kProcessList:
      return answer_members(call, *job);
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

void join_job(State& process, const std::shared_ptr<Job>& job, u64 now_ns) {
  if (std::ranges::any_of(process.jobs, [&](const auto& one) { return one.lock() == job; })) return;
  process.jobs.push_back(job);
  job->processes.push_back(process.process_id);
  tell_port(*process.system, *job, message::kNewProcess, process.process_id, now_ns);
}

// Windows calls the exit codes of exceptions abnormal.
static bool is_abnormal(u32 exit_code) {
  constexpr u32 kMisaligned = 0x80000002, kSingleStep = 0x80000004, kInPageError = 0xc0000006,
                kNoncontinuable = 0xc0000025, kInvalidDisposition = 0xc0000026, kBoundsExceeded = 0xc000008c,
                kPrivileged = 0xc0000096, kInterrupted = 0xc000013a;
  constexpr std::array<u32, 10> kOthers = {kGuardPage,          kMisaligned,   kBreakpoint,         kSingleStep,
                                           kAccessViolation,    kInPageError,  kIllegalInstruction, kNoncontinuable,
                                           kInvalidDisposition, kStackOverflow};
  if (exit_code >= kBoundsExceeded && exit_code <= kPrivileged) return true;  // arithmetic and privileged instructions
  return exit_code == kInterrupted || std::ranges::find(kOthers, exit_code) != kOthers.end();
}

void leave_jobs(const State& process, u32 exit_code, u64 now_ns) {
  const u32 how = is_abnormal(exit_code) ? message::kAbnormalExit : message::kExit;
  for (const auto& one : process.jobs) {
    const auto job = one.lock();
    if (job == nullptr) continue;
    for (usize index = 0; index < process.io.size(); ++index) job->io_of_ended[index] += process.io[index];
    tell_port(*process.system, *job, how, process.process_id, now_ns);
    if (running_members(*process.system, *job).empty()) tell_port(*process.system, *job, message::kNoMember, 0, now_ns);
  }
}

void end_job(System& system, const Job& job, u32 exit_code, u32 spared) {
  for (const u32 id : std::vector(job.processes))
    if (id != spared && find_process(system, id) != nullptr) system.host->end(id, exit_code);
}

bool close_job(System& system, const ObjectPointer& closed, u32 caller) {
  if (closed->kind != Object::Kind::job || closed.use_count() != 1) return false;
  const Job& job = static_cast<const Job&>(*closed);
  if ((job.flags() & Job::kKillsAtClose) == 0) return false;
  end_job(system, job, 0, caller);
  return std::ranges::find(job.processes, caller) != job.processes.end();
}

std::span<const Service> job_services() {
  return kJobs;
}

}  // namespace wperf::sim::nt
