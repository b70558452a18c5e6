// SPDX-License-Identifier: BSD-3-Clause
// Requests that wperf never sends, one kind at a time; fuzz.cpp sends random requests.
#include "tests/nthost/check.h"
#include "tests/nthost/machine/bare_machine.h"
#include "tests/nthost/scenarios/client.h"
#include "tests/nthost/scenarios/measured_program.h"
#include "tests/nthost/scenarios/request_shapes.h"

namespace wperf::nthost {
namespace {

constexpr u16 kCycles = 0x11;

alignas(16) u8 input[70'000];
alignas(16) u8 output[70'000];
WperfHardwareReply hardware_reply;

void set_header(u32 size, u32 version) {
  const WperfHeader header = {size, version};
  __builtin_memcpy(input, &header, sizeof header);
}

u32 send(Client& client, u32 code, u32 input_size, u32 capacity) {
  u32 returned = 0;
  const u32 status = client.raw(code, input, input_size, output, capacity, &returned);
  CHECK(status == WPERF_OK || returned == 0);
  return status;
}

bool is_known(u32 code) {
  for (const RequestShape& shape : kRequestShapes) {
    if (shape.code == code) {
      return true;
    }
  }
  return false;
}

struct Tool {
  Program program{100, kAdministrator};
  Client client{program.process()};
  Tool() { CHECK_EQUAL(client.lock(WPERF_LOCK_ACQUIRE), WPERF_OK); }
};

}  // namespace

SCENARIO(codes_that_do_not_exist_are_refused, kNeedsNothing) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    Tool tool;
    set_header(8, WPERF_WIRE_VERSION);
    for (u32 function = 0; function < 0x1000; ++function) {
      for (u32 method = 0; method < 4; ++method) {
        const u32 code = (0x8000u << 16) | (3u << 14) | (function << 2) | method;
        // Only METHOD_BUFFERED is accepted: the other methods would pass addresses of the client.
        if (!is_known(code) && method == 0) {
          CHECK_EQUAL(send(tool.client, code, 8, 8), WPERF_UNKNOWN_CODE);
        }
      }
    }
    const u32 foreign_codes[] = {0u, ~0u, 0x0022'0000u, static_cast<u32>(WPERF_CODE_VERSION) & 0xffffu};
    for (const u32 code : foreign_codes) {
      CHECK_EQUAL(send(tool.client, code & ~3u, 8, 8), WPERF_UNKNOWN_CODE);
    }
  }
  CHECK_EQUAL(unload(), 0);
}

SCENARIO(wrong_sizes_are_refused, kNeedsNothing) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    Tool tool;
    for (const RequestShape& shape : kRequestShapes) {
      for (u32 size = 0; size <= shape.input + 16; size += size < 32 || size + 24 > shape.input ? 1 : 13) {
        if (size != shape.input) {
          set_header(size, WPERF_WIRE_VERSION);
          CHECK_EQUAL(send(tool.client, shape.code, size, shape.output), WPERF_BAD_SIZE);
        }
      }
      for (u32 capacity = 0; capacity<shape.output; capacity += capacity + 24> shape.output ? 1 : 97) {
        set_header(shape.input, WPERF_WIRE_VERSION);
        CHECK_EQUAL(send(tool.client, shape.code, shape.input, capacity), WPERF_BAD_SIZE);
      }
    }
  }
  CHECK_EQUAL(unload(), 0);
}

SCENARIO(wrong_headers_are_refused, kNeedsNothing) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    Tool tool;
    for (const RequestShape& shape : kRequestShapes) {
      const u32 sizes[] = {0u, shape.input - 1, shape.input + 1, ~0u};
      for (const u32 size : sizes) {
        set_header(size, WPERF_WIRE_VERSION);
        CHECK_EQUAL(send(tool.client, shape.code, shape.input, shape.output), WPERF_BAD_VERSION);
      }
      if (shape.code == WPERF_CODE_VERSION || shape.code == WPERF_CODE_LOCK) {
        continue;  // these accept any version, so that both sides can agree on a version
      }
      const u32 versions[] = {0u, WPERF_WIRE_VERSION + 1, ~0u};
      for (const u32 version : versions) {
        set_header(shape.input, version);
        CHECK_EQUAL(send(tool.client, shape.code, shape.input, shape.output), WPERF_BAD_VERSION);
      }
    }
  }
  CHECK_EQUAL(unload(), 0);
}

SCENARIO(other_requests_are_refused, kNeedsNothing) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    Tool tool;
    const u32 majors[] = {0x03u, 0x04u, 0x05u, 0x06u, 0x09u, 0x0au, 0x0cu, 0x0du, 0x0fu, 0x11u, 0x14u, 0x15u};
    for (const u32 major : majors) {
      CHECK_EQUAL(other_request(tool.client.file(), static_cast<u8>(major)) >> 30, 3);  // an error
    }
    CHECK_EQUAL(tool.client.hardware(hardware_reply), WPERF_OK);
  }
  CHECK_EQUAL(unload(), 0);
}

