// SPDX-License-Identifier: BSD-3-Clause
// Events and waiting: KeInitializeEvent, KeSetEvent, KeClearEvent, KeWaitForSingleObject, KeWaitForMultipleObjects.
#include "tests/nthost/check.h"
#include "tests/nthost/kernel/irql.h"
#include "tests/nthost/kernel/ke_timer.h"
#include "tests/nthost/kernel/scheduler.h"
#include "tests/nthost/machine/machine_threads.h"

namespace wperf::nthost {
namespace {

bool is_signaled(const DISPATCHER_HEADER& object) {
  return object.SignalState > 0;
}

void check_waitable(const DISPATCHER_HEADER& object, const char* function) {
  switch (object.Type) {
    case kNotificationEvent:
    case kSynchronizationEvent:
    case kThreadObject:
    case kNotificationTimer:
    case kSynchronizationTimer:
      if (object.WaitListHead.Flink != nullptr) return;
  }
  give_up("{}: the object at {x} was not initialised or cannot be waited for", function, &object);
}

void check_event(const KEVENT& event, const char* function) {
  if (event.Header.Type > kSynchronizationEvent || event.Header.WaitListHead.Flink == nullptr) {
    give_up("{}: the event at {x} was not initialised", function, &event);
  }
}

u64 deadline_of(LONGLONG timeout) {
  if (timeout > 0) give_up("a wait until an absolute time is not offered");
  const u64 units = 0 - static_cast<u64>(timeout);
  return time_ticks() + units / 10'000'000 * ticks_per_second() + units % 10'000'000 * ticks_per_second() / 10'000'000;
}

void queue_on_objects(Thread& thread, u32 count, PVOID* objects, KWAIT_BLOCK* blocks) {
  thread.wait_blocks = blocks;
  thread.wait_count = count;
  for (u32 i = 0; i < count; ++i) {
    auto& object = *static_cast<DISPATCHER_HEADER*>(objects[i]);
    LIST_ENTRY& head = object.WaitListHead;
    blocks[i] = {{&head, head.Blink}, &thread, &object, i, 1};
    head.Blink->Flink = &blocks[i].entry;
    head.Blink = &blocks[i].entry;
  }
}

void sleep_until(Thread& thread, u64 deadline) {
  Cpu& cpu = this_cpu();
  thread.has_deadline = true;
  thread.deadline = deadline;
  thread.next_sleeper = cpu.sleepers;
  cpu.sleepers = &thread;
}

NTSTATUS wait_for_any(u32 count, PVOID* objects, const LARGE_INTEGER* timeout, KWAIT_BLOCK* blocks) {
  Thread& thread = *current_thread();
  const u32 before = current_irql();
  const u64 interrupts = mask_interrupts();
  dispatcher_lock.lock();
  for (u32 i = 0; i < count; ++i) {
    if (!try_consume(*static_cast<DISPATCHER_HEADER*>(objects[i]))) continue;
    dispatcher_lock.unlock();
    restore_interrupts(interrupts);
    return STATUS_WAIT_0 + static_cast<NTSTATUS>(i);
  }
  if (timeout != nullptr && timeout->QuadPart == 0) {
    dispatcher_lock.unlock();
    restore_interrupts(interrupts);
    return STATUS_TIMEOUT;
  }
  set_irql(kDispatch);
  thread.state = ThreadState::waiting;
  queue_on_objects(thread, count, objects, blocks);
  if (timeout != nullptr) sleep_until(thread, deadline_of(timeout->QuadPart));
  dispatcher_lock.unlock();
  switch_away();
  set_irql(before);
  restore_interrupts(interrupts);
  return thread.wait_status;
}

void check_wait(const char* function, const LARGE_INTEGER* timeout) {
  const bool polls = timeout != nullptr && timeout->QuadPart == 0;
  allow_up_to(polls ? kDispatch : kApc, function);
  if (!polls && current_irql() >= kDispatch) give_up("{} cannot wait at this level", function);
}

}  // namespace

bool try_consume(DISPATCHER_HEADER& object) {
  if (!is_signaled(object)) return false;
  if (object.Type == kSynchronizationEvent || object.Type == kSynchronizationTimer) object.SignalState = 0;
  return true;
}

void wake_waiters(DISPATCHER_HEADER& object) {
  while (object.WaitListHead.Flink != &object.WaitListHead && is_signaled(object)) {
    auto& block = *reinterpret_cast<KWAIT_BLOCK*>(object.WaitListHead.Flink);
    try_consume(object);
    wake(*block.thread, STATUS_WAIT_0 + static_cast<NTSTATUS>(block.index));
  }
}

void sleep_ns(u64 nanoseconds) {
  LARGE_INTEGER timeout;
  timeout.QuadPart = -static_cast<LONGLONG>(nanoseconds / 100 + 1);
  wait_for_any(0, nullptr, &timeout, nullptr);
}

}  // namespace wperf::nthost

