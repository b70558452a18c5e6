// SPDX-License-Identifier: BSD-3-Clause
// Thread-local slots and locks. A thread that waits for a lock makes its call again when the lock is released.
#include <algorithm>

#include "sim/windows/win32_call.h"
#include "sim/windows/win32_locks.h"
#include "sim/windows/win32_surface.h"

namespace wperf::sim {
namespace {

constexpr u32 kNoIndex = ~0u;

u64 tls_alloc(Win32Call& call) {
  auto& used = call.state.tls_used;
  for (u32 index = 0; index < used.size(); ++index) {
    if (used[index]) continue;
    used[index] = true;
    const u64 zero = 0;
    for (const auto& thread : call.state.threads)
      (void)call.state.memory.write(thread->teb + kTebTlsSlots + index * 8, &zero, sizeof zero);
    return index;
  }
  return call.fail(kErrorNoMoreItems, kNoIndex);
}

u64 tls_get_value(Win32Call& call) {
  const u32 index = call.argument32(0);
  u64 value = 0;
  if (index >= call.state.tls_used.size()) return call.fail(kErrorInvalidParameter);
  if (!call.read_value(call.state.current->teb + kTebTlsSlots + u64{index} * 8, value)) return 0;
  call.set_last_error(0);  // documented: how callers tell a stored zero from a failure
  return value;
}

u64 tls_set_value(Win32Call& call) {
  const u32 index = call.argument32(0);
  if (index >= call.state.tls_used.size()) return call.fail(kErrorInvalidParameter);
  return call.write_value(call.state.current->teb + kTebTlsSlots + u64{index} * 8, call.argument(1));
}

u64 tls_free(Win32Call& call) {
  const u32 index = call.argument32(0);
  if (index >= call.state.tls_used.size() || !call.state.tls_used[index]) return call.fail(kErrorInvalidParameter);
  call.state.tls_used[index] = false;
  return 1;
}

// Fiber-local slots. On Windows the callbacks run when a thread ends; the simulated threads end without them.
u64 fls_alloc(Win32Call& call) {
  auto& used = call.state.fiber_used;
  for (u32 index = 0; index < used.size(); ++index) {
    if (used[index]) continue;
    used[index] = true;
    for (const auto& thread : call.state.threads) thread->fiber_values[index] = 0;
    return index;
  }
  return call.fail(kErrorNoMoreItems, kNoIndex);
}

u64* fiber_value(Win32Call& call) {
  const u32 index = call.argument32(0);
  if (index < kFiberSlots && call.state.fiber_used[index]) return &call.state.current->fiber_values[index];
  call.set_last_error(kErrorInvalidParameter);
  return nullptr;
}

u64 fls_get_value(Win32Call& call) {
  const u64* const value = fiber_value(call);
  if (value == nullptr) return 0;
  call.set_last_error(0);
  return *value;
}

u64 fls_set_value(Win32Call& call) {
  u64* const value = fiber_value(call);
  if (value == nullptr) return 0;
  *value = call.argument(1);
  return 1;
}

u64 fls_free(Win32Call& call) {
  if (fiber_value(call) == nullptr) return 0;
  call.state.fiber_used[call.argument32(0)] = false;
  return 1;
}

// RTL_CRITICAL_SECTION, 40 bytes; lock_count is -1 when free.
struct CriticalSection {
  u64 debug;
  u32 lock_count, recursion;
  u64 owner, semaphore, spin_count;
};
static_assert(sizeof(CriticalSection) == 40);

bool initialize_section(Win32Call& call, u64 spin_count) {
  CriticalSection section{};
  section.debug = ~0ull;
  section.lock_count = ~0u;
  section.spin_count = spin_count;
  return call.write_value(call.argument(0), section);
}

u64 initialize_critical_section(Win32Call& call) {
  (void)initialize_section(call, 0);
  return 0;
}

u64 initialize_critical_section_spin(Win32Call& call) {
  return initialize_section(call, call.argument32(1));
}

bool is_thread(const ProcessState& state, u64 id) {
  return std::any_of(state.threads.begin(), state.threads.end(),
                     [id](const auto& thread) { return thread->id == id && !thread->ended; });
}

u64 enter_section(Win32Call& call, u64 address, bool only_try) {
  CriticalSection section{};
  if (!call.read_value(address, section)) return 0;
  if (section.recursion != 0 && section.owner != call.state.current->id) {
    if (!is_thread(call.state, section.owner)) {
      return call.crash("the critical section at " + hex(address) + " is damaged");
    }
    return only_try ? 0 : call.wait_for_lock(address);
  }
  ++section.recursion;
  section.owner = call.state.current->id;
  section.lock_count = ~1u;  // locked, without waiters
  return call.write_value(address, section);
}

u64 enter_critical_section(Win32Call& call) {
  return enter_section(call, call.argument(0), false);
}
u64 try_enter_critical_section(Win32Call& call) {
  return enter_section(call, call.argument(0), true);
}
u64 leave_critical_section(Win32Call& call) {
  return leave_section(call, call.argument(0));
}

u64 delete_critical_section(Win32Call& call) {
  (void)call.write_value(call.argument(0), CriticalSection{});
  return 0;
}

constexpr u64 kSlimFree = 0, kSlimHeld = 1, kSlimShared = 0x11;

u64 initialize_slim(Win32Call& call) {
  (void)call.write_value(call.argument(0), kSlimFree);
  return 0;
}

u64 acquire_slim(Win32Call& call, u64 address, bool shared, bool only_try) {
  u64 lock = 0;
  if (!call.read_value(address, lock)) return 0;
  if (lock != kSlimFree && !(shared && lock >= kSlimShared)) {
    if (only_try) return 0;
    if (call.is_alone()) return call.crash("the program waits for a lock that it already holds");
    return call.wait_for_lock(address);
  }
  const u64 taken = !shared ? kSlimHeld : lock == kSlimFree ? kSlimShared : lock + 0x10;
  return call.write_value(address, taken);
}

u64 acquire_slim_exclusive(Win32Call& call) {
  return acquire_slim(call, call.argument(0), false, false);
}
u64 acquire_slim_shared(Win32Call& call) {
  return acquire_slim(call, call.argument(0), true, false);
}
u64 try_slim_exclusive(Win32Call& call) {
  return acquire_slim(call, call.argument(0), false, true);
}
u64 try_slim_shared(Win32Call& call) {
  return acquire_slim(call, call.argument(0), true, true);
}
u64 release_slim_lock(Win32Call& call) {
  return release_slim(call, call.argument(0));
}

// SLIST_HEADER, 16 bytes: this one keeps depth in the low half and the first entry in the high half.
struct ListHeader {
  u64 depth, first;
};

u64 initialize_list(Win32Call& call) {
  (void)call.write_value(call.argument(0), ListHeader{});
  return 0;
}

u64 push_list(Win32Call& call) {
  ListHeader header{};
  if (!call.read_value(call.argument(0), header)) return 0;
  const u64 before = header.first;
  if (!call.write_value(call.argument(1), before)) return 0;
  (void)call.write_value(call.argument(0), ListHeader{header.depth + 1, call.argument(1)});
  return before;
}

u64 flush_list(Win32Call& call) {
  ListHeader header{};
  if (!call.read_value(call.argument(0), header)) return 0;
  (void)call.write_value(call.argument(0), ListHeader{});
  return header.first;
}

u64 same_pointer(Win32Call& call) {
  return call.argument(0);
}

// INIT_ONCE: 0 not begun, 1 a thread is initializing, 2 done.
u64 finish_once(Win32Call& call, u64 once) {
  const bool good = call.argument32(0) != 0;
  (void)call.write_value(once, good ? u64{2} : u64{0});
  call.wake_for_lock(once);
  return good;
}

u64 execute_once(Win32Call& call) {  // once, function, parameter, context
  constexpr u64 kBusy = 1, kDone = 2;
  const u64 once = call.argument(0);
  u64 value = 0;
  if (!call.read_value(once, value)) return 0;
  if (value == kDone) return 1;
  if (value == kBusy) return call.wait_for_lock(once);
  if (!call.write_value(once, kBusy)) return 0;
  return call.call_program(call.argument(1), {once, call.argument(2), call.argument(3)},
                           [once](Win32Call& again) { return finish_once(again, once); });
}

constexpr Win32Function kThread[] = {
    {"InitOnceExecuteOnce", kKernelDll, execute_once},
    {"TlsAlloc", kKernelDll, tls_alloc},
    {"TlsGetValue", kKernelDll, tls_get_value},
    {"TlsSetValue", kKernelDll, tls_set_value},
    {"TlsFree", kKernelDll, tls_free},
    {"FlsAlloc", kKernelDll, fls_alloc},
    {"FlsGetValue", kKernelDll, fls_get_value},
    {"FlsSetValue", kKernelDll, fls_set_value},
    {"FlsFree", kKernelDll, fls_free},
    {"InitializeCriticalSection", kKernelDll, initialize_critical_section},
    {"InitializeCriticalSectionAndSpinCount", kKernelDll, initialize_critical_section_spin},
    {"InitializeCriticalSectionEx", kKernelDll, initialize_critical_section_spin},
    {"EnterCriticalSection", kKernelDll, enter_critical_section},
    {"TryEnterCriticalSection", kKernelDll, try_enter_critical_section},
    {"LeaveCriticalSection", kKernelDll, leave_critical_section},
    {"DeleteCriticalSection", kKernelDll, delete_critical_section},
    {"RtlInitializeCriticalSection", kNtDll, initialize_critical_section},
    {"RtlEnterCriticalSection", kNtDll, enter_critical_section},
    {"RtlLeaveCriticalSection", kNtDll, leave_critical_section},
    {"RtlDeleteCriticalSection", kNtDll, delete_critical_section},
    {"InitializeSRWLock", kKernelDll, initialize_slim},
    {"AcquireSRWLockExclusive", kKernelDll, acquire_slim_exclusive},
    {"AcquireSRWLockShared", kKernelDll, acquire_slim_shared},
    {"TryAcquireSRWLockExclusive", kKernelDll, try_slim_exclusive},
    {"TryAcquireSRWLockShared", kKernelDll, try_slim_shared},
    {"ReleaseSRWLockExclusive", kKernelDll, release_slim_lock},
    {"ReleaseSRWLockShared", kKernelDll, release_slim_lock},
    {"InitializeSListHead", kKernelDll, initialize_list},
    {"InterlockedPushEntrySList", kKernelDll, push_list},
    {"InterlockedFlushSList", kKernelDll, flush_list},
    {"EncodePointer", kKernelDll, same_pointer},
    {"DecodePointer", kKernelDll, same_pointer},
    {"RtlEncodePointer", kNtDll, same_pointer},
    {"RtlDecodePointer", kNtDll, same_pointer},
};

}  // namespace

u64 take_section(Win32Call& call, u64 address) {
  return enter_section(call, address, false);
}

u64 leave_section(Win32Call& call, u64 address) {
  CriticalSection section{};
  if (!call.read_value(address, section)) return 0;
  if (section.recursion == 0 || section.owner != call.state.current->id) {
    return call.crash("the critical section at " + hex(address) + " is not held");
  }
  if (--section.recursion == 0) {
    section.owner = 0;
    section.lock_count = ~0u;
    call.wake_for_lock(address);
  }
  (void)call.write_value(address, section);
  return 0;
}

u64 take_slim(Win32Call& call, u64 address, bool shared) {
  return acquire_slim(call, address, shared, false);
}

u64 release_slim(Win32Call& call, u64 address) {
  u64 lock = 0;
  if (!call.read_value(address, lock)) return 0;
  if (lock == kSlimFree) return call.crash("the lock at " + hex(address) + " is not held");
  const u64 left = lock > kSlimShared ? lock - 0x10 : kSlimFree;
  (void)call.write_value(address, left);
  if (left == kSlimFree) call.wake_for_lock(address);
  return 0;
}

std::span<const Win32Function> thread_functions() {
  return kThread;
}

}  // namespace wperf::sim
