// SPDX-License-Identifier: BSD-3-Clause
// Processes.
#include <array>

#include "sim/nt/services.h"
#include "sim/nt/wide_strings.h"

namespace wperf::sim::nt {

// A page counts as used from its commitment on.
std::array<u64, 12> memory_counters(const State& process) {
  const u64 used = process.memory.committed(), own = process.memory.private_bytes();
  return {used, used, process.memory.pages_so_far(), used, used, 0, 0, 0, 0, own, own, own};
}

namespace {

// arguments: process, exit code
u64 terminate_process(Call& call) {
  State& state = call.state;
  if (call.argument(0) == 0) {  // all threads but the calling one
    for (const auto& thread : state.threads)
      if (thread.get() != &call.thread) end_thread(state, *thread, call.argument32(1), call.now_ns);
    state.ends_in_order = true;
    return kSuccess;
  }
  const auto process = call.process_object_of(call.argument(0));
  if (process == nullptr) return kInvalidHandle;
  if (process == state.process_object) {
    // TerminateProcess() calls this function from kernelbase, and ExitProcess() ends the other threads first.
    const Module* const caller = module_at(state, call.thread.registers.x[30]);
    state.is_unhandled = !state.ends_in_order && caller != nullptr && same_ignoring_case(caller->name, "ntdll.dll");
    return call.end_process(call.argument32(1));
  }
  if (process->signalled) return kProcessIsTerminating;
  state.system->host->end(process->id, call.argument32(1));
  return kSuccess;
}

u64 no_process(Call&) {
  return kInvalidCid;
}

// arguments: handle, access, attributes, client id
u64 open_process(Call& call) {
  u64 ids[2] = {};
  if (!call.read(call.argument(3), ids, sizeof ids)) return 0;
  const State* const process = find_process(*call.state.system, static_cast<u32>(ids[0]));
  if (process == nullptr) return kInvalidCid;
  return call.give_handle(call.argument(0), process->process_object);
}

u64 answer_image_name(Call& call, const State& process, bool dos_form) {
  const std::string& path = process.program_path;
  const std::vector<u16> units = to_utf16(dos_form ? path : volume_path(path));
  const u32 size = static_cast<u32>(Call::kUnicodeHeader + units.size() * 2 + 2);
  if (!call.put_if_wanted(call.argument(4), size)) return 0;
  if (call.argument32(3) < size) return kInfoLengthMismatch;
  return call.put_unicode(call.argument(2), units, true) ? kSuccess : kAccessViolation;
}

// arguments: process, class, buffer, its size, size used
u64 process_information(Call& call) {
  constexpr u32 kBasic = 0, kIoCounters = 2, kVmCounters = 3, kTimes = 4, kDebugPort = 7, kErrorMode = 12,
                kPriorityClass = 18, kHandleCount = 20, kAffinity = 21, kPriorityBoost = 22, kSession = 24, kWow64 = 26,
                kImageName = 27, kDebugObject = 30, kDebugFlags = 31, kExecuteFlags = 34, kImageInformation = 37,
                kCookie = 36, kCycles = 38, kImageNameDos = 43;
  const auto process = call.process_object_of(call.argument(0));
  if (process == nullptr) return kInvalidHandle;
  const u64 buffer = call.argument(2), room = call.argument32(3), size_at = call.argument(4);
  const auto answer = [&](const auto& value) {
    return u64{call.answer_with(buffer, room, &value, sizeof value, size_at)};
  };
  const State* const running = find_process(*call.state.system, process->id);
  if (running == nullptr && call.argument32(1) == kBasic)
    return answer(std::array<u64, 6>{process->exit_code, 0, 0, 8, process->id, 4});
  if (call.argument32(1) == kTimes) return answer(times_of(*call.state.system, process->id, 0));
  if (call.argument32(1) == kCycles)
    return answer(std::array<u64, 2>{cycles_of(*call.state.system, process->id, 0), 0});
  if (running == nullptr) return kProcessIsTerminating;
  const State& state = *running;
  const u64 affinity = state.affinity;
  switch (call.argument32(1)) {
    case kBasic:
      return answer(std::array<u64, 6>{process->exit_code, state.peb, affinity, state.priority_class, process->id, 4});
    case kIoCounters:
      return answer(state.io);
    case kVmCounters: {
      constexpr u64 kBasicSize = 88;
      const std::array<u64, 12> counters = memory_counters(state);
      return call.answer_with(buffer, room, counters.data(), room < sizeof counters ? kBasicSize : sizeof counters,
                              size_at);
    }
    case kDebugPort:
    case kWow64:
      return answer(u64{0});
    case kDebugObject:
      return 0xc0000353;  // STATUS_PORT_NOT_SET
    case kErrorMode:
      return answer(u32{2});  // a crash ends the program without a window
    case kDebugFlags:
      return answer(u32{1});
    case kPriorityClass:
      return answer(std::array<u8, 2>{0, state.priority_class});
    case kHandleCount: {
      u32 count = 0;
      state.handles.for_each([&](Object&) { ++count; });
      return answer(count);
    }
    case kAffinity:
      return answer(affinity);
    case kPriorityBoost:
      return answer(u32{!state.boosts});
    case kSession:
      return answer(u32{1});
    case kImageName:
      return answer_image_name(call, state, false);
    case kImageNameDos:
      return answer_image_name(call, state, true);
    case kExecuteFlags:
      return answer(u32{0xd});
    case kCookie:
      return answer(static_cast<u32>(state.seed * 0x9e3779b1u));
    case kImageInformation: {
      std::array<std::byte, kImageInformationSize> information;
      fill_image_information(*state.program, state.program_base, information.data());
      return answer(information);
    }
    default:
      return kInvalidInfoClass;
  }
}

// Allocates the stack of a fiber, or of a thread that the program makes itself. The answer is the start of the stack.
u64 allocate_stack(Call& call) {
  struct {
    u64 size, zero_bits, base;
  } stack{};
  constexpr u64 kNodeSize = 16;  // a newer form has the preferred memory node before it
  const u64 at = call.argument(2) + (call.argument32(3) > sizeof stack ? kNodeSize : 0);
  if (!call.get(at, stack)) return kAccessViolation;
  stack.base = call.state.memory.reserve({.size = stack.size});
  if (stack.base == 0) return kNoMemory;
  return call.put(at, stack) ? kSuccess : kAccessViolation;
}

u64 set_affinity(Call& call) {
  u64 wanted = 0;
  if (!call.get(call.argument(2), wanted)) return kAccessViolation;
  if (wanted == 0 || (wanted & ~all_processors(call.state)) != 0) return kInvalidParameter;
  call.state.affinity = wanted;
  for (const auto& thread : call.state.threads) {
    thread->affinity = wanted;
    move_to_allowed(*thread);
  }
  return kSuccess;
}

// Settings that change nothing here are accepted.
u64 set_process_information(Call& call) {
  constexpr u32 kPriorityClass = 18, kAffinity = 21, kPriorityBoost = 22, kStack = 41;
  if (call.object_of(call.argument(0)) != call.state.process_object) return kSuccess;
  switch (call.argument32(1)) {
    case kAffinity:
      return set_affinity(call);
    case kPriorityClass: {
      std::array<u8, 2> priority{};
      if (!call.get(call.argument(2), priority)) return kAccessViolation;
      call.state.priority_class = priority[1];
      return kSuccess;
    }
    case kPriorityBoost: {
      u32 disabled = 0;
      if (!call.get(call.argument(2), disabled)) return kAccessViolation;
      call.state.boosts = disabled == 0;
      for (const auto& thread : call.state.threads) thread->boosts = call.state.boosts;
      return kSuccess;
    }
    case kStack:
      return allocate_stack(call);
    default:
      return kSuccess;
  }
}

// Calls `change` for each thread of the process that has not ended.
template <class Change>
u64 change_threads(Call& call, const Change& change) {
  const State* const process = call.process_of(call.argument(0));
  if (process == nullptr) return kInvalidHandle;
  for (const auto& thread : process->threads)
    if (!thread->ended) change(*thread);
  return kSuccess;
}

u64 suspend_process(Call& call) {
  return change_threads(call, [](Thread& thread) { (void)suspend(thread); });
}
u64 resume_process(Call& call) {
  return change_threads(call, [&](Thread& thread) { resume(thread, call.now_ns); });
}

constexpr Service kProcesses[] = {
    {"NtTerminateProcess", terminate_process},
    {"NtOpenProcess", open_process},
    {"NtGetNextProcess", no_process},
    {"NtSuspendProcess", suspend_process},
    {"NtResumeProcess", resume_process},
    {"NtQueryInformationProcess", process_information},
    {"NtSetInformationProcess", set_process_information},
};

}  // namespace

std::span<const Service> process_services() {
  return kProcesses;
}

}  // namespace wperf::sim::nt
