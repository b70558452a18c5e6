// SPDX-License-Identifier: BSD-3-Clause
// Call stacks of programs with known callers, of the kernel, and of programs with arbitrary stack contents. Also tests
// which users may see the stacks. The intervals are even, so these scenarios run in all modes; the number of samples is
// not checked.
#include "tests/nthost/check.h"
#include "tests/nthost/machine/bare_machine.h"
#include "tests/nthost/machine/machine_threads.h"
#include "tests/nthost/scenarios/measured_program.h"
#include "tests/nthost/scenarios/stack_samples.h"

extern "C" const char image_text_begin[], image_text_end[];

namespace wperf::nthost {
namespace {

constexpr u32 kMeasured = 2000, kCore = StackTool::kCore, kWanted = 12;
constexpr u64 kBase = 0x7ff6'1234'0000;
constexpr u64 kData = kFirstStack;  // the address of the data above the program's stack pointer
constexpr u64 kPage = 4096;

bool is_lost(const StackRecord& it) {
  return (it.stack.flags & WPERF_STACK_LOST) != 0;
}

u32 count_lost(const StackTool& tool) {
  u32 lost = 0;
  for (u32 i = 0; i < tool.count(); ++i) lost += is_lost(tool.record(i)) ? 1 : 0;
  return lost;
}

// Samples a program that stays in one place. When sampling stops, the last interrupt may come too late for its stack.
// On a busy host interrupts come in bursts. Then there is no room for all waiting calls, and more calls are too late.
bool sample_at_rest(StackTool& tool, u32 max_stack = WPERF_MAX_STACK) {
  sleep_ms(1);
  tool.start(0, max_stack);
  bool enough = false;
  for (u32 wanted = kWanted; !enough && tool.drain_at_least(wanted); ++wanted) {
    enough = tool.count() - count_lost(tool) >= kWanted;
  }
  tool.stop();
  if (!enough || !tool.drain()) return false;
  const u32 lost = count_lost(tool);
  CHECK_EQUAL(tool.reply().lost_stacks, lost);
  CHECK_EQUAL(tool.reply().lost_ring_full, 0);
  return CHECK(lost <= (under_icount() ? 1 : tool.count()));
}

// Checks that each sample with a stack has exactly these callers.
void check_callers(const StackTool& tool, const u64* expected, u32 count, u32 flags = 0) {
  for (u32 i = 0; i < tool.count(); ++i) {
    const StackRecord it = tool.record(i);
    if (is_lost(it)) continue;
    if (!CHECK_EQUAL(it.stack.flags, flags) || !CHECK_EQUAL(it.stack.kernel_frames, 0) ||
        !CHECK_EQUAL(it.stack.user_frames, count)) {
      return;
    }
    for (u32 frame = 0; frame < count; ++frame) {
      if (!CHECK_EQUAL(it.frames[frame], expected[frame])) return;
    }
  }
}

void fill(u64* frames, u32 count, u64 address) {
  for (u32 i = 0; i < count; ++i) frames[i] = address;
}

}  // namespace

SCENARIO(programs_come_with_their_callers, kNeedsNothing) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    MeasuredProgram program(kMeasured, kStranger, kBase);
    const u32 depths[] = {0, 1, 5, 126};
    for (const u32 depth : depths) {
      StackTool tool;
      Workload* work = program.start_deep_work(kCore, depth);
      u64 expected[127];
      fill(expected, depth, program.deep_caller_address());
      expected[depth] = way_back(*work);
      if (sample_at_rest(tool)) {
        check_callers(tool, expected, depth + 1);
        CHECK_EQUAL(tool.reply().cut_stacks, 0);
        for (u32 i = 0; i < tool.count(); ++i) {
          const WperfSample sample = tool.record(i).sample;
          CHECK(program.in_deep_loop(sample.pc));
          CHECK_EQUAL(sample.process, program.id());
          CHECK_EQUAL(sample.thread, thread_id(*work));
          CHECK_EQUAL(sample.core, kCore);
        }
      }
      stop(work);
    }
  }
  CHECK_EQUAL(unload(), 0);
}

