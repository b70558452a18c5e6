// SPDX-License-Identifier: BSD-3-Clause
#include "tests/nthost/run_scenarios.h"

#include "tests/nthost/check.h"
#include "tests/nthost/driver_under_test.h"
#include "tests/nthost/kernel/irql.h"
#include "tests/nthost/kernel/kernel_state.h"
#include "tests/nthost/kernel/scheduler.h"
#include "tests/nthost/machine/bare_machine.h"
#include "tests/nthost/machine/machine_threads.h"
#include "tests/nthost/machine/memory.h"
#include "tests/nthost/report.h"

extern "C" const wperf::nthost::Scenario scenarios_begin[], scenarios_end[];

namespace wperf::nthost {
namespace {

const char* missing(const Scenario& scenario) {
  if ((scenario.needs & kNeedsIcount) != 0 && !under_icount()) return "needs -icount";
  if ((scenario.needs & kNeedsSpeed) != 0 && under_icount()) return "too slow under -icount";
  if ((scenario.needs & kNeedsTrapped) != 0 && !started_at_el2()) return "needs the trapped mode";
  if ((scenario.needs & kNeedsUntrapped) != 0 && started_at_el2()) return "not in the trapped mode";
  return nullptr;
}

constexpr u64 kLongestScenarioMs = 60'000;  // of the machine's time, unless "limit=MILLISECONDS" says otherwise
u32 scenarios_begun = 0;
bool watched = false;

// If a scenario makes no progress, prints the state of each thread. If all threads wait under -icount, virtual time
// jumps to the limit at once.
[[noreturn]] void watch(void*) {
  const u64 limit_ms = number_of("limit", kLongestScenarioMs);
  for (u32 seen = ~0u;;) {
    sleep_ms(limit_ms);
    if (watched && scenarios_begun == seen) {
      print_threads();
      give_up("the scenario takes longer than {} ms", limit_ms);
    }
    seen = scenarios_begun;
  }
}

// "only=NAME" or "only=PREFIX*"
bool is_named(const Scenario& scenario, const char* pattern) {
  const usize length = length_of(pattern);
  if (length == 0 || pattern[length - 1] != '*') return equal_texts(scenario.name, pattern);
  for (usize i = 0; i + 1 < length; ++i) {
    if (scenario.name[i] != pattern[i]) return false;
  }
  return true;
}

void run_one(const Scenario& scenario) {
  if (const char* why = missing(scenario)) {
    report_skipped(scenario.name, why);
    return;
  }
  begin_report(scenario.name);
  ++scenarios_begun;
  watched = (scenario.needs & kOnlyByName) == 0;
  set_usual_heartbeat();
  scenario.run();
  if (current_irql() != kPassive) {
    fail("the scenario ends at {}", name_of_level(current_irql()));
    set_irql(kPassive);
  }
  if (is_loaded()) {
    fail("the scenario leaves the driver loaded");
    unload();
  }
  reset_kernel_state();
  end_report();
}

void run_all(void*) {
  const char* pattern = value_of("only");
  if (has_word("names")) {
    for (const Scenario* it = scenarios_begin; it != scenarios_end; ++it) print("{}", it->name);
    power_off(0);
  }
  for (const Scenario* it = scenarios_begin; it != scenarios_end; ++it) {
    if (pattern != nullptr ? is_named(*it, pattern) : (it->needs & kOnlyByName) == 0) run_one(*it);
  }
  finish_report();
}

}  // namespace

void start_scenarios() {
  start_thread(0, run_all, nullptr);
  start_thread(0, watch, nullptr);
}

}  // namespace wperf::nthost
