// SPDX-License-Identifier: BSD-3-Clause
// The driver's ETW events.
#include "driver/nt/etw_events.h"
#include "tests/nthost/check.h"
#include "tests/nthost/machine/bare_machine.h"
#include "tests/nthost/scenarios/client.h"

namespace wperf::nthost {
namespace {

constexpr u32 kTool = 100;

WperfCountReply count_reply;

void measure(Client& client) {
  const u16 events[] = {0x11, 0x08};
  CHECK_EQUAL(client.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
  CHECK_EQUAL(client.send(WPERF_CODE_COUNT_CONFIGURE, count_request(2, events, 2)), WPERF_OK);
  CHECK_EQUAL(client.plain(WPERF_CODE_COUNT_START), WPERF_OK);
  CHECK_EQUAL(client.plain(WPERF_CODE_COUNT_STOP), WPERF_OK);
  CHECK_EQUAL(client.read(1, count_reply), WPERF_OK);
  CHECK_EQUAL(client.send(WPERF_CODE_SAMPLE_CONFIGURE, sample_request(2, 0x11, 100'000)), WPERF_OK);
  CHECK_EQUAL(client.plain(WPERF_CODE_SAMPLE_START), WPERF_OK);
  CHECK_EQUAL(client.plain(WPERF_CODE_SAMPLE_STOP), WPERF_OK);
  CHECK_EQUAL(client.lock(WPERF_LOCK_RELEASE), WPERF_OK);
}

u32 events_with(u16 id) {
  u32 found = 0;
  for (u32 i = 0; i < etw_event_count(); ++i) {
    found += etw_event(i).id == id ? 1 : 0;
  }
  return found;
}

void check_reading(const EtwEvent& event, u32 index, u32 number, u64 value) {
  driver::EtwReading reading = {};
  if (!CHECK_EQUAL(event.data_size, sizeof reading)) return;
  __builtin_memcpy(&reading, event.data, sizeof reading);
  CHECK_EQUAL(event.keyword & driver::kEtwReadingKeyword, driver::kEtwReadingKeyword);
  CHECK_EQUAL(reading.event_class, WPERF_CLASS_CORE);
  CHECK_EQUAL(reading.unit, 1);
  CHECK_EQUAL(reading.index, index);
  CHECK_EQUAL(reading.event, number);
  CHECK_EQUAL(reading.value, value);
  CHECK_EQUAL(reading.enabled_ns, count_reply.enabled_ns);
}

void check_readings() {
  u32 readings = 0;
  for (u32 i = 0; i < etw_event_count(); ++i) {
    const EtwEvent& event = etw_event(i);
    CHECK_EQUAL(event.level, driver::kEtwLevel);
    if (event.id != driver::kEtwCounterRead) {
      continue;
    }
    switch (readings++) {
      case 0:
        check_reading(event, 0, 0x11, count_reply.entries[0].value);
        break;
      case 1:
        check_reading(event, 1, 0x08, count_reply.entries[1].value);
        break;
      default:
        check_reading(event, driver::kEtwCycleIndex, 0x11, count_reply.cycles);
        break;
    }
  }
  CHECK_EQUAL(readings, 3);
}

void check_activities() {
  for (u32 i = 0; i < etw_event_count(); ++i) {
    const EtwEvent& event = etw_event(i);
    driver::EtwClient client = {};
    if (event.id == driver::kEtwCounterRead || !CHECK_EQUAL(event.data_size, sizeof client)) {
      continue;
    }
    __builtin_memcpy(&client, event.data, sizeof client);
    CHECK_EQUAL(event.keyword & driver::kEtwActivityKeyword, driver::kEtwActivityKeyword);
    CHECK_EQUAL(client.process, kTool);
    CHECK(client.client != 0);
  }
  for (u16 id = driver::kEtwLockTaken; id <= driver::kEtwSamplingStopped; ++id) {
    CHECK_EQUAL(events_with(id), 1);
  }
}

}  // namespace

SCENARIO(readings_are_traced, kNeedsNothing) {
  if (!CHECK_EQUAL(load(), 0)) return;
  enable_etw(true);
  clear_etw_events();
  {
    Program program(kTool, kAdministrator);
    Client client(program.process());
    measure(client);
    check_readings();
    check_activities();
  }
  enable_etw(false);
  CHECK_EQUAL(unload(), 0);
}

SCENARIO(nothing_is_traced_when_nobody_listens, kNeedsNothing) {
  if (!CHECK_EQUAL(load(), 0)) return;
  enable_etw(false);
  clear_etw_events();
  {
    Program program(kTool, kAdministrator);
    Client client(program.process());
    measure(client);
  }
  CHECK_EQUAL(etw_event_count(), 0);
  CHECK_EQUAL(unload(), 0);
}

}  // namespace wperf::nthost
