// SPDX-License-Identifier: BSD-3-Clause
// Call stacks of real ARM64 programs through the driver core. Each must be the calls that had not returned when its
// event overflowed, as the simulator derives them from calls and returns only.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "sim/machine/sampling_client.h"
#include "sim/machine/virtual_times.h"

namespace wperf::sim {
namespace {

std::string stack_workload(const std::string& command_line) {
  return std::string(WPERF_WORKLOADS) + "/" + command_line;
}

class StackSamplingTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(stack_workload("calls.exe"))) GTEST_SKIP() << "the workloads were not built";
    if (!CoreEngine::unavailable().empty()) GTEST_SKIP() << CoreEngine::unavailable();
  }
};

// The driver follows frame records. The caller of a function without a record, or before it has one, is in lr.
bool is_true(const DrainedStack& found, const std::vector<u64>& callers, u32 most) {
  std::vector<u64> expected(callers.rbegin(), callers.rend());
  const auto equals = [&](const std::vector<u64>& wanted) {
    const bool cut = wanted.size() > most;
    const usize length = cut ? most : wanted.size();
    // Above the outermost call is the code that started the thread.
    const bool whole = found.frames.size() == length + (cut ? 0 : 1) || (wanted.size() == most && cut);
    return (whole || found.frames.size() == most) && found.frames.size() >= length &&
           std::equal(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(length), found.frames.begin());
  };
  if (equals(expected)) return true;
  if (expected.empty()) return found.frames.empty();  // in the outermost function, before its record
  if (found.sample.lr != expected.front()) return false;
  return equals({expected.begin() + 1, expected.end()});
}

struct Program {
  const char* command_line;
  u16 event;
  u32 interval;
};

TEST_F(StackSamplingTest, EveryStackIsTheTrueOne) {
  const Program programs[] = {
      {"googolplex.exe", 0x08, 1'999}, {"googolplex.exe", 0x70, 1'499}, {"googolplex.exe", 0x11, 2'503},
      {"fib.exe 25", 0x08, 997},       {"fib.exe 25", 0x11, 1'009},     {"fib.exe 25", 0x70, 307},
      {"calls.exe", 0x08, 1'009},      {"calls.exe", 0x11, 499},        {"branchy.exe", 0x22, 50},
  };
  for (const Program& program : programs) {
    for (const u32 most : {127u, 7u}) {
      SamplingClient client("pace=free,cores=1,mhz=100", make_real_parts);
      CoreEngine* const engine = client.machine->engine(0);
      engine->keep_callers();
      client.spawn(stack_workload(program.command_line), 0);
      client.max_stack = most;
      client.configure({{program.event, program.interval}}, 1);
      client.start();
      for (u32 i = 0; i < 20; ++i) {
        ASSERT_EQ(client.wait(kMillisecond), "");
        client.drain_stacks(0);
      }
      const DrainedCore& drained = client.drained[0];
      const auto& truth = engine->callers().overflows();
      ASSERT_GT(drained.stacks.size(), 50u) << program.command_line;
      usize at = 0, deepest = 0;
      for (const DrainedStack& found : drained.stacks) {
        if ((found.stack.flags & WPERF_STACK_LOST) != 0) continue;
        while (at < truth.size() && truth[at].pc != found.sample.pc) ++at;
        ASSERT_LT(at, truth.size()) << program.command_line;
        ASSERT_TRUE(is_true(found, truth[at].callers, most))
            << program.command_line << " event " << program.event << " most " << most << std::hex << " pc "
            << found.sample.pc << " lr " << found.sample.lr << std::dec << " frames " << found.frames.size() << " of "
            << truth[at].callers.size();
        deepest = std::max(deepest, truth[at].callers.size());
        ++at;
      }
      EXPECT_EQ(drained.lost_stacks, 0u);
      // The chain has one frame more than there are calls: the code that started the thread. It has one less if lr
      // holds a caller.
      const bool must_cut = deepest > most + 1, may_cut = deepest + 1 > most;
      EXPECT_TRUE(drained.cut_stacks != 0 ? may_cut : !must_cut) << program.command_line << " deepest " << deepest;
    }
  }
}

}  // namespace
}  // namespace wperf::sim
