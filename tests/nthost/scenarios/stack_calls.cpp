// SPDX-License-Identifier: BSD-3-Clause
// The APCs that walk the stacks of programs, when they are disturbed: a thread ends, sampling ends, the driver is
// removed, a program's memory never becomes available, or the kernel has no such calls. A call that is left behind
// would run in unmapped memory.
#include "tests/nthost/check.h"
#include "tests/nthost/machine/machine_threads.h"
#include "tests/nthost/machine/register_access.h"
#include "tests/nthost/scenarios/measured_program.h"
#include "tests/nthost/scenarios/stack_samples.h"

namespace wperf::nthost {
namespace {

constexpr u32 kMeasured = 2000, kCore = StackTool::kCore, kOtherCore = kCore + 1;
constexpr u64 kBase = 0x1'4000'0000;

void check_all_lost(StackTool& tool) {
  if (!tool.drain()) return;
  CHECK(tool.count() != 0);
  CHECK_EQUAL(tool.reply().lost_stacks, tool.count());
  for (u32 i = 0; i < tool.count(); ++i) {
    const StackRecord it = tool.record(i);
    CHECK_EQUAL(it.stack.flags, WPERF_STACK_LOST);
    CHECK_EQUAL(it.sample.stack_words, 1);
  }
}

bool has_text(const char* text, const char* part) {
  for (; *text != 0; ++text) {
    u32 same = 0;
    while (part[same] != 0 && text[same] == part[same]) ++same;
    if (part[same] == 0) return true;
  }
  return false;
}

}  // namespace

SCENARIO(threads_end_with_a_call_queued, kNeedsNothing) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    StackTool tool;
    MeasuredProgram program(kMeasured, kStranger, kBase);
    for (u32 times = 0; times < 3; ++times) {
      hold_apcs(true);
      tool.start();
      const u32 run_down = apcs_run_down();
      Workload* work = program.start_deep_work(kCore, 3);
      wait_for_interrupts(kCore, 5 + 40 * times);  // the second time, more calls are requested than can wait
      stop(work);
      CHECK(apcs_run_down() > run_down);
      hold_apcs(false);
      tool.stop();
      check_all_lost(tool);
    }
  }
  CHECK_EQUAL(unload(), 0);
}

namespace {

// The reason why a call in a thread has not ended when sampling stops.
enum class Obstacle {
  turn,    // its thread is never scheduled
  memory,  // the program's memory never becomes available
};
constexpr Obstacle kObstacles[] = {Obstacle::turn, Obstacle::memory};

constexpr u64 kPage = 4096;
constexpr u64 kSoonMs = 2'000;  // longer than a driver may delay a client, even on a busy host

// A program whose stack is sampled. The calls in its thread do not end.
class Stuck {
 public:
  explicit Stuck(Obstacle obstacle) : obstacle_(obstacle), work_(program_.start_framed_work(kCore, kFirstStack)) {
    const u64 record[] = {0, program_.deep_caller_address()};
    CHECK(write_user(program_.process(), kFirstStack, record, sizeof record));
    if (obstacle_ == Obstacle::memory) {
      page_out(program_.process(), kFirstStack, kPage);
      hold_page_reads(true);
    } else {
      hold_apcs(true);
    }
  }
  ~Stuck() { stop(work_); }
  Stuck(const Stuck&) = delete;
  Stuck& operator=(const Stuck&) = delete;

