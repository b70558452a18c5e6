// SPDX-License-Identifier: BSD-3-Clause
// Settings that a client may make about the machine: the addresses of memory controllers and the clusters of cores.
// Also tests counters that another driver holds.
#include "driver/core/dmc620_registers.h"
#include "tests/nthost/check.h"
#include "tests/nthost/machine/bare_machine.h"
#include "tests/nthost/scenarios/client.h"

namespace wperf::nthost {
namespace {

namespace dmc620 = driver::dmc620;

constexpr u64 kFrame = 0x80'0000'0000;  // there is no device at this address of QEMU's machine
constexpr u16 kInstructions = 0x08, kCycles = 0x11;

WperfHardwareReply hardware_reply;
WperfCountReply count_reply;

struct Tool {
  Program program{100, kAdministrator};
  Client client{program.process()};
  Tool() { CHECK_EQUAL(client.lock(WPERF_LOCK_ACQUIRE), WPERF_OK); }
  const WperfHardwareReply& hardware() {
    CHECK_EQUAL(client.hardware(hardware_reply), WPERF_OK);
    return hardware_reply;
  }
  u32 set_up_dmc(u64 base, u64 size) {
    WperfDmcSetupRequest request = {};
    request.channel_count = 1;
    request.channels[0] = {base, size};
    return client.send(WPERF_CODE_DMC_SETUP, request);
  }
  u32 set_up_dsu(u32 count, u32 size) {
    WperfDsuSetupRequest request = {};
    request.cluster_count = count;
    request.cluster_size = size;
    return client.send(WPERF_CODE_DSU_SETUP, request);
  }
};

}  // namespace

SCENARIO(the_timer_is_told_with_the_clock, kNeedsNothing) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    Tool tool;
    const u64 before_ticks = time_ticks(), before_ns = time_ns();
    const WperfHardwareReply reply = tool.hardware();
    const u64 after_ticks = time_ticks(), after_ns = time_ns();
    CHECK_EQUAL(reply.timer_hz, ticks_per_second());
    CHECK(before_ticks <= reply.timer_ticks && reply.timer_ticks <= after_ticks);
    CHECK(before_ns <= reply.timer_time_ns && reply.timer_time_ns <= after_ns);
    // Here the driver's clock is the timer, so the values differ only by the time between the two reads.
    const u64 timer_ns = ns_of_ticks(reply.timer_ticks);
    const u64 apart = timer_ns > reply.timer_time_ns ? timer_ns - reply.timer_time_ns : reply.timer_time_ns - timer_ns;
    CHECK(apart < after_ns - before_ns);
  }
  CHECK_EQUAL(unload(), 0);
}

SCENARIO(no_memory_can_be_named, kNeedsNothing) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    Tool tool;
    const u64 begin = ram_begin(), end = ram_end();
    const u64 ranges[][2] = {{begin, 0x2000},          {begin + 0x10'0000, 0x2000}, {end - 0x2000, 0x2000},
                             {begin - 0x1000, 0x2000}, {end - 0x1000, 0x2000},      {begin - 0x1000, 0x100'0000}};
    for (const auto& range : ranges) {
      CHECK_EQUAL(tool.set_up_dmc(range[0], range[1]), WPERF_ACCESS_DENIED);
    }
    const u64 senseless[][2] = {{0, 0x2000},           {kFrame + 8, 0x2000},   {kFrame, 0},
                                {kFrame, 0x2008},      {kFrame, u64{1} << 40}, {~u64{0xfff}, 0x1000},
                                {~u64{0xfff}, 0x2000}, {u64{1} << 52, 0x2000}, {kFrame, ~u64{0xfff}},
                                {kFrame, 0x1000}};
    for (const auto& range : senseless) {
      CHECK_EQUAL(tool.set_up_dmc(range[0], range[1]), WPERF_BAD_ARGUMENT);
    }
    CHECK_EQUAL(tool.hardware().dmc_channels, 0);
  }
  CHECK_EQUAL(unload(), 0);
}

namespace {

constexpr u64 kFrameBytes = dmc620::kIdentityPage + dmc620::kIdentitySize;

// Two pages with the identification registers of a memory controller.
struct Frame {
  Frame() {
    add_device_memory(kFrame, memory.mapping, kFrameBytes);
    for (u64 offset = 0; offset < kFrameBytes; offset += 4) {
      at(offset) = 0;
    }
    for (const dmc620::IdentityRegister& it : dmc620::kIdentity) {
      at(dmc620::kIdentityPage + it.offset) = it.value;
    }
  }
  ~Frame() { remove_device_memory(); }
  volatile u32& at(u64 offset) { return static_cast<volatile u32*>(memory.mapping)[offset / 4]; }

  PhysicalRange memory = take_physical_pages(kFrameBytes / 4096);
};

}  // namespace

// A device that is not a memory controller is neither set up nor written.
SCENARIO(only_a_memory_controller_is_mapped, kNeedsNothing) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    Frame frame;
    Tool tool;
    CHECK_EQUAL(tool.set_up_dmc(kFrame, kFrameBytes), WPERF_OK);
    for (const dmc620::IdentityRegister& it : dmc620::kIdentity) {
      volatile u32& identity = frame.at(dmc620::kIdentityPage + it.offset);
      for (u32 bit = 1; bit != 0x100; bit <<= 1) {
        if ((it.mask & bit) == 0) continue;
        identity = it.value ^ bit;
        CHECK_EQUAL(tool.set_up_dmc(kFrame, kFrameBytes), WPERF_ACCESS_DENIED);
      }
      identity = it.value | 0xffff'ff00;  // only the low byte is defined
      CHECK_EQUAL(tool.set_up_dmc(kFrame, kFrameBytes), WPERF_OK);
    }
    for (u64 offset = 0; offset < dmc620::kIdentityPage; offset += 4) {
      if (!CHECK_EQUAL(frame.at(offset), 0)) break;
    }
    // Windows lends this memory to a partition: neither of the two pages may count as a device.
    set_memory_of_partition(kFrame, 0x1000);
    CHECK_EQUAL(tool.set_up_dmc(kFrame, kFrameBytes), WPERF_ACCESS_DENIED);
    set_memory_of_partition(kFrame + 0x1000, 0x1000);
    CHECK_EQUAL(tool.set_up_dmc(kFrame, kFrameBytes), WPERF_ACCESS_DENIED);
  }
  CHECK_EQUAL(unload(), 0);
}

