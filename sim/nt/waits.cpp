// SPDX-License-Identifier: BSD-3-Clause
// Decides when waits end.
#include <algorithm>
#include <utility>

#include "sim/nt/state.h"

namespace wperf::sim::nt {
namespace {

void settle(Timer& timer, u64 now_ns) {
  if (timer.due_ns > now_ns) return;
  timer.signalled = true;
  if (timer.routine != 0 && timer.owed_ns == kNever) timer.owed_ns = timer.due_ns;
  timer.due_ns =
      timer.period_ns == 0 ? kNever : timer.due_ns + ((now_ns - timer.due_ns) / timer.period_ns + 1) * timer.period_ns;
}

// Returns whether the object would end a wait of the thread.
bool allows(Object& object, const Thread& thread, u64 now_ns) {
  switch (object.kind) {
    case Object::Kind::semaphore:
      return static_cast<Semaphore&>(object).count != 0;
    case Object::Kind::mutant: {
      const auto& mutant = static_cast<Mutant&>(object);
      return mutant.owner == 0 || mutant.owner == thread.id;
    }
    case Object::Kind::timer:
      settle(static_cast<Timer&>(object), now_ns);
      return object.signalled;
    case Object::Kind::port:
      return !static_cast<Port&>(object).packets.empty();
    default:
      return object.signalled;
  }
}

// Changes the object's state as at the end of a wait. Returns true for a mutant whose owner ended without releasing it.
bool take(Object& object, const Thread& thread) {
  switch (object.kind) {
    case Object::Kind::event:
      if (static_cast<Event&>(object).resets_itself) object.signalled = false;
      return false;
    case Object::Kind::timer:
      if (static_cast<Timer&>(object).resets_itself) object.signalled = false;
      return false;
    case Object::Kind::semaphore:
      --static_cast<Semaphore&>(object).count;
      return false;
    case Object::Kind::mutant: {
      auto& mutant = static_cast<Mutant&>(object);
      const bool abandoned = mutant.abandoned;
      mutant.owner = thread.id;
      ++mutant.depth;
      mutant.abandoned = false;
      return abandoned;
    }
    default:
      return false;
  }
}

Status take_one(Thread& thread, usize index) {
  const bool abandoned = take(*thread.wait.objects[index], thread);
  return static_cast<Status>(index) + (abandoned ? kWaitAbandoned : 0);
}

bool end_object_wait(Thread& thread, u64 now_ns) {
  const std::vector<ObjectPointer>& objects = thread.wait.objects;
  const auto is_allowed = [&](const ObjectPointer& object) { return allows(*object, thread, now_ns); };
  if (!thread.wait.all) {
    const auto found = std::find_if(objects.begin(), objects.end(), is_allowed);
    if (found == objects.end()) return false;
    end_wait(thread, take_one(thread, static_cast<usize>(found - objects.begin())), now_ns);
    return true;
  }
  if (!std::all_of(objects.begin(), objects.end(), is_allowed)) return false;
  bool abandoned = false;
  for (const ObjectPointer& object : objects) abandoned |= take(*object, thread);
  end_wait(thread, abandoned ? kWaitAbandoned : kSuccess, now_ns);
  return true;
}

bool end_packet_wait(State& state, Thread& thread, u64 now_ns) {
  Wait& wait = thread.wait;
  auto& packets = static_cast<Port&>(*wait.objects.front()).packets;
  if (packets.empty()) return false;
  bool written = true;
  if (wait.packets_at == 0) {
    const Port::Packet packet = packets.front();
    packets.pop_front();
    const u64 status[2] = {packet.status, packet.information};
    written = state.guest.write(wait.key_at, &packet.key, sizeof packet.key) &&
              state.guest.write(wait.value_at, &packet.value, sizeof packet.value) &&
              state.guest.write(wait.status_at, status, sizeof status);
  } else {
    u32 count = 0;
    for (; count < wait.most_packets && !packets.empty() && written; ++count) {
      const Port::Packet packet = packets.front();
      packets.pop_front();
      const u64 parts[4] = {packet.key, packet.value, packet.status, packet.information};
      written = state.guest.write(wait.packets_at + count * sizeof parts, parts, sizeof parts);
    }
    written = written && state.guest.write(wait.count_at, &count, sizeof count);
  }
  end_wait(thread, written ? kSuccess : kAccessViolation, now_ns);
  return true;
}

}  // namespace

void add_due_routines(State& state, Thread& thread, u64 now_ns) {
  std::vector<std::pair<u64, Apc>> due;  // by the time at which the timer was due
  std::erase_if(thread.timers, [&](const std::weak_ptr<Timer>& one) {
    const std::shared_ptr<Timer> timer = one.lock();
    if (timer == nullptr || timer->routine == 0 || timer->caller != thread.id) return true;
    settle(*timer, now_ns);
    const u64 for_ns = std::exchange(timer->owed_ns, kNever);
    if (for_ns == kNever) return false;
    const u64 time = kBootTime + for_ns / kNsPerTick;
    due.push_back({for_ns, {timer->routine, {timer->context, time & 0xffffffff, time >> 32}}});
    return timer->due_ns == kNever;
  });
  std::ranges::stable_sort(due, {}, &std::pair<u64, Apc>::first);
  for (const auto& [for_ns, apc] : due) (void)add_apc(state, thread, apc, now_ns);
}

bool has_apcs(State& state, Thread& thread, u64 now_ns) {
  add_due_routines(state, thread, now_ns);
  return !thread.apcs.empty();
}

void end_wait(Thread& thread, Status status, u64 now_ns) {
  thread.wait = {};
  thread.registers.x[0] = status;
  thread.ready_ns = now_ns;
}

bool try_to_end_wait(State& state, Thread& thread, u64 now_ns) {
  switch (thread.wait.kind) {
    case Wait::Kind::objects:
      return end_object_wait(thread, now_ns);
    case Wait::Kind::packets:
      return end_packet_wait(state, thread, now_ns);
    case Wait::Kind::alert:
      if (!thread.alerted) return false;
      thread.alerted = false;
      end_wait(thread, kAlerted, now_ns);
      return true;
    default:
      return false;
  }
}

void set_wake_time(Thread& thread) {
  Wait& wait = thread.wait;
  wait.wake_ns = wait.deadline_ns;
  for (const ObjectPointer& object : wait.objects) wait.wake_ns = std::min(wait.wake_ns, object->due_ns);
  if (!wait.alertable) return;
  for (const std::weak_ptr<Timer>& one : thread.timers)
    if (const auto timer = one.lock(); timer != nullptr && timer->routine != 0 && timer->caller == thread.id)
      wait.wake_ns = std::min(wait.wake_ns, timer->due_ns);
}

// Wakes the threads that have waited longest first.
void wake_waiters(System& system, const Object& object, u64 now_ns) {
  struct Waiting {
    State* process;
    Thread* thread;
  };
  std::vector<Waiting> waiting;
  for (State* const process : system.processes) {
    for (const auto& thread : process->threads) {
      const auto& objects = thread->wait.objects;
      if (thread->wait.kind == Wait::Kind::none || thread->wait.deadline_ns <= now_ns) continue;
      if (std::any_of(objects.begin(), objects.end(), [&](const ObjectPointer& one) { return one.get() == &object; }))
        waiting.push_back({process, thread.get()});
    }
  }
  std::sort(waiting.begin(), waiting.end(),
            [](const Waiting& left, const Waiting& right) { return left.thread->wait.turn < right.thread->wait.turn; });
  for (const auto& [process, thread] : waiting)
    if (!try_to_end_wait(*process, *thread, now_ns)) set_wake_time(*thread);
}

void end_thread(State& state, Thread& thread, u32 exit_code, u64 now_ns) {
  if (thread.ended) return;
  thread.ended = true;
  thread.exit_code = exit_code;
  thread.wait = {};
  thread.apcs.clear();
  thread.timers.clear();
  thread.object->signalled = true;
  wake_waiters(*state.system, *thread.object, now_ns);
  state.handles.for_each([&](Object& object) {
    if (object.kind != Object::Kind::mutant || static_cast<Mutant&>(object).owner != thread.id) return;
    auto& mutant = static_cast<Mutant&>(object);
    mutant.owner = 0;
    mutant.depth = 0;
    mutant.abandoned = true;
    wake_waiters(*state.system, object, now_ns);
  });
  if (std::exchange(thread.ignores_interrupts_after, false)) (void)ignore_interrupts(state, true);
  release_stack(state, thread);
}

}  // namespace wperf::sim::nt
