// SPDX-License-Identifier: BSD-3-Clause
// Sampling with QEMU's own PMU and its overflow interrupt. The address range of every sample is known in advance.
// Intervals of cycles must be even, and intervals of instructions need the heartbeat; otherwise QEMU's overflow timer
// misses the overflow.
#include "tests/nthost/check.h"
#include "tests/nthost/machine/bare_machine.h"
#include "tests/nthost/machine/machine_threads.h"
#include "tests/nthost/scenarios/client.h"
#include "tests/nthost/scenarios/measured_program.h"

namespace wperf::nthost {
namespace {

constexpr u16 kInstructions = 0x08, kCycles = 0x11;
constexpr u32 kTool = 100, kMeasured = 2000;
constexpr u64 kBase = 0x7ff6'1234'0000;
constexpr u64 kIterations = 1'010'000;  // no interval ends within the last instructions
constexpr u32 kInterval = 100'000;
constexpr u64 kCyclesPerInstruction = 2;

WperfDrainReply reply;

struct Tool {
  explicit Tool(const Person& person) : program(kTool, person), client(program.process()) {
    CHECK_EQUAL(client.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
  }
  void configure(const WperfSampleRequest& request) {
    CHECK_EQUAL(client.send(WPERF_CODE_SAMPLE_CONFIGURE, request), WPERF_OK);
  }
  void start() { CHECK_EQUAL(client.plain(WPERF_CODE_SAMPLE_START), WPERF_OK); }
  void stop() { CHECK_EQUAL(client.plain(WPERF_CODE_SAMPLE_STOP), WPERF_OK); }
  void drain(u32 core) { CHECK_EQUAL(client.drain(core, reply), WPERF_OK); }

  Program program;
  Client client;
};

void check_samples(const MeasuredProgram& program, u32 core, u32 thread) {
  u64 before = 0;
  for (u32 i = 0; i < reply.count; ++i) {
    const WperfSample& sample = reply.samples[i];
    if (!CHECK(program.in_known_loop(sample.pc))) return;
    CHECK_EQUAL(sample.lr, program.known_loop_caller_address());
    CHECK_EQUAL(sample.process, program.id());
    CHECK_EQUAL(sample.thread, thread);
    CHECK_EQUAL(sample.core, core);
    CHECK_EQUAL(sample.exception_level, 0);
    CHECK_EQUAL(sample.overflowed, 1);
    CHECK(sample.time_ns > before);
    before = sample.time_ns;
  }
}

void sample_each_core(u16 event, u64 counted_per_instruction, u64 heartbeat_ns) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    Tool tool(kAdministrator);
    MeasuredProgram program(kMeasured, kStranger, kBase);
    for (u32 core = 0; core < cpu_count(); ++core) {
      set_heartbeat(heartbeat_ns, u64{1} << core);
      tool.configure(sample_request(u64{1} << core, event, kInterval));
      tool.start();
      const u32 thread = program.run_known_work(core, kIterations);
      tool.stop();
      tool.drain(core);
      CHECK_EQUAL(reply.taken, user_instructions(kIterations) * counted_per_instruction / kInterval);
      CHECK_EQUAL(reply.merged, 0);
      CHECK_EQUAL(reply.lost_ring_full, 0);
      CHECK_EQUAL(reply.lost_filtered, 0);
      CHECK_EQUAL(reply.count, reply.taken);
      check_samples(program, core, thread);
    }
  }
  CHECK_EQUAL(unload(), 0);
}

}  // namespace

SCENARIO(cycles_are_sampled_on_each_core, kNeedsIcount | kNeedsUntrapped) {
  sample_each_core(kCycles, kCyclesPerInstruction, 0);
}

