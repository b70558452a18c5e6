// SPDX-License-Identifier: BSD-3-Clause
// Cases that QEMU's PMU does not cover, on the PMU that EL2 emulates: cores that differ, many multiplexed events with
// known counts, overflow of any event, SPE's identification.
#include "tests/nthost/check.h"
#include "tests/nthost/machine/bare_machine.h"
#include "tests/nthost/machine/machine_threads.h"
#include "tests/nthost/scenarios/client.h"
#include "tests/nthost/scenarios/measured_program.h"
#include "tests/nthost/trapped/event_rates.h"
#include "tests/nthost/trapped/trapped.h"

namespace wperf::nthost {
namespace {

constexpr u32 kEvents = 29;
constexpr u64 kBase = 0x7ff6'1234'0000;
constexpr u64 kIterations = 2'500'000;

WperfHardwareReply hardware_reply;
WperfCountReply count_reply;
WperfDrainReply drain_reply;

struct Tool {
  Program program{100, kAdministrator};
  Client client{program.process()};
  Tool() { CHECK_EQUAL(client.lock(WPERF_LOCK_ACQUIRE), WPERF_OK); }
};

const TrappedCore& identity_of(u32 core) {
  return kTrappedCores[core % (sizeof kTrappedCores / sizeof kTrappedCores[0])];
}

u32 least_counters() {
  u32 least = 31;
  for (u32 core = 0; core < cpu_count(); ++core) {
    least = identity_of(core).counters < least ? identity_of(core).counters : least;
  }
  return least;
}

// The expected count follows from the number of cycles for which the event was on a counter, except for the time
// between two reads.
u64 expected_count(u16 event, const WperfCounterReading& entry) {
  return events_in(event, entry.running_cycles / rate_of(kCpuCycles).numerator);
}
constexpr u64 kBetweenReads = 1'000;  // per slot

bool was_disturbed(const WperfCountReply& reply, const u16 (&events)[kEvents]) {
  for (u32 i = 0; i < kEvents; ++i) {
    const u64 expected = expected_count(events[i], reply.entries[i]);
    const u64 between = kBetweenReads * reply.entries[i].slots;
    if (reply.entries[i].value + between < expected || reply.entries[i].value > expected + between) return true;
  }
  return false;
}

}  // namespace

SCENARIO(each_core_says_what_it_is, kNeedsTrapped) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    Tool tool;
    for (u32 core = 0; core < cpu_count(); ++core) {
      WperfCoreReply reply = {};
      CHECK_EQUAL(tool.client.core(core, reply), WPERF_OK);
      CHECK_EQUAL(reply.midr, identity_of(core).midr);
      CHECK_EQUAL(reply.counters_total, identity_of(core).counters);
      CHECK_EQUAL((reply.id_aa64dfr0 >> 8) & 0xf, kTrappedPmuVersion);
      CHECK_EQUAL(reply.pmceid0, kTrappedCommonEvents & 0xffff'ffff);
      CHECK_EQUAL(reply.pmceid1, kTrappedCommonEvents >> 32);
    }
    CHECK_EQUAL(tool.client.hardware(hardware_reply), WPERF_OK);
    CHECK_EQUAL(hardware_reply.midr, identity_of(0).midr);
    CHECK_EQUAL(hardware_reply.counters_total, least_counters());
    CHECK_EQUAL((hardware_reply.id_aa64dfr0 >> 32) & 0xf, 1);
  }
  CHECK_EQUAL(unload(), 0);
}