namespace {

WperfDrainReply drained;

u64 time_of_work(MeasuredProgram& program) {
  const u64 begin = time_ns();
  program.run_known_work(1, 1'000'000);
  return time_ns() - begin;
}

// A sample every two cycles would leave no time for other work.
void check_storm(const Person& person, u32 flags, u32 most_per_second) {
  Program tool(100, person);
  Client client(tool.process());
  MeasuredProgram program(2000, kStranger, 0x7ff6'1234'0000);
  CHECK_EQUAL(client.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
  const u64 alone_ns = time_of_work(program);
  WperfSampleRequest request = sample_request(2, kCycles, 2);
  request.flags = flags;
  request.most_per_second = most_per_second;
  CHECK_EQUAL(client.send(WPERF_CODE_SAMPLE_CONFIGURE, request), WPERF_OK);
  const u64 begin = time_ns();
  CHECK_EQUAL(client.plain(WPERF_CODE_SAMPLE_START), WPERF_OK);
  const u64 sampled_ns = time_of_work(program);
  CHECK_EQUAL(client.plain(WPERF_CODE_SAMPLE_STOP), WPERF_OK);
  const u64 elapsed_ns = time_ns() - begin;
  CHECK_EQUAL(client.drain(1, drained), WPERF_OK);
  note("{} us alone, {} us sampled: {} samples, {} held back", alone_ns / 1000, sampled_ns / 1000, drained.taken,
       drained.held_back);
  CHECK(sampled_ns < 2 * alone_ns);
  CHECK(drained.taken > 20);
  CHECK(drained.held_back > drained.taken);
  if (most_per_second == 0) {
    CHECK(drained.taken < elapsed_ns * WPERF_SAMPLES_PER_SECOND / 1'000'000'000 + 200);
  }
}

}  // namespace

SCENARIO(too_short_intervals_leave_programs_their_time, kNeedsIcount | kNeedsUntrapped) {
  if (!CHECK_EQUAL(load(), 0)) return;
  check_storm(kPerformanceLogUser, 0, 0);
  check_storm(kAdministrator, 0, 0);
  check_storm(kAdministrator, WPERF_SAMPLE_KERNEL, 0);
  check_storm(kAdministrator, 0, ~0u);  // the highest allowed rate
  {
    Program tool(100, kPerformanceLogUser);
    Client client(tool.process());
    CHECK_EQUAL(client.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
    WperfSampleRequest request = sample_request(2, kCycles, 100'000);
    request.most_per_second = WPERF_SAMPLES_PER_SECOND + 1;
    CHECK_EQUAL(client.send(WPERF_CODE_SAMPLE_CONFIGURE, request), WPERF_ACCESS_DENIED);
  }
  CHECK_EQUAL(unload(), 0);
}

// Makes each allocation of a session fail, one after the other. The request returns an error, and no memory leaks.
SCENARIO(exhausted_pool_is_an_error, kNeedsNothing) {
  const u16 events[] = {kCycles};
  const WperfCountRequest count = count_request(2, events, 1);
  WperfSampleRequest sample = sample_request(2, kCycles, 100'000);
  sample.max_stack = WPERF_MAX_STACK;
  bool everything_worked = false;
  for (u64 allocations = 0; allocations < 64 && !everything_worked; ++allocations) {
    if (!CHECK_EQUAL(load(), 0)) return;
    {
      Program program(100, kAdministrator);
      fail_allocation_after(allocations);
      const Opened opened = open(program.process());
      if (opened.status == 0) {
        Client client(opened.file);
        bool worked = client.lock(WPERF_LOCK_ACQUIRE) == WPERF_OK;
        worked = client.send(WPERF_CODE_COUNT_CONFIGURE, count) == WPERF_OK && worked;
        worked = client.plain(WPERF_CODE_COUNT_START) == WPERF_OK && worked;
        worked = client.plain(WPERF_CODE_COUNT_STOP) == WPERF_OK && worked;
        worked = client.send(WPERF_CODE_SAMPLE_CONFIGURE, sample) == WPERF_OK && worked;
        worked = client.plain(WPERF_CODE_SAMPLE_START) == WPERF_OK && worked;
        worked = client.plain(WPERF_CODE_SAMPLE_STOP) == WPERF_OK && worked;
        everything_worked = worked;
      }
      fail_allocation_after(~u64{0});
    }
    CHECK_EQUAL(unload(), 0);
  }
  CHECK(everything_worked);
}

SCENARIO(no_thread_for_the_timer_is_an_error, kNeedsNothing) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    Tool tool;
    const u16 events[] = {kCycles};
    fail_thread_creation(true);
    CHECK_EQUAL(tool.client.send(WPERF_CODE_COUNT_CONFIGURE, count_request(2, events, 1)), WPERF_OK);
    CHECK(tool.client.plain(WPERF_CODE_COUNT_START) != WPERF_OK);
    fail_thread_creation(false);
    CHECK_EQUAL(tool.client.plain(WPERF_CODE_COUNT_START), WPERF_OK);
    CHECK_EQUAL(tool.client.plain(WPERF_CODE_COUNT_STOP), WPERF_OK);
  }
  CHECK_EQUAL(unload(), 0);
}

}  // namespace wperf::nthost
