// SPDX-License-Identifier: BSD-3-Clause
// Call stacks of real ARM64 programs through the driver core. Each stack must consist of the calls that had not
// returned when its event overflowed. The simulator derives these calls only from calls and returns.
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/machine/program_test.h"
#include "sim/machine/sampling_client.h"
#include "sim/machine/virtual_times.h"

namespace wperf::sim {
namespace {

using StackSamplingTest = ProgramTest;

// True for code that is neither in a DLL of Windows nor on the page to which a program without imports returns.
bool is_own(const ProgramDetails& program, u64 address) {
  static const std::string windows = nt::system_folder_of_build();
  return std::ranges::any_of(program.modules, [&](const Module& module) {
    return address - module.base < module.size && !module.path.starts_with(windows);
  });
}

std::vector<u64> own_frames(const ProgramDetails& program, std::vector<u64> frames) {
  std::erase_if(frames, [&](u64 address) { return !is_own(program, address); });
  return frames;
}

// The driver follows frame records. If a function has no record, or has not made it yet, its caller is in lr.
bool is_true(const std::vector<u64>& found, u64 lr, std::span<const u64> callers, u32 most) {
  const auto cut = [&](std::span<const u64> frames) { return frames.first(std::min<usize>(frames.size(), most)); };
  if (std::ranges::equal(found, cut(callers))) return true;
  return !callers.empty() && lr == callers.front() && std::ranges::equal(found, cut(callers.subspan(1)));
}

struct StackedProgram {
  const char* command_line;
  u16 event;
  u32 interval;
};

TEST_F(StackSamplingTest, EveryStackIsTheTrueOne) {
  const StackedProgram programs[] = {
      {"googolplex.exe", 0x08, 1'999}, {"googolplex.exe", 0x70, 1'499}, {"googolplex.exe", 0x11, 2'503},
      {"fib.exe 25", 0x08, 997},       {"fib.exe 25", 0x11, 1'009},     {"fib.exe 25", 0x70, 307},
      {"calls.exe", 0x08, 1'009},      {"calls.exe", 0x11, 499},        {"branchy.exe", 0x22, 50},
  };
  for (const StackedProgram& program : programs) {
    for (const u32 most : {127u, 7u}) {
      SamplingClient client("pace=free,cores=1,mhz=100", make_real_parts);
      CoreEngine* const engine = client.machine->engine(0);
      engine->keep_callers();
      const u32 pid = client.spawn(workload(program.command_line), 0);
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
        const ProgramDetails& details = *client.machine->details(pid);
        if (!is_own(details, found.sample.pc)) continue;  // functions of the DLLs keep no frame records
        while (at < truth.size() && truth[at].pc != found.sample.pc) ++at;
        ASSERT_LT(at, truth.size()) << program.command_line;
        std::vector<u64> callers = own_frames(details, truth[at].callers);
        std::ranges::reverse(callers);
        ASSERT_TRUE(is_true(own_frames(details, found.frames), found.sample.lr, callers, most))
            << program.command_line << " event " << program.event << " most " << most << std::hex << " pc "
            << found.sample.pc << " lr " << found.sample.lr << std::dec << " frames " << found.frames.size() << " of "
            << callers.size();
        deepest = std::max(deepest, callers.size());
        ++at;
      }
      EXPECT_EQ(drained.lost_stacks, 0u);
      // The chain has two frames more than there are calls: the code that started the thread. It has one frame less if
      // lr holds a caller.
      const bool must_cut = deepest > most + 1, may_cut = deepest + 2 > most;
      EXPECT_TRUE(drained.cut_stacks != 0 ? may_cut : !must_cut) << program.command_line << " deepest " << deepest;
    }
  }
}

}  // namespace
}  // namespace wperf::sim
