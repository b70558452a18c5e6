// SPDX-License-Identifier: BSD-3-Clause
// The lock: which client holds the driver, and how it is released.
#include "tests/nthost/check.h"
#include "tests/nthost/kernel/scheduler.h"
#include "tests/nthost/machine/bare_machine.h"
#include "tests/nthost/machine/machine_threads.h"
#include "tests/nthost/scenarios/client.h"

namespace wperf::nthost {
namespace {

constexpr u32 kFirst = 100, kSecond = 200;

WperfVersionReply version_reply;
WperfHardwareReply hardware_reply;

struct TwoClients {
  Program first_program{kFirst, kAdministrator};
  Program second_program{kSecond, kAdministrator};
  Client first{first_program.process()};
  Client second{second_program.process()};
};

void check_text(const char* text, u32 size) {
  u32 length = 0;
  while (length < size && text[length] != 0) {
    ++length;
  }
  CHECK(length < size);
  for (; length < size; ++length) {
    CHECK_EQUAL(text[length], 0);
  }
}

}  // namespace

SCENARIO(version_needs_no_lock, kNeedsNothing) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    TwoClients clients;
    CHECK_EQUAL(clients.first.version(version_reply), WPERF_OK);
    CHECK_EQUAL(version_reply.wire_version, WPERF_WIRE_VERSION);
    check_text(version_reply.git, sizeof version_reply.git);
    check_text(version_reply.features, sizeof version_reply.features);
    CHECK_EQUAL(clients.first.hardware(hardware_reply), WPERF_LOCK_NEEDED);
    CHECK_EQUAL(clients.second.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
    CHECK_EQUAL(clients.first.version(version_reply), WPERF_OK);
  }
  CHECK_EQUAL(unload(), 0);
}