// A hypervisor reports PMUVer, but makes accesses to the registers undefined instructions, on one core or on all.
// Counting and sampling are then impossible, the driver does not request the interrupt from Windows, and the SPE is not
// affected.
SCENARIO(counter_registers_that_are_undefined_do_no_harm, kNeedsTrapped) {
  if (!CHECK_EQUAL(load(), 0)) return;
  const u64 masks[] = {0b1111, 0b0100};
  for (const u64 mask : masks) {
    make_pmu_undefined(mask);
    {
      Tool tool;
      CHECK_EQUAL(tool.client.hardware(hardware_reply), WPERF_OK);
      CHECK_EQUAL((hardware_reply.id_aa64dfr0 >> 8) & 0xf, kTrappedPmuVersion);
      CHECK_EQUAL(hardware_reply.counters_total, 0);
      CHECK_EQUAL(hardware_reply.counters_free, 0);
      CHECK_EQUAL(hardware_reply.cycle_counters, 0);
      for (u32 core = 0; core < cpu_count(); ++core) {
        WperfCoreReply reply = {};
        CHECK_EQUAL(tool.client.core(core, reply), WPERF_OK);
        const bool answers = ((mask >> core) & 1) == 0;
        CHECK_EQUAL(reply.counters_total, answers ? identity_of(core).counters : 0);
        CHECK_EQUAL(reply.pmceid0 != 0, answers);
      }
      const u16 event = kCpuCycles;
      CHECK_EQUAL(tool.client.send(WPERF_CODE_COUNT_CONFIGURE, count_request(0b1111, &event, 1)), WPERF_NOT_SUPPORTED);
      CHECK_EQUAL(tool.client.send(WPERF_CODE_COUNT_CONFIGURE, count_request(0b0001, &event, 0)), WPERF_NOT_SUPPORTED);
      CHECK_EQUAL(tool.client.send(WPERF_CODE_SAMPLE_CONFIGURE, sample_request(0b1111, event, 100'000)),
                  WPERF_NOT_SUPPORTED);
      CHECK_EQUAL(tool.client.plain(WPERF_CODE_SAMPLE_START), WPERF_WRONG_STATE);
      WperfInterruptReply interrupt = {};
      CHECK_EQUAL(tool.client.ask(WPERF_CODE_INTERRUPT, WperfPlainRequest{}, interrupt), WPERF_OK);
      CHECK_EQUAL(interrupt.state, WPERF_INTERRUPT_NOT_ASKED);
      WperfSpeCoreReply able = {};
      CHECK_EQUAL(tool.client.ask(WPERF_CODE_SPE_CORE, WperfCoreRequest{}, able), WPERF_OK);
      CHECK_EQUAL(able.pmsidr, kTrappedPmsidr);
    }
  }
  make_pmu_undefined(0);
  {
    Tool tool;
    CHECK_EQUAL(tool.client.hardware(hardware_reply), WPERF_OK);
    CHECK_EQUAL(hardware_reply.counters_total, least_counters());
    CHECK_EQUAL(hardware_reply.cycle_counters, 1);
  }
  CHECK_EQUAL(unload(), 0);
}

SCENARIO(every_event_has_its_count, kNeedsTrapped) {
  set_heartbeat(0);
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    Tool tool;
    MeasuredProgram program(2000, kStranger, kBase);
    const u32 at_once = least_counters();
    u16 events[31];
    for (u16 first = 1; first < 0x100; first = static_cast<u16>(first + at_once)) {
      for (u32 i = 0; i < at_once; ++i) {
        events[i] = static_cast<u16>(first + i);
      }
      const u32 core = first % cpu_count();
      CHECK_EQUAL(tool.client.send(WPERF_CODE_COUNT_CONFIGURE, count_request(u64{1} << core, events, at_once)),
                  WPERF_OK);
      CHECK_EQUAL(tool.client.plain(WPERF_CODE_COUNT_START), WPERF_OK);
      program.run_known_work(core, 1'000);
      CHECK_EQUAL(tool.client.plain(WPERF_CODE_COUNT_STOP), WPERF_OK);
      CHECK_EQUAL(tool.client.read(core, count_reply), WPERF_OK);
      for (u32 i = 0; i < at_once; ++i) {
        // The expected count is a fixed share of the instructions. The fraction at the start of the run is not known,
        // so one more count is allowed.
        const u64 expected = events_in(events[i], user_instructions(1'000));
        CHECK_WITHIN(count_reply.entries[i].value, expected, expected + 1);
      }
    }
  }
  CHECK_EQUAL(unload(), 0);
}

SCENARIO(many_events_take_turns, kNeedsTrapped) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    Tool tool;
    MeasuredProgram program(2000, kStranger, kBase);
    u16 events[kEvents];
    for (u32 i = 0; i < kEvents; ++i) {
      events[i] = static_cast<u16>(i + 1);
    }
    WperfCountRequest request = count_request(6, events, kEvents);
    // Windows' cycle counter counts the kernel too, and is compared with these counts.
    request.flags = WPERF_COUNT_KERNEL;
    Workload* first = program.start_endless_work(1, 200);
    Workload* second = program.start_endless_work(2, 200);
    // On a busy host an interrupt may come between two reads and change the numbers. Such a case is measured again. A
    // real error appears every time.
    constexpr u32 kTries = 6;
    bool disturbed = true;
    for (u32 attempt = 0; attempt < kTries && disturbed; ++attempt) {
      CHECK_EQUAL(tool.client.send(WPERF_CODE_COUNT_CONFIGURE, request), WPERF_OK);
      CHECK_EQUAL(tool.client.plain(WPERF_CODE_COUNT_START), WPERF_OK);
      sleep_ms(300);
      CHECK_EQUAL(tool.client.plain(WPERF_CODE_COUNT_STOP), WPERF_OK);
      disturbed = false;
      for (u32 core = 1; core <= 2; ++core) {
        CHECK_EQUAL(tool.client.read(core, count_reply), WPERF_OK);
        disturbed = disturbed || was_disturbed(count_reply, events) || count_reply.rounds < 28;
      }
    }
    stop(first);
    stop(second);
    const u32 counters = least_counters();
    for (u32 core = 1; core <= 2; ++core) {
      CHECK_EQUAL(tool.client.read(core, count_reply), WPERF_OK);
      CHECK_EQUAL(count_reply.multiplexed, 1);
      CHECK_WITHIN(count_reply.rounds, 28, 31);
      u64 slots = 0;
      for (u32 i = 0; i < kEvents; ++i) {
        const WperfCounterReading& entry = count_reply.entries[i];
        slots += entry.slots;
        const u64 turns = count_reply.rounds * counters / kEvents;
        CHECK_WITHIN(entry.slots, turns, turns + 1);
        CHECK(entry.full_slots <= entry.slots && entry.full_value <= entry.value);
        const u64 expected = expected_count(events[i], entry);
        const u64 between = kBetweenReads * entry.slots;
        CHECK_WITHIN(entry.value + between, expected, expected + 2 * between);
        CHECK(entry.value != 0);
      }
      CHECK_EQUAL(slots, count_reply.rounds * counters);
    }
  }
  CHECK_EQUAL(unload(), 0);
}

SCENARIO(any_event_is_sampled, kNeedsTrapped) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    Tool tool;
    MeasuredProgram program(2000, kStranger, kBase);
    const u16 sampled[] = {0x11, 0x08, 0x04, 0x70, 0x1b};
    set_heartbeat(5'000, 2);
    for (const u16 event : sampled) {
      const u32 interval = 50'000;  // register accesses are slow here, so the driver would hold back shorter intervals
      CHECK_EQUAL(tool.client.send(WPERF_CODE_SAMPLE_CONFIGURE, sample_request(2, event, interval)), WPERF_OK);
      CHECK_EQUAL(tool.client.plain(WPERF_CODE_SAMPLE_START), WPERF_OK);
      const u32 thread = program.run_known_work(1, kIterations);
      CHECK_EQUAL(tool.client.plain(WPERF_CODE_SAMPLE_STOP), WPERF_OK);
      CHECK_EQUAL(tool.client.drain(1, drain_reply), WPERF_OK);
      const u64 expected = events_in(event, user_instructions(kIterations)) / interval;
      // The emulated interrupt comes with the next heartbeat. Counts beyond an interval belong to the next one.
      CHECK_WITHIN(drain_reply.taken + drain_reply.merged, expected - 1, expected);
      CHECK_EQUAL(drain_reply.held_back, 0);
      // The last overflow may be noticed just after the program's end. Its sample then lies in the kernel.
      CHECK_WITHIN(drain_reply.lost_filtered, 0, 1);
      CHECK_EQUAL(drain_reply.count, drain_reply.taken - drain_reply.lost_filtered);
      for (u32 i = 0; i < drain_reply.count; ++i) {
        const WperfSample& sample = drain_reply.samples[i];
        if (i + 1 == drain_reply.count && !program.in_known_loop(sample.pc)) {  // noticed just after the loop
          CHECK(program.in_known_work(sample.pc));
        } else {
          if (!CHECK(program.in_known_loop(sample.pc))) break;
          CHECK_EQUAL(sample.lr, program.known_loop_caller_address());
        }
        CHECK_EQUAL(sample.process, program.id());
        CHECK_EQUAL(sample.thread, thread);
        CHECK_EQUAL(sample.core, 1);
      }
    }
  }
  CHECK_EQUAL(unload(), 0);
}

SCENARIO(several_events_are_sampled_together, kNeedsTrapped) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    Tool tool;
    MeasuredProgram program(2000, kStranger, kBase);
    WperfSampleRequest request = sample_request(4, 0x11, 200'000);
    request.event_count = 3;
    request.events[1] = {0x08, 0, 100'000};
    request.events[2] = {0x04, 0, 70'000};
    set_heartbeat(5'000, 4);
    CHECK_EQUAL(tool.client.send(WPERF_CODE_SAMPLE_CONFIGURE, request), WPERF_OK);
    CHECK_EQUAL(tool.client.plain(WPERF_CODE_SAMPLE_START), WPERF_OK);
    program.run_known_work(2, kIterations);
    CHECK_EQUAL(tool.client.plain(WPERF_CODE_SAMPLE_STOP), WPERF_OK);
    CHECK_EQUAL(tool.client.drain(2, drain_reply), WPERF_OK);
    u64 overflows[3] = {};
    for (u32 i = 0; i < drain_reply.count; ++i) {
      for (u32 event = 0; event < 3; ++event) {
        overflows[event] += (drain_reply.samples[i].overflowed >> event) & 1;
      }
    }
    CHECK_EQUAL(drain_reply.merged, 0);
    CHECK_EQUAL(drain_reply.held_back, 0);
    for (u32 event = 0; event < 3; ++event) {
      const u64 counted = events_in(request.events[event].event, user_instructions(kIterations));
      const u64 expected = counted / request.events[event].interval;
      CHECK_WITHIN(overflows[event], expected - 1, expected);
    }
  }
  CHECK_EQUAL(unload(), 0);
}

}  // namespace wperf::nthost
