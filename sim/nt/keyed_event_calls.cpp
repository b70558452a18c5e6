// SPDX-License-Identifier: BSD-3-Clause
// Keyed events: a thread that releases a key meets a thread that waits for the key. Whichever comes first waits for the
// other. Only threads of the same process meet. The handle 0 is an event that needs no handle.
#include "sim/nt/services.h"

namespace wperf::sim::nt {
namespace {

u64 create_keyed_event(Call& call) {
  return create_named(call, std::make_shared<KeyedEvent>());
}

u64 open_keyed_event(Call& call) {
  return open_named(call, Object::Kind::keyed_event);
}

// Returns the thread that has waited longest for the other side of this meeting, or null.
Thread* find_peer(const Call& call, const Wait& own) {
  Thread* peer = nullptr;
  for (const auto& thread : call.state.threads) {
    const Wait& wait = thread->wait;
    if (wait.kind != Wait::Kind::meeting || wait.key != own.key || wait.releases == own.releases) continue;
    if (wait.objects != own.objects || wait.deadline_ns <= call.now_ns) continue;
    if (peer == nullptr || wait.turn < peer->wait.turn) peer = thread.get();
  }
  return peer;
}

// arguments: keyed event or 0, key, alertable, timeout
template <bool releases>
u64 meet(Call& call) {
  constexpr u64 kInvalidKey = 0xc00000ef;  // STATUS_INVALID_PARAMETER_1
  Wait wait;
  wait.kind = Wait::Kind::meeting;
  wait.key = call.argument(1);
  wait.releases = releases;
  wait.alertable = (call.argument32(2) & 0xff) != 0;
  if ((wait.key & 1) != 0) return kInvalidKey;
  if (call.argument(0) != 0) {
    wait.objects = {call.state.handles.at(call.argument(0))};
    if (wait.objects.front() == nullptr) return kInvalidHandle;
    if (wait.objects.front()->kind != Object::Kind::keyed_event) return kObjectTypeMismatch;
  }
  if (Thread* const peer = find_peer(call, wait)) {
    end_wait(*peer, kSuccess, call.now_ns);
    return kSuccess;
  }
  return begin_wait(call, std::move(wait), call.argument(3));
}

constexpr Service kKeyedEvents[] = {
    {"NtCreateKeyedEvent", create_keyed_event},
    {"NtOpenKeyedEvent", open_keyed_event},
    {"NtWaitForKeyedEvent", meet<false>},
    {"NtReleaseKeyedEvent", meet<true>},
};

}  // namespace

std::span<const Service> keyed_event_services() {
  return kKeyedEvents;
}

}  // namespace wperf::sim::nt