SCENARIO(lock_excludes_the_others, kNeedsNothing) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    TwoClients clients;
    Client& a = clients.first;
    Client& b = clients.second;
    CHECK_EQUAL(a.lock(0), WPERF_BAD_ARGUMENT);
    CHECK_EQUAL(a.lock(WPERF_LOCK_RELEASE), WPERF_LOCK_NEEDED);
    CHECK_EQUAL(a.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
    CHECK_EQUAL(a.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
    CHECK_EQUAL(b.lock(WPERF_LOCK_ACQUIRE), WPERF_LOCK_BUSY);
    CHECK_EQUAL(b.lock(WPERF_LOCK_RELEASE), WPERF_LOCK_NEEDED);
    CHECK_EQUAL(b.hardware(hardware_reply), WPERF_LOCK_NEEDED);
    CHECK_EQUAL(a.hardware(hardware_reply), WPERF_OK);
    CHECK_EQUAL(a.lock(WPERF_LOCK_RELEASE), WPERF_OK);
    CHECK_EQUAL(a.hardware(hardware_reply), WPERF_LOCK_NEEDED);
    CHECK_EQUAL(b.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
    CHECK_EQUAL(b.hardware(hardware_reply), WPERF_OK);
  }
  CHECK_EQUAL(unload(), 0);
}

SCENARIO(lock_taken_by_force_is_lost, kNeedsNothing) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    TwoClients clients;
    Client& a = clients.first;
    Client& b = clients.second;
    const u16 event = 0x11;
    CHECK_EQUAL(a.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
    CHECK_EQUAL(a.send(WPERF_CODE_COUNT_CONFIGURE, count_request(3, &event, 1)), WPERF_OK);
    CHECK_EQUAL(a.plain(WPERF_CODE_COUNT_START), WPERF_OK);
    CHECK(counters_held_by_driver() != 0);
    CHECK_EQUAL(b.lock(WPERF_LOCK_FORCE), WPERF_OK);
    CHECK_EQUAL(counters_held_by_driver(), 0);
    CHECK_EQUAL(a.plain(WPERF_CODE_COUNT_STOP), WPERF_LOCK_LOST);
    CHECK_EQUAL(a.hardware(hardware_reply), WPERF_LOCK_LOST);
    CHECK_EQUAL(a.lock(WPERF_LOCK_RELEASE), WPERF_LOCK_LOST);
    CHECK_EQUAL(a.lock(WPERF_LOCK_ACQUIRE), WPERF_LOCK_BUSY);
    CHECK_EQUAL(b.lock(WPERF_LOCK_RELEASE), WPERF_OK);
    CHECK_EQUAL(a.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
    CHECK_EQUAL(a.plain(WPERF_CODE_COUNT_START), WPERF_WRONG_STATE);
  }
  CHECK_EQUAL(unload(), 0);
}

namespace {

// The client that holds the driver is counting when `leave` closes its handle. The next client must be served.
void holder_leaves(void (*leave)(Client& client)) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    TwoClients clients;
    const u16 event = 0x11;
    CHECK_EQUAL(clients.first.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
    CHECK_EQUAL(clients.first.send(WPERF_CODE_COUNT_CONFIGURE, count_request(3, &event, 1)), WPERF_OK);
    CHECK_EQUAL(clients.first.plain(WPERF_CODE_COUNT_START), WPERF_OK);
    CHECK_EQUAL(clients.second.lock(WPERF_LOCK_ACQUIRE), WPERF_LOCK_BUSY);
    leave(clients.first);
    CHECK_EQUAL(counters_held_by_driver(), 0);
    CHECK_EQUAL(clients.second.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
    CHECK_EQUAL(clients.second.hardware(hardware_reply), WPERF_OK);
    if (clients.first.is_open()) {
      clients.first.close_without_cleanup();  // releases the last reference to the old file, which must not affect the
                                              // new holder
    }
    CHECK_EQUAL(clients.second.lock(WPERF_LOCK_RELEASE), WPERF_OK);
  }
  CHECK_EQUAL(unload(), 0);
}

}  // namespace

namespace {

struct LowPriority {
  Client& client;
  bool ends = false;
};

// This thread spends most of its time waiting for core 2 within a request.
void ask_again_and_again(void* context) {
  auto& low = *static_cast<LowPriority*>(context);
  WperfCoreReply reply = {};
  while (!__atomic_load_n(&low.ends, __ATOMIC_ACQUIRE)) {
    CHECK_EQUAL(low.client.core(2, reply), WPERF_OK);
  }
}

constexpr u64 kBusyNs = 40'000'000;

}  // namespace

// A request waits for an earlier request. The earlier request's thread does not get its core, because a thread with
// higher priority runs there all the time.
SCENARIO(holder_of_low_priority_lets_others_through, kNeedsIcount) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    TwoClients clients;
    CHECK_EQUAL(clients.first.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
    LowPriority low{clients.first};
    Thread* asking = start_thread(1, ask_again_and_again, &low);
    set_priority(*asking, kWorkloadPriority);
    for (u32 round = 0; round < 10; ++round) {
      sleep_ms(1);
      Thread* busy = start_thread(1, [](void*) { spin_ns(kBusyNs); }, nullptr);
      sleep_ms(1);
      const u64 before = time_ns();
      CHECK_EQUAL(clients.second.version(version_reply), WPERF_OK);
      CHECK(time_ns() - before < kBusyNs / 2);
      join(busy);
    }
    __atomic_store_n(&low.ends, true, __ATOMIC_RELEASE);
    join(asking);
  }
  CHECK_EQUAL(unload(), 0);
}

SCENARIO(lock_is_released_by_cleanup, kNeedsNothing) {
  holder_leaves([](Client& client) { client.cleanup_only(); });
}

SCENARIO(lock_is_released_by_close_alone, kNeedsNothing) {
  holder_leaves([](Client& client) { client.close_without_cleanup(); });
}

SCENARIO(lock_is_released_by_cleanup_and_close, kNeedsNothing) {
  holder_leaves([](Client& client) { client.close_handle(); });
}

}  // namespace wperf::nthost