  // Waits until a call is queued. The thread is stopped by the first call that waits for memory.
  void wait_for_calls() {
    if (obstacle_ == Obstacle::turn) {
      wait_for_interrupts(kCore, 4);
      return;
    }
    for (u32 tries = 0; apcs_run() == apcs_before_ && tries < 4'000; ++tries) sleep_ns(500'000);
    CHECK(apcs_run() != apcs_before_);
  }
  void let_go() {
    hold_apcs(false);
    hold_page_reads(false);
    for (u32 tries = 0; stays_in_memory() && tries < 1'000; ++tries) sleep_ms(1);
    sleep_ms(3);  // leftover calls would cause a fault now
  }

 private:
  const Obstacle obstacle_;
  const u32 apcs_before_ = apcs_run();
  MeasuredProgram program_{kMeasured, kStranger, kBase};
  Workload* work_;
};

u64 now_ms() {
  return WPERF_READ_SYSREG("cntvct_el0") * 1'000 / WPERF_READ_SYSREG("cntfrq_el0");
}

template <typename How>
void check_soon(How how) {
  const u64 before = now_ms();
  how();
  CHECK(now_ms() - before < kSoonMs);
}

// `how` ends the sampling, and later the driver is removed. Neither step waits for the calls, and the memory of the
// calls stays allocated until they have ended.
void go_with_calls_stuck(Start start, void (*how)(StackTool& tool)) {
  for (const Obstacle obstacle : kObstacles) {
    if (!CHECK_EQUAL(load(start), 0)) return;
    Stuck stuck(obstacle);
    {
      StackTool tool;
      tool.start();
      stuck.wait_for_calls();
      check_soon([&] { how(tool); });
    }
    if (is_loaded()) check_soon([] { CHECK_EQUAL(unload(), 0); });
    CHECK(stays_in_memory());
    stuck.let_go();
    CHECK(!stays_in_memory());
  }
}

}  // namespace

SCENARIO(sampling_stops_with_calls_stuck, kNeedsNothing) {
  go_with_calls_stuck(Start::service, [](StackTool& tool) {
    tool.stop();
    check_all_lost(tool);
  });
}

SCENARIO(handle_closes_with_calls_stuck, kNeedsNothing) {
  go_with_calls_stuck(Start::service, [](StackTool& tool) { tool.close(); });
}

SCENARIO(driver_goes_with_calls_stuck, kNeedsNothing) {
  go_with_calls_stuck(Start::service, [](StackTool& tool) {
    static_cast<void>(unload());  // the file is open: DriverUnload comes when it closes
    tool.close();
    CHECK(!is_loaded());
  });
}

SCENARIO(device_vanishes_with_calls_stuck, kNeedsNothing) {
  go_with_calls_stuck(Start::pnp, [](StackTool&) { CHECK_EQUAL(surprise_remove(), 0); });
}

SCENARIO(machine_sleeps_with_calls_stuck, kNeedsNothing) {
  constexpr u32 kSleeping = 4, kWorking = 1;
  go_with_calls_stuck(Start::pnp, [](StackTool& tool) {
    CHECK_EQUAL(set_system_power(kSleeping), 0);
    CHECK_EQUAL(set_system_power(kWorking), 0);
    check_all_lost(tool);
  });
}

// If the driver stays loaded, the memory of an abandoned call does no harm, whether or not the next client samples
// stacks.
SCENARIO(sampling_goes_on_beside_calls_that_are_stuck, kNeedsNothing) {
  for (const Obstacle obstacle : kObstacles) {
    if (!CHECK_EQUAL(load(), 0)) return;
    {
      Stuck stuck(obstacle);
      const u64 before = pool_bytes_in_use();
      u64 with_one = 0;
      for (u32 times = 0; times < 4; ++times) {
        StackTool tool;
        tool.start();
        if (times == 0) stuck.wait_for_calls();
        check_soon([&] { tool.stop(); });
        tool.start();  // configured again
        check_soon([&] { tool.close(); });
        if (times == 0) with_one = pool_bytes_in_use();
        if (obstacle == Obstacle::memory) CHECK_EQUAL(pool_bytes_in_use(), with_one);
      }
      CHECK(with_one > before);
      if (obstacle == Obstacle::memory) CHECK(with_one - before < 64 * 1024);  // for one core's calls
      stuck.let_go();
      for (u32 tries = 0; pool_bytes_in_use() != before && tries < 1'000; ++tries) sleep_ms(1);
      CHECK_EQUAL(pool_bytes_in_use(), before);
      StackTool tool;
      tool.start();
      tool.drain_at_least(5);
      tool.stop();
    }
    CHECK_EQUAL(unload(), 0);
    CHECK(!stays_in_memory());
  }
}

namespace {

void let_go_soon(void*) {
  sleep_ms(5);
  hold_apcs(false);
}

}  // namespace

// A stop waits some milliseconds, so that the last samples of an honest program have their stacks.
SCENARIO(stop_gives_calls_a_moment, kNeedsIcount) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    Stuck stuck(Obstacle::turn);
    StackTool tool;
    tool.start();
    stuck.wait_for_calls();
    Thread* releaser = start_thread(0, let_go_soon, nullptr);
    tool.stop();
    join(releaser);
    if (tool.drain()) {
      CHECK(tool.count() >= 4);
      CHECK(tool.reply().lost_stacks <= 1);  // the last interrupt may come when its call is no longer wanted
    }
  }
  CHECK_EQUAL(unload(), 0);
  CHECK(!stays_in_memory());
}

