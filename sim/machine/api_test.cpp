// SPDX-License-Identifier: BSD-3-Clause
// The C interface as `wperf` uses it, including real ARM64 programs if they were built and the host can execute them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>

#include "abi/wire.h"
#include "base/ints.h"
#include "sim/machine/program_test.h"
#include "sim/machine/temporary_folder.h"
#include "sim/machine/virtual_times.h"
#include "sim/machine_api.h"

namespace wperf::sim {
namespace {

class ApiTest : public testing::Test {
 protected:
  ApiTest() { setenv("XDG_RUNTIME_DIR", folder_.path().c_str(), 1); }
  ~ApiTest() override {
    close();
    unsetenv("XDG_RUNTIME_DIR");
  }

  WperfSimError open(const std::string& options) {
    close();
    WperfSimError error{};
    sim_ = api_->open(options.c_str(), &error);
    EXPECT_EQ(sim_ == nullptr, error.text[0] != '\0');
    return error;
  }
  void close() {
    if (sim_ != nullptr) api_->close(sim_);
    sim_ = nullptr;
  }
  template <class Request>
  WperfStatus send(u32 code, Request request) {
    request.header = {sizeof request, WPERF_WIRE_VERSION};
    u32 returned = 0;
    return api_->control(sim_, code, &request, sizeof request, sizeof request, &returned);
  }
  u32 spawn(const std::string& command_line, u32 core) {
    WperfSimError error{};
    const std::string image = command_line.substr(0, command_line.find(' '));
    const WperfSimProgram program{image.c_str(), command_line.c_str(), core, 0, nullptr};
    const u32 pid = api_->spawn(sim_, &program, &error);
    EXPECT_STREQ(error.text, "");
    return pid;
  }
  std::string wait(u64 duration_ns, u32 pid) {
    WperfSimError error{};
    api_->wait(sim_, duration_ns, pid, &error);
    return error.text;
  }
  void start_counting(const std::vector<u16>& events, u32 flags = 0, u64 cores = 0xff) {
    EXPECT_EQ(send(WPERF_CODE_LOCK, WperfLockRequest{{}, WPERF_LOCK_ACQUIRE, 0}), static_cast<u32>(WPERF_OK));
    WperfCountRequest request{};
    request.flags = flags;
    request.period_ms = 10;
    request.dmc_channel = WPERF_ALL_CHANNELS;
    request.core_mask[0] = cores;
    request.entry_count[WPERF_CLASS_CORE] = static_cast<u32>(events.size());
    for (usize i = 0; i < events.size(); ++i) request.core[i] = {events[i], WPERF_NO_GROUP};
    EXPECT_EQ(send(WPERF_CODE_COUNT_CONFIGURE, request), static_cast<u32>(WPERF_OK));
    EXPECT_EQ(send(WPERF_CODE_COUNT_START, WperfPlainRequest{}), static_cast<u32>(WPERF_OK));
  }
  void stop_counting() { EXPECT_EQ(send(WPERF_CODE_COUNT_STOP, WperfPlainRequest{}), static_cast<u32>(WPERF_OK)); }
  std::unique_ptr<WperfCountReply> read(u32 core) {
    auto reply = std::make_unique<WperfCountReply>();
    const WperfCountReadRequest request{{sizeof request, WPERF_WIRE_VERSION}, WPERF_CLASS_CORE, core};
    std::memcpy(reply.get(), &request, sizeof request);
    u32 returned = 0;
    EXPECT_EQ(api_->control(sim_, WPERF_CODE_COUNT_READ, reply.get(), sizeof request, sizeof *reply, &returned),
              static_cast<u32>(WPERF_OK));
    return reply;
  }

