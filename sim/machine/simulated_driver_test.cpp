// SPDX-License-Identifier: BSD-3-Clause
// The whole driver core on the register models, with cores on which every cycle is known. A client must read exactly
// the counts that the cores executed. Also tests the lock between processes.
#include "sim/machine/simulated_driver.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "abi/wire.h"
#include "sim/machine/fake_parts.h"
#include "sim/machine/temporary_folder.h"
#include "sim/machine/virtual_times.h"

namespace wperf::sim {
namespace {

using namespace fake;

constexpr u16 kInstRetired = 0x08, kCpuCycles = 0x11;

// An open machine and its driver, like those of a client of the C API.
class Client {
 public:
  Client(const std::string& folder, const std::string& options) {
    OptionError error;
    MachineOptions parsed = parse_options(options, "", error);
    if (!error.text.empty()) ADD_FAILURE() << error.text;
    auto owned = std::make_unique<FakeParts>();
    parts = owned.get();
    machine = std::make_unique<Machine>(std::move(parsed), std::move(owned));
    LockFileError lock_error;
    auto lock_file = LockFile::open_in(folder, "test", lock_error);
    if (!lock_error.text.empty()) ADD_FAILURE() << lock_error.text;
    driver = std::make_unique<SimulatedDriver>(*machine);
    client = std::make_unique<DriverClient>(*driver, std::move(lock_file));
  }

  template <class Request>
  WperfStatus send(u32 code, Request request) {
    request.header = {sizeof request, WPERF_WIRE_VERSION};
    u32 returned = 0;
    return client->control(code, &request, sizeof request, sizeof request, &returned);
  }
  template <class Reply, class Request>
  Reply ask(u32 code, Request request) {
    request.header = {sizeof request, WPERF_WIRE_VERSION};
    static_assert(sizeof(Reply) >= sizeof(Request));
    Reply reply{};
    std::memcpy(&reply, &request, sizeof request);
    u32 returned = 0;
    EXPECT_EQ(client->control(code, &reply, sizeof request, sizeof reply, &returned), static_cast<u32>(WPERF_OK));
    EXPECT_EQ(returned, sizeof reply);
    return reply;
  }
  WperfStatus lock(u32 action) { return send(WPERF_CODE_LOCK, WperfLockRequest{{}, action, 0}); }
  WperfStatus plain(u32 code) { return send(code, WperfPlainRequest{}); }
  WperfCountReply read(u32 event_class, u32 unit) {
    return ask<WperfCountReply>(WPERF_CODE_COUNT_READ, WperfCountReadRequest{{}, event_class, unit});
  }
  WperfHardwareReply hardware() { return ask<WperfHardwareReply>(WPERF_CODE_HARDWARE, WperfPlainRequest{}); }
  void set_up_dmc() {
    WperfDmcSetupRequest request{};
    for (const DmcRange& range : driver->hal().dmc_ranges())
      request.channels[request.channel_count++] = {range.base, range.size};
    EXPECT_EQ(send(WPERF_CODE_DMC_SETUP, request), static_cast<u32>(WPERF_OK));
  }
  u32 spawn(const Script& script, u32 core) {
    parts->scripts["program.exe"] = script;
    MachineError error;
    const u32 pid = machine->spawn({"program.exe", "program.exe", core}, error);
    machine->resume(pid);
    EXPECT_NE(pid, 0u) << error.text;
    return pid;
  }
  void wait(u64 duration_ns, u32 pid = 0) {
    MachineError error;
    machine->wait(duration_ns, pid, error);
    EXPECT_EQ(error.text, "");
  }

