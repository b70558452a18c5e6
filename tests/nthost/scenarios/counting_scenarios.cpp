// SPDX-License-Identifier: BSD-3-Clause
// Counting with QEMU's own PMU. The number of executed instructions of a program is known, so the counts are known,
// too.
#include "tests/nthost/check.h"
#include "tests/nthost/kernel/ke_timer.h"
#include "tests/nthost/machine/bare_machine.h"
#include "tests/nthost/machine/machine_threads.h"
#include "tests/nthost/scenarios/client.h"
#include "tests/nthost/scenarios/measured_program.h"

namespace wperf::nthost {
namespace {

constexpr u16 kInstructions = 0x08, kCycles = 0x11, kStall = 0x23;
constexpr u32 kTool = 100, kMeasured = 2000;
constexpr u64 kBase = 0x7ff6'1234'0000;
constexpr u64 kIterations = 250'000;
constexpr u64 kCyclesPerInstruction = 2;  // under -icount shift=1

WperfCountReply replies[kMostCpus];
WperfHardwareReply hardware_reply;

u64 every_core() {
  return (u64{1} << cpu_count()) - 1;
}

struct Tool {
  explicit Tool(const Person& person) : program(kTool, person), client(program.process()) {
    CHECK_EQUAL(client.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
  }
  void configure(const WperfCountRequest& request) {
    CHECK_EQUAL(client.send(WPERF_CODE_COUNT_CONFIGURE, request), WPERF_OK);
  }
  void start() { CHECK_EQUAL(client.plain(WPERF_CODE_COUNT_START), WPERF_OK); }
  void stop() { CHECK_EQUAL(client.plain(WPERF_CODE_COUNT_STOP), WPERF_OK); }
  void read(u32 core) { CHECK_EQUAL(client.read(core, replies[core]), WPERF_OK); }
  u64 value(u32 core, u32 entry) { return replies[core].entries[entry].value; }

  Program program;
  Client client;
};

}  // namespace

SCENARIO(counts_are_exact_on_each_core, kNeedsIcount | kNeedsUntrapped) {
  set_heartbeat(0);
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    Tool tool(kPerformanceLogUser);
    MeasuredProgram program(kMeasured, kStranger, kBase);
    const u16 events[] = {kInstructions, kCycles};
    for (u32 core = 0; core < cpu_count(); ++core) {
      tool.configure(count_request(u64{1} << core, events, 2));
      tool.start();
      program.run_known_work(core, kIterations);
      tool.stop();
      tool.read(core);
      const u64 expected = user_instructions(kIterations);
      CHECK_EQUAL(tool.value(core, 0), expected);
      CHECK_EQUAL(tool.value(core, 1), kCyclesPerInstruction * expected);
      CHECK_EQUAL(replies[core].cycles, kCyclesPerInstruction * expected);
      CHECK_EQUAL(replies[core].multiplexed, 0);
      CHECK_EQUAL(replies[core].rounds, 1);
    }
  }
  CHECK_EQUAL(unload(), 0);
}

SCENARIO(all_cores_are_counted_at_once, kNeedsIcount | kNeedsUntrapped) {
  set_heartbeat(0);
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    Tool tool(kPerformanceLogUser);
    MeasuredProgram program(kMeasured, kStranger, kBase);
    const u16 events[] = {kInstructions};
    tool.configure(count_request(every_core(), events, 1));
    tool.start();
    Workload* works[kMostCpus];
    for (u32 core = 0; core < cpu_count(); ++core) {
      works[core] = program.start_known_work(core, kIterations * (core + 1));
    }
    for (u32 core = 0; core < cpu_count(); ++core) {
      CHECK_EQUAL(finish(works[core]), kIterations * (core + 1));
    }
    tool.stop();
    for (u32 core = 0; core < cpu_count(); ++core) {
      tool.read(core);
      // While this core waits at EL0, QEMU also counts the instructions of other cores for it.
      const u64 own = user_instructions(kIterations * (core + 1));
      CHECK_WITHIN(tool.value(core, 0), own, own + own / 2);
    }
  }
  CHECK_EQUAL(unload(), 0);
}

SCENARIO(counts_grow_over_start_and_stop, kNeedsIcount | kNeedsUntrapped) {
  set_heartbeat(0);
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    Tool tool(kPerformanceLogUser);
    MeasuredProgram program(kMeasured, kStranger, kBase);
    const u16 events[] = {kInstructions};
    tool.configure(count_request(2, events, 1));
    for (u32 times = 1; times <= 3; ++times) {
      tool.start();
      program.run_known_work(1, kIterations);
      tool.read(1);
      CHECK_EQUAL(tool.value(1, 0), times * user_instructions(kIterations));
      tool.stop();
      program.run_known_work(1, kIterations);  // not counted
      tool.read(1);
      CHECK_EQUAL(tool.value(1, 0), times * user_instructions(kIterations));
    }
  }
  CHECK_EQUAL(unload(), 0);
}

