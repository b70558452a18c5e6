// SPDX-License-Identifier: BSD-3-Clause
// Waits: for objects, for a time, for an alert by thread id, for a stream of the host.
#include <algorithm>
#include <array>

#include "sim/nt/services.h"

namespace wperf::sim::nt {
namespace {

constexpr u32 kMostObjects = 64;
constexpr u64 kHostPollNs = 1'000'000;

}  // namespace

bool read_deadline(Call& call, u64 address, u64& deadline_ns) {
  deadline_ns = kNever;
  std::int64_t time = 0;
  if (address == 0) return true;
  if (!call.get(address, time)) return false;
  if (time == INT64_MIN) return true;
  const u64 ticks = time < 0 ? static_cast<u64>(-time)
                             : static_cast<u64>(std::max<std::int64_t>(time - static_cast<std::int64_t>(kBootTime), 0));
  if (ticks > kNever / kNsPerTick / 2) return true;
  deadline_ns = ticks * kNsPerTick + (time < 0 ? call.now_ns : 0);
  return true;
}

u64 begin_wait(Call& call, Wait wait, u64 timeout_at) {
  if (!read_deadline(call, timeout_at, wait.deadline_ns)) return kAccessViolation;
  Thread& thread = call.thread;
  if (wait.alertable && has_apcs(call.state, thread, call.now_ns)) {
    thread.registers.x[0] = kUserApc;
    return deliver_apc(call.state, thread, kUserApc) ? kNoAnswer : kStackOverflow;
  }
  wait.turn = ++call.state.system->turns;
  thread.wait = std::move(wait);
  if (try_to_end_wait(call.state, thread, call.now_ns)) return kNoAnswer;
  if (thread.wait.deadline_ns <= call.now_ns) {
    thread.wait = {};
    return kTimeout;
  }
  set_wake_time(thread);
  return kNoAnswer;
}

u64 wait_for_host(Call& call, u64 done, const std::shared_ptr<Pipe>& pipe) {
  Wait wait;
  wait.kind = Wait::Kind::host;
  wait.pipe = pipe;
  wait.wake_ns = pipe != nullptr ? kNever : call.now_ns + kHostPollNs;
  wait.again = find_service(call.name);
  wait.done_before = done;
  call.thread.wait = std::move(wait);
  return kNoAnswer;
}

bool call_again(State& state, Thread& thread, u64 now_ns) {
  const Service& service = *thread.wait.again;
  Call call(state, thread, service.name, now_ns, thread.wait.done_before);
  thread.wait = {};
  call.end_with(service.handler(call));
  return thread.wait.kind == Wait::Kind::none;
}

namespace {

bool can_be_waited_for(const Object& object) {
  switch (object.kind) {
    case Object::Kind::token:
    case Object::Kind::directory:
    case Object::Kind::section:
    case Object::Kind::job:
    case Object::Kind::key:
    case Object::Kind::link:
    case Object::Kind::keyed_event:
      return false;
    default:
      return true;
  }
}

u64 wait_for(Call& call, std::span<const u64> handles, Wait wait, u64 timeout_at) {
  for (const u64 handle : handles) {
    ObjectPointer object = call.object_of(handle);
    if (object == nullptr) return kInvalidHandle;
    if (!can_be_waited_for(*object)) return kObjectTypeMismatch;
    wait.objects.push_back(std::move(object));
  }
  return begin_wait(call, std::move(wait), timeout_at);
}

// arguments: handle, alertable, timeout
u64 wait_for_one(Call& call) {
  Wait wait;
  wait.kind = Wait::Kind::objects;
  wait.alertable = (call.argument32(1) & 0xff) != 0;
  const u64 handle = call.argument(0);
  return wait_for(call, {&handle, 1}, std::move(wait), call.argument(2));
}

// Whether two of the handles refer to the same object.
bool has_duplicate(Call& call, std::span<const u64> handles) {
  std::vector<ObjectPointer> objects;
  for (const u64 handle : handles) objects.push_back(call.object_of(handle));
  std::ranges::sort(objects);
  const auto twice = std::ranges::adjacent_find(objects);
  return objects.front() != nullptr && twice != objects.end();
}

// arguments: count, handles, wait type (1: any), alertable, timeout
u64 wait_for_several(Call& call) {
  const u32 count = call.argument32(0);
  if (count == 0 || count > kMostObjects) return kInvalidParameter;
  std::array<u64, kMostObjects> handles{};
  if (!call.read(call.argument(1), handles.data(), count * sizeof(u64))) return 0;
  Wait wait;
  wait.kind = Wait::Kind::objects;
  wait.all = call.argument32(2) == 0;
  if (wait.all && has_duplicate(call, {handles.data(), count})) return 0xc0000030;  // STATUS_INVALID_PARAMETER_MIX
  wait.alertable = (call.argument32(3) & 0xff) != 0;
  return wait_for(call, {handles.data(), count}, std::move(wait), call.argument(4));
}

// arguments: alertable, time
u64 delay(Call& call) {
  u64 deadline_ns = 0;
  if (!read_deadline(call, call.argument(1), deadline_ns)) return 0;
  Wait wait;
  wait.kind = Wait::Kind::time;
  wait.alertable = (call.argument32(0) & 0xff) != 0;
  if (deadline_ns <= call.now_ns && !(wait.alertable && has_apcs(call.state, call.thread, call.now_ns))) {
    call.thread.ready_ns = call.now_ns + 1;  // the other threads of this core run first
    return kSuccess;
  }
  return begin_wait(call, std::move(wait), call.argument(1));
}

u64 yield(Call& call) {
  call.thread.ready_ns = call.now_ns + 1;
  return kSuccess;
}

// arguments: address of the wait (for debuggers), timeout
u64 wait_for_alert(Call& call) {
  Wait wait;
  wait.kind = Wait::Kind::alert;
  return begin_wait(call, std::move(wait), call.argument(1));
}

u64 alert_by_id(Call& call) {
  Thread* const one = find_thread(call.state, call.argument32(0));
  if (one == nullptr || one->ended) return kInvalidCid;
  one->alerted = true;
  if (one->wait.kind == Wait::Kind::alert && one->wait.deadline_ns > call.now_ns)
    (void)try_to_end_wait(call.state, *one, call.now_ns);
  return kSuccess;
}

// arguments: object to signal, object to wait for, alertable, timeout
u64 signal_and_wait(Call& call) {
  const ObjectPointer signalled = call.object_of(call.argument(0));
  if (signalled == nullptr || call.object_of(call.argument(1)) == nullptr) return kInvalidHandle;
  if (const Status status = signal(call, *signalled); status != kSuccess) return status;
  Wait wait;
  wait.kind = Wait::Kind::objects;
  wait.alertable = (call.argument32(2) & 0xff) != 0;
  const u64 handle = call.argument(1);
  return wait_for(call, {&handle, 1}, std::move(wait), call.argument(3));
}

// arguments: thread whose operation ends, the I/O status of only one, I/O status
u64 cancel_synchronous(Call& call) {
  Thread* const thread = call.thread_of(call.argument(0));
  if (thread == nullptr) return kInvalidHandle;
  const bool waits = thread->wait.kind == Wait::Kind::host;
  if (waits) end_wait(*thread, kCancelled, call.now_ns);
  const Status status = waits ? kSuccess : kNotFound;
  return call.put_io_status(call.argument(2), status, 0) ? status : kAccessViolation;
}

constexpr Service kWaits[] = {
    {"NtCancelSynchronousIoFile", cancel_synchronous},
    {"NtWaitForSingleObject", wait_for_one},
    {"NtWaitForMultipleObjects", wait_for_several},
    {"NtSignalAndWaitForSingleObject", signal_and_wait},
    {"NtDelayExecution", delay},
    {"NtYieldExecution", yield},
    {"NtWaitForAlertByThreadId", wait_for_alert},
    {"NtAlertThreadByThreadId", alert_by_id},
};

}  // namespace

std::span<const Service> wait_services() {
  return kWaits;
}

}  // namespace wperf::sim::nt
