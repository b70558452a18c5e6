// SPDX-License-Identifier: BSD-3-Clause
// Threads: start, end, waiting, and the core on which they run. Handles of threads are the simulator's numbers; each
// thread has one.
#include <algorithm>

#include "sim/windows/win32_call.h"
#include "sim/windows/win32_surface.h"

namespace wperf::sim {
namespace {

constexpr u64 kThisThread = ~0ull - 1;
constexpr u64 kFirstThreadHandle = 0x4000, kHandleStep = 4;
constexpr usize kMostThreads = 256;
constexpr u64 kSmallestStack = 64 << 10, kLargestStack = 8 << 20, kTebBytes = 0x2000;
constexpr u32 kWithoutEnd = ~0u;
constexpr u32 kStillActive = 259, kWaitTimeout = 0x102, kWaitFailed = ~0u;
constexpr u64 kNsOfMs = 1'000'000;

u64 handle_of(const ProcessState& state, const GuestThread& thread) {
  for (usize index = 0; index < state.threads.size(); ++index)
    if (state.threads[index].get() == &thread) return kFirstThreadHandle + index * kHandleStep;
  return 0;
}

GuestThread* thread_of(Win32Call& call, u64 handle) {
  if (handle == kThisThread) return call.state.current;
  const u64 index = (handle - kFirstThreadHandle) / kHandleStep;
  const bool fits = handle >= kFirstThreadHandle && (handle - kFirstThreadHandle) % kHandleStep == 0;
  if (fits && index < call.state.threads.size()) return call.state.threads[index].get();
  call.set_last_error(kErrorInvalidHandle);
  return nullptr;
}

u64 all_processors(const ProcessState& state) {
  return state.processor_count >= 64 ? ~0ull : (1ull << state.processor_count) - 1;
}

// Maps its stack and TEB in one piece; an inaccessible page is below the stack.
bool map_thread(ProcessState& state, GuestThread& thread, u64 wanted_stack) {
  const u64 wanted = wanted_stack != 0 ? wanted_stack : state.loaded.images[0].pe.stack_reserve;
  const u64 stack = page_up(std::clamp(wanted, kSmallestStack, kLargestStack));
  const u64 area = state.virtual_memory.reserve(0, kPageSize + stack + kTebBytes);
  if (area == 0 || !state.virtual_memory.commit(area + kPageSize, stack + kTebBytes, kRead | kWrite)) return false;
  thread.stack_limit = area + kPageSize;
  thread.stack_base = thread.stack_limit + stack;
  thread.teb = thread.stack_base;
  const auto put = [&](u64 offset, u64 value) { state.space.write(thread.teb + offset, &value, sizeof value); };
  put(0x08, thread.stack_base);
  put(0x10, thread.stack_limit);
  put(0x30, thread.teb);
  put(0x40, state.process_id);
  put(0x48, thread.id);
  put(0x60, state.peb);
  put(0x1478, area);
  return map_static_tls(state, thread);
}

u64 create_thread(Win32Call& call) {
  constexpr u32 kSuspended = 4;
  ProcessState& state = call.state;
  if (state.threads.size() >= kMostThreads) return call.fail(kErrorNotEnoughMemory);
  auto thread = std::make_unique<GuestThread>();
  const auto number = static_cast<u32>(state.threads.size());
  constexpr u32 kIdsApart = 100'000;  // the numbers of other processes lie between them
  thread->id = state.threads.front()->id + number * kIdsApart;
  if (!map_thread(state, *thread, call.argument(1))) return call.fail(kErrorNotEnoughMemory);
  // Windows spreads the threads of a process over the processors in turn.
  thread->processor = (state.threads.front()->processor + number) % state.processor_count;
  thread->affinity = all_processors(state);
  thread->registers.pc = call.argument(2);
  thread->registers.x[0] = call.argument(3);
  thread->registers.x[18] = thread->teb;
  thread->registers.x[30] = state.system.stub(kThreadReturnNumber);
  thread->registers.sp = thread->stack_base - 0x40;
  thread->suspended = (call.argument32(4) & kSuspended) != 0;
  thread->sleep_until_ns = thread->suspended != 0 ? ~0ull : call.now_ns;
  if (call.argument(5) != 0 && !call.write_value(call.argument(5), thread->id)) return 0;
  state.threads.push_back(std::move(thread));
  return handle_of(state, *state.threads.back());
}

u64 exit_thread(Win32Call& call) {
  return call.end_thread(call.argument32(0));
}

u64 resume_thread(Win32Call& call) {
  GuestThread* const thread = thread_of(call, call.argument(0));
  if (thread == nullptr) return kWaitFailed;
  const u32 before = thread->suspended;
  if (before == 1) thread->sleep_until_ns = call.now_ns;
  if (before != 0) --thread->suspended;
  return before;
}

// The thread repeats this call until it gets an answer.
u64 wait(Win32Call& call, std::span<const u64> handles, bool all, u32 milliseconds) {
  GuestThread& self = *call.state.current;
  usize ended = 0, first = handles.size();
  for (usize index = 0; index < handles.size(); ++index) {
    const GuestThread* const thread = thread_of(call, handles[index]);
    if (thread == nullptr) return kWaitFailed;
    if (!thread->ended) continue;
    ++ended;
    first = std::min(first, index);
  }
  if (!self.waits) self.wait_end_ns = milliseconds == kWithoutEnd ? ~0ull : call.now_ns + milliseconds * kNsOfMs;
  self.waits = false;
  if (all ? ended == handles.size() : ended != 0) return all ? 0 : first;
  if (call.now_ns >= self.wait_end_ns) return kWaitTimeout;
  self.waits = true;
  return call.repeat_after(self.wait_end_ns);
}

u64 wait_for_one(Win32Call& call) {
  const u64 handle = call.argument(0);
  return wait(call, {&handle, 1}, true, call.argument32(1));
}

u64 wait_for_several(Win32Call& call) {
  constexpr u32 kMost = 64;
  const u32 count = call.argument32(0);
  if (count == 0 || count > kMost) return call.fail(kErrorInvalidParameter, kWaitFailed);
  std::array<u64, kMost> handles{};
  if (!call.read(call.argument(1), handles.data(), count * sizeof(u64))) return 0;
  return wait(call, {handles.data(), count}, call.argument32(2) != 0, call.argument32(3));
}

u64 exit_code_of_thread(Win32Call& call) {
  const GuestThread* const thread = thread_of(call, call.argument(0));
  if (thread == nullptr) return 0;
  return call.write_value(call.argument(1), thread->ended ? thread->exit_code : kStillActive);
}

u64 thread_id_of(Win32Call& call) {
  const GuestThread* const thread = thread_of(call, call.argument(0));
  return thread != nullptr ? thread->id : 0;
}

u64 set_thread_affinity(Win32Call& call) {
  GuestThread* const thread = thread_of(call, call.argument(0));
  if (thread == nullptr) return 0;
  const u64 wanted = call.argument(1);
  if (wanted == 0 || (wanted & ~all_processors(call.state)) != 0) return call.fail(kErrorInvalidParameter);
  const u64 before = thread->affinity;
  thread->affinity = wanted;
  if (thread->processor < 64 && (wanted >> thread->processor & 1) == 0) {
    thread->processor = 0;
    while ((wanted >> thread->processor & 1) == 0) ++thread->processor;
  }
  return before;
}

u64 set_ideal_processor(Win32Call& call) {
  constexpr u32 kJustAsk = 64;
  GuestThread* const thread = thread_of(call, call.argument(0));
  if (thread == nullptr) return kWaitFailed;
  const u32 before = thread->processor, wanted = call.argument32(1);
  if (wanted == kJustAsk) return before;
  if (wanted >= call.state.processor_count || wanted >= 64) return call.fail(kErrorInvalidParameter, kWaitFailed);
  if ((thread->affinity >> wanted & 1) != 0) thread->processor = wanted;
  return before;
}

u64 switch_to_thread(Win32Call& call) {
  if (call.is_alone()) return 0;
  call.state.current->sleep_until_ns = call.now_ns + 1;  // the other threads of this core run first
  return 1;
}

constexpr Win32Function kThreadLife[] = {
    {"CreateThread", kKernelDll, create_thread},
    {"_beginthreadex", kCrtDll, create_thread},  // it has the same arguments
    {"_endthreadex", kCrtDll, exit_thread},
    {"ExitThread", kKernelDll, exit_thread},
    {"RtlExitUserThread", kNtDll, exit_thread},
    {"ResumeThread", kKernelDll, resume_thread},
    {"WaitForSingleObject", kKernelDll, wait_for_one},
    {"WaitForSingleObjectEx", kKernelDll, wait_for_one},
    {"WaitForMultipleObjects", kKernelDll, wait_for_several},
    {"GetExitCodeThread", kKernelDll, exit_code_of_thread},
    {"GetThreadId", kKernelDll, thread_id_of},
    {"SetThreadAffinityMask", kKernelDll, set_thread_affinity},
    {"SetThreadIdealProcessor", kKernelDll, set_ideal_processor},
    {"SwitchToThread", kKernelDll, switch_to_thread},
};

}  // namespace

std::span<const Win32Function> thread_life_functions() {
  return kThreadLife;
}

bool is_thread_handle(const ProcessState& state, u64 handle) {
  return handle >= kFirstThreadHandle && handle < kFirstThreadHandle + state.threads.size() * kHandleStep;
}

}  // namespace wperf::sim