  FakeParts* parts = nullptr;
  std::unique_ptr<Machine> machine;
  std::unique_ptr<SimulatedDriver> driver;
  std::unique_ptr<DriverClient> client;
};

WperfCountRequest count_request(std::vector<u16> core_events, bool kernel = false, u32 period_ms = 100) {
  WperfCountRequest request{};
  request.flags = kernel ? WPERF_COUNT_KERNEL : 0;
  request.period_ms = period_ms;
  request.dmc_channel = WPERF_ALL_CHANNELS;
  request.core_mask[0] = 0xff;
  request.entry_count[WPERF_CLASS_CORE] = static_cast<u32>(core_events.size());
  for (usize i = 0; i < core_events.size(); ++i) request.core[i] = {core_events[i], WPERF_NO_GROUP};
  return request;
}

class SimulatedDriverTest : public testing::Test {
 protected:
  std::unique_ptr<Client> open(const std::string& options = "pace=free") {
    return std::make_unique<Client>(folder_.path(), options);
  }
  std::unique_ptr<Client> open_locked(const std::string& options = "pace=free") {
    auto client = open(options);
    EXPECT_EQ(client->lock(WPERF_LOCK_ACQUIRE), static_cast<u32>(WPERF_OK));
    return client;
  }
  TemporaryFolder folder_;
};

#define EXPECT_OK(expression) EXPECT_EQ((expression), static_cast<u32>(WPERF_OK))
#define EXPECT_STATUS(expression, status) EXPECT_EQ((expression), static_cast<u32>(status))

TEST_F(SimulatedDriverTest, TellsTheMachine) {
  auto client = open_locked("pace=free,cores=5,cluster=2,counters=9,free=7,dmc=3");
  client->set_up_dmc();
  const WperfHardwareReply hardware = client->hardware();
  EXPECT_EQ(hardware.midr, 0x414fd0c1u);
  EXPECT_EQ(hardware.id_aa64dfr0, 0x110305408u);
  EXPECT_EQ(hardware.core_count, 5u);
  EXPECT_EQ(hardware.counters_total, 9u);
  EXPECT_EQ(hardware.counters_free, 7u);
  EXPECT_EQ(hardware.counter_map[0], 2u);
  EXPECT_EQ(hardware.counter_map[6], 8u);
  EXPECT_EQ(hardware.cluster_count, 3u);
  EXPECT_EQ(hardware.dsu_counters, 6u);
  EXPECT_EQ(hardware.dmc_channels, 3u);
  const auto version = client->ask<WperfVersionReply>(WPERF_CODE_VERSION, WperfPlainRequest{});
  EXPECT_EQ(version.major, 3u);
  EXPECT_EQ(version.minor, 8u);
  EXPECT_EQ(version.patch, 0u);
  EXPECT_STREQ(version.features, "+trace+spe+stacks");
  EXPECT_NE(version.git[0], '\0');
}

TEST_F(SimulatedDriverTest, CountsAreExact) {
  for (const bool kernel : {false, true}) {
    for (const std::string cpu : {"neoverse-n1", "neoverse-n2"}) {  // 32-bit and 64-bit counters
      auto client = open_locked("pace=free,cpu=" + cpu);
      const u32 pid = client->spawn({work(7'654'321), end(0)}, 3);
      client->wait(10 * kMillisecond);
      EXPECT_OK(client->send(WPERF_CODE_COUNT_CONFIGURE, count_request({kInstRetired, kCpuCycles}, kernel)));
      const SignalCounts before = client->machine->signals(3);
      const u32 ticks_before = client->parts->logs[4].ticks;
      EXPECT_OK(client->plain(WPERF_CODE_COUNT_START));
      client->wait(1000 * kMillisecond, pid);
      EXPECT_OK(client->plain(WPERF_CODE_COUNT_STOP));
      const SignalCounts& after = client->machine->signals(3);
      const WperfCountReply reply = client->read(WPERF_CLASS_CORE, 3);
      u64 expected = after(Level::user, Signal::inst_retired) - before(Level::user, Signal::inst_retired);
      EXPECT_EQ(after(Level::user, Signal::inst_retired), 7'654'321u + 1);
      if (kernel) expected += after(Level::kernel, Signal::inst_retired) - before(Level::kernel, Signal::inst_retired);
      EXPECT_EQ(reply.entries[0].value, expected);
      EXPECT_EQ(reply.entries[1].value, expected);
      EXPECT_EQ(reply.cycles, expected);
      EXPECT_EQ(reply.enabled_ns, client->machine->now_ns() - 10 * kMillisecond);
      EXPECT_EQ(reply.multiplexed, 0u);
      const u32 ticks = client->parts->logs[4].ticks - ticks_before;
      EXPECT_EQ(client->read(WPERF_CLASS_CORE, 4).entries[0].value, kernel ? ticks * kTickCycles : 0);
      EXPECT_OK(client->lock(WPERF_LOCK_RELEASE));
    }
  }
}

// On a core that counts more than 2^32 between two reads, 32-bit counters would lose counts; the driver's timer
// prevents that.
TEST_F(SimulatedDriverTest, CountsPastThirtyTwoBits) {
  auto client = open_locked("pace=free,mhz=10000");
  client->spawn({work(kForever)}, 0);
  EXPECT_OK(client->send(WPERF_CODE_COUNT_CONFIGURE, count_request({kCpuCycles}, true)));
  EXPECT_OK(client->plain(WPERF_CODE_COUNT_START));
  client->wait(2000 * kMillisecond);
  EXPECT_OK(client->plain(WPERF_CODE_COUNT_STOP));
  const WperfCountReply reply = client->read(WPERF_CLASS_CORE, 0);
  EXPECT_GE(reply.entries[0].value, 20'000'000'000u);
  EXPECT_EQ(reply.entries[0].value, reply.cycles);
}

TEST_F(SimulatedDriverTest, MultiplexingOverHundredRotations) {
  auto client = open_locked("pace=free,free=4");
  client->spawn({work(kForever)}, 2);
  std::vector<u16> events(10, kInstRetired);
  EXPECT_OK(client->send(WPERF_CODE_COUNT_CONFIGURE, count_request(events, true, 10)));
  EXPECT_OK(client->plain(WPERF_CODE_COUNT_START));
  client->wait(1000 * kMillisecond);
  EXPECT_OK(client->plain(WPERF_CODE_COUNT_STOP));
  const WperfCountReply reply = client->read(WPERF_CLASS_CORE, 2);
  EXPECT_EQ(reply.multiplexed, 1u);
  EXPECT_NEAR(static_cast<double>(reply.rounds), 100, 1);
  u64 value = 0, running_ns = 0;
  for (u32 i = 0; i < 10; ++i) {
    value += reply.entries[i].value;
    running_ns += reply.entries[i].running_ns;
    EXPECT_NEAR(static_cast<double>(reply.entries[i].slots), 40, 1) << i;
    // One event, one instruction per cycle, a core that is never idle: scaling must give the true count.
    const double scaled = static_cast<double>(reply.entries[i].value) * static_cast<double>(reply.enabled_ns) /
                          static_cast<double>(reply.entries[i].running_ns);
    EXPECT_NEAR(scaled, static_cast<double>(reply.cycles), static_cast<double>(reply.cycles) * 1e-3) << i;
  }
  // Four counters are always in use: no count is lost or doubled at a rotation.
  EXPECT_EQ(value, 4 * reply.cycles);
  EXPECT_EQ(running_ns, 4 * reply.enabled_ns);
}

TEST_F(SimulatedDriverTest, CountersOfOthersGoOnUndisturbed) {
  auto client = open_locked("pace=free,free=2");
  client->spawn({work(kForever)}, 0);
  client->wait(10 * kMillisecond);
  HalSim& hal = client->driver->hal();
  const auto theirs = [&] { return hal.read_register(driver::event_counter(3)); };
  const auto cycles = [&] {
    const SignalCounts& signals = client->machine->signals(0);
    return signals(Level::user, Signal::cycles) + signals(Level::kernel, Signal::cycles);
  };
  EXPECT_EQ(theirs(), cycles());
  EXPECT_OK(
      client->send(WPERF_CODE_COUNT_CONFIGURE, count_request({kInstRetired, kInstRetired, kCpuCycles}, false, 10)));
  EXPECT_OK(client->plain(WPERF_CODE_COUNT_START));
  client->wait(55 * kMillisecond);
  EXPECT_OK(client->plain(WPERF_CODE_COUNT_STOP));
  client->wait(5 * kMillisecond);
  EXPECT_EQ(theirs(), cycles());
  EXPECT_EQ(hal.read_register(driver::Register::pmcntenset), 0x8000'000fu);
}

TEST_F(SimulatedDriverTest, NoFreeCountersIsRefused) {
  auto client = open_locked("pace=free,free=0");
  EXPECT_EQ(client->hardware().counters_free, 0u);
  EXPECT_STATUS(client->send(WPERF_CODE_COUNT_CONFIGURE, count_request({kInstRetired})), WPERF_NO_COUNTERS);
}

TEST_F(SimulatedDriverTest, CountsClustersAndChannels) {
  auto client = open_locked("pace=free,mhz=100");
  client->set_up_dmc();
  client->spawn({work(kForever)}, 0);
  WperfCountRequest request = count_request({});
  request.entry_count[WPERF_CLASS_DSU] = 2;
  request.dsu[0] = {0xa0, WPERF_NO_GROUP};
  request.dsu[1] = {0x11, WPERF_NO_GROUP};
  request.entry_count[WPERF_CLASS_DMC_CLK] = 1;
  request.dmc_clk[0] = {0x00, WPERF_NO_GROUP};
  request.entry_count[WPERF_CLASS_DMC_CLKDIV2] = 1;
  request.dmc_clkdiv2[0] = {0x12, WPERF_NO_GROUP};
  client->wait(kMillisecond);
  const u64 bytes_before = client->parts->traffic.bytes_read;
  EXPECT_OK(client->send(WPERF_CODE_COUNT_CONFIGURE, request));
  EXPECT_OK(client->plain(WPERF_CODE_COUNT_START));
  client->wait(3000 * kMillisecond);  // the clk counter wraps during this time
  EXPECT_OK(client->plain(WPERF_CODE_COUNT_STOP));
  const u64 bytes = client->parts->traffic.bytes_read - bytes_before;
  const WperfCountReply dsu = client->read(WPERF_CLASS_DSU, 3);
  EXPECT_EQ(dsu.entries[0].value, bytes / 64);
  EXPECT_EQ(dsu.entries[1].value, 300'000'000u);
  EXPECT_EQ(client->read(WPERF_CLASS_DMC_CLK, 1).entries[0].value, 4'800'000'000u);
  EXPECT_NEAR(static_cast<double>(client->read(WPERF_CLASS_DMC_CLKDIV2, 0).entries[0].value),
              static_cast<double>(bytes) / 128, 1);
}

TEST_F(SimulatedDriverTest, OnlyRealControllersCanBeMapped) {
  auto client = open_locked("pace=free,dmc=1");
  for (const u64 base : {u64{0x2000'0000}, u64{0x1000'1000}, u64{0x1001'0000}}) {
    WperfDmcSetupRequest request{};
    request.channel_count = 1;
    request.channels[0] = {base, 0x2000};
    EXPECT_NE(client->send(WPERF_CODE_DMC_SETUP, request), static_cast<u32>(WPERF_OK)) << base;
  }
}

TEST_F(SimulatedDriverTest, LockBetweenClients) {
  auto one = open_locked();
  auto two = open();
  EXPECT_STATUS(two->lock(WPERF_LOCK_ACQUIRE), WPERF_LOCK_BUSY);
  EXPECT_STATUS(two->plain(WPERF_CODE_COUNT_START), WPERF_LOCK_NEEDED);
  EXPECT_OK(two->lock(WPERF_LOCK_FORCE));
  EXPECT_STATUS(one->plain(WPERF_CODE_COUNT_START), WPERF_LOCK_LOST);
  EXPECT_STATUS(one->lock(WPERF_LOCK_ACQUIRE), WPERF_LOCK_BUSY);
  two.reset();
  EXPECT_OK(one->lock(WPERF_LOCK_ACQUIRE));
}

// A preempted session must not continue: the new holder finds the counters free, and the preempted client gets an
// error.
TEST_F(SimulatedDriverTest, LockForcedAwayWhileCounting) {
  auto one = open_locked();
  one->spawn({work(kForever)}, 0);
  EXPECT_OK(one->send(WPERF_CODE_COUNT_CONFIGURE, count_request({kInstRetired})));
  EXPECT_OK(one->plain(WPERF_CODE_COUNT_START));
  one->wait(10 * kMillisecond);
  auto two = open();
  EXPECT_OK(two->lock(WPERF_LOCK_FORCE));
  one->wait(300 * kMillisecond);
  EXPECT_STATUS(one->plain(WPERF_CODE_COUNT_STOP), WPERF_LOCK_LOST);
  one->wait(300 * kMillisecond);
  EXPECT_EQ(one->driver->hal().read_register(driver::Register::pmcntenset), 0x8000'0000u);
}

// A separate process that acts as a client, reports each step, and waits for a line before the next.
class ChildClient {
 public:
  template <class Act>
  explicit ChildClient(Act act) {
    if (pipe(to_child_) != 0 || pipe(from_child_) != 0) std::abort();
    pid_ = fork();
    if (pid_ != 0) return;
    act(*this);
    _exit(0);
  }
  ~ChildClient() {
    if (pid_ > 0) finish();
    for (const int end : {to_child_[0], to_child_[1], from_child_[0], from_child_[1]}) close(end);
  }
  void say(char word) {
    if (::write(from_child_[1], &word, 1) != 1) _exit(2);
  }
  void await_parent() {
    char word = 0;
    if (::read(to_child_[0], &word, 1) != 1) _exit(2);
  }
  char hear() {
    char word = 0;
    return ::read(from_child_[0], &word, 1) == 1 ? word : '\0';
  }
  void go_on() { EXPECT_EQ(::write(to_child_[1], "g", 1), 1); }
  void finish() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  pid_t pid_ = 0;
  int to_child_[2] = {-1, -1}, from_child_[2] = {-1, -1};
};

char letter(WperfStatus status) {
  return static_cast<char>('a' + status);
}

TEST_F(SimulatedDriverTest, LockBetweenProcesses) {
  ChildClient child([this](ChildClient& self) {
    Client client(folder_.path(), "pace=free");
    self.say(letter(client.lock(WPERF_LOCK_ACQUIRE)));
    for (;;) {
      self.await_parent();
      self.say(letter(client.plain(WPERF_CODE_COUNT_START)));
    }
  });
  ASSERT_EQ(child.hear(), letter(WPERF_OK));
  auto client = open();
  EXPECT_STATUS(client->lock(WPERF_LOCK_ACQUIRE), WPERF_LOCK_BUSY);
  child.go_on();
  EXPECT_EQ(child.hear(), letter(WPERF_WRONG_STATE));  // it has the lock, but has not configured anything
  EXPECT_OK(client->lock(WPERF_LOCK_FORCE));
  EXPECT_EQ(client->hardware().counters_free, 6u);
  child.go_on();
  EXPECT_EQ(child.hear(), letter(WPERF_LOCK_LOST));
  child.finish();
  EXPECT_EQ(client->hardware().counters_free, 6u);
}

TEST_F(SimulatedDriverTest, KilledHolderFreesTheLock) {
  ChildClient child([this](ChildClient& self) {
    Client client(folder_.path(), "pace=free");
    self.say(letter(client.lock(WPERF_LOCK_ACQUIRE)));
    self.await_parent();
  });
  ASSERT_EQ(child.hear(), letter(WPERF_OK));
  auto client = open();
  EXPECT_STATUS(client->lock(WPERF_LOCK_ACQUIRE), WPERF_LOCK_BUSY);
  child.finish();
  EXPECT_OK(client->lock(WPERF_LOCK_ACQUIRE));
}

TEST_F(SimulatedDriverTest, ClosingReleases) {
  open_locked().reset();
  EXPECT_OK(open()->lock(WPERF_LOCK_ACQUIRE));
}

}  // namespace
}  // namespace wperf::sim
