// SPDX-License-Identifier: BSD-3-Clause
// Executive resources, exclusive only: ExInitializeResourceLite, ExAcquireResourceExclusiveLite, ExReleaseResourceLite,
// ExDeleteResourceLite. A resource's owner has at least the priority of the threads that wait for the resource.
#include "tests/nthost/check.h"
#include "tests/nthost/kernel/irql.h"
#include "tests/nthost/kernel/kernel_state.h"
#include "tests/nthost/kernel/scheduler.h"

namespace wperf::nthost {
namespace {

constexpr u64 kMagic = 0x4543'5255'4f53'4552;

struct Waiter {  // on the waiter's stack
  Thread* thread;
  Waiter* next;
  KEVENT turn;
};
struct Resource {  // the host's use of an ERESOURCE
  u64 magic;
  Thread* owner;
  u32 priority_of_owner;  // before it was raised
  Waiter* first;
  Waiter* last;
};
static_assert(sizeof(Resource) <= sizeof(ERESOURCE));

SpinLock lock;
u32 living = 0;

Resource& must_be(ERESOURCE* resource, const char* function) {
  auto& it = *reinterpret_cast<Resource*>(resource);
  if (it.magic != kMagic) give_up("{}: the resource at {x} was not initialised", function, resource);
  return it;
}

// Called under `lock`, like the next two functions.
void raise_owner(const Resource& it) {
  u32 greatest = it.owner->priority;
  for (const Waiter* waiter = it.first; waiter != nullptr; waiter = waiter->next) {
    greatest = waiter->thread->priority > greatest ? waiter->thread->priority : greatest;
  }
  if (greatest != it.owner->priority) set_priority(*it.owner, greatest);
}

void give_to(Resource& it, Thread& thread) {
  it.owner = &thread;
  it.priority_of_owner = thread.priority;
  raise_owner(it);
}

void append(Resource& it, Waiter& waiter) {
  (it.first == nullptr ? it.first : it.last->next) = &waiter;
  it.last = &waiter;
}

}  // namespace

void report_resource_leaks() {
  if (living != 0) fail("leak: {} executive resources", living);
  living = 0;
}

}  // namespace wperf::nthost

using namespace wperf::nthost;

extern "C" NTSTATUS ExInitializeResourceLite(ERESOURCE* resource) {
  WPERF_ALLOW_UP_TO(kDispatch);
  auto& it = *reinterpret_cast<Resource*>(resource);
  it = {};
  it.magic = kMagic;
  const Guard guard(lock);
  ++living;
  return STATUS_SUCCESS;
}

extern "C" BOOLEAN ExAcquireResourceExclusiveLite(ERESOURCE* resource, BOOLEAN wait) {
  WPERF_ALLOW_UP_TO(kApc);
  Resource& it = must_be(resource, __func__);
  Thread& thread = *current_thread();
  if (thread.critical_regions == 0) fail("{}: outside of a critical region", __func__);
  if (!wait) give_up("{}: Wait = FALSE is not offered", __func__);
  Waiter waiter = {&thread, nullptr, {}};
  KeInitializeEvent(&waiter.turn, SynchronizationEvent, FALSE);
  {
    const Guard guard(lock);
    if (it.owner == nullptr) {
      give_to(it, thread);
      return TRUE;
    }
    if (it.owner == &thread) give_up("{}: the caller owns the resource", __func__);
    append(it, waiter);
    raise_owner(it);
  }
  KeWaitForSingleObject(&waiter.turn, Executive, KernelMode, FALSE, nullptr);
  return TRUE;
}

extern "C" void ExReleaseResourceLite(ERESOURCE* resource) {
  WPERF_ALLOW_UP_TO(kDispatch);
  Resource& it = must_be(resource, __func__);
  Thread& thread = *current_thread();
  if (thread.critical_regions == 0) fail("{}: outside of a critical region", __func__);
  const Guard guard(lock);
  if (it.owner != &thread) give_up("{}: the caller does not own the resource", __func__);
  const wperf::u32 priority = it.priority_of_owner;
  it.owner = nullptr;
  if (Waiter* next = it.first; next != nullptr) {
    it.first = next->next;
    give_to(it, *next->thread);
    KeSetEvent(&next->turn, 0, FALSE);
  }
  if (priority != thread.priority) set_priority(thread, priority);
}

extern "C" NTSTATUS ExDeleteResourceLite(ERESOURCE* resource) {
  WPERF_ALLOW_UP_TO(kDispatch);
  Resource& it = must_be(resource, __func__);
  const Guard guard(lock);
  if (it.owner != nullptr) fail("{}: the resource is in use", __func__);
  it.magic = 0;
  --living;
  return STATUS_SUCCESS;
}