SCENARIO(instructions_are_sampled_on_each_core, kNeedsIcount | kNeedsUntrapped) {
  sample_each_core(kInstructions, 1, 20'000);
}

namespace {

// While a core waits at EL0, QEMU also counts the cycles of other cores for it. So there may be more samples than the
// program's own cycles produce, and a few of them are at the instruction where the core waited. Returns the number of
// samples in the loop.
u32 check_samples_of_one_of_many(const MeasuredProgram& program, u32 core, u32 thread) {
  u32 inside = 0;
  for (u32 i = 0; i < reply.count; ++i) {
    const WperfSample& sample = reply.samples[i];
    CHECK_EQUAL(sample.process, program.id());
    CHECK_EQUAL(sample.thread, thread);
    CHECK_EQUAL(sample.core, core);
    inside += program.in_known_loop(sample.pc) && sample.lr == program.known_loop_caller_address() ? 1 : 0;
  }
  return inside;
}

void check_one_of_many(const MeasuredProgram& program, u32 core, u32 thread) {
  const u32 inside = check_samples_of_one_of_many(program, core, thread);
  const u64 own = user_instructions(kIterations) * kCyclesPerInstruction / kInterval;
  CHECK_WITHIN(reply.count, own, 4 * own);
  CHECK_WITHIN(inside, reply.count - 3, reply.count);
}

}  // namespace

SCENARIO(cores_are_sampled_at_once, kNeedsIcount | kNeedsUntrapped) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    Tool tool(kAdministrator);
    MeasuredProgram low(kMeasured, kStranger, 0x10'0000);
    MeasuredProgram high(kMeasured + 4, kStranger, 0x7fff'ffff'0000);
    tool.configure(sample_request(6, kCycles, kInterval));
    tool.start();
    Workload* first = low.start_known_work(1, kIterations);
    Workload* second = high.start_known_work(2, kIterations);
    const u32 threads[] = {thread_id(*first), thread_id(*second)};
    finish(first);
    finish(second);
    tool.stop();
    tool.drain(1);
    check_one_of_many(low, 1, threads[0]);
    tool.drain(2);
    check_one_of_many(high, 2, threads[1]);
  }
  CHECK_EQUAL(unload(), 0);
}

SCENARIO(full_ring_counts_what_it_loses, kNeedsIcount | kNeedsUntrapped) {
  set_heartbeat(0);
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    Tool tool(kAdministrator);
    MeasuredProgram program(kMeasured, kStranger, kBase);
    WperfSampleRequest request = sample_request(2, kCycles, kInterval);
    request.ring_samples = 16;
    tool.configure(request);
    tool.start();
    program.run_known_work(1, kIterations);
    tool.drain(1);
    const u64 taken = user_instructions(kIterations) * kCyclesPerInstruction / kInterval;
    CHECK_EQUAL(reply.taken, taken);
    CHECK_EQUAL(reply.count, 16);
    CHECK_EQUAL(reply.more, 0);
    CHECK_EQUAL(reply.lost_ring_full, taken - 16);
    program.run_known_work(1, kIterations / 10);  // there is room again
    tool.stop();
    tool.drain(1);
    CHECK_WITHIN(reply.count, taken / 10, taken / 10 + 1);
    CHECK_EQUAL(reply.lost_ring_full, taken - 16);
    CHECK_EQUAL(reply.taken, taken + reply.count);
  }
  CHECK_EQUAL(unload(), 0);
}

SCENARIO(samples_are_drained_while_sampling, kNeedsIcount | kNeedsUntrapped) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    Tool tool(kAdministrator);
    MeasuredProgram program(kMeasured, kStranger, kBase);
    WperfSampleRequest request = sample_request(2, kCycles, 6'000);
    request.most_per_second = ~0u;
    tool.configure(request);
    tool.start();
    Workload* work = program.start_known_work(1, kIterations);
    const u32 thread = thread_id(*work);
    u64 drained = 0, inside = 0;
    for (bool ended = false; !ended;) {
      ended = has_ended(*work);
      do {
        tool.drain(1);
        drained += reply.count;
        inside += check_samples_of_one_of_many(program, 1, thread);
        CHECK_EQUAL(reply.more, reply.more != 0 ? 1 : 0);
      } while (reply.more != 0 && !scenario_failed());
      sleep_ms(1);
    }
    finish(work);
    tool.stop();
    tool.drain(1);
    drained += reply.count;
    const u64 own = user_instructions(kIterations) * kCyclesPerInstruction / 6'000;
    CHECK_WITHIN(drained + reply.held_back, own, 2 * own);  // core 0 may also run in between
    CHECK(drained > own / 2);
    CHECK_WITHIN(inside, drained - drained / 50, drained);
    CHECK_EQUAL(reply.taken, drained + reply.lost_filtered);
    CHECK_EQUAL(reply.lost_ring_full, 0);
    CHECK_WITHIN(reply.lost_filtered + reply.merged, 0, own / 20);  // larger on a busy host
  }
  CHECK_EQUAL(unload(), 0);
}

