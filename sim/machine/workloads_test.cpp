// SPDX-License-Identifier: BSD-3-Clause
// Runs every workload to its end on one core. Each checks its own answer, and exits with 0 if it is right. exact.exe's
// counts are compared with the table of sim/workloads/README.md.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

#include "sim/machine/parts.h"
#include "sim/machine/program_test.h"

namespace wperf::sim {
namespace {

class Execution {
 public:
  explicit Execution(const std::string& command_line) : parts_(make_real_parts(one_core())) {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe(ends.data()), 0);
    output_ = ends[0];
    fcntl(output_, F_SETFL, O_NONBLOCK);  // a program may write nothing
    core_ = parts_->make_core(0);
    ProgramRequest program_request{workload("") + command_line.substr(0, command_line.find(' ')), command_line};
    program_request.streams = std::make_shared<StandardStreams>(std::array{dup(output_), ends[1], dup(ends[1])});
    LoadError error;
    program_ = parts_->load({program_request, 1, 1000, 1004}, error);
    EXPECT_NE(program_, nullptr) << error.text;
  }
  ~Execution() { close(output_); }
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  // Up to `limit` cycles. Counts from the program's entry point on.
  CallOutcome to_end(u64 limit = 1ull << 40) {
    const u32 thread = program_->threads().front();
    note_start();
    while (core_->cycles() < limit) {
      const Stop stop = core_->run(program_->space(), program_->thread(thread), 1'000'000, {});
      const u64 now_ns = core_->cycles() / 2 + slept_ns_;
      if (stop.reason == StopReason::fault && !program_->goes_on_after(thread, stop)) return CallOutcome::crashed;
      if (stop.reason != StopReason::kernel_call) continue;
      const bool was_starting = program_->is_starting();
      const CallOutcome outcome = program_->kernel_call(thread, stop.immediate, now_ns);
      if (was_starting) note_start();
      if (outcome != CallOutcome::resume) return outcome;
      const u64 until = program_->sleep_until_ns(thread);
      if (until <= now_ns) continue;
      if (until == ~u64{0}) return CallOutcome::resume;
      slept_ns_ += until - now_ns;
      (void)program_->wakes(thread, until);
    }
    return CallOutcome::resume;
  }

  u64 count(Signal signal) const { return core_->signals()(Level::user, signal) - at_start_(Level::user, signal); }
  u64 dram_bytes_read() const { return channels().bytes_read - channels_at_start_.bytes_read; }
  u64 dram_bytes_written() const { return channels().bytes_written - channels_at_start_.bytes_written; }
  Program& program() { return *program_; }
  // All output of the program so far.
  std::string output() const {
    std::array<char, 4096> text{};
    const auto size = read(output_, text.data(), text.size());
    return {text.data(), size > 0 ? static_cast<usize>(size) : 0};
  }

 private:
  static MachineOptions one_core() {
    OptionError error;
    return parse_options("cores=1,cluster=1,pace=free", "workloads", error);
  }
  ChannelSignals channels() const {
    ChannelSignals sum = parts_->channel(0);
    sum.bytes_read += parts_->channel(1).bytes_read;
    sum.bytes_written += parts_->channel(1).bytes_written;
    return sum;
  }
  void note_start() {
    at_start_ = core_->signals();
    channels_at_start_ = channels();
  }