// A tick of 10 ms needs a finer clock than Windows' default. Afterwards the driver must restore the default.
SCENARIO(clock_is_fine_enough_only_while_slots_change, kNeedsNothing) {
  if (!CHECK_EQUAL(load(), 0)) return;
  u16 events[11];  // more events than counters, so that they are multiplexed
  for (u16& event : events) event = kInstructions;
  const u32 periods_ms[] = {10, 100};
  for (const u32 period_ms : periods_ms) {
    Tool tool(kPerformanceLogUser);
    CHECK_EQUAL(timer_resolution(), 0);
    WperfCountRequest request = count_request(2, events, 11);
    request.period_ms = period_ms;
    tool.configure(request);
    tool.start();
    for (u32 tries = 0; timer_resolution() == 0 && tries < 1'000; ++tries) sleep_ns(1'000'000);
    CHECK_EQUAL(timer_resolution(), period_ms * 1'000);
    tool.stop();
    CHECK_EQUAL(timer_resolution(), 0);
    tool.start();
  }
  // The tool ended without a stop, and its clock request ended with it.
  CHECK_EQUAL(timer_resolution(), 0);
  CHECK_EQUAL(unload(), 0);
}

SCENARIO(only_an_administrator_counts_the_kernel, kNeedsIcount | kNeedsUntrapped) {
  if (!CHECK_EQUAL(load(), 0)) return;
  const u16 events[] = {kInstructions};
  WperfCountRequest request = count_request(2, events, 1);
  {
    Tool tool(kPerformanceLogUser);
    tool.configure(request);
    tool.start();
    CHECK_EQUAL(finish(start_kernel_work(1, known_work, kIterations)), kIterations);
    tool.stop();
    tool.read(1);
    CHECK_EQUAL(tool.value(1, 0), 0);
    request.flags = WPERF_COUNT_KERNEL;
    CHECK_EQUAL(tool.client.send(WPERF_CODE_COUNT_CONFIGURE, request), WPERF_ACCESS_DENIED);
  }
  {
    Tool tool(kAdministrator);
    MeasuredProgram program(kMeasured, kStranger, kBase);
    tool.configure(request);
    tool.start();
    CHECK_EQUAL(finish(start_kernel_work(1, known_work, kIterations)), kIterations);
    tool.read(1);
    const u64 kernel = tool.value(1, 0);
    const u64 overhead = 300'000;  // of threads, timer and requests, whichever core they run on
    CHECK_WITHIN(kernel, known_work_instructions(kIterations), known_work_instructions(kIterations) + overhead);
    program.run_known_work(1, kIterations);
    tool.stop();
    tool.read(1);
    CHECK_WITHIN(tool.value(1, 0) - kernel, user_instructions(kIterations), user_instructions(kIterations) + overhead);
  }
  CHECK_EQUAL(unload(), 0);
}

SCENARIO(events_take_turns, kNeedsIcount | kNeedsUntrapped) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    Tool tool(kAdministrator);
    MeasuredProgram program(kMeasured, kStranger, kBase);
    CHECK_EQUAL(tool.client.hardware(hardware_reply), WPERF_OK);
    const u32 counters = hardware_reply.counters_free;
    constexpr u64 kRounds = 11;
    u16 events[11];
    for (u32 i = 0; i < 11; ++i) {
      events[i] = i % 3 == 0 ? kInstructions : (i % 3 == 1 ? kCycles : kStall);
    }
    CHECK(counters < 11);
    WperfCountRequest request = count_request(6, events, 11);
    // Windows' cycle counter counts the kernel too, and is compared with these counts.
    request.flags = WPERF_COUNT_KERNEL;
    tool.configure(request);
    Workload* first = program.start_endless_work(1, 200);
    Workload* second = program.start_endless_work(2, 200);
    tool.start();
    // On a busy host, ticks may come late, and there may be fewer of them. The test waits until each event has been on
    // a counter.
    u32 looks = 0;
    do {
      sleep_ms(looks == 0 ? 120 : 10);
      tool.read(1);
      tool.read(2);
    } while (++looks < 500 && (replies[1].rounds < kRounds || replies[2].rounds < kRounds));
    tool.stop();
    stop(first);
    stop(second);
    for (u32 core = 1; core <= 2; ++core) {
      tool.read(core);
      const WperfCountReply& reply = replies[core];
      CHECK_EQUAL(reply.multiplexed, 1);
      CHECK_WITHIN(reply.rounds, kRounds, reply.enabled_ns / (request.period_ms * 1'000'000) + 2);
      u64 slots = 0;
      for (u32 i = 0; i < 11; ++i) {
        const WperfCounterReading& entry = reply.entries[i];
        slots += entry.slots;
        CHECK_WITHIN(entry.slots, reply.rounds * counters / 11, reply.rounds * counters / 11 + 1);
        // The count of each event follows from the number of cycles for which it was on a counter, except for the time
        // between two reads.
        const u64 expected = i % 3 == 0   ? entry.running_cycles / kCyclesPerInstruction
                             : i % 3 == 1 ? entry.running_cycles
                                          : 0;
        const u64 between = 1'000 * (entry.slots + looks);
        CHECK_WITHIN(entry.value + between, expected, expected + 2 * between);
        CHECK(entry.running_ns <= reply.enabled_ns);
      }
      CHECK_EQUAL(slots, reply.rounds * counters);
    }
  }
  CHECK_EQUAL(unload(), 0);
}

SCENARIO(cores_are_counted_without_icount, kNeedsSpeed) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    Tool tool(kPerformanceLogUser);
    MeasuredProgram program(kMeasured, kStranger, kBase);
    const u16 events[] = {kCycles, kCycles};
    tool.configure(count_request(every_core(), events, 2));
    tool.start();
    Workload* works[kMostCpus];
    for (u32 core = 1; core < cpu_count(); ++core) {
      works[core] = program.start_known_work(core, 4 * kIterations);
    }
    for (u32 core = 1; core < cpu_count(); ++core) {
      finish(works[core]);
    }
    tool.stop();
    for (u32 core = 1; core < cpu_count(); ++core) {
      tool.read(core);
      CHECK(tool.value(core, 0) != 0);
      CHECK(tool.value(core, 0) <= replies[core].cycles + replies[core].cycles / 10);
    }
  }
  CHECK_EQUAL(unload(), 0);
}

}  // namespace wperf::nthost
