// SPDX-License-Identifier: BSD-3-Clause
// The C runtime, called as a program calls it.
#include <bit>

#include "sim/windows/crt_state.h"
#include "sim/windows/fake_program.h"

namespace wperf::sim {
namespace {

constexpr u64 kPlace = FakeProgram::kBuffer + 0x800, kOther = FakeProgram::kBuffer + 0x1000;

std::string printed(FakeProgram& program, std::string_view format, std::initializer_list<u64> arguments) {
  std::vector<u64> all = {kPlace, program.put(format)};
  all.insert(all.end(), arguments);
  all.resize(8);
  program.call("sprintf", {all[0], all[1], all[2], all[3], all[4], all[5], all[6], all[7]});
  return program.text_at(kPlace);
}

TEST(Crt, formats_as_windows_does) {
  FakeProgram program;
  EXPECT_EQ(printed(program, "%d|%5d|%-5d|%05d", {~0ull, 7, 7, 7}), "-1|    7|7    |00007");
  EXPECT_EQ(printed(program, "%ld %lld %I64d %zu", {0x1ffffffff, 0x1ffffffff, 0x1ffffffff, 5}),
            "-1 8589934591 8589934591 5");
  EXPECT_EQ(printed(program, "%hhd %hu %x %#o", {0x1ff, 0x1ffff, 0xbeef, 8}), "-1 65535 beef 010");
  EXPECT_EQ(
      printed(program, "%.3f %g %e", {std::bit_cast<u64>(2.5), std::bit_cast<u64>(1e20), std::bit_cast<u64>(1.0)}),
      "2.500 1e+20 1.000000e+00");
  EXPECT_EQ(printed(program, "%*d|%.*f|%c%%", {4, 7, 1, std::bit_cast<u64>(0.25), 'x'}), "   7|0.2|x%");
  program.put("text", kOther);
  EXPECT_EQ(printed(program, "%s|%6s|%.2s|%s", {kOther, kOther, kOther, 0}), "text|  text|te|(null)");
  EXPECT_EQ(printed(program, "%p", {0x1f}), "000000000000001F");
}

TEST(Crt, a_format_it_does_not_know_ends_the_program) {
  FakeProgram program;
  program.call("sprintf", {kPlace, program.put("%n"), kOther});
  EXPECT_EQ(program.outcome, CallOutcome::crashed);
  program.call("fputs", {program.put("x"), 0x1234});
  EXPECT_EQ(program.outcome, CallOutcome::crashed);
  EXPECT_NE(program.process->crash_text().find("0x1234 is not an open stream"), std::string::npos);
  program.call("system", {program.put("x")});
  EXPECT_NE(program.process->crash_text().find("system, called from"), std::string::npos);
}

TEST(Crt, numbers_are_read_with_their_end_and_their_limits) {
  FakeProgram program;
  const u64 text = program.put("  -42rest");
  EXPECT_EQ(static_cast<u32>(program.call("strtol", {text, kPlace, 10})), static_cast<u32>(-42));
  EXPECT_EQ(program.get<u64>(kPlace), text + 5);
  EXPECT_EQ(program.call("strtol", {program.put("99999999999"), 0, 10}), 0x7fffffffu);
  EXPECT_EQ(program.get<u32>(program.call("_errno")), kRange);
  EXPECT_EQ(program.call("strtoul", {program.put("ff"), 0, 16}), 255u);
}

TEST(Crt, files_are_not_there_without_a_folder) {
  FakeProgram program;
  program.put("r", kOther);
  EXPECT_EQ(program.call("fopen", {program.put("/etc/passwd"), kOther}), 0u);
  EXPECT_EQ(program.get<u32>(program.call("_errno")), kNoEntry);
  EXPECT_EQ(static_cast<u32>(program.call("fgetc", {program.call("__iob_func")})), ~0u);
}

TEST(Crt, a_comparison_is_a_call_of_the_program) {
  FakeProgram program;
  ThreadState& thread = program.process->thread();
  constexpr u64 kCompare = 0x123450;
  const std::array<u32, 4> numbers = {3, 1, 4, 2};
  ASSERT_TRUE(program.process->space().write(kOther, numbers.data(), sizeof numbers));
  thread.x[30] = 0x7770;
  program.call("qsort", {kOther, numbers.size(), sizeof(u32), kCompare});
  for (int calls = 0; thread.pc == kCompare && calls < 100; ++calls) {
    thread.pc = 0;
    const u32 left = program.get<u32>(thread.x[0]), right = program.get<u32>(thread.x[1]);
    program.call("KiUserCallbackDispatcher", {left < right ? ~0ull : left > right});
  }
  EXPECT_EQ(thread.x[30], 0x7770u);
  for (u32 index = 0; index < 4; ++index) EXPECT_EQ(program.get<u32>(kOther + index * 4), index + 1);
  program.call("KiUserCallbackDispatcher");
  EXPECT_EQ(program.outcome, CallOutcome::crashed);
}

TEST(Crt, jumps_back_and_forgets_what_it_left) {
  FakeProgram program;
  ThreadState& thread = program.process->thread();
  thread.x[30] = 0x1110;
  thread.x[19] = 77;
  EXPECT_EQ(program.call("_setjmp", {kPlace, 0}), 0u);
  thread.x[30] = 0x2220;
  thread.x[19] = 0;
  EXPECT_EQ(program.call("longjmp", {kPlace, 0}), 1u);
  EXPECT_EQ(thread.pc, 0x1110u);
  EXPECT_EQ(thread.x[19], 77u);
}

}  // namespace
}  // namespace wperf::sim
