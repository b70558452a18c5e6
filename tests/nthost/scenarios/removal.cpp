// SPDX-License-Identifier: BSD-3-Clause
// The driver is removed while it works: stopped, surprise-removed or put to sleep, with interrupts and timers active.
// If it leaves behind an interrupt handler in unloaded code, a timer, memory or counters, the run ends or the scenario
// fails.
#include "tests/nthost/check.h"
#include "tests/nthost/machine/bare_machine.h"
#include "tests/nthost/machine/machine_threads.h"
#include "tests/nthost/scenarios/client.h"
#include "tests/nthost/scenarios/measured_program.h"

namespace wperf::nthost {
namespace {

constexpr u16 kCycles = 0x11;
constexpr u32 kTool = 100, kMeasured = 2000;
constexpr u64 kBase = 0x1'4000'0000;
constexpr u8 kStart = 0x00, kStop = 0x04, kQueryStop = 0x05;  // minor functions of PnP requests
constexpr u32 kWorking = 1, kSleeping = 4;                    // SYSTEM_POWER_STATE

enum class Measuring { nothing, counting, rotating, sampling, sampling_stacks };
constexpr Measuring kAll[] = {Measuring::nothing, Measuring::counting, Measuring::rotating, Measuring::sampling,
                              Measuring::sampling_stacks};

void begin(Client& client, Measuring what) {
  u16 events[20];
  for (u16& event : events) {
    event = kCycles;
  }
  CHECK_EQUAL(client.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
  if (what == Measuring::sampling || what == Measuring::sampling_stacks) {
    WperfSampleRequest request = sample_request(6, kCycles, 4'000);
    request.max_stack = what == Measuring::sampling_stacks ? u32{WPERF_MAX_STACK} : 0;
    CHECK_EQUAL(client.send(WPERF_CODE_SAMPLE_CONFIGURE, request), WPERF_OK);
    CHECK_EQUAL(client.plain(WPERF_CODE_SAMPLE_START), WPERF_OK);
  } else if (what != Measuring::nothing) {
    const u32 count = what == Measuring::rotating ? 20 : 2;
    CHECK_EQUAL(client.send(WPERF_CODE_COUNT_CONFIGURE, count_request(6, events, count)), WPERF_OK);
    CHECK_EQUAL(client.plain(WPERF_CODE_COUNT_START), WPERF_OK);
  }
}

// Two cores run a program and a client measures them, while `how` removes the driver.
void remove_while(Start start, void (*how)(Client& client)) {
  MeasuredProgram program(kMeasured, kStranger, kBase);
  Workload* first = program.start_deep_work(1, 30);
  Workload* second = program.start_deep_work(2, 30);
  for (const Measuring what : kAll) {
    if (!CHECK_EQUAL(load(start), 0)) break;
    Program tool(kTool, kAdministrator);
    Client client(tool.process());
    begin(client, what);
    sleep_ms(12);
    how(client);
    client.close_handle();
    if (is_loaded()) {
      CHECK_EQUAL(unload(), 0);
    }
    CHECK_EQUAL(counters_held_by_driver(), 0);
    sleep_ms(3);  // leftover timers and interrupts would cause a fault now
  }
  stop(first);
  stop(second);
}

}  // namespace

SCENARIO(service_stops_while_measuring, kNeedsNothing) {
  remove_while(Start::service, [](Client& client) {
    static_cast<void>(unload());  // the file is open: DriverUnload comes when it closes
    client.close_handle();
  });
}

SCENARIO(handle_closes_while_measuring, kNeedsNothing) {
  remove_while(Start::service, [](Client& client) { client.close_handle(); });
}

SCENARIO(device_vanishes_while_measuring, kNeedsNothing) {
  remove_while(Start::pnp, [](Client& client) {
    CHECK_EQUAL(surprise_remove(), 0);
    CHECK_EQUAL(counters_held_by_driver(), 0);
    WperfVersionReply version = {};
    CHECK(client.version(version) != WPERF_OK);  // the device is gone
  });
}

SCENARIO(machine_sleeps_while_measuring, kNeedsNothing) {
  remove_while(Start::pnp, [](Client& client) {
    CHECK_EQUAL(query_system_power(kSleeping), 0);
    // Counters stay reserved, so that the client can read them and continue.
    CHECK_EQUAL(set_system_power(kSleeping), 0);
    CHECK_EQUAL(set_system_power(kWorking), 0);
    CHECK(client.plain(WPERF_CODE_SAMPLE_STOP) != WPERF_OK);
    CHECK(client.plain(WPERF_CODE_COUNT_STOP) != WPERF_OK);
    // The client can start again.
    CHECK_EQUAL(client.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
    const u16 events[] = {kCycles};
    CHECK_EQUAL(client.send(WPERF_CODE_COUNT_CONFIGURE, count_request(6, events, 1)), WPERF_OK);
    CHECK_EQUAL(client.plain(WPERF_CODE_COUNT_START), WPERF_OK);
    CHECK_EQUAL(client.plain(WPERF_CODE_COUNT_STOP), WPERF_OK);
  });
}

// A plain service has no device stack, so it gets no power requests.
SCENARIO(machine_sleeps_while_a_service_measures, kNeedsNothing) {
  remove_while(Start::service, [](Client& client) {
    announce_waking();  // of an earlier sleep
    sleep_ms(1);
    announce_sleep();
    sleep_ms(50);  // a thread of the driver does the work
    announce_waking();
    CHECK(client.plain(WPERF_CODE_SAMPLE_STOP) != WPERF_OK);
    CHECK(client.plain(WPERF_CODE_COUNT_STOP) != WPERF_OK);
    CHECK_EQUAL(client.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
    const u16 events[] = {kCycles};
    CHECK_EQUAL(client.send(WPERF_CODE_COUNT_CONFIGURE, count_request(6, events, 1)), WPERF_OK);
    CHECK_EQUAL(client.plain(WPERF_CODE_COUNT_START), WPERF_OK);
    CHECK_EQUAL(client.plain(WPERF_CODE_COUNT_STOP), WPERF_OK);
  });
}

// Windows stops devices, for example, to reassign their resources. A stopped device keeps its interface.
SCENARIO(device_stops_and_starts_again, kNeedsNothing) {
  if (!CHECK_EQUAL(load(Start::pnp), 0)) return;
  {
    Program tool(kTool, kAdministrator);
    Client client(tool.process());
    begin(client, Measuring::sampling);
    CHECK_EQUAL(pnp_request(kQueryStop), 0);
    CHECK_EQUAL(pnp_request(kStop), 0);
    CHECK(interface_enabled());
    CHECK(client.plain(WPERF_CODE_SAMPLE_STOP) != WPERF_OK);
    CHECK(open(tool.process()).file == nullptr);
    CHECK_EQUAL(pnp_request(kStart), 0);
    CHECK(interface_enabled());
    CHECK_EQUAL(client.plain(WPERF_CODE_SAMPLE_START), WPERF_OK);
    Client another(tool.process());
    WperfVersionReply version = {};
    CHECK_EQUAL(another.version(version), WPERF_OK);
    CHECK_EQUAL(surprise_remove(), 0);
    CHECK(!interface_enabled());
  }
  if (is_loaded()) {
    CHECK_EQUAL(unload(), 0);
  }
}

SCENARIO(device_with_open_handles_is_not_removed, kNeedsNothing) {
  if (!CHECK_EQUAL(load(Start::pnp), 0)) return;
  {
    Program tool(kTool, kAdministrator);
    Client client(tool.process());
    CHECK(unload() != 0);
    WperfVersionReply version = {};
    CHECK_EQUAL(client.version(version), WPERF_OK);
    CHECK(interface_enabled());
  }
  CHECK_EQUAL(unload(), 0);
}

SCENARIO(driver_starts_and_stops_often, kNeedsNothing) {
  for (u32 times = 0; times < 20; ++times) {
    if (!CHECK_EQUAL(load(times % 2 == 0 ? Start::service : Start::pnp), 0)) return;
    CHECK_EQUAL(unload(), 0);
  }
}

}  // namespace wperf::nthost