SCENARIO(jitter_varies_the_intervals, kNeedsIcount | kNeedsUntrapped) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    Tool tool(kAdministrator);
    MeasuredProgram program(kMeasured, kStranger, kBase);
    WperfSampleRequest request = sample_request(2, kCycles, 20'000);
    request.flags = WPERF_SAMPLE_JITTER;
    request.jitter_shift = 2;
    request.seed = 42;
    set_heartbeat(4'000, 2);  // with jitter, intervals are odd as often as even
    tool.configure(request);
    tool.start();
    Workload* work = program.start_known_work(1, kIterations);
    const u32 thread = thread_id(*work);
    finish(work);
    tool.stop();
    tool.drain(1);
    const u64 mean = user_instructions(kIterations) * kCyclesPerInstruction / 20'000;
    CHECK_WITHIN(reply.taken, mean * 95 / 100, mean * 105 / 100);
    if (!CHECK(reply.count > mean / 2)) return;
    check_samples(program, 1, thread);
    const u64 mean_ns = (reply.samples[reply.count - 1].time_ns - reply.samples[0].time_ns) / (reply.count - 1);
    u32 below = 0, above = 0;
    for (u32 i = 1; i < reply.count; ++i) {
      const u64 apart = reply.samples[i].time_ns - reply.samples[i - 1].time_ns;
      below += apart < mean_ns * 9 / 10 ? 1 : 0;
      above += apart > mean_ns * 11 / 10 ? 1 : 0;
    }
    CHECK(below > reply.count / 5);
    CHECK(above > reply.count / 5);
  }
  CHECK_EQUAL(unload(), 0);
}

SCENARIO(kernel_is_sampled_for_an_administrator, kNeedsIcount | kNeedsUntrapped) {
  if (!CHECK_EQUAL(load(), 0)) return;
  WperfSampleRequest request = sample_request(2, kCycles, kInterval);
  request.flags = WPERF_SAMPLE_KERNEL;
  {
    Tool tool(kPerformanceLogUser);
    CHECK_EQUAL(tool.client.send(WPERF_CODE_SAMPLE_CONFIGURE, request), WPERF_ACCESS_DENIED);
  }
  {
    Tool tool(kAdministrator);
    tool.configure(request);
    tool.start();
    Workload* work = start_kernel_work(1, known_work, kIterations);
    const u32 thread = thread_id(*work);
    finish(work);
    tool.stop();
    tool.drain(1);
    u32 inside = 0;
    for (u32 i = 0; i < reply.count; ++i) {
      const WperfSample& sample = reply.samples[i];
      const bool in_loop =
          sample.pc >= reinterpret_cast<u64>(known_loop_begin) && sample.pc < reinterpret_cast<u64>(known_loop_end);
      if (in_loop) {
        ++inside;
        CHECK_EQUAL(sample.lr, reinterpret_cast<u64>(known_loop_caller));
        CHECK_EQUAL(sample.process, 4);
        CHECK_EQUAL(sample.thread, thread);
        CHECK_EQUAL(sample.exception_level, 1);
      }
    }
    const u64 expected = known_work_instructions(kIterations) * kCyclesPerInstruction / kInterval;
    CHECK_WITHIN(inside, expected - 1, expected + 5);  // the loop, and time in which other cores ran
  }
  CHECK_EQUAL(unload(), 0);
}

namespace {

struct Share {
  u32 hot = 0, all = 0;
};

// Adds the samples of a core. Returns false if a check failed.
bool add_share(Tool& tool, const MeasuredProgram& program, u32 core, u32 thread, Share& share) {
  do {
    tool.drain(core);
    for (u32 i = 0; i < reply.count; ++i) {
      const WperfSample& sample = reply.samples[i];
      if (!CHECK(program.in_endless_work(sample.pc))) return false;
      CHECK_EQUAL(sample.process, program.id());
      CHECK_EQUAL(sample.thread, thread);
      share.hot += program.in_hot_part(sample.pc) ? 1 : 0;
    }
    share.all += reply.count;
  } while (reply.more != 0);
  return true;
}

}  // namespace

SCENARIO(samples_without_icount, kNeedsSpeed) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    Tool tool(kAdministrator);
    MeasuredProgram program(kMeasured, kStranger, kBase);
    tool.configure(sample_request(6, kCycles, 200'000));
    tool.start();
    Workload* works[] = {program.start_endless_work(1, 200), program.start_endless_work(2, 200)};
    Share shares[2];
    // The number of interrupts depends on the host: a busy host merges most of them. If there are only a dozen samples,
    // half of them may be anywhere.
    constexpr u32 kEnough = 100;
    for (u32 tries = 0; tries < 1'000 && (shares[0].all <= kEnough || shares[1].all <= kEnough); ++tries) {
      sleep_ms(10);
      for (u32 i = 0; i < 2; ++i) {
        if (!add_share(tool, program, i + 1, thread_id(*works[i]), shares[i])) return;
      }
    }
    tool.stop();
    for (Workload* work : works) stop(work);
    for (const Share& share : shares) {
      CHECK(share.all > 10);
      CHECK(share.hot > share.all / 2);
    }
  }
  CHECK_EQUAL(unload(), 0);
}

}  // namespace wperf::nthost