  std::unique_ptr<Parts> parts_;
  std::unique_ptr<Executor> core_;
  std::unique_ptr<Program> program_;
  SignalCounts at_start_;
  ChannelSignals channels_at_start_;
  u64 slept_ns_ = 0;
  int output_ = -1;
};

class Workload : public ::testing::TestWithParam<std::pair<const char*, const char*>> {
  void SetUp() override {
    if (const std::string why = why_programs_cannot_run(); !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_P(Workload, checks_itself) {
  Execution run(GetParam().first);
  EXPECT_EQ(run.to_end(), CallOutcome::ended) << run.program().crash_text();
  EXPECT_EQ(run.program().exit_code(), 0u);
  EXPECT_EQ(run.output(), GetParam().second);
}

INSTANTIATE_TEST_SUITE_P(All, Workload,
                         ::testing::Values(std::pair{"probe.exe", "wrong 0\n"},
                                           std::pair{"googolplex.exe 1", "limbs 1\n"},
                                           std::pair{"googolplex.exe 5000 2", "limbs 520\n"},
                                           std::pair{"fib.exe 15", "fib 610\n"}, std::pair{"stream.exe 1 2", "mib 1\n"},
                                           std::pair{"chase.exe 65536 3072", "node 0\n"},
                                           std::pair{"branchy.exe 1000", "even 508\neighth 134\n"},
                                           std::pair{"simd.exe 5", "rounds 5\n"}, std::pair{"exact_1k.exe", ""}));

using Exact = ProgramTest;

TEST_F(Exact, counts_are_those_of_the_table) {
  constexpr u64 n = 1000;
  Execution run("exact_1k.exe");
  ASSERT_EQ(run.to_end(), CallOutcome::ended) << run.program().crash_text();
  EXPECT_EQ(run.count(Signal::inst_retired), 31 * n + 23);
  EXPECT_EQ(run.count(Signal::inst_spec), 31 * n + 23);
  EXPECT_EQ(run.count(Signal::ld_spec), 2 * n);
  EXPECT_EQ(run.count(Signal::st_spec), 2 * n);
  EXPECT_EQ(run.count(Signal::dp_spec), 10 * n + 21);
  EXPECT_EQ(run.count(Signal::vfp_spec), 2 * n);
  EXPECT_EQ(run.count(Signal::ase_spec), 2 * n);
  EXPECT_EQ(run.count(Signal::crypto_spec), 2 * n);
  EXPECT_EQ(run.count(Signal::br_immed_spec), 10 * n);
  EXPECT_EQ(run.count(Signal::br_return_spec), n + 1);
  EXPECT_EQ(run.count(Signal::br_indirect_spec), n + 1);
  EXPECT_EQ(run.count(Signal::br_retired), 11 * n + 1);
  EXPECT_EQ(run.count(Signal::br_immed_retired), 10 * n);
  EXPECT_EQ(run.count(Signal::br_return_retired), n + 1);
  EXPECT_EQ(run.count(Signal::br_taken_retired), 10 * n - 7);
  EXPECT_EQ(run.count(Signal::l1d_cache_rd), 2 * n);
  EXPECT_EQ(run.count(Signal::l1d_cache_wr), 2 * n);
  EXPECT_EQ(run.count(Signal::l1d_cache_refill_rd) + run.count(Signal::l1d_cache_refill_wr), 1u);
}

TEST_F(Exact, steady_has_the_same_mix_at_all_times) {
  Execution run("steady.exe");
  ASSERT_EQ(run.to_end(2'000'000), CallOutcome::resume) << run.program().crash_text();
  const u64 iterations = run.count(Signal::inst_retired) / 20;
  EXPECT_GT(iterations, 10'000u);
  const auto about = [&](Signal signal, u64 per_iteration) {
    EXPECT_NEAR(static_cast<double>(run.count(signal)), static_cast<double>(per_iteration * iterations), 25);
  };
  about(Signal::ld_spec, 4);
  about(Signal::st_spec, 2);
  about(Signal::dp_spec, 9);
  about(Signal::vfp_spec, 2);
  about(Signal::ase_spec, 2);
  about(Signal::br_immed_spec, 1);
}

TEST_F(Exact, stream_moves_the_bytes_of_the_formula) {
  constexpr u64 mib = 8;
  constexpr u64 repetitions = 2;
  Execution run("stream.exe 8 2");
  ASSERT_EQ(run.to_end(), CallOutcome::ended) << run.program().crash_text();
  ASSERT_EQ(run.program().exit_code(), 0u);
  const auto array = static_cast<double>(mib << 20);
  // The difference is at most the size of the caches: 1 MiB of L3, 512 KiB of L2, 64 KiB of L1.
  constexpr double kCaches = (1024 + 512 + 64) * 1024;
  EXPECT_NEAR(static_cast<double>(run.dram_bytes_read()), (3 + 10 * repetitions) * array, kCaches);
  EXPECT_NEAR(static_cast<double>(run.dram_bytes_written()), (3 + 4 * repetitions) * array, kCaches);
}

}  // namespace
}  // namespace wperf::sim