SCENARIO(recursions_are_cut, kNeedsNothing) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    MeasuredProgram program(kMeasured, kStranger, kBase);
    Workload* work = program.start_deep_work(kCore, 199);  // 200 records
    u64 expected[WPERF_MAX_STACK];
    fill(expected, WPERF_MAX_STACK, program.deep_caller_address());
    const u32 limits[] = {WPERF_MAX_STACK, 3};
    for (const u32 limit : limits) {
      StackTool tool;
      if (!sample_at_rest(tool, limit)) continue;
      check_callers(tool, expected, limit, WPERF_STACK_CUT);
      CHECK_EQUAL(tool.reply().cut_stacks, tool.count() - tool.reply().lost_stacks);
    }
    stop(work);
  }
  CHECK_EQUAL(unload(), 0);
}

// A function without a frame record is not in the chain. Its caller is in lr, and the chain begins with its caller's
// caller.
SCENARIO(leaf_functions_have_their_caller_in_lr, kNeedsNothing) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    StackTool tool;
    MeasuredProgram program(kMeasured, kStranger, kBase);
    Workload* work = program.start_known_work(kCore, ~u64{0} >> 8);
    const u64 expected[] = {way_back(*work)};
    if (sample_at_rest(tool)) {
      check_callers(tool, expected, 1);
      for (u32 i = 0; i < tool.count(); ++i) {
        CHECK(program.in_known_loop(tool.record(i).sample.pc));
        CHECK_EQUAL(tool.record(i).sample.lr, program.known_loop_caller_address());
      }
    }
    stop(work);
  }
  CHECK_EQUAL(unload(), 0);
}