using namespace wperf::nthost;

extern "C" void KeInitializeEvent(KEVENT* event, EVENT_TYPE type, BOOLEAN signaled) {
  *event = {};
  event->Header.Type = type == NotificationEvent ? kNotificationEvent : kSynchronizationEvent;
  event->Header.Size = sizeof(KEVENT) / 4;
  event->Header.SignalState = signaled != 0;
  event->Header.WaitListHead = {&event->Header.WaitListHead, &event->Header.WaitListHead};
}

extern "C" LONG KeSetEvent(KEVENT* event, KPRIORITY increment, BOOLEAN wait) {
  (void)increment;
  WPERF_ALLOW_UP_TO(kDispatch);
  if (wait) give_up("KeSetEvent: Wait = TRUE is not offered");
  check_event(*event, __func__);
  const Guard guard(dispatcher_lock);
  const LONG before = event->Header.SignalState;
  event->Header.SignalState = 1;
  wake_waiters(event->Header);
  return before;
}

extern "C" void KeClearEvent(KEVENT* event) {
  WPERF_ALLOW_UP_TO(kDispatch);
  check_event(*event, __func__);
  const Guard guard(dispatcher_lock);
  event->Header.SignalState = 0;
}

extern "C" NTSTATUS KeWaitForSingleObject(PVOID object, KWAIT_REASON reason, KPROCESSOR_MODE mode, BOOLEAN alertable,
                                          LARGE_INTEGER* timeout) {
  (void)reason;
  check_wait(__func__, timeout);
  check_waitable(*static_cast<DISPATCHER_HEADER*>(object), __func__);
  if (mode != KernelMode || alertable)
    fail("KeWaitForSingleObject: only waits in kernel mode, not alertable, are offered");
  return wait_for_any(1, &object, timeout, current_thread()->own_blocks);
}

extern "C" NTSTATUS KeWaitForMultipleObjects(ULONG count, PVOID objects[], WAIT_TYPE type, KWAIT_REASON reason,
                                             KPROCESSOR_MODE mode, BOOLEAN alertable, LARGE_INTEGER* timeout,
                                             KWAIT_BLOCK* wait_blocks) {
  (void)reason;
  check_wait(__func__, timeout);
  if (type != WaitAny) give_up("KeWaitForMultipleObjects: WaitAll is not offered");
  if (mode != KernelMode || alertable) fail("{}: only waits in kernel mode, not alertable, are offered", __func__);
  if (count == 0 || count > (wait_blocks == nullptr ? 3u : 64u)) give_up("{}: {} objects", __func__, count);
  for (wperf::u32 i = 0; i < count; ++i) check_waitable(*static_cast<DISPATCHER_HEADER*>(objects[i]), __func__);
  return wait_for_any(count, objects, timeout, wait_blocks == nullptr ? current_thread()->own_blocks : wait_blocks);
}