  TemporaryFolder folder_;
  const WperfSimApi* api_ = wperf_sim_api();
  WperfSim* sim_ = nullptr;
};

// Start-up time matters for every command, so opening a machine must not load Unicorn, the largest library.
TEST_F(ApiTest, OpeningLoadsNoEngine) {
  const auto engine_is_loaded = [] {
    std::ifstream maps("/proc/self/maps");
    const std::string text{std::istreambuf_iterator<char>(maps), {}};
    return text.find("libunicorn") != std::string::npos;
  };
  const bool before = engine_is_loaded();
  EXPECT_STREQ(open("").text, "");
  EXPECT_EQ(engine_is_loaded(), before);
  EXPECT_EQ(api_->now_ns(sim_), 0u);
  EXPECT_EQ(api_->version, WPERF_SIM_API_VERSION);
}

TEST_F(ApiTest, OpenErrorsAreSaidOnce) {
  EXPECT_STREQ(open("speed=1").text, "unknown simulator option 'speed'");
  const WperfSimError run = open("run=0:missing-program.exe 1");
  EXPECT_NE(std::string(run.text).find("missing-program.exe"), std::string::npos);
  setenv("WPERF_SIM_INSTANCE", "not/good", 1);
  EXPECT_NE(std::string(open("").text).find("not/good"), std::string::npos);
  unsetenv("WPERF_SIM_INSTANCE");
}

TEST_F(ApiTest, InstanceOfTheEnvironment) {
  setenv("WPERF_SIM_INSTANCE", "from-env", 1);
  open("");
  unsetenv("WPERF_SIM_INSTANCE");
  EXPECT_TRUE(std::filesystem::exists(folder_.path() + "/wperf-sim-from-env.lock"));
}

TEST_F(ApiTest, DmcChannels) {
  open("dmc=3");
  u64 bases[3] = {}, sizes[3] = {};
  EXPECT_EQ(api_->dmc_channels(sim_, bases, sizes, 2), 3u);
  EXPECT_EQ(bases[2], 0u);
  EXPECT_EQ(api_->dmc_channels(sim_, bases, sizes, 3), 3u);
  EXPECT_EQ(bases[0], 0x1000'0000u);
  for (const u64 size : sizes) EXPECT_EQ(size, 0x2000u);
  open("dmc=0");
  EXPECT_EQ(api_->dmc_channels(sim_, bases, sizes, 3), 0u);
}

TEST_F(ApiTest, TheFirmwareNamesTheMachine) {
  open("");
  EXPECT_STREQ(api_->model(sim_), "wperf Simulator");
  for (const char* kind : {"machine=virtual", "machine=trapping"}) {
    open(kind);
    EXPECT_STREQ(api_->model(sim_), "QEMU QEMU Virtual Machine");
  }
}

TEST_F(ApiTest, UnknownProcesses) {
  open("pace=free");
  WperfSimProcess process{};
  EXPECT_EQ(api_->process(sim_, 1000, &process), 0u);
  api_->kill(sim_, 1000);
  EXPECT_NE(wait(kSecond, 1000), "");
  EXPECT_EQ(api_->now_ns(sim_), 0u);
}

class WorkloadTest : public ApiTest {
 protected:
  void SetUp() override {
    if (const std::string why = why_programs_cannot_run(); !why.empty()) GTEST_SKIP() << why;
  }
};

// The numbers come from the table in sim/workloads/exact.S, for N iterations of each loop.
TEST_F(WorkloadTest, CountsOfAKnownProgramAreExact) {
  struct Row {
    const char* image;
    u64 n;
  };
  for (const Row row : {Row{"exact_1k.exe", 1000}, {"exact.exe", 1'000'000}}) {
    open("pace=free");
    const u32 pid = spawn(workload(row.image), 5);
    start_counting({0x08, 0x70, 0x71, 0x73, 0x74, 0x77});
    EXPECT_EQ(wait(10 * kSecond, pid), "");
    stop_counting();
    const auto reply = read(5);
    EXPECT_EQ(reply->multiplexed, 0u);
    EXPECT_EQ(reply->entries[0].value, 31 * row.n + 23);  // inst_retired
    EXPECT_EQ(reply->entries[1].value, 2 * row.n);        // ld_spec
    EXPECT_EQ(reply->entries[2].value, 2 * row.n);        // st_spec
    EXPECT_EQ(reply->entries[3].value, 10 * row.n + 21);  // dp_spec
    EXPECT_EQ(reply->entries[4].value, 2 * row.n);        // ase_spec
    EXPECT_EQ(reply->entries[5].value, 2 * row.n);        // crypto_spec
    WperfSimProcess process{};
    EXPECT_EQ(api_->process(sim_, pid, &process), 1u);
    EXPECT_EQ(process.running, 0u);
    EXPECT_EQ(process.exit_code, 0u);
    EXPECT_EQ(process.core, 5u);
    // No code ran at EL0 on other cores, and time stopped when the program ended.
    EXPECT_EQ(reply->enabled_ns, api_->now_ns(sim_));
  }
}

TEST_F(WorkloadTest, MultiplexedCountsOfASteadyProgramScaleToTheTruth) {
  open("pace=free,mhz=10,run=0:" + workload("steady.exe"));
  start_counting(std::vector<u16>(9, 0x08), WPERF_COUNT_KERNEL);
  EXPECT_EQ(wait(kSecond, 0), "");
  stop_counting();
  const auto reply = read(0);
  EXPECT_EQ(reply->multiplexed, 1u);
  EXPECT_NEAR(static_cast<double>(reply->rounds), 100, 1);
  u64 sum = 0, slots = 0;
  for (u32 i = 0; i < 9; ++i) {
    sum += reply->entries[i].value;
    slots += reply->entries[i].slots;
  }
  // 6 of 9 events count at a time: the sum over the entries is 6 times the retired instructions.
  const double per_entry = static_cast<double>(sum) / 6;
  for (u32 i = 0; i < 9; ++i) {
    const auto& entry = reply->entries[i];
    const double scaled = static_cast<double>(entry.value) * static_cast<double>(reply->enabled_ns) /
                          static_cast<double>(entry.running_ns);
    EXPECT_NEAR(scaled, per_entry, per_entry * 0.01) << i;
  }
  EXPECT_EQ(slots, 6 * reply->rounds);
}

TEST_F(WorkloadTest, SameSeedSameBytes) {
  const auto run = [&](const std::string& options) {
    open("pace=free,cpu=neoverse-n2*2+cortex-a510*2," + options);
    spawn(workload("fib.exe 20"), 1);
    spawn(workload("branchy.exe"), 2);
    start_counting({0x08, 0x11, 0x04, 0x10, 0x03, 0x2b, 0x17, 0x1d, 0x34}, WPERF_COUNT_KERNEL, 0xf);
    EXPECT_EQ(wait(kSecond / 20, 0), "");
    stop_counting();
    std::string bytes;
    for (u32 core = 0; core < 4; ++core) {
      const auto reply = read(core);
      EXPECT_NE(reply->entries[0].value, 0u) << core;  // even if only timer ticks ran
      bytes.append(reinterpret_cast<const char*>(reply.get()), sizeof *reply);
    }
    return bytes;
  };
  const std::string first = run("seed=7");
  EXPECT_EQ(run("seed=7"), first);
}

TEST_F(WorkloadTest, ProgramsAndModulesAreListedUntilTheMachineCloses) {
  open("pace=free,run=2:" + workload("googolplex.exe"));
  const u32 pid = spawn(workload("fib.exe 10"), 1);
  EXPECT_EQ(wait(10 * kSecond, pid), "");
  WperfSimProcess processes[2] = {};
  EXPECT_EQ(api_->programs(sim_, processes, 1), 2u);
  EXPECT_EQ(processes[1].pid, 0u);
  EXPECT_EQ(api_->programs(sim_, processes, 2), 2u);
  EXPECT_EQ(processes[0].core, 2u);
  EXPECT_EQ(processes[0].running, 1u);
  EXPECT_EQ(processes[1].pid, pid);
  EXPECT_EQ(processes[1].running, 0u);
  auto modules = std::make_unique<WperfSimModule[]>(8);
  EXPECT_EQ(api_->modules(sim_, 4711, modules.get(), 8), 0u);
  std::map<std::string, const WperfSimModule*> known;
  const u32 count = api_->modules(sim_, processes[0].pid, nullptr, 0);
  ASSERT_LE(count, 8u);
  EXPECT_EQ(api_->modules(sim_, processes[0].pid, modules.get(), 8), count);
  for (u32 i = 0; i < count; ++i) known[modules[i].name] = &modules[i];
  EXPECT_STREQ(modules[0].name, "googolplex.exe") << "the program is the first";
  EXPECT_EQ(modules[0].path, workload("googolplex.exe"));
  ASSERT_TRUE(known.contains("bignum.dll"));
  EXPECT_EQ(known["bignum.dll"]->path, workload("bignum.dll"));
  EXPECT_LT(known["bignum.dll"]->entry - known["bignum.dll"]->base, known["bignum.dll"]->size);
  for (const char* name : {"ntdll.dll", "kernel32.dll", "kernelbase.dll"}) {
    ASSERT_TRUE(known.contains(name)) << name;
    EXPECT_EQ(known[name]->path, nt::system_folder_of_build() + "/" + name);
  }
  EXPECT_EQ(api_->modules(sim_, pid, modules.get(), 8), count - 1) << "although it ended";
  EXPECT_STREQ(modules[0].name, "fib.exe");
  u32 threads[2] = {};
  EXPECT_EQ(api_->threads(sim_, pid, threads, 2), 1u);
  EXPECT_NE(threads[0], 0u);
  EXPECT_EQ(api_->threads(sim_, 4711, threads, 2), 0u);
}

TEST_F(WorkloadTest, ClientsShareTheMachineAndOneOfThemHasTheDriver) {
  open("pace=free");
  WperfSimError error{};
  WperfSim* const other = api_->join(sim_, &error);
  ASSERT_NE(other, nullptr) << error.text;
  const auto lock_of = [&](WperfSim* client) {
    WperfLockRequest request{{sizeof request, WPERF_WIRE_VERSION}, WPERF_LOCK_ACQUIRE, 0};
    u32 returned = 0;
    return api_->control(client, WPERF_CODE_LOCK, &request, sizeof request, sizeof request, &returned);
  };
  EXPECT_EQ(lock_of(other), static_cast<u32>(WPERF_OK));
  EXPECT_NE(lock_of(sim_), static_cast<u32>(WPERF_OK));
  const std::string image = workload("fib.exe"), line = image + " 15";
  const WperfSimProgram program{image.c_str(), line.c_str(), 1, 0, nullptr};
  const u32 pid = api_->spawn(other, &program, &error);
  ASSERT_NE(pid, 0u) << error.text;
  // A program begins when the client that spawned it waits.
  WperfSimProcess state{};
  EXPECT_EQ(wait(kSecond, 0), "");
  ASSERT_EQ(api_->process(sim_, pid, &state), 1u);
  EXPECT_EQ(state.running, 1u);
  EXPECT_EQ(state.user_ns, 0u);
  api_->wait(other, kSecond, pid, &error);
  EXPECT_STREQ(error.text, "");
  api_->process(sim_, pid, &state);
  EXPECT_EQ(state.running, 0u);
  api_->close(other);
  EXPECT_EQ(lock_of(sim_), static_cast<u32>(WPERF_OK));
}

}  // namespace
}  // namespace wperf::sim