// The reference that kept the code is released by the last of several calls, with the jump that ends it.
SCENARIO(code_goes_with_the_last_abandoned_call, kNeedsNothing) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    MeasuredProgram program(kMeasured, kStranger, kBase);
    MeasuredProgram other(kMeasured + 4, kStranger, kBase);
    {
      StackTool tool;
      hold_apcs(true);
      // The programs run on different cores. On one core, the first program would use all entries for waiting calls.
      tool.start(0, WPERF_MAX_STACK, u64{1} << kCore | u64{1} << kOtherCore);
      Workload* first = program.start_deep_work(kCore, 3);
      Workload* second = other.start_deep_work(kOtherCore, 3);
      wait_for_interrupts(kCore, 4);
      wait_for_interrupts(kOtherCore, 4);
      tool.close();
      CHECK_EQUAL(unload(), 0);
      CHECK(stays_in_memory());
      const u32 run_down = apcs_run_down();
      stop(first);  // its calls are run down when the thread ends
      CHECK(apcs_run_down() > run_down);
      CHECK(stays_in_memory());
      hold_apcs(false);
      for (u32 tries = 0; stays_in_memory() && tries < 1'000; ++tries) sleep_ms(1);
      CHECK(!stays_in_memory());
      stop(second);
    }
  }
}

// The last instruction of a call is the jump that lets a waiting unload continue. Any later instruction would run in
// unmapped memory.
SCENARIO(call_that_returns_late, kNeedsNothing) {
  if (!CHECK_EQUAL(load(), 0)) return;
  MeasuredProgram program(kMeasured, kStranger, kBase);
  const u32 late = apcs_that_returned_late();
  Workload* work = program.start_deep_work(kCore, 3);
  {
    StackTool tool;
    let_apcs_return_late(true);
    const u32 calls = apcs_run();
    tool.start();
    for (u32 tries = 0; apcs_run() == calls && tries < 1'000; ++tries) sleep_ms(1);
    CHECK(apcs_run() != calls);
    tool.close();
  }
  CHECK_EQUAL(unload(), 0);
  for (u32 tries = 0; apcs_that_returned_late() == late && tries < 100; ++tries) sleep_ms(1);
  CHECK(apcs_that_returned_late() > late);  // on a busy machine several calls wait in a row
  stop(work);
}

SCENARIO(no_stacks_without_their_routines, kNeedsNothing) {
  WperfVersionReply version = {};
  const char* const routines[] = {nullptr, "KeInitializeApc", "KeInsertQueueApc", "PsGetCurrentThread"};
  for (const char* routine : routines) {
    if (routine != nullptr) hide_routine(routine);
    if (!CHECK_EQUAL(load(), 0)) return;
    {
      StackTool tool;
      CHECK_EQUAL(tool.client().version(version), WPERF_OK);
      CHECK_EQUAL(has_text(version.features, "+stacks"), routine == nullptr);
      MeasuredProgram program(kMeasured, kStranger, kBase);
      Workload* work = program.start_deep_work(kCore, 3);
      tool.start();
      const bool has_some = routine == nullptr || tool.drain_at_least(5);
      tool.stop();  // sampling continues, so the counted losses may exceed the drained ones
      if (routine != nullptr && has_some) check_all_lost(tool);
      stop(work);
    }
    CHECK_EQUAL(unload(), 0);
  }
}

}  // namespace wperf::nthost
