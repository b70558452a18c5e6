// SPDX-License-Identifier: BSD-3-Clause
// Every workload, run to its end on one core: each checks its own answer and says so with exit code 0. exact.exe's
// counts are compared with the table of sim/workloads/README.md.
#include "sim/cpu/core_engine.h"
#include "sim/windows/fake_program.h"

namespace wperf::sim {
namespace {

class Execution {
 public:
  explicit Execution(const std::string& command_line) : system_(SharedConfig{}), core_(CoreConfig{}, system_) {
    const std::string image = command_line.substr(0, command_line.find(' '));
    LoadError error;
    process_ = Process::load(workload(image), command_line, 1, error);
    EXPECT_NE(process_, nullptr) << error.text;
  }

  // Up to `limit` cycles.
  CallOutcome to_end(u64 limit = 1ull << 40) {
    while (core_.cycles() < limit) {
      const Stop stop = core_.run(process_->space(), process_->thread(), 1'000'000);
      if (stop.reason == StopReason::fault) {
        EXPECT_FALSE(process_->goes_on_after(stop));
        return CallOutcome::crashed;
      }
      if (stop.reason != StopReason::kernel_call) continue;
      const CallOutcome outcome = process_->kernel_call(stop.immediate, core_.cycles() / 2);
      if (outcome != CallOutcome::resume) return outcome;
    }
    return CallOutcome::resume;
  }

  u64 count(Signal signal) const { return core_.signals()(Level::user, signal); }
  u64 dram_bytes_read() const { return system_.channel(0).bytes_read + system_.channel(1).bytes_read; }
  u64 dram_bytes_written() const { return system_.channel(0).bytes_written + system_.channel(1).bytes_written; }
  Process& process() { return *process_; }

 private:
  SharedMemorySystem system_;
  CoreEngine core_;
  std::unique_ptr<Process> process_;
};

class Workload : public ::testing::TestWithParam<std::pair<const char*, const char*>> {
  void SetUp() override {
    if (!CoreEngine::unavailable().empty()) GTEST_SKIP() << CoreEngine::unavailable();
  }
};

TEST_P(Workload, checks_itself) {
  Execution run(GetParam().first);
  EXPECT_EQ(run.to_end(), CallOutcome::ended) << run.process().crash_text();
  EXPECT_EQ(run.process().exit_code(), 0u);
  EXPECT_EQ(run.process().console_output(), GetParam().second);
}

INSTANTIATE_TEST_SUITE_P(All, Workload,
                         ::testing::Values(std::pair{"probe.exe", "wrong 0\n"},
                                           std::pair{"googolplex.exe 1", "limbs 1\n"},
                                           std::pair{"googolplex.exe 5000 2", "limbs 520\n"},
                                           std::pair{"fib.exe 15", "fib 610\n"}, std::pair{"stream.exe 1 2", "mib 1\n"},
                                           std::pair{"chase.exe 65536 3072", "node 0\n"},
                                           std::pair{"branchy.exe 1000", "even 508\neighth 134\n"},
                                           std::pair{"simd.exe 5", "rounds 5\n"}, std::pair{"exact_1k.exe", ""}));

class Exact : public ::testing::Test {
  void SetUp() override {
    if (!CoreEngine::unavailable().empty()) GTEST_SKIP() << CoreEngine::unavailable();
  }
};

TEST_F(Exact, counts_are_those_of_the_table) {
  constexpr u64 n = 1000;
  Execution run("exact_1k.exe");
  ASSERT_EQ(run.to_end(), CallOutcome::ended) << run.process().crash_text();
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
  ASSERT_EQ(run.to_end(2'000'000), CallOutcome::resume) << run.process().crash_text();
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
  ASSERT_EQ(run.to_end(), CallOutcome::ended) << run.process().crash_text();
  ASSERT_EQ(run.process().exit_code(), 0u);
  const auto array = static_cast<double>(mib << 20);
  // Off by at most what the caches can hold: 1 MiB of L3, 512 KiB of L2, 64 KiB of L1.
  constexpr double kCaches = (1024 + 512 + 64) * 1024;
  EXPECT_NEAR(static_cast<double>(run.dram_bytes_read()), (3 + 10 * repetitions) * array, kCaches);
  EXPECT_NEAR(static_cast<double>(run.dram_bytes_written()), (3 + 4 * repetitions) * array, kCaches);
}

}  // namespace
}  // namespace wperf::sim
