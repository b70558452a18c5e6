// SPDX-License-Identifier: BSD-3-Clause
// Statistical profiling by the shipped driver, on simulated SPE registers. Tests which registers are set up and in
// which order, that records arrive unchanged, and that all registers are restored. The driver has no interrupt for SPE;
// the timer and the drains do all work.
#include "tests/nthost/check.h"
#include "tests/nthost/machine/bare_machine.h"
#include "tests/nthost/machine/machine_threads.h"
#include "tests/nthost/scenarios/client.h"
#include "tests/nthost/trapped/trapped.h"

namespace wperf::nthost {
namespace {

using enum SpeRegister;

constexpr u32 kHalf = WPERF_SPE_MIN_BUFFER / 2, kRecord = 64, kRecordsOfHalf = kHalf / kRecord;

WperfSpeDrainReply reply;
WperfCountReply count_reply;

// The values that other users left in the registers of a core; SPE is off.
u64 left_behind(u32 core, u32 reg) {
  return reg == static_cast<u32>(pmbptr) || reg == static_cast<u32>(pmblimitr) ? (core * 16 + reg) << 12
         : reg == static_cast<u32>(pmsevfr)                                    ? 0x80
         : reg == static_cast<u32>(pmscr) || reg == static_cast<u32>(pmbsr)    ? 0
                                                                               : core * 0x1000 + reg * 0x100;
}

void leave_behind() {
  for (u32 core = 0; core < cpu_count(); ++core) {
    for (u32 reg = 0; reg < kSpeRegisters; ++reg) {
      set_trapped_spe(core, static_cast<SpeRegister>(reg), left_behind(core, reg));
    }
  }
  forget_trapped_spe_writes();
}

void check_put_back() {
  for (u32 core = 0; core < cpu_count(); ++core) {
    for (u32 reg = 0; reg < kSpeRegisters; ++reg) {
      CHECK_EQUAL(trapped_spe(core, static_cast<SpeRegister>(reg)), left_behind(core, reg));
    }
  }
}

struct Profiler {
  Program program{100, kAdministrator};
  Client client{program.process()};
  Profiler() { CHECK_EQUAL(client.lock(WPERF_LOCK_ACQUIRE), WPERF_OK); }

