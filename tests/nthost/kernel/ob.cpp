// SPDX-License-Identifier: BSD-3-Clause
// Handles and references: ZwClose, ObReferenceObjectByHandle, ObfReferenceObject, ObfDereferenceObject,
// ObDereferenceObjectDeferDelete.
#include "tests/nthost/check.h"
#include "tests/nthost/driver_under_test.h"
#include "tests/nthost/kernel/handles.h"
#include "tests/nthost/kernel/io_objects.h"
#include "tests/nthost/kernel/irql.h"
#include "tests/nthost/kernel/kernel_state.h"
#include "tests/nthost/kernel/process_object.h"
#include "tests/nthost/kernel/scheduler.h"

namespace wperf::nthost {
namespace {

constexpr u32 kMostHandles = 64;
constexpr u64 kFirstHandle = 0xffff'ffff'8000'0004;  // kernel handles have the top bit

SpinLock lock;
HandleEntry handles[kMostHandles];

}  // namespace

HANDLE make_handle(const HandleEntry& entry) {
  const Guard guard(lock);
  for (u32 i = 0; i < kMostHandles; ++i) {
    if (handles[i].kind != HandleKind::none) continue;
    handles[i] = entry;
    return reinterpret_cast<HANDLE>(kFirstHandle + 4 * i);
  }
  give_up("more than {} handles", kMostHandles);
}

HandleEntry* find_handle(HANDLE handle) {
  const u64 index = (reinterpret_cast<u64>(handle) - kFirstHandle) / 4;
  if (index >= kMostHandles || reinterpret_cast<u64>(handle) % 4 != 0) return nullptr;
  return handles[index].kind == HandleKind::none ? nullptr : &handles[index];
}

u32 handles_open() {
  u32 count = 0;
  for (const HandleEntry& it : handles) count += it.kind != HandleKind::none;
  return count;
}

void forget_handles() {
  for (HandleEntry& it : handles) it = {};
}

}  // namespace wperf::nthost

using namespace wperf::nthost;

extern "C" NTSTATUS ZwClose(HANDLE handle) {
  WPERF_ALLOW_ONLY(kPassive);
  HandleEntry* entry = find_handle(handle);
  if (entry == nullptr) {
    fail("ZwClose: {x} is no handle", handle);
    return static_cast<NTSTATUS>(0xC0000008);  // STATUS_INVALID_HANDLE
  }
  Thread* thread = entry->thread;
  *entry = {};
  if (thread != nullptr) release_thread(*thread);
  return STATUS_SUCCESS;
}

extern "C" NTSTATUS ObReferenceObjectByHandle(HANDLE handle, ACCESS_MASK access, OBJECT_TYPE* type,
                                              KPROCESSOR_MODE mode, PVOID* object,
                                              OBJECT_HANDLE_INFORMATION* information) {
  WPERF_ALLOW_ONLY(kPassive);
  (void)access;
  if (information != nullptr || type != nullptr || mode != KernelMode)
    give_up("{}: only plain calls are offered", __func__);
  HandleEntry* entry = find_handle(handle);
  if (entry == nullptr || entry->kind != HandleKind::thread) {
    *object = nullptr;
    return static_cast<NTSTATUS>(0xC0000008);
  }
  reference_thread(*entry->thread);
  {
    const Guard guard(dispatcher_lock);
    ++entry->thread->driver_handles;
  }
  *object = entry->thread;
  return STATUS_SUCCESS;
}

extern "C" LONG ObfReferenceObject(PVOID object) {
  WPERF_ALLOW_UP_TO(kDispatch);
  if (object != &driver_object) give_up("ObfReferenceObject: only the driver's object is offered");
  pin_driver();
  return 2;
}

// If this is the last reference, the code is unmapped at once: this call must not return to it.
extern "C" void ObDereferenceObjectDeferDelete(PVOID object) {
  WPERF_ALLOW_UP_TO(kDispatch);
  if (object != &driver_object) give_up("ObDereferenceObjectDeferDelete: only the driver's object is offered");
  if (offset_in_driver(reinterpret_cast<wperf::u64>(__builtin_return_address(0))) != ~0ull) {
    fail("ObDereferenceObjectDeferDelete: the driver goes on after it gave up its own code");
    return;
  }
  unpin_driver();
}

extern "C" LONG ObfDereferenceObject(PVOID object) {
  WPERF_ALLOW_UP_TO(kDispatch);
  for (wperf::u32 slot = 0; slot < kMostThreads; ++slot) {
    Thread* thread = thread_at(slot);
    if (thread != object) continue;
    {
      const Guard guard(dispatcher_lock);
      if (thread->driver_handles == 0) fail("ObfDereferenceObject: thread {} was not referenced", thread->id);
      if (thread->driver_handles > 0) --thread->driver_handles;
    }
    release_thread(*thread);
    return 0;
  }
  if (release_callback_object(object)) return 0;
  auto* process = static_cast<Process*>(object);
  if (!release_process(process)) fail("ObfDereferenceObject: {x} is no referenced object", object);
  return 0;
}
