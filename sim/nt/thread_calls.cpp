// SPDX-License-Identifier: BSD-3-Clause
// Threads: creation and end, registers, APCs.
#include <algorithm>
#include <array>

#include "sim/nt/guest_exception.h"
#include "sim/nt/services.h"
#include "sim/nt/wide_strings.h"

namespace wperf::sim::nt {

Status suspend(Thread& thread) {
  constexpr u32 kMost = 127;
  if (thread.ended) return kThreadIsTerminating;
  if (thread.suspended == kMost) return kSuspendLimit;
  ++thread.suspended;
  return kSuccess;
}

void resume(Thread& thread, u64 now_ns) {
  if (thread.suspended == 0) return;
  --thread.suspended;
  if (thread.suspended == 0) thread.ready_ns = now_ns;
}

namespace {

constexpr u32 kCreateSuspended = 1;

// Fills in the caller's attribute list: {size, {attribute, size, address, returned size}…}.
Status fill_attributes(Call& call, u64 list, const Thread& made) {
  constexpr u64 kClientId = 3, kTeb = 4, kNumber = 0xffff, kEntrySize = 32, kMostEntries = 32;
  u64 size = 0;
  if (list == 0) return kSuccess;
  if (!call.get(list, size)) return kAccessViolation;
  const u64 count = std::min(size / kEntrySize, kMostEntries);
  for (u64 index = 0; index < count; ++index) {
    struct {
      u64 attribute, size, address, returned_size;
    } entry{};
    if (!call.get(list + sizeof size + index * kEntrySize, entry)) return kAccessViolation;
    const u64 ids[2] = {call.state.process_id, made.id};
    bool written = true;
    if ((entry.attribute & kNumber) == kClientId)
      written = call.write(entry.address, ids, std::min<u64>(entry.size, sizeof ids));
    if ((entry.attribute & kNumber) == kTeb) written = call.put(entry.address, made.teb);
    if (!written) return kAccessViolation;
  }
  return kSuccess;
}

// arguments: handle, access, attributes, process, start, argument, flags, zero bits, committed stack, reserved stack,
// attribute list
u64 create_thread(Call& call) {
  State& state = call.state;
  if (call.object_of(call.argument(3)) != state.process_object) return kInvalidHandle;
  if (count_living_threads(state) >= kMostThreads || state.threads.size() >= kMostThreadsEver)
    return kInsufficientResources;
  Thread* const made = make_thread(state, {call.argument(4), call.argument(5), call.argument(9)});
  if (made == nullptr) return kNoMemory;
  // Windows spreads the threads of a process over the processors in turn.
  const auto number = static_cast<u32>(state.threads.size()) - 1;
  made->processor = (state.threads.front()->processor + number) % state.processor_count;
  made->affinity = state.affinity;
  made->boosts = state.boosts;
  while (made->processor < 64 && (made->affinity >> made->processor & 1) == 0)
    made->processor = (made->processor + 1) % state.processor_count;
  made->suspended = (call.argument32(6) & kCreateSuspended) != 0 ? 1 : 0;
  made->ready_ns = call.now_ns;
  if (const Status status = fill_attributes(call, call.argument(10), *made); status != kSuccess) return status;
  return call.give_handle(call.argument(0), made->object);
}

// arguments: handle, access, attributes, client id
u64 open_thread(Call& call) {
  u64 ids[2] = {};
  if (!call.read(call.argument(3), ids, sizeof ids)) return 0;
  for (const auto& one : call.state.threads)
    if (one->id == ids[1] && !one->ended) return call.give_handle(call.argument(0), one->object);
  return kInvalidCid;
}

// arguments: thread, exit code
u64 terminate_thread(Call& call) {
  Thread* const thread = call.argument(0) == 0 ? &call.thread : call.thread_of(call.argument(0));
  if (thread == nullptr) return kInvalidHandle;
  if (thread == &call.thread) return call.end_this_thread(call.argument32(1));
  end_thread(call.state, *thread, call.argument32(1), call.now_ns);
  return kSuccess;
}

// arguments: thread, previous count
u64 resume_thread(Call& call) {
  Thread* const thread = call.thread_of_any_process(call.argument(0));
  if (thread == nullptr) return kInvalidHandle;
  if (!call.put_if_wanted(call.argument(1), thread->suspended)) return 0;
  resume(*thread, call.now_ns);
  return kSuccess;
}

u64 suspend_thread(Call& call) {
  Thread* const thread = call.thread_of_any_process(call.argument(0));
  if (thread == nullptr) return kInvalidHandle;
  const u32 before = thread->suspended;
  const Status status = suspend(*thread);
  return status != kSuccess || call.put_if_wanted(call.argument(1), before) ? status : kAccessViolation;
}

u64 get_context(Call& call) {
  const Thread* const thread = call.thread_of(call.argument(0));
  if (thread == nullptr) return kInvalidHandle;
  if (thread->ended) return kUnsuccessful;
  GuestContext context = context_of(thread->registers);
  return call.put(call.argument(1), context) ? kSuccess : kAccessViolation;
}

// Loads the parts of a context that `flags` names into the registers, except x18.
void set_parts(const GuestContext& context, Thread& thread) {
  constexpr u32 kControl = 1, kInteger = 2, kFloatingPoint = 4;
  ThreadState& registers = thread.registers;
  GuestContext merged = context_of(registers);
  if ((context.flags & kControl) != 0) {
    merged.cpsr = context.cpsr;
    merged.x[29] = context.x[29];
    merged.x[30] = context.x[30];
    merged.sp = context.sp;
    merged.pc = context.pc;
  }
  if ((context.flags & kInteger) != 0) std::copy_n(context.x.begin(), 29, merged.x.begin());
  if ((context.flags & kFloatingPoint) != 0) {
    merged.v = context.v;
    merged.fpcr = context.fpcr;
    merged.fpsr = context.fpsr;
  }
  set_registers(merged, registers);
  registers.x[18] = thread.teb;
}

u64 set_context(Call& call) {
  Thread* const thread = call.thread_of(call.argument(0));
  GuestContext context;
  if (thread == nullptr || thread->ended) return kInvalidHandle;
  if (!call.get(call.argument(1), context)) return 0;
  set_parts(context, *thread);
  return thread == &call.thread ? kNoAnswer : kSuccess;
}

// arguments: context, alertable
u64 go_on(Call& call) {
  GuestContext context;
  if (!call.get(call.argument(0), context)) return 0;
  set_parts(context, call.thread);
  if (context.pc == call.state.thread_start && &call.thread == call.state.threads.front().get())
    call.state.is_starting = false;
  if ((call.argument32(1) & 0xff) == 0 || !has_apcs(call.state, call.thread, call.now_ns)) return kNoAnswer;
  return deliver_apc(call.state, call.thread, static_cast<Status>(call.thread.registers.x[0])) ? kNoAnswer
                                                                                               : kStackOverflow;
}

u64 queue_apc_at(Call& call, u32 first) {
  Thread* const thread = call.thread_of(call.argument(0));
  if (thread == nullptr) return kInvalidHandle;
  const Apc apc{call.argument(first), {call.argument(first + 1), call.argument(first + 2), call.argument(first + 3)}};
  return add_apc(call.state, *thread, apc, call.now_ns);
}

// arguments: thread, function, its three arguments
u64 queue_apc(Call& call) {
  return queue_apc_at(call, 1);
}

// arguments: thread, reserved object or flag, function, its three arguments
u64 queue_apc_ex(Call& call) {
  if (call.argument(1) != 0) return call.lack("an APC that runs even if the thread is not alertable");
  return queue_apc_at(call, 2);
}

// arguments: context with the exception, …: see Windows' RtlRaiseException
u64 raise(Call& call) {
  GuestExceptionRecord record;
  GuestContext context;
  if (!call.get(call.argument(0), record) || !call.get(call.argument(1), context)) return 0;
  Exception exception{record.code, record.flags, record.address, {}};
  const u32 count = std::min<u32>(record.parameter_count, GuestExceptionRecord::kMostParameters);
  exception.parameters.assign(record.parameters.begin(), record.parameters.begin() + count);
  const bool first_chance = (call.argument32(2) & 0xff) != 0;
  if (first_chance) {
    set_parts(context, call.thread);
    if (deliver(call.state, call.thread, exception)) return kNoAnswer;
  }
  call.state.crash_text =
      "unhandled exception " + hex(record.code) + " at " + describe_address(call.state, record.address);
  return call.end_process(record.code);
}

u64 thread_information(Call& call) {
  constexpr u32 kBasic = 0, kTimes = 1, kAmILast = 12, kAffinityClass = 4, kName = 38, kSuspendCount = 35,
                kIsTerminated = 20, kIoPending = 16, kPriorityBoost = 14, kCycles = 23, kGroup = 30;
  const Thread* const thread = call.thread_of(call.argument(0));
  if (thread == nullptr) return kInvalidHandle;
  const u64 buffer = call.argument(2), room = call.argument32(3), size_at = call.argument(4);
  switch (call.argument32(1)) {
    case kBasic: {
      struct {
        u32 exit_status, padding;
        u64 teb, process, thread, affinity;
        std::int32_t priority, base_priority;
      } basic{thread->ended ? thread->exit_code : kPending,
              0,
              thread->teb,
              call.state.process_id,
              thread->id,
              thread->affinity,
              thread->priority,  // kernelbase's GetThreadPriority() returns this
              thread->priority};
      return call.answer_with(buffer, room, &basic, sizeof basic, size_at);
    }
    case kTimes: {
      const std::array<u64, 4> times = times_of(*call.state.system, call.state.process_id, thread->id);
      return call.answer_with(buffer, room, times.data(), sizeof times, size_at);
    }
    case kCycles: {  // all cycles, and the cycles since the thread last got a core, which are unknown
      const std::array<u64, 2> cycles = {cycles_of(*call.state.system, call.state.process_id, thread->id), 0};
      return call.answer_with(buffer, room, cycles.data(), sizeof cycles, size_at);
    }
    case kAmILast: {
      const u32 last = count_living_threads(call.state) == 1 ? 1 : 0;
      return call.answer_with(buffer, room, &last, sizeof last, size_at);
    }
    case kGroup: {
      const std::array<u64, 2> affinity = {thread->affinity, 0};  // of group 0
      return call.answer_with(buffer, room, affinity.data(), sizeof affinity, size_at);
    }
    case kAffinityClass:
      return call.answer_with(buffer, room, &thread->affinity, sizeof thread->affinity, size_at);
    case kPriorityBoost: {
      const u32 disabled = thread->boosts ? 0 : 1;
      return call.answer_with(buffer, room, &disabled, sizeof disabled, size_at);
    }
    case kIoPending: {
      constexpr u32 kNone = 0;
      return call.answer_with(buffer, room, &kNone, sizeof kNone, size_at);
    }
    case kIsTerminated: {
      const u32 ended = thread->ended ? 1 : 0;
      return call.answer_with(buffer, room, &ended, sizeof ended, size_at);
    }
    case kSuspendCount:
      return call.answer_with(buffer, room, &thread->suspended, sizeof thread->suspended, size_at);
    case kName: {
      const std::vector<u16> units = to_utf16(thread->name);
      const u32 size = static_cast<u32>(Call::kUnicodeHeader + units.size() * 2);
      if (!call.put_if_wanted(size_at, size)) return 0;
      if (room < size) return kBufferTooSmall;
      return call.put_unicode(buffer, units, false) ? kSuccess : 0;
    }
    default:
      return kInvalidInfoClass;
  }
}

u64 set_thread_information(Call& call) {
  constexpr u32 kPriority = 2, kBasePriority = 3, kAffinityClass = 4, kImpersonation = 5, kIdealProcessor = 13,
                kPriorityBoost = 14, kHide = 17, kGroupAffinity = 30, kName = 38, kPowerThrottling = 49,
                kPagePriority = 24, kIoPriority = 22;
  Thread* const thread = call.thread_of(call.argument(0));
  if (thread == nullptr) return kInvalidHandle;
  const u64 buffer = call.argument(2);
  switch (call.argument32(1)) {
    case kGroupAffinity:
    case kAffinityClass: {
      u64 wanted = 0;
      if (!call.get(buffer, wanted)) return 0;
      if (wanted == 0 || (wanted & ~call.state.affinity) != 0) return kInvalidParameter;
      thread->affinity = wanted;
      move_to_allowed(*thread);
      return kSuccess;
    }
    case kIdealProcessor: {
      u32 wanted = 0;
      if (!call.get(buffer, wanted)) return 0;
      if (wanted >= call.state.processor_count || wanted >= 64) return kInvalidParameter;
      const u32 before = thread->processor;
      if ((thread->affinity >> wanted & 1) != 0) thread->processor = wanted;
      return before;
    }
    case kName:
      return call.read_unicode(buffer, thread->name) ? kSuccess : kAccessViolation;
    case kBasePriority: {
      constexpr std::int32_t kMost = 15;  // THREAD_PRIORITY_TIME_CRITICAL
      std::int32_t wanted = 0;
      if (!call.get(buffer, wanted)) return 0;
      if (wanted < -kMost || wanted > kMost) return kInvalidParameter;
      thread->priority = wanted;
      return kSuccess;
    }
    case kPriorityBoost: {
      u32 disabled = 0;
      if (!call.get(buffer, disabled)) return 0;
      thread->boosts = disabled == 0;
      return kSuccess;
    }
    case kPriority:
    case kImpersonation:
    case kHide:
    case kPagePriority:
    case kIoPriority:
    case kPowerThrottling:
      return kSuccess;
    default:
      return kInvalidInfoClass;
  }
}

// arguments: process, thread, access, attributes, flags, new thread
u64 next_thread(Call& call) {
  const auto& threads = call.state.threads;
  usize next = 0;
  if (call.argument(1) != 0) {
    const Thread* const before = call.thread_of(call.argument(1));
    if (before == nullptr) return kInvalidHandle;
    while (next < threads.size() && threads[next].get() != before) ++next;
    ++next;
  }
  while (next < threads.size() && threads[next]->ended) ++next;
  return next < threads.size() ? call.give_handle(call.argument(5), threads[next]->object) : u64{kNoMoreEntries};
}

u64 current_processor(Call& call) {
  return call.thread.processor;
}

u64 test_alert(Call& call) {
  if (!has_apcs(call.state, call.thread, call.now_ns)) return kSuccess;
  return deliver_apc(call.state, call.thread, kSuccess) ? kNoAnswer : kStackOverflow;
}

constexpr Service kThreads[] = {
    {"NtCreateThreadEx", create_thread},
    {"NtOpenThread", open_thread},
    {"NtTerminateThread", terminate_thread},
    {"NtResumeThread", resume_thread},
    {"NtSuspendThread", suspend_thread},
    {"NtGetContextThread", get_context},
    {"NtSetContextThread", set_context},
    {"NtContinue", go_on},
    {"NtQueueApcThread", queue_apc},
    {"NtQueueApcThreadEx", queue_apc_ex},
    {"NtTestAlert", test_alert},
    {"NtRaiseException", raise},
    {"NtQueryInformationThread", thread_information},
    {"NtSetInformationThread", set_thread_information},
    {"NtGetNextThread", next_thread},
    {"NtGetCurrentProcessorNumber", current_processor},
};

}  // namespace

std::array<u64, 4> times_of(const System& system, u32 process, u32 thread) {
  const CpuTimes times = system.host != nullptr ? system.host->cpu_times(process, thread) : CpuTimes{};
  return {kBootTime, 0, times.system_ns / kNsPerTick, times.user_ns / kNsPerTick};
}

u64 cycles_of(const System& system, u32 process, u32 thread) {
  return system.host != nullptr ? system.host->cpu_times(process, thread).cycles : 0;
}

void move_to_allowed(Thread& thread) {
  if (thread.processor >= 64 || (thread.affinity >> thread.processor & 1) != 0) return;
  thread.processor = 0;
  while ((thread.affinity >> thread.processor & 1) == 0) ++thread.processor;
}

std::span<const Service> thread_services() {
  return kThreads;
}

}  // namespace wperf::sim::nt