namespace {

// The contents of a program's memory at kData, and how much of them the walk keeps.
struct Chain {
  const char* what;
  u64 frame_pointer;
  u64 records[4][2];  // {next, caller} from kData on
  u32 frames;         // expected callers in records, in their order
};
constexpr u64 kCode = 0x1234'5000;
constexpr u64 kStackEnd = kData + kUserStack, kElsewhere = 0x7fff'4000'0000;
constexpr Chain kChains[] = {
    {"whole", kData, {{kData + 16, kCode}, {kData + 32, kCode + 4}, {0, kCode + 8}}, 3},
    {"a loop to itself", kData, {{kData, kCode}}, 1},
    {"a loop", kData, {{kData + 16, kCode}, {kData, kCode + 4}}, 2},
    {"overlapping", kData, {{kData + 8, kCode}}, 1},
    {"unaligned", kData, {{kData + 20, kCode}}, 1},
    {"into the kernel", kData, {{0xffff'8000'4000'0000, kCode}}, 1},
    {"to the last bytes of programs", kData, {{0x7fff'ffff'fff8, kCode}}, 1},
    {"unmapped", kData, {{kData + 0x10'0000, kCode}}, 1},
    {"a caller in the kernel", kData, {{kData + 16, kCode}, {kData + 32, 0xffff'f805'1a20'1000}}, 1},
    {"no caller", kData, {{kData + 16, kCode}, {kData + 32, 0}}, 1},
    {"begins in the kernel", 0xffff'8000'4000'0000, {}, 0},
    {"begins unaligned", kData + 4, {}, 0},
    {"begins nowhere", 0, {}, 0},
    {"begins below the stack", kBase, {}, 0},
    {"begins unmapped", kData + 0x10'0000, {}, 0},
    {"to the stack's last record", kData, {{kStackEnd - 16, kCode}}, 2},
    {"over the stack's end", kData, {{kStackEnd - 8, kCode}}, 1},
    {"out of the stack", kData, {{kElsewhere, kCode}}, 1},
    {"begins out of the stack", kElsewhere, {}, 0},
};

// There is also a record outside of the stack, in a page that is paged out. The walk must not bring that page in.
void sample_chain(const Chain& chain) {
  StackTool tool;
  MeasuredProgram program(kMeasured, kStranger, kBase);
  CHECK(map_user_data(program.process(), kElsewhere, kPage));
  const u64 elsewhere[] = {0, kCode + 0x100};
  CHECK(write_user(program.process(), kElsewhere, elsewhere, sizeof elsewhere));
  page_out(program.process(), kElsewhere, kPage);
  const u64 before = pages_brought_in();
  u64 expected[4];
  for (u32 i = 0; i < 4; ++i) expected[i] = chain.records[i][1];
  Workload* work = program.start_framed_work(kCore, chain.frame_pointer);
  CHECK(write_user(program.process(), kData, chain.records, sizeof chain.records));
  const u64 last[] = {kElsewhere, kCode + 4};
  CHECK(write_user(program.process(), kStackEnd - 16, last, sizeof last));
  if (chain.records[0][0] == kStackEnd - 16) expected[1] = last[1];
  if (sample_at_rest(tool)) check_callers(tool, expected, chain.frames);
  CHECK_EQUAL(pages_brought_in(), before);
  stop(work);
  if (scenario_failed()) note("{}", chain.what);
}

}  // namespace

SCENARIO(damaged_chains_end, kNeedsNothing) {
  if (!CHECK_EQUAL(load(), 0)) return;
  for (const Chain& chain : kChains) {
    sample_chain(chain);
    if (scenario_failed()) break;
  }
  CHECK_EQUAL(unload(), 0);
}

namespace {

// Records lie above the thread's stack. The walk uses the limits in the thread's block, or the usual stack size if they
// are unknown.
void sample_beyond(u64 far, u32 frames) {
  StackTool tool;
  MeasuredProgram program(kMeasured, kStranger, kBase);
  CHECK(map_user_data(program.process(), far, kPage));
  Workload* work = program.start_framed_work(kCore, kData);
  const u64 records[][2] = {{far, kCode}, {0, kCode + 4}};
  const u64 expected[] = {kCode, kCode + 4};
  CHECK(write_user(program.process(), kData, records[0], 16) && write_user(program.process(), far, records[1], 16));
  if (sample_at_rest(tool)) check_callers(tool, expected, frames);
  stop(work);
}

}  // namespace

SCENARIO(stacks_without_known_limits_end_near_their_pointer, kNeedsNothing) {
  constexpr u64 kNear = 1 << 20;
  if (!CHECK_EQUAL(load(), 0)) return;
  sample_beyond(kData + kNear - 2 * kPage, 1);
  CHECK_EQUAL(unload(), 0);
  hide_routine("PsGetCurrentThreadTeb");
  if (!CHECK_EQUAL(load(), 0)) return;
  sample_beyond(kData + kNear - 2 * kPage, 2);
  sample_beyond(kData + kNear, 1);
  CHECK_EQUAL(unload(), 0);
}

// A record in each of three pages. The second page is paged out, and the third one is unmapped.
SCENARIO(stacks_are_paged, kNeedsNothing) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    StackTool tool;
    MeasuredProgram program(kMeasured, kStranger, kBase);
    Process& process = program.process();
    const u64 third = kData + 2 * kPage;
    const u64 records[][2] = {{kData + kPage - 8, kCode}, {third, kCode + 4}, {0, kCode + 8}};
    const u64 expected[] = {kCode, kCode + 4, kCode + 8};
    Workload* work = program.start_framed_work(kCore, kData);
    CHECK(write_user(process, kData, records[0], 16));
    CHECK(write_user(process, kData + kPage - 8, &records[1][0], 8));  // half of the record is in either page
    CHECK(write_user(process, kData + kPage, &records[1][1], 8));
    CHECK(write_user(process, third, records[2], 16));
    const u64 before = pages_brought_in();
    page_out(process, kData + kPage, kPage);
    if (sample_at_rest(tool)) {
      check_callers(tool, expected, 3);
      CHECK_EQUAL(pages_brought_in() - before, 1);
    }
    unmap_user(process, third, kPage);
    if (sample_at_rest(tool)) check_callers(tool, expected, 2);
    unmap_user(process, kData + kPage, kPage);
    if (sample_at_rest(tool)) check_callers(tool, expected, 1);
    stop(work);
  }
  CHECK_EQUAL(unload(), 0);
}

namespace {

struct KernelStacks {
  u32 inside = 0;    // in deep_work's loop
  u32 complete = 0;  // samples with all callers down to the start of the thread
  u32 empty = 0;
};
constexpr u32 kDepth = 6;

bool is_in_this_kernel(u64 address) {
  return address >= reinterpret_cast<u64>(image_text_begin) && address < reinterpret_cast<u64>(image_text_end);
}

KernelStacks look_at_kernel_stacks(const StackTool& tool) {
  KernelStacks seen;
  for (u32 i = 0; i < tool.count(); ++i) {
    const StackRecord it = tool.record(i);
    const bool in_loop =
        it.sample.pc >= reinterpret_cast<u64>(deep_loop_begin) && it.sample.pc < reinterpret_cast<u64>(deep_loop_end);
    if (!in_loop || is_lost(it)) continue;
    ++seen.inside;
    CHECK_EQUAL(it.stack.user_frames, 0);
    bool complete = it.stack.kernel_frames >= kDepth + 2;  // deep_work's caller, and the caller of that
    for (u32 frame = 0; frame < it.stack.kernel_frames; ++frame) {
      CHECK(is_in_this_kernel(it.frames[frame]));
      if (frame < kDepth) complete = complete && it.frames[frame] == reinterpret_cast<u64>(deep_caller);
    }
    seen.complete += complete ? 1 : 0;
    seen.empty += it.stack.kernel_frames == 0 ? 1 : 0;
  }
  return seen;
}

// The number of interrupts depends on the machine, so the test continues until there are some.
KernelStacks sample_kernel() {
  StackTool tool;
  tool.start(WPERF_SAMPLE_KERNEL);
  KernelStacks seen;
  for (u32 tries = 0; tries < 100 && seen.inside <= 5; ++tries) {
    finish(start_kernel_work(kCore, deep_work, u64{20'000} << 16 | kDepth));
    if (!tool.drain()) break;
    seen = look_at_kernel_stacks(tool);
  }
  tool.stop();
  CHECK(seen.inside > 5);
  return seen;
}

}  // namespace

SCENARIO(kernel_stacks_end_at_their_limits, kNeedsNothing) {
  // Three cases: IoGetStackLimits reports the thread's stack; it reports the interrupt stack; it reports the interrupt
  // stack, and the thread's stack is unknown.
  for (u32 turn = 0; turn < 3; ++turn) {
    give_interrupts_a_stack(turn != 0);
    if (turn == 2) hide_routine("PsGetCurrentThreadStackLimit");
    if (!CHECK_EQUAL(load(), 0)) return;
    const KernelStacks seen = sample_kernel();
    CHECK_EQUAL(seen.complete, turn == 2 ? 0 : seen.inside);
    CHECK_EQUAL(seen.empty, turn == 2 ? seen.inside : 0);
    CHECK_EQUAL(unload(), 0);
  }
}

// A user without administrator rights sees only the stacks of that user's programs, and no kernel frames.
SCENARIO(stacks_of_other_users_are_hidden, kNeedsNothing) {
  if (!CHECK_EQUAL(load(), 0)) return;
  const Person people[] = {kPerformanceLogUser, kAdministrator};
  for (const Person& person : people) {
    StackTool tool(person);
    WperfSampleRequest of_kernel = sample_request(2, 0x11, 100'000);
    of_kernel.flags = WPERF_SAMPLE_KERNEL;
    of_kernel.max_stack = WPERF_MAX_STACK;
    if (!person.administrator) {
      CHECK_EQUAL(tool.client().send(WPERF_CODE_SAMPLE_CONFIGURE, of_kernel), WPERF_ACCESS_DENIED);
    }
    MeasuredProgram own(kMeasured, person, 0x40'0000);
    MeasuredProgram foreign(kMeasured + 4, kStranger, 0x80'0000);
    tool.start();
    Workload* first = foreign.start_deep_work(kCore, 3);
    wait_for_interrupts(kCore, 5);
    Workload* second = own.start_deep_work(kCore, 3);  // from here on they take turns
    bool enough = false;
    for (u32 tries = 0; tries < 1'000 && !enough && tool.drain(); ++tries) {
      u32 seen = 0;
      for (u32 i = 0; i < tool.count(); ++i) seen += tool.record(i).sample.process == own.id() ? 1 : 0;
      enough = seen > 5;
      sleep_ms(1);
    }
    CHECK(enough);
    tool.stop();
    stop(first);
    stop(second);
    if (!tool.drain()) break;
    u32 others = 0;
    for (u32 i = 0; i < tool.count(); ++i) {
      const StackRecord it = tool.record(i);
      others += it.sample.process == foreign.id() ? 1 : 0;
      CHECK_EQUAL(it.stack.kernel_frames, 0);
      for (u32 frame = 0; frame < it.stack.user_frames; ++frame) CHECK(it.frames[frame] < 0x8000'0000'0000);
    }
    CHECK((others != 0) == person.administrator);
    CHECK((tool.reply().lost_filtered != 0) == !person.administrator);
  }
  CHECK_EQUAL(unload(), 0);
}

}  // namespace wperf::nthost