  void begin(const WperfSpeRequest& request) {
    CHECK_EQUAL(client.send(WPERF_CODE_SPE_CONFIGURE, request), WPERF_OK);
    CHECK_EQUAL(client.plain(WPERF_CODE_SPE_START), WPERF_OK);
  }
  void stop() { CHECK_EQUAL(client.plain(WPERF_CODE_SPE_STOP), WPERF_OK); }
  void drain(u32 core) {
    WperfDrainRequest request = {};
    request.core = core;
    CHECK_EQUAL(client.ask(WPERF_CODE_SPE_DRAIN, request, reply), WPERF_OK);
  }
};

WperfSpeRequest profile_request(u64 core_mask) {
  WperfSpeRequest request = {};
  request.core_mask[0] = core_mask;
  request.interval = 1024;
  request.buffer_bytes = WPERF_SPE_MIN_BUFFER;
  return request;
}

// A load as SPE writes it: pc, total latency, events, operation, address, data source, timestamp, padding. The pc
// contains `number`.
void make_record(u32 number, u8 (&record)[kRecord]) {
  constexpr u8 kPattern[kRecord] = {
      0xb0, 0,    0,    0, 0x34, 0x12, 0xf6, 0x7f, 0x00,  // pc, EL0
      0x98, 0x2a, 0x00,                                   // total latency 42
      0x52, 0x16, 0x00,                                   // events: retired, L1D access, TLB access
      0x49, 0x00,                                         // load, general purpose
      0xb2, 0x40, 0x10, 0, 0,    0x10, 0,    0,    0,     // address of the data
      0x43, 0x00,                                         // data source: L1D
      0x71, 1,    2,    3, 4,    5,    6,    7,    8,     // timestamp
  };
  __builtin_memcpy(record, kPattern, sizeof record);
  __builtin_memcpy(record + 1, &number, 3);
}

// Lets the hardware choose `count` operations; the first record has the number `first`. Returns how many records it
// made.
u32 choose(u32 core, u32 first, u32 count) {
  u32 made = 0;
  u8 record[kRecord];
  for (u32 i = 0; i < count; ++i) {
    make_record(first + made, record);
    made += trapped_profile(core, record, sizeof record) ? 1 : 0;
  }
  return made;
}

void check_records(u32 first, u32 count) {
  CHECK_EQUAL(reply.bytes, count * kRecord);
  u8 expected[kRecord];
  for (u32 i = 0; i < count && i < reply.bytes / kRecord; ++i) {
    make_record(first + i, expected);
    if (!CHECK_EQUAL(__builtin_memcmp(reply.data + i * kRecord, expected, kRecord), 0)) return;
  }
}

u32 place_of(const SpeWrites& log, SpeRegister reg, u64 value, u32 from = 0) {
  for (u32 i = from; i < log.count && i < kMostSpeWrites; ++i) {
    if (log.writes[i].reg == reg && log.writes[i].value == value) return i;
  }
  return ~0u;
}

}  // namespace

SCENARIO(profiling_is_set_up_and_put_back, kNeedsTrapped) {
  if (!CHECK_EQUAL(load(), 0)) return;
  leave_behind();
  {
    Profiler tool;
    WperfSpeRequest request = profile_request(0b1010);
    request.interval = 5000;
    request.flags = WPERF_SPE_KERNEL | WPERF_SPE_TIMESTAMPS | WPERF_SPE_PHYSICAL | WPERF_SPE_CONTEXT |
                    WPERF_SPE_JITTER | WPERF_SPE_LOADS | WPERF_SPE_STORES;
    request.events = 0x8;
    request.min_latency = 33;
    CHECK_EQUAL(tool.client.send(WPERF_CODE_SPE_CONFIGURE, request), WPERF_OK);
    check_put_back();
    forget_trapped_spe_writes();
    CHECK_EQUAL(tool.client.plain(WPERF_CODE_SPE_START), WPERF_OK);
    for (u32 core = 1; core <= 3; core += 2) {
      CHECK_EQUAL(trapped_spe(core, pmscr), 0x3b);
      CHECK_EQUAL(trapped_spe(core, pmsicr), 0);
      CHECK_EQUAL(trapped_spe(core, pmsirr), 0x1301);
      CHECK_EQUAL(trapped_spe(core, pmsfcr), 0x6'0007);
      CHECK_EQUAL(trapped_spe(core, pmsevfr), 0x8);
      CHECK_EQUAL(trapped_spe(core, pmslatfr), 33);
      CHECK_EQUAL(trapped_spe(core, pmbsr), 0);
      const u64 begin = trapped_spe(core, pmbptr);
      CHECK_EQUAL(begin % 4096, 0);
      CHECK_EQUAL(trapped_spe(core, pmblimitr), begin + kHalf + 1);
      // The order of the writes: the buffer is set up, then enabled; choosing operations is enabled last.
      const SpeWrites& log = trapped_spe_writes(core);
      CHECK(place_of(log, pmbptr, begin) < place_of(log, pmblimitr, begin + kHalf + 1));
      CHECK_EQUAL(place_of(log, pmscr, 0x3b), log.count - 1);
    }
    CHECK_EQUAL(trapped_spe_writes(0).count + trapped_spe_writes(2).count, 0);
    forget_trapped_spe_writes();
    tool.stop();
    for (u32 core = 1; core <= 3; core += 2) {
      const SpeWrites& log = trapped_spe_writes(core);
      CHECK_EQUAL(place_of(log, pmscr, 0), 0);
      CHECK_EQUAL(place_of(log, pmblimitr, 0), 1);
    }
    check_put_back();
  }
  CHECK_EQUAL(unload(), 0);
}

SCENARIO(each_core_says_what_its_spe_can, kNeedsTrapped) {
  if (!CHECK_EQUAL(load(), 0)) return;
  leave_behind();
  {
    Profiler tool;
    WperfCoreRequest asked = {};
    WperfSpeCoreReply able = {};
    for (asked.core = 0; asked.core < cpu_count(); ++asked.core) {
      CHECK_EQUAL(tool.client.ask(WPERF_CODE_SPE_CORE, asked, able), WPERF_OK);
      CHECK_EQUAL(able.pmsidr, kTrappedPmsidr);
      CHECK_EQUAL(able.pmbidr, kTrappedPmbidr);
      CHECK_EQUAL(able.version, 1);
      CHECK_EQUAL(able.min_interval, 1024);
      CHECK_EQUAL(able.latency_bits, 12);
      CHECK_EQUAL(able.buffer_alignment, 64);
    }
    WperfSpeRequest request = profile_request(1);
    request.interval = 1023;
    CHECK_EQUAL(tool.client.send(WPERF_CODE_SPE_CONFIGURE, request), WPERF_NOT_SUPPORTED);
    request = profile_request(1);
    request.not_events = 2;
    CHECK_EQUAL(tool.client.send(WPERF_CODE_SPE_CONFIGURE, request), WPERF_NOT_SUPPORTED);
    request = profile_request(1);
    request.events = 1;
    CHECK_EQUAL(tool.client.send(WPERF_CODE_SPE_CONFIGURE, request), WPERF_NOT_SUPPORTED);
    set_trapped_spe(2, pmscr, 1);
    CHECK_EQUAL(tool.client.send(WPERF_CODE_SPE_CONFIGURE, profile_request(0b111)), WPERF_OK);
    CHECK_EQUAL(tool.client.plain(WPERF_CODE_SPE_START), WPERF_PROFILING_BUSY);
    set_trapped_spe(2, pmscr, 0);
    check_put_back();
  }
  CHECK_EQUAL(unload(), 0);
}

// A hypervisor reports PMSVer, but makes accesses to the registers undefined instructions. Counting and sampling never
// touch them, and a client that asks for the SPE is refused.
SCENARIO(registers_that_are_undefined_do_no_harm, kNeedsTrapped) {
  if (!CHECK_EQUAL(load(), 0)) return;
  make_spe_undefined(true);
  {
    Profiler tool;
    WperfHardwareReply hardware = {};
    CHECK_EQUAL(tool.client.hardware(hardware), WPERF_OK);
    CHECK_EQUAL((hardware.id_aa64dfr0 >> 32) & 0xf, 1);
    const u16 event = 0x11;
    CHECK_EQUAL(tool.client.send(WPERF_CODE_COUNT_CONFIGURE, count_request(0b1111, &event, 1)), WPERF_OK);
    CHECK_EQUAL(tool.client.plain(WPERF_CODE_COUNT_START), WPERF_OK);
    CHECK_EQUAL(tool.client.plain(WPERF_CODE_COUNT_STOP), WPERF_OK);
    CHECK_EQUAL(tool.client.send(WPERF_CODE_SAMPLE_CONFIGURE, sample_request(0b1111, event, 100'000)), WPERF_OK);
    CHECK_EQUAL(tool.client.plain(WPERF_CODE_SAMPLE_START), WPERF_OK);
    CHECK_EQUAL(tool.client.plain(WPERF_CODE_SAMPLE_STOP), WPERF_OK);
    WperfCoreRequest asked = {};
    WperfSpeCoreReply able = {};
    for (asked.core = 0; asked.core < cpu_count(); ++asked.core) {
      CHECK_EQUAL(tool.client.ask(WPERF_CODE_SPE_CORE, asked, able), WPERF_OK);
      CHECK_EQUAL(able.version, 1);
      CHECK_EQUAL(able.pmsidr, 0);
      CHECK_EQUAL(able.min_interval, 0);
    }
    CHECK_EQUAL(tool.client.send(WPERF_CODE_SPE_CONFIGURE, profile_request(1)), WPERF_NOT_SUPPORTED);
  }
  make_spe_undefined(false);
  CHECK_EQUAL(unload(), 0);
}

SCENARIO(records_come_through_exactly, kNeedsTrapped) {
  if (!CHECK_EQUAL(load(), 0)) return;
  leave_behind();
  {
    Profiler tool;
    tool.begin(profile_request(0b0110));
    CHECK_EQUAL(choose(1, 0, 5), 5);
    CHECK_EQUAL(choose(2, 900, 2), 2);
    tool.drain(1);
    check_records(0, 5);
    CHECK_EQUAL(reply.events, 0);
    CHECK(reply.buffer_address < 65536);
    tool.drain(2);
    check_records(900, 2);

    // A full half waits for the timer. Profiling stopped in the meantime, and the answer reports that.
    CHECK_EQUAL(choose(1, 5, 1000), kRecordsOfHalf);
    sleep_ms(25);
    CHECK_EQUAL(choose(1, 5 + kRecordsOfHalf, 3), 3);
    tool.drain(1);
    check_records(5, kRecordsOfHalf);
    CHECK_EQUAL(reply.events, WPERF_SPE_BUFFER_FULL);
    tool.drain(1);
    check_records(5 + kRecordsOfHalf, 3);
    CHECK_EQUAL(reply.events, WPERF_SPE_GAP);

    // Both halves are full and not drained, so profiling stops until the next drain.
    CHECK_EQUAL(choose(1, 0, 1000), kRecordsOfHalf);
    sleep_ms(25);
    CHECK_EQUAL(choose(1, kRecordsOfHalf, 1000), kRecordsOfHalf);
    sleep_ms(25);
    CHECK_EQUAL(trapped_spe(1, pmscr), 0);
    tool.drain(1);
    check_records(0, kRecordsOfHalf);
    CHECK_EQUAL(reply.more, 1);
    CHECK_EQUAL(reply.full, 1);
    CHECK_WITHIN(reply.stopped_ns, 1'000'000, 40'000'000);
    CHECK_EQUAL(choose(1, 7, 1), 1);
    tool.stop();
    tool.drain(1);
    check_records(kRecordsOfHalf, kRecordsOfHalf);
    tool.drain(1);
    check_records(7, 1);
    CHECK_EQUAL(reply.written, (3 * kRecordsOfHalf + 9) * kRecord);
    CHECK_EQUAL(reply.more, 0);
    check_put_back();
  }
  CHECK_EQUAL(unload(), 0);
}

SCENARIO(profiling_ends_with_its_client, kNeedsTrapped) {
  for (u32 how = 0; how < 3; ++how) {
    if (!CHECK_EQUAL(load(), 0)) return;
    leave_behind();
    {
      Profiler tool;
      tool.begin(profile_request(0b1111));
      CHECK_EQUAL(choose(0, 0, 3), 3);
      Program thief(104, kAdministrator);
      Client other(thief.process());
      if (how == 0) {
        CHECK_EQUAL(other.lock(WPERF_LOCK_FORCE), WPERF_OK);
      } else if (how == 1) {
        tool.client.close_handle();
      } else {
        // A fault ends the profiling of one core only, and is reported once.
        set_trapped_spe(0, pmbsr, (u64{0x24} << 26) | (1u << 17));
        sleep_ms(25);
        CHECK_EQUAL(choose(0, 3, 1), 0);
        CHECK_EQUAL(choose(1, 3, 1), 1);
        tool.drain(0);
        check_records(0, 3);
        CHECK_EQUAL(reply.events, WPERF_SPE_FAULT);
        CHECK_EQUAL(reply.status, (u64{0x24} << 26) | (1u << 17));
        tool.stop();
      }
      check_put_back();
    }
    CHECK_EQUAL(unload(), 0);
  }
}

SCENARIO(profiling_ends_with_the_device, kNeedsTrapped) {
  constexpr u32 kWorking = 1, kSleeping = 4;
  if (!CHECK_EQUAL(load(Start::pnp), 0)) return;
  leave_behind();
  {
    Profiler tool;
    tool.begin(profile_request(0b1111));
    CHECK_EQUAL(choose(3, 0, 2), 2);
    CHECK_EQUAL(set_system_power(kSleeping), 0);
    check_put_back();
    CHECK_EQUAL(set_system_power(kWorking), 0);
    tool.drain(3);
    check_records(0, 2);
    CHECK_EQUAL(tool.client.plain(WPERF_CODE_SPE_START), WPERF_OK);
    CHECK_EQUAL(choose(3, 2, 2), 2);
    CHECK_EQUAL(surprise_remove(), 0);
    check_put_back();
    CHECK_EQUAL(choose(3, 4, 1), 0);
  }
  CHECK(!is_loaded());  // the driver was released when its last handle was closed
}

SCENARIO(counting_goes_on_beside_profiling, kNeedsTrapped) {
  if (!CHECK_EQUAL(load(), 0)) return;
  leave_behind();
  {
    Profiler tool;
    const u16 events[] = {0x4000, 0x4001, 0x4002, 0x4003};  // population, taken, kept, collisions
    CHECK_EQUAL(tool.client.send(WPERF_CODE_COUNT_CONFIGURE, count_request(0b10, events, 4)), WPERF_OK);
    CHECK_EQUAL(tool.client.send(WPERF_CODE_SPE_CONFIGURE, profile_request(0b10)), WPERF_OK);
    CHECK_EQUAL(tool.client.plain(WPERF_CODE_COUNT_START), WPERF_OK);
    CHECK_EQUAL(tool.client.plain(WPERF_CODE_SPE_START), WPERF_OK);
    CHECK_EQUAL(choose(1, 0, kRecordsOfHalf), kRecordsOfHalf);
    sleep_ms(25);
    CHECK_EQUAL(choose(1, kRecordsOfHalf, 1), 1);
    tool.stop();
    tool.drain(1);
    check_records(0, kRecordsOfHalf);
    CHECK_EQUAL(tool.client.plain(WPERF_CODE_COUNT_STOP), WPERF_OK);
    CHECK_EQUAL(tool.client.read(1, count_reply), WPERF_OK);
    CHECK_EQUAL(count_reply.rounds, 1);
    CHECK(count_reply.enabled_ns >= 25'000'000);
    check_put_back();
  }
  CHECK_EQUAL(unload(), 0);
}

}  // namespace wperf::nthost