SCENARIO(memory_controller_is_counted, kNeedsNothing) {
  if (!CHECK_EQUAL(load(), 0)) return;
  Frame frame;
  const auto at = [&frame](u64 offset) -> volatile u32& {
    return frame.at(offset);
  };
  {
    Tool tool;
    CHECK_EQUAL(tool.set_up_dmc(kFrame, kFrameBytes), WPERF_OK);
    CHECK_EQUAL(tool.hardware().dmc_channels, 1);
    const u16 event = kCycles;
    WperfCountRequest request = count_request(1, &event, 1);
    request.entry_count[WPERF_CLASS_DMC_CLKDIV2] = 1;
    request.dmc_clkdiv2[0] = {0x12, WPERF_NO_GROUP};
    CHECK_EQUAL(tool.client.send(WPERF_CODE_COUNT_CONFIGURE, request), WPERF_OK);
    CHECK_EQUAL(tool.client.plain(WPERF_CODE_COUNT_START), WPERF_OK);
    CHECK_EQUAL(tool.set_up_dmc(kFrame, kFrameBytes), WPERF_WRONG_STATE);
    const u32 control = at(dmc620::counter_register(0, dmc620::kControl));
    CHECK_EQUAL(dmc620::event_of_control(control), 0x12);
    CHECK_EQUAL(control & dmc620::kControlEnable, dmc620::kControlEnable);
    at(dmc620::counter_register(0, dmc620::kValue)) += 123'456;  // the memory controller counts
    CHECK_EQUAL(tool.client.plain(WPERF_CODE_COUNT_STOP), WPERF_OK);
    WperfCountReadRequest read = {};
    read.event_class = WPERF_CLASS_DMC_CLKDIV2;
    CHECK_EQUAL(tool.client.ask(WPERF_CODE_COUNT_READ, read, count_reply), WPERF_OK);
    CHECK_EQUAL(count_reply.entries[0].value, 123'456);
    CHECK_EQUAL(at(dmc620::counter_register(0, dmc620::kControl)), 0);
  }
  CHECK_EQUAL(unload(), 0);
}

SCENARIO(clusters_must_be_all_cores, kNeedsNothing) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    Tool tool;
    const u32 cores = cpu_count();
    CHECK_EQUAL(tool.set_up_dsu(1, cores + 1), WPERF_BAD_ARGUMENT);
    CHECK_EQUAL(tool.set_up_dsu(cores + 1, 1), WPERF_BAD_ARGUMENT);
    CHECK_EQUAL(tool.set_up_dsu(0, cores), WPERF_BAD_ARGUMENT);
    CHECK_EQUAL(tool.set_up_dsu(cores, 0), WPERF_BAD_ARGUMENT);
    CHECK_EQUAL(tool.set_up_dsu(0x1'0000, 0x1'0000), WPERF_BAD_ARGUMENT);  // their product is 0 in 32 bits
    CHECK_EQUAL(tool.set_up_dsu(0, 0), WPERF_OK);
    CHECK_EQUAL(tool.hardware().cluster_count, 0);
    // QEMU's cores have no DSU. Reading its registers would be an undefined instruction, so the driver must not try to
    // read them.
    CHECK(tool.set_up_dsu(1, cores) != WPERF_OK);
    CHECK_EQUAL(tool.hardware().cluster_count, 0);
  }
  CHECK_EQUAL(unload(), 0);
}

SCENARIO(counters_of_others_are_left_alone, kNeedsUntrapped) {
  u32 total = 0;
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    Tool tool;
    total = tool.hardware().counters_total;
    CHECK_EQUAL(tool.hardware().counters_free, total);
  }
  CHECK_EQUAL(counters_held_by_driver(), 0);
  for (u32 taken = 1; taken <= total; ++taken) {
    hold_counters_elsewhere(taken);
    Tool tool;
    CHECK_EQUAL(tool.hardware().counters_total, total);
    CHECK_EQUAL(tool.hardware().counters_free, total - taken);
    bool used[32] = {};
    for (u32 i = 0; i < sizeof hardware_reply.counter_map; ++i) {
      const u8 counter = hardware_reply.counter_map[i];
      CHECK_EQUAL(counter == 0xff, i >= total - taken);
      if (counter != 0xff && CHECK(counter < total)) {
        CHECK(!used[counter]);
        used[counter] = true;
      }
    }
    const u16 events[] = {kInstructions, kCycles};
    const u32 expected = taken == total ? WPERF_NO_COUNTERS : WPERF_OK;
    CHECK_EQUAL(tool.client.send(WPERF_CODE_COUNT_CONFIGURE, count_request(1, events, 2)), expected);
    if (expected == WPERF_OK) {
      CHECK_EQUAL(tool.client.plain(WPERF_CODE_COUNT_START), WPERF_OK);
      CHECK_EQUAL(counters_held_by_driver(), total - taken);
      CHECK_EQUAL(tool.client.plain(WPERF_CODE_COUNT_STOP), WPERF_OK);
    }
  }
  hold_counters_elsewhere(0);
  CHECK_EQUAL(unload(), 0);
}

}  // namespace wperf::nthost
