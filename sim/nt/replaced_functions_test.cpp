// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "sim/nt/test_files.h"

namespace wperf::sim::nt {
namespace {

constexpr u64 kTeb = 0x4000, kLastError = kTeb + 0x68;

class Cycles final : public ProgramHost {
 public:
  CpuTimes cpu_times(u32 /*pid*/, u32 thread) const override { return {0, 0, thread == 1004 ? 1234U : 0U}; }
  u32 start(const ChildProcessRequest& /*request*/, u64 /*now_ns*/) override { return 0; }
  void end(u32 /*pid*/, u32 /*exit_code*/) override {}
};

class NtReplacedFunctions : public ::testing::Test {
 protected:
  void SetUp() override { process.state.threads[0]->teb = kAt + kTeb; }
  TestProcess process;
};

TEST_F(NtReplacedFunctions, FailAsForAnOrdinaryUser) {
  EXPECT_EQ(process.call("CreateSymbolicLinkA", {kAt, kAt, 0}), 0U);
  EXPECT_EQ(process.call("CreateSymbolicLinkW", {kAt, kAt, 0}), 0U);
  EXPECT_EQ(process.get<u32>(kLastError), 1314U);
  for (const char* const name : {"StartServiceCtrlDispatcherA", "StartServiceCtrlDispatcherW"}) {
    process.put(kLastError, u32{0});
    EXPECT_EQ(process.call(name, {kAt}), 0U);
    EXPECT_EQ(process.get<u32>(kLastError), 1063U);
  }
}

TEST_F(NtReplacedFunctions, ThreadsHaveTheCyclesOfTheirCores) {
  Cycles cycles;
  process.state.system->host = &cycles;
  EXPECT_EQ(process.call("QueryThreadCycleTime", {kThisThread, kAt + 0x100}), 1U);
  EXPECT_EQ(process.get(0x100), 1234U);
  EXPECT_EQ(process.call("QueryThreadCycleTime", {kThisProcess, kAt + 0x100}), 0U);
  EXPECT_EQ(process.get<u32>(kLastError), 6U);
  EXPECT_EQ(process.call("QueryThreadCycleTime", {kThisThread, 0x10}), 0U);
  EXPECT_EQ(process.get<u32>(kLastError), 998U);
}

TEST_F(NtReplacedFunctions, ProcessesHavePrivateMemory) {
  const u64 own = process.state.memory.private_bytes();
  EXPECT_EQ(process.call("K32GetProcessMemoryInfo", {kThisProcess, kAt + 0x100, 80}), 1U);
  EXPECT_EQ(process.get<u32>(0x100), 80U);
  EXPECT_EQ(process.get<u32>(0x104), process.state.memory.pages_so_far());
  EXPECT_EQ(process.get(0x110), process.state.memory.committed()) << "the working set";
  EXPECT_GT(own, 0U);
  EXPECT_EQ(process.get(0x148), own);
  EXPECT_EQ(process.call("K32GetProcessMemoryInfo", {kThisProcess, kAt + 0x100, 71}), 0U);
  EXPECT_EQ(process.get<u32>(kLastError), 122U);
  EXPECT_EQ(process.call("K32GetProcessMemoryInfo", {0x7770, kAt + 0x100, 80}), 0U);
  EXPECT_EQ(process.get<u32>(kLastError), 6U);
}

TEST_F(NtReplacedFunctions, BecomeCallsOfThisLayer) {
  ImageContents image;
  image.pe.exports.push_back({"CreateSymbolicLinkW", 0x100});
  replace_functions(process.state, "other.dll", image, kAt);
  EXPECT_EQ(process.get<u32>(0x100), 0U);
  replace_functions(process.state, "KernelBase.dll", image, kAt);
  const u32 number = process.get<u32>(0x100) >> 5 & 0xffff;
  EXPECT_EQ(process.state.services.at(number), find_replaced("CreateSymbolicLinkW"));
  EXPECT_EQ(process.get<u32>(0x104), 0xd65f03c0U) << "ret";
}

TEST_F(NtReplacedFunctions, TheMachineHasTheLoopbackAsItsAdapter) {
  constexpr u32 kTooSmall = 111;
  const auto list = [&](u64 family, u64 flags, u32 room) {
    return process.call("GetAdaptersAddresses", {family, flags, 0, kAt + 0x100, process.put(0, room)});
  };
  EXPECT_EQ(list(0, 0, 100), kTooSmall);
  const u32 needed = process.get<u32>(0);
  ASSERT_EQ(list(0, 0, needed), 0U);
  EXPECT_EQ(process.get<u32>(0x100), 448U);
  EXPECT_EQ(process.get(0x108), 0U) << "no second adapter";
  EXPECT_EQ(process.get<u32>(0x164), 24U) << "IF_TYPE_SOFTWARE_LOOPBACK";
  const auto address = [&](u64 at) {
    std::array<u8, 28> bytes{};
    process.state.space.read(process.get(at + 0x10 - kAt), bytes.data(), process.get<u32>(at + 0x18 - kAt));
    return Endpoint::read(bytes);
  };
  const u64 first = process.get(0x118), second = process.get(first + 8 - kAt);
  EXPECT_EQ(address(first), Endpoint::loopback(Endpoint::kV4, 0));
  EXPECT_EQ(address(second), Endpoint::loopback(Endpoint::kV6, 0));
  EXPECT_EQ(process.get(second + 8 - kAt), 0U);
  ASSERT_EQ(list(Endpoint::kV6, 0, needed), 0U);
  EXPECT_EQ(address(process.get(0x118)), Endpoint::loopback(Endpoint::kV6, 0));
  ASSERT_EQ(list(0, 1, needed), 0U);
  EXPECT_EQ(process.get(0x118), 0U);
  EXPECT_EQ(list(1, 0, needed), 87U);
}

TEST_F(NtReplacedFunctions, TheMachineHasOneNodeAndOneGroup) {
  EXPECT_EQ(process.call("GetNumaNodeProcessorMask", {0, kAt + 0x100}), 1U);
  EXPECT_EQ(process.get(0x100), 0xfU);
  EXPECT_EQ(process.call("GetNumaNodeProcessorMask", {1, kAt + 0x100}), 0U);
  EXPECT_EQ(process.get<u32>(kLastError), 87U);
  EXPECT_EQ(process.call("GetNumaNodeProcessorMaskEx", {0, kAt + 0x110}), 1U);
  EXPECT_EQ(process.get(0x110), 0xfU);
  EXPECT_EQ(process.call("GetNumaAvailableMemoryNode", {0, kAt + 0x100}), 1U);
  EXPECT_EQ(process.get(0x100), kMemoryBytes - process.state.memory.committed());
  process.put(0x200, u32{3 << 16});
  EXPECT_EQ(process.call("GetNumaProcessorNodeEx", {kAt + 0x200, kAt + 0x100}), 1U);
  EXPECT_EQ(process.get<u16>(0x100), 0U);
  process.put(0x200, u32{4 << 16});
  EXPECT_EQ(process.call("GetNumaProcessorNodeEx", {kAt + 0x200, kAt + 0x100}), 0U);
  EXPECT_EQ(process.get<u16>(0x100), 0xffffU);
  process.put(0x100, u16{0});
  EXPECT_EQ(process.call("GetProcessGroupAffinity", {kThisProcess, kAt + 0x100, kAt + 0x110}), 0U);
  EXPECT_EQ(process.get<u32>(kLastError), 122U);
  EXPECT_EQ(process.get<u16>(0x100), 1U);
  EXPECT_EQ(process.call("GetProcessGroupAffinity", {kThisProcess, kAt + 0x100, kAt + 0x110}), 1U);
  EXPECT_EQ(process.get<u16>(0x110), 0U);
}

}  // namespace
}  // namespace wperf::sim::nt
