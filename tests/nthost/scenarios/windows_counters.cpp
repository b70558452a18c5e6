// SPDX-License-Identifier: BSD-3-Clause
// Windows' own use of the PMU. Its cycle counter continues as if no driver measured, and registers that lose their
// values with a core's power produce no counts.
#include "tests/nthost/check.h"
#include "tests/nthost/machine/bare_machine.h"
#include "tests/nthost/machine/machine_threads.h"
#include "tests/nthost/machine/register_access.h"
#include "tests/nthost/scenarios/client.h"
#include "tests/nthost/scenarios/measured_program.h"
#include "tests/nthost/workloads.h"

namespace wperf::nthost {
namespace {

constexpr u64 kBase = 0x7ff6'1234'0000;
constexpr u64 kIterations = 50'000;
constexpr u16 kInstructions = 0x08, kCycles = 0x11;

WperfCountReply count_reply;
WperfDrainReply drain_reply;

struct Tool {
  Program program{100, kAdministrator};
  Client client{program.process()};
  Tool() { CHECK_EQUAL(client.lock(WPERF_LOCK_ACQUIRE), WPERF_OK); }
};

// Returns the cycles counted while EL1 spins without interruption.
u64 cycles_of_a_spin(u64 iterations) {
  const u64 interrupts = mask_interrupts();
  const u64 before = WPERF_READ_SYSREG("pmccntr_el0");
  known_work(iterations);
  const u64 after = WPERF_READ_SYSREG("pmccntr_el0");
  restore_interrupts(interrupts);
  return after - before;
}

u64 spin_on_core_1() {
  return finish(start_kernel_work(1, cycles_of_a_spin, kIterations));
}

// Sets the registers to the values that they have after a loss of power.
void lose_registers(void*) {
  const u64 ours = 0x7fff'ffff;
  WPERF_WRITE_SYSREG("pmcr_el0", WPERF_READ_SYSREG("pmcr_el0") & ~u64{1});
  WPERF_WRITE_SYSREG("pmcntenclr_el0", ours);
  WPERF_WRITE_SYSREG("pmintenclr_el1", ours);
  WPERF_WRITE_SYSREG("pmovsclr_el0", ours);
  WPERF_WRITE_SYSREG("pmevtyper0_el0", 0);
  WPERF_WRITE_SYSREG("pmevcntr0_el0", 0);
  WPERF_WRITE_SYSREG("pmevtyper1_el0", 0);
  WPERF_WRITE_SYSREG("pmevcntr1_el0", 0);
  instruction_barrier();
}

}  // namespace

SCENARIO(the_cycle_counter_counts_for_windows, kNeedsIcount) {
  set_heartbeat(0);
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    Tool tool;
    const u64 alone = spin_on_core_1();
    CHECK(alone > kIterations);
    u16 events[8];
    for (u16& event : events) {
      event = kInstructions;
    }
    constexpr u32 kCounts[] = {1, 6, 8};
    for (const u32 count : kCounts) {
      CHECK_EQUAL(tool.client.send(WPERF_CODE_COUNT_CONFIGURE, count_request(2, events, count)), WPERF_OK);
      CHECK_EQUAL(tool.client.plain(WPERF_CODE_COUNT_START), WPERF_OK);
      CHECK_EQUAL(spin_on_core_1(), alone);
      CHECK_EQUAL(tool.client.plain(WPERF_CODE_COUNT_STOP), WPERF_OK);
    }
    CHECK_EQUAL(tool.client.send(WPERF_CODE_SAMPLE_CONFIGURE, sample_request(2, kCycles, 1'000'000)), WPERF_OK);
    CHECK_EQUAL(tool.client.plain(WPERF_CODE_SAMPLE_START), WPERF_OK);
    CHECK_EQUAL(spin_on_core_1(), alone);
    CHECK_EQUAL(tool.client.plain(WPERF_CODE_SAMPLE_STOP), WPERF_OK);
  }
  CHECK_EQUAL(unload(), 0);
}

SCENARIO(lost_registers_make_no_counts, kNeedsIcount) {
  set_heartbeat(0);
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    Tool tool;
    MeasuredProgram program(2000, kStranger, kBase);
    const u16 events[] = {kInstructions};
    CHECK_EQUAL(tool.client.send(WPERF_CODE_COUNT_CONFIGURE, count_request(2, events, 1)), WPERF_OK);
    CHECK_EQUAL(tool.client.plain(WPERF_CODE_COUNT_START), WPERF_OK);
    program.run_known_work(1, kIterations);
    CHECK_EQUAL(tool.client.read(1, count_reply), WPERF_OK);
    CHECK_EQUAL(count_reply.losses, 0);
    run_on_cpu(1, lose_registers, nullptr);
    CHECK_EQUAL(tool.client.read(1, count_reply), WPERF_OK);
    CHECK_EQUAL(count_reply.losses, 1);
    CHECK(count_reply.lost_ns != 0);
    CHECK_EQUAL(count_reply.entries[0].value, user_instructions(kIterations));
    program.run_known_work(1, kIterations);
    CHECK_EQUAL(tool.client.plain(WPERF_CODE_COUNT_STOP), WPERF_OK);
    CHECK_EQUAL(tool.client.read(1, count_reply), WPERF_OK);
    CHECK_EQUAL(count_reply.losses, 1);
    CHECK_EQUAL(count_reply.entries[0].value, 2 * user_instructions(kIterations));
  }
  CHECK_EQUAL(unload(), 0);
}

SCENARIO(lost_registers_are_sampled_again, kNeedsTrapped) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    Tool tool;
    MeasuredProgram program(2000, kStranger, kBase);
    set_heartbeat(5'000, 2);
    constexpr u32 kInterval = 5'000;
    const u64 expected = user_instructions(kIterations) / kInterval;
    CHECK_EQUAL(tool.client.send(WPERF_CODE_SAMPLE_CONFIGURE, sample_request(2, kInstructions, kInterval)), WPERF_OK);
    CHECK_EQUAL(tool.client.plain(WPERF_CODE_SAMPLE_START), WPERF_OK);
    run_on_cpu(1, lose_registers, nullptr);
    program.run_known_work(1, kIterations);
    CHECK_EQUAL(tool.client.drain(1, drain_reply), WPERF_OK);
    CHECK_EQUAL(drain_reply.taken, 0);
    CHECK_EQUAL(drain_reply.register_losses, 1);
    program.run_known_work(1, kIterations);
    CHECK_EQUAL(tool.client.plain(WPERF_CODE_SAMPLE_STOP), WPERF_OK);
    CHECK_EQUAL(tool.client.drain(1, drain_reply), WPERF_OK);
    CHECK_EQUAL(drain_reply.register_losses, 1);
    CHECK_WITHIN(drain_reply.taken + drain_reply.merged, expected - 1, expected);
  }
  CHECK_EQUAL(unload(), 0);
}

}  // namespace wperf::nthost
