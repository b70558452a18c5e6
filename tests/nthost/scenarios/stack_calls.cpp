// SPDX-License-Identifier: BSD-3-Clause
// The calls in threads that take the stacks of programs, when something comes between: a thread ends, sampling does,
// the driver goes, or the kernel has no such calls. What is left behind would strike in memory that is gone.
#include "tests/nthost/check.h"
#include "tests/nthost/machine/threads.h"
#include "tests/nthost/scenarios/measured_program.h"
#include "tests/nthost/scenarios/stack_samples.h"

namespace wperf::nthost {
namespace {

constexpr u32 kMeasured = 2000, kCore = StackTool::kCore;
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
      wait_for_interrupts(kCore, 5 + 40 * times);  // more than may wait, the second time
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

struct Release {
  u32 gone = 0;  // atomic: `how` came back
  u32 too_early = 0;
};

// Lets held calls go in a while: until then nobody may have come back.
void release_later(void* context) {
  auto& release = *static_cast<Release*>(context);
  sleep_ms(5);
  release.too_early = __atomic_load_n(&release.gone, __ATOMIC_ACQUIRE);
  hold_apcs(false);
}

void go_with_calls_queued(Start start, void (*how)(StackTool& tool)) {
  if (!CHECK_EQUAL(load(start), 0)) return;
  {
    MeasuredProgram program(kMeasured, kStranger, kBase);
    Workload* work = program.start_deep_work(kCore, 3);
    {
      StackTool tool;
      hold_apcs(true);
      tool.start();
      wait_for_interrupts(kCore, 4);
      Release release;
      Thread* releaser = start_thread(0, release_later, &release);
      how(tool);
      __atomic_store_n(&release.gone, 1u, __ATOMIC_RELEASE);
      join(releaser);
      CHECK_EQUAL(release.too_early, 0);
    }
    if (is_loaded()) {
      CHECK_EQUAL(unload(), 0);
    }
    sleep_ms(3);  // whatever was left behind would strike now
    stop(work);
  }
}

}  // namespace

SCENARIO(sampling_stops_with_calls_queued, kNeedsNothing) {
  go_with_calls_queued(Start::service, [](StackTool& tool) {
    tool.stop();
    check_all_lost(tool);
  });
}

SCENARIO(handle_closes_with_calls_queued, kNeedsNothing) {
  go_with_calls_queued(Start::service, [](StackTool& tool) { tool.close(); });
}

SCENARIO(driver_goes_with_calls_queued, kNeedsNothing) {
  go_with_calls_queued(Start::service, [](StackTool& tool) {
    static_cast<void>(unload());  // the file is open: DriverUnload comes when it closes
    tool.close();
    CHECK(!is_loaded());
  });
}

SCENARIO(device_vanishes_with_calls_queued, kNeedsNothing) {
  go_with_calls_queued(Start::pnp, [](StackTool&) { CHECK_EQUAL(surprise_remove(), 0); });
}

// The last instruction of a call is the jump that lets a waiting unload go on: what came after it would be in memory
// that is gone.
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
  CHECK_EQUAL(apcs_that_returned_late(), late + 1);
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
      tool.stop();  // while it samples, what is lost is counted on, and is more than what was drained
      if (routine != nullptr && has_some) check_all_lost(tool);
      stop(work);
    }
    CHECK_EQUAL(unload(), 0);
  }
}

}  // namespace wperf::nthost
