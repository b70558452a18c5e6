// SPDX-License-Identifier: BSD-3-Clause
// Waits, and the objects to wait for: events, semaphores, mutants, timers, alerts by thread id.
#include <algorithm>
#include <array>

#include "sim/nt/services.h"
#include "sim/nt/wide_strings.h"

namespace wperf::sim::nt {
namespace {

constexpr u32 kMostObjects = 64;
constexpr u64 kHostPollNs = 1'000'000;

// Returns a handle to a new object, or to the existing object of that name.
u64 create_named(Call& call, const ObjectPointer& made) {
  ObjectName name;
  if (const Status status = call.read_name(call.argument(2), name); status != kSuccess) return status;
  if (name.text.empty()) return call.give_handle(call.argument(0), made);
  const std::string key = in_lower_case(name.text);
  const auto known = call.state.system->names.find(key);
  const ObjectPointer before = known != call.state.system->names.end() ? known->second.lock() : nullptr;
  if (before == nullptr) {
    made->name = name.text;
    if (!keep_name(call.state, key, made)) return kInsufficientResources;
    return call.give_handle(call.argument(0), made);
  }
  constexpr u64 kOpenIf = 0x80;
  if (before->kind != made->kind) return kObjectTypeMismatch;
  if ((name.attributes & kOpenIf) == 0) return kObjectNameCollision;
  const Status status = call.give_handle(call.argument(0), before);
  return status == kSuccess ? kObjectNameExists : status;
}

template <class T>
u64 open_named(Call& call) {
  ObjectName name;
  if (const Status status = call.read_name(call.argument(2), name); status != kSuccess) return status;
  const auto known = call.state.system->names.find(in_lower_case(name.text));
  const ObjectPointer object = known == call.state.system->names.end() ? nullptr : known->second.lock();
  if (object == nullptr) return kObjectNameNotFound;
  return object->kind == T::kKind ? call.give_handle(call.argument(0), object) : kObjectTypeMismatch;
}

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
  if (wait.alertable && !thread.apcs.empty()) {
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

// arguments: count, handles, wait type (1: any), alertable, timeout
u64 wait_for_several(Call& call) {
  const u32 count = call.argument32(0);
  if (count == 0 || count > kMostObjects) return kInvalidParameter;
  std::array<u64, kMostObjects> handles{};
  if (!call.read(call.argument(1), handles.data(), count * sizeof(u64))) return 0;
  Wait wait;
  wait.kind = Wait::Kind::objects;
  wait.all = call.argument32(2) == 0;
  wait.alertable = (call.argument32(3) & 0xff) != 0;
  return wait_for(call, {handles.data(), count}, std::move(wait), call.argument(4));
}

// arguments: to signal, to wait for, alertable, timeout
u64 signal_and_wait(Call& call) {
  const auto event = call.state.handles.at<Event>(call.argument(0));
  if (event == nullptr) return call.refuse("only events can be signalled by this call on the simulated machine");
  event->signalled = true;
  wake_waiters(*call.state.system, *event, call.now_ns);
  Wait wait;
  wait.kind = Wait::Kind::objects;
  wait.alertable = (call.argument32(2) & 0xff) != 0;
  const u64 handle = call.argument(1);
  return wait_for(call, {&handle, 1}, std::move(wait), call.argument(3));
}

// arguments: alertable, time
u64 delay(Call& call) {
  u64 deadline_ns = 0;
  if (!read_deadline(call, call.argument(1), deadline_ns)) return 0;
  if (deadline_ns <= call.now_ns) {
    call.thread.ready_ns = call.now_ns + 1;  // the other threads of this core run first
    return kSuccess;
  }
  Wait wait;
  wait.kind = Wait::Kind::time;
  wait.alertable = (call.argument32(0) & 0xff) != 0;
  return begin_wait(call, std::move(wait), call.argument(1));
}

u64 yield(Call& call) {
  call.thread.ready_ns = call.now_ns + 1;
  return kSuccess;
}

// arguments: address that is waited at (for debuggers), timeout
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

// arguments: handle, access, attributes, type (1: resets itself), signalled
u64 create_event(Call& call) {
  auto event = std::make_shared<Event>(call.argument32(3) == 1);
  event->signalled = (call.argument32(4) & 0xff) != 0;
  return create_named(call, event);
}

u64 change_event(Call& call, bool signalled) {
  const auto event = call.state.handles.at<Event>(call.argument(0));
  if (event == nullptr) return kInvalidHandle;
  const u32 before = event->signalled ? 1 : 0;
  if (!call.put_if_wanted(call.argument(1), before)) return 0;
  event->signalled = signalled;
  if (signalled) wake_waiters(*call.state.system, *event, call.now_ns);
  return kSuccess;
}

u64 set_event(Call& call) {
  return change_event(call, true);
}
u64 reset_event(Call& call) {
  return change_event(call, false);
}
u64 clear_event(Call& call) {
  const auto event = call.state.handles.at<Event>(call.argument(0));
  if (event == nullptr) return kInvalidHandle;
  event->signalled = false;
  return kSuccess;
}

// arguments: handle, access, attributes, count, most
u64 create_semaphore(Call& call) {
  const u32 count = call.argument32(3), most = call.argument32(4);
  if (most == 0 || most > INT32_MAX || count > most) return kInvalidParameter;
  return create_named(call, std::make_shared<Semaphore>(count, most));
}

// arguments: handle, count, previous count
u64 release_semaphore(Call& call) {
  const auto semaphore = call.state.handles.at<Semaphore>(call.argument(0));
  if (semaphore == nullptr) return kInvalidHandle;
  const u32 more = call.argument32(1);
  if (more == 0 || more > semaphore->most - semaphore->count) return kSemaphoreLimit;
  if (!call.put_if_wanted(call.argument(2), semaphore->count)) return 0;
  semaphore->count += more;
  wake_waiters(*call.state.system, *semaphore, call.now_ns);
  return kSuccess;
}

// arguments: handle, access, attributes, owned at first
u64 create_mutant(Call& call) {
  auto mutant = std::make_shared<Mutant>();
  if ((call.argument32(3) & 0xff) != 0) {
    mutant->owner = call.thread.id;
    mutant->depth = 1;
  }
  return create_named(call, mutant);
}

u64 release_mutant(Call& call) {
  const auto mutant = call.state.handles.at<Mutant>(call.argument(0));
  if (mutant == nullptr) return kInvalidHandle;
  if (mutant->owner != call.thread.id) return kMutantNotOwned;
  const u32 before = 1 - mutant->depth;
  if (!call.put_if_wanted(call.argument(1), before)) return 0;
  if (--mutant->depth != 0) return kSuccess;
  mutant->owner = 0;
  wake_waiters(*call.state.system, *mutant, call.now_ns);
  return kSuccess;
}

// arguments: handle, access, attributes, type (1: resets itself)
u64 create_timer(Call& call) {
  return create_named(call, std::make_shared<Timer>(call.argument32(3) == 1));
}

// arguments: handle, due time, routine, its context, wake the machine, period in ms, previous state
u64 set_timer(Call& call) {
  const auto timer = call.state.handles.at<Timer>(call.argument(0));
  if (timer == nullptr) return kInvalidHandle;
  if (call.argument(2) != 0) return call.refuse("timers that call a routine are not part of the simulated machine");
  u64 due_ns = 0;
  if (call.argument(1) == 0 || !read_deadline(call, call.argument(1), due_ns)) return kAccessViolation;
  const u8 before = timer->signalled ? 1 : 0;
  if (!call.put_if_wanted(call.argument(6), before)) return 0;
  timer->signalled = false;
  timer->due_ns = due_ns;
  timer->period_ns = u64{call.argument32(5)} * 1'000'000;
  wake_waiters(*call.state.system, *timer, call.now_ns);
  return kSuccess;
}

// arguments: handle, previous state
u64 cancel_timer(Call& call) {
  const auto timer = call.state.handles.at<Timer>(call.argument(0));
  if (timer == nullptr) return kInvalidHandle;
  const u8 before = timer->signalled ? 1 : 0;
  if (!call.put_if_wanted(call.argument(1), before)) return 0;
  timer->due_ns = kNever;
  timer->period_ns = 0;
  wake_waiters(*call.state.system, *timer, call.now_ns);
  return kSuccess;
}

u64 open_directory(Call& call) {
  ObjectName name;
  if (const Status status = call.read_name(call.argument(2), name); status != kSuccess) return status;
  auto directory = std::make_shared<Directory>();
  directory->name = name.text;
  return call.give_handle(call.argument(0), directory);
}

// Returns `status`, unless the closed handle ends the calling process.
u64 close_in(Call& call, State& process, u64 handle, Status status) {
  ObjectPointer closed = process.handles.at(handle);
  if (!process.handles.close(handle)) return kInvalidHandle;
  if (close_job(*call.state.system, closed, call.state.process_id)) return call.end_process(0);
  const bool is_file = closed->kind == Object::Kind::file;
  const File::Type type = is_file ? static_cast<const File&>(*closed).type : File::Type::null;
  closed = nullptr;
  if (type == File::Type::pipe) go_on_with_pipes(*call.state.system, call.now_ns);
  if (type == File::Type::socket) go_on_with_sockets(*call.state.system, call.now_ns);
  return status;
}

u64 close_handle(Call& call) {
  return close_in(call, call.state, call.argument(0), kSuccess);
}

// arguments: source process, handle, target process, new handle, access, attributes, options
u64 duplicate(Call& call) {
  constexpr u32 kCloseSource = 1, kSameAttributes = 4, kInherit = 2;
  State* const from = call.process_of(call.argument(0));
  if (from == nullptr) return kInvalidHandle;
  const bool is_own = from == &call.state;
  const ObjectPointer object = is_own ? call.object_of(call.argument(1)) : from->handles.at(call.argument(1));
  if (object == nullptr) return kInvalidHandle;
  Status status = kSuccess;
  const u32 options = call.argument32(6);
  if (call.argument(3) != 0) {
    State* const to = call.process_of(call.argument(2));
    if (to == nullptr) return kInvalidHandle;
    const bool inherits = (options & kSameAttributes) != 0 ? from->handles.inherits(call.argument(1))
                                                           : (call.argument32(5) & kInherit) != 0;
    const u64 handle = to->handles.add(object, inherits);
    if (handle == 0) return kInsufficientResources;
    if (!call.put(call.argument(3), handle)) {
      to->handles.close(handle);
      status = kAccessViolation;
    }
  }
  const bool closes = (options & kCloseSource) != 0 && from->handles.at(call.argument(1)) != nullptr;
  return closes ? close_in(call, *from, call.argument(1), status) : status;
}

constexpr Service kWaits[] = {
    {"NtWaitForSingleObject", wait_for_one},
    {"NtWaitForMultipleObjects", wait_for_several},
    {"NtSignalAndWaitForSingleObject", signal_and_wait},
    {"NtDelayExecution", delay},
    {"NtYieldExecution", yield},
    {"NtWaitForAlertByThreadId", wait_for_alert},
    {"NtAlertThreadByThreadId", alert_by_id},
    {"NtCreateEvent", create_event},
    {"NtOpenEvent", open_named<Event>},
    {"NtSetEvent", set_event},
    {"NtResetEvent", reset_event},
    {"NtClearEvent", clear_event},
    {"NtCreateSemaphore", create_semaphore},
    {"NtOpenSemaphore", open_named<Semaphore>},
    {"NtReleaseSemaphore", release_semaphore},
    {"NtCreateMutant", create_mutant},
    {"NtOpenMutant", open_named<Mutant>},
    {"NtReleaseMutant", release_mutant},
    {"NtCreateTimer", create_timer},
    {"NtOpenTimer", open_named<Timer>},
    {"NtSetTimer", set_timer},
    {"NtCancelTimer", cancel_timer},
    {"NtOpenDirectoryObject", open_directory},
    {"NtClose", close_handle},
    {"NtDuplicateObject", duplicate},
};

}  // namespace

std::span<const Service> wait_services() {
  return kWaits;
}

}  // namespace wperf::sim::nt
