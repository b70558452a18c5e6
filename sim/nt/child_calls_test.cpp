// SPDX-License-Identifier: BSD-3-Clause
// Processes that a process starts. Their programs are loaded but do not run.
#include <gtest/gtest.h>

#include <array>

#include "sim/nt/nt_process.h"
#include "sim/nt/test_process.h"

namespace wperf::sim::nt {
namespace {

// A machine that loads the programs that a process starts, but does not run them.
class LoadingHost final : public ProgramHost {
 public:
  explicit LoadingHost(std::shared_ptr<System> shared_system) : system(std::move(shared_system)) {
    system->host = this;
  }
  u32 start(const ChildProcessRequest& request, u64 /*now_ns*/) override {
    LoadError error;
    ProcessOptions child{
        request.image_path, request.command_line, {}, 1, 2000, request.core, 4, request.affinity, {}, system,
        request.inheritance};
    program = load_process(child, error);
    return program != nullptr ? 2000 : 0;
  }
  CpuTimes cpu_times(u32 /*pid*/, u32 thread) const override {
    return thread == 0 ? CpuTimes{7000, 500} : CpuTimes{3000, 200};
  }
  void end(u32 pid, u32 exit_code) override {
    EXPECT_EQ(pid, 2000U);
    program->ended(exit_code, 77);
    program.reset();
  }
  std::shared_ptr<System> system;
  std::unique_ptr<Program> program;
};

class NtChildren : public ::testing::Test {
 protected:
  static constexpr u64 kAt = TestProcess::kArguments, kParameters = kAt + 0x2000;

  void SetUp() override { ASSERT_TRUE(process.state.files.set_program_folder(WPERF_WORKLOADS_DIR)); }
  void put_text(u64 offset, u64 at, std::string_view text) {
    const std::vector<u16> units = to_utf16(text);
    process.state.space.write(kParameters + at, units.data(), units.size() * 2);
    const u64 header[2] = {units.size() * 2 | units.size() * 2 << 16, kParameters + at};
    process.state.space.write(kParameters + offset, header, sizeof header);
  }
  // Creates a process with these handles as its standard input, output and error.
  u64 create(std::string_view image, std::array<u64, 3> handles = {}, bool inherits = false) {
    process.state.space.write(kParameters + 0x20, handles.data(), sizeof handles);
    put_text(0x38, 0x500, "C:\\work\\");
    put_text(0x60, 0x600, image);
    put_text(0x70, 0x700, "the command line");
    return process.call("NtCreateUserProcess",
                        {kAt, kAt + 8, 0, 0, 0, 0, inherits ? 4u : 0u, 1, kParameters, kAt + 0x1000, 0});
  }
  TestProcess process;
  LoadingHost host{process.state.system};
};

TEST_F(NtChildren, GetTheirImageAndHandlesAndSayHowTheyEnded) {
  ASSERT_EQ(process.call("NtCreateEvent", {kAt + 0x20, 0, process.named(0x1000, "", 2), 0, 0}), kSuccess);
  ASSERT_EQ(process.call("NtCreateEvent", {kAt + 0x28, 0, 0, 0, 0}), kSuccess);
  const u64 inherited = process.get(0x20), own = process.get(0x28);
  ASSERT_EQ(create("C:\\app\\EXACT_1K.exe", {}, true), kSuccess);
  const State* const child = find_process(*process.state.system, 2000);
  ASSERT_NE(child, nullptr);
  EXPECT_EQ(child->program_path, "C:\\app\\exact_1k.exe");
  EXPECT_EQ(child->command_line, "the command line");
  EXPECT_EQ(child->handles.at(inherited), process.state.handles.at(inherited));
  EXPECT_EQ(child->handles.at(own), nullptr);
  EXPECT_EQ(child->threads.front()->suspended, 1U);
  const u64 handle = process.get(0), thread = process.get(8);
  EXPECT_EQ(process.call("NtResumeThread", {thread, 0}), kSuccess);
  EXPECT_EQ(child->threads.front()->suspended, 0U);
  EXPECT_EQ(process.call("NtWaitForSingleObject", {handle, 0, 0}), kNoAnswer);
  EXPECT_EQ(process.call("NtTerminateProcess", {handle, 9}, 0), kSuccess);
  EXPECT_EQ(process.state.threads[0]->wait.kind, Wait::Kind::none);
  EXPECT_EQ(process.state.threads[0]->ready_ns, 77U);
  EXPECT_EQ(find_process(*process.state.system, 2000), nullptr);
  ASSERT_EQ(process.call("NtQueryInformationProcess", {handle, 0, kAt + 0x100, 48, 0}), kSuccess);
  EXPECT_EQ(process.get(0x100), 9U);
  EXPECT_EQ(process.call("NtTerminateProcess", {handle, 9}), kProcessIsTerminating);
}

TEST_F(NtChildren, GetTheStartupFacts) {
  constexpr u64 kDataAt = 0xe0, kTitleAt = 0xb0, kWindowAt = 0x88, kProcessParameters = 0x20;
  const std::array<u8, 13> data = {1, 0, 0, 0, 0x41, 0x34, 0x12, 0, 0, 0, 0, 0, 0x77};  // a descriptor, and an odd size
  put_text(kTitleAt, 0x800, "a title");
  process.state.space.write(kParameters + 0x900, data.data(), data.size());
  const std::array<u64, 2> header = {data.size() | data.size() << 16, kParameters + 0x900};
  process.state.space.write(kParameters + kDataAt, header.data(), sizeof header);
  const std::array<u32, 9> window = {1, 2, 3, 4, 5, 6, 7, 0x101, 6};
  process.state.space.write(kParameters + kWindowAt, window.data(), sizeof window);
  ASSERT_EQ(create("C:\\app\\exact_1k.exe"), kSuccess);
  State& child = *find_process(*process.state.system, 2000);
  u64 block = 0, at = 0;
  std::array<u32, 9> got_window{};
  ASSERT_TRUE(child.space.read(child.peb + kProcessParameters, &block, sizeof block));
  ASSERT_TRUE(child.space.read(block + kWindowAt, got_window.data(), sizeof got_window));
  EXPECT_EQ(got_window, window);
  u16 size = 0;
  ASSERT_TRUE(child.space.read(block + kTitleAt, &size, sizeof size));
  EXPECT_EQ(size, 14U);
  ASSERT_TRUE(child.space.read(block + kDataAt, &size, sizeof size));
  ASSERT_EQ(size, data.size());
  ASSERT_TRUE(child.space.read(block + kDataAt + 8, &at, sizeof at));
  std::array<u8, 13> got{};
  ASSERT_TRUE(child.space.read(at, got.data(), got.size()));
  EXPECT_EQ(got, data);
}

TEST_F(NtChildren, PipesEndWithThem) {
  ASSERT_EQ(process.call("NtCreateNamedPipeFile", {kAt + 0x20, 0, process.named(0x1000, "\\Device\\NamedPipe\\a"),
                                                   kAt + 0x10, 0, 2, 0x20, 0, 0, 0, 1, 4096, 4096, 0}),
            kSuccess);
  ASSERT_EQ(
      process.call("NtOpenFile", {kAt + 0x28, 0, process.named(0x1000, "\\Device\\NamedPipe\\a"), kAt + 0x10, 0, 0x20}),
      kSuccess);
  const u64 server = process.get(0x20), client = process.get(0x28);
  ASSERT_EQ(create("C:\\app\\exact_1k.exe", {0, client, 0}), kSuccess);
  ASSERT_EQ(process.call("NtClose", {client}), kSuccess);
  const auto read = [&] { return process.call("NtReadFile", {server, 0, 0, 0, kAt + 0x10, kAt + 0x4000, 4, 0, 0}); };
  EXPECT_EQ(read(), kNoAnswer) << "the child holds it";
  host.end(2000, 0);
  ASSERT_TRUE(call_again(process.state, *process.state.threads[0], process.now_ns));
  EXPECT_EQ(process.state.threads[0]->registers.x[0], kPipeBroken);
}

TEST_F(NtChildren, EndWithTheirJob) {
  ASSERT_EQ(process.call("NtCreateJobObject", {kAt + 0x20, 0, 0}), kSuccess);
  const u64 job = process.get(0x20);
  process.put(0x40, std::array<u32, 36>{0, 0, 0, 0, Job::kKillsAtClose});
  ASSERT_EQ(process.call("NtSetInformationJobObject", {job, 9, kAt + 0x40, 144}), kSuccess);
  ASSERT_EQ(create("C:\\app\\exact_1k.exe"), kSuccess);
  const u64 child = process.get(0);
  constexpr u64 kNotInJob = 0x123, kInJob = 0x124;
  EXPECT_EQ(process.call("NtIsProcessInJob", {child, job}), kNotInJob);
  ASSERT_EQ(process.call("NtAssignProcessToJobObject", {job, child}), kSuccess);
  EXPECT_EQ(process.call("NtIsProcessInJob", {child, job}), kInJob);
  ASSERT_EQ(process.call("NtQueryInformationJobObject", {job, 3, kAt + 0x100, 64, 0}), kSuccess);
  EXPECT_EQ(process.get<u32>(0x104), 1U);
  EXPECT_EQ(process.get(0x108), 2000U);
  EXPECT_EQ(process.call("NtClose", {job}), kSuccess);
  EXPECT_EQ(host.program, nullptr);
  EXPECT_TRUE(process.state.handles.at(child)->signalled);
}

TEST_F(NtChildren, AJobTellsItsPortWhatHappens) {
  constexpr u64 kPortClass = 7, kKey = 5, kNewProcess = 6, kAbnormalExit = 8, kNoMember = 4;
  ASSERT_EQ(process.call("NtCreateJobObject", {kAt + 0x20, 0, 0}), kSuccess);
  ASSERT_EQ(process.call("NtCreateIoCompletion", {kAt + 0x28, 0, 0, 0}), kSuccess);
  const u64 job = process.get(0x20);
  process.put(0x40, std::array<u64, 2>{kKey, process.get(0x28)});
  ASSERT_EQ(process.call("NtSetInformationJobObject", {job, kPortClass, kAt + 0x40, 16}), kSuccess);
  EXPECT_EQ(process.call("NtSetInformationJobObject", {job, kPortClass, kAt + 0x40, 16}), kInvalidParameter);
  ASSERT_EQ(create("C:\\app\\exact_1k.exe"), kSuccess);
  ASSERT_EQ(process.call("NtAssignProcessToJobObject", {job, process.get(0)}), kSuccess);
  ASSERT_EQ(process.call("NtTerminateProcess", {process.get(0), kAccessViolation}), kSuccess);
  const auto next = [&] {
    const u64 port = process.state.handles.at<Port>(process.get(0x28)) != nullptr ? process.get(0x28) : 0;
    EXPECT_EQ(process.call("NtRemoveIoCompletion", {port, kAt + 0x100, kAt + 0x108, kAt + 0x110, 0}), kNoAnswer);
    EXPECT_EQ(process.get(0x100), kKey);
    return std::pair(process.get(0x118), process.get(0x108));  // the message and the process
  };
  EXPECT_EQ(next(), (std::pair<u64, u64>(kNewProcess, 2000)));
  EXPECT_EQ(next(), (std::pair<u64, u64>(kAbnormalExit, 2000)));
  EXPECT_EQ(next(), (std::pair<u64, u64>(kNoMember, 0)));
}

TEST_F(NtChildren, AJobKeepsItsLimitsAndSumsItsMembers) {
  constexpr u64 kExtended = 9, kAccountingWithIo = 8, kMemoryAt = 112;
  ASSERT_EQ(process.call("NtCreateJobObject", {kAt + 0x20, 0, 0}), kSuccess);
  const u64 job = process.get(0x20);
  std::array<u64, 18> limits{};
  limits[2] = 0x108;
  limits[kMemoryAt / 8] = 64 << 20;
  process.put(0x100, limits);
  ASSERT_EQ(process.call("NtSetInformationJobObject", {job, kExtended, kAt + 0x100, 144}), kSuccess);
  EXPECT_EQ(process.call("NtSetInformationJobObject", {job, kExtended, kAt + 0x100, 64}), kInfoLengthMismatch);
  ASSERT_EQ(process.call("NtQueryInformationJobObject", {job, kExtended, kAt + 0x200, 144, 0}), kSuccess);
  EXPECT_EQ((process.get<std::array<u64, 18>>(0x200)), limits);
  ASSERT_EQ(create("C:\\app\\exact_1k.exe"), kSuccess);
  ASSERT_EQ(process.call("NtAssignProcessToJobObject", {job, process.get(0)}), kSuccess);
  find_process(*process.state.system, 2000)->io = {1, 2, 3, 4, 5, 6};
  host.end(2000, 0);
  ASSERT_EQ(process.call("NtQueryInformationJobObject", {job, kAccountingWithIo, kAt + 0x200, 96, 0}), kSuccess);
  EXPECT_EQ(process.get(0x200), 70U) << "user time, in 100 ns";
  EXPECT_EQ(process.get(0x208), 5U);
  EXPECT_EQ(process.get<u32>(0x224), 1U) << "all processes so far";
  EXPECT_EQ((process.get<std::array<u64, 6>>(0x230)), (std::array<u64, 6>{1, 2, 3, 4, 5, 6}));
}

TEST_F(NtChildren, AMemberEndsItselfWithItsJob) {
  ASSERT_EQ(process.call("NtCreateJobObject", {kAt + 0x20, 0, 0}), kSuccess);
  const u64 job = process.get(0x20);
  ASSERT_EQ(process.call("NtAssignProcessToJobObject", {job, kThisProcess}), kSuccess);
  ASSERT_EQ(create("C:\\app\\exact_1k.exe"), kSuccess);
  EXPECT_EQ(process.call("NtIsProcessInJob", {process.get(0), job}), u64{0x124}) << "as its creator";
  EXPECT_EQ(process.call("NtTerminateJobObject", {job, 7}), kNoAnswer);
  EXPECT_EQ(process.outcome, CallOutcome::ended);
  EXPECT_EQ(process.state.exit_code, 7U);
  EXPECT_EQ(host.program, nullptr);
}

TEST_F(NtChildren, InvalidRequestsAreRefused) {
  EXPECT_EQ(create("C:\\app\\missing.exe"), kObjectNameNotFound);
  EXPECT_EQ(create("C:\\app\\fib.pdb"), kInvalidImageFormat);
  EXPECT_EQ(create("C:\\app\\bignum.dll"), kInvalidImageFormat);
  EXPECT_EQ(process.call("NtCreateUserProcess", {kAt, kAt + 8, 0, 0, 0, 0, 0, 1, 0x10, 0, 0}), kAccessViolation);
  process.state.system->host = nullptr;
  EXPECT_EQ(create("C:\\app\\exact_1k.exe"), kInsufficientResources);
}

TEST_F(NtChildren, TheirMemoryIsReadAndWritten) {
  ASSERT_EQ(create("C:\\app\\exact_1k.exe"), kSuccess);
  State& child = *find_process(*process.state.system, 2000);
  const u64 handle = process.get(0);
  process.put(0x40, u64{0});
  process.put(0x48, u64{0x2000});
  ASSERT_EQ(process.call("NtAllocateVirtualMemory", {handle, kAt + 0x40, 0, kAt + 0x48, 0x3000, kPageReadWrite}),
            kSuccess);
  const u64 there = process.get(0x40);
  EXPECT_EQ(process.state.memory.query(there).allocation, 0U) << "it is in the other process";
  process.put(0x100, u64{77});
  ASSERT_EQ(process.call("NtWriteVirtualMemory", {handle, there + 0xffc, kAt + 0x100, 8, kAt + 0x110}), kSuccess);
  EXPECT_EQ(process.get(0x110), 8U);
  u64 value = 0;
  ASSERT_TRUE(child.space.read(there + 0xffc, &value, sizeof value));
  EXPECT_EQ(value, 77U);
  ASSERT_EQ(process.call("NtReadVirtualMemory", {handle, there + 0xffc, kAt + 0x200, 8, kAt + 0x110}), kSuccess);
  EXPECT_EQ(process.get(0x200), 77U);
  ASSERT_EQ(process.call("NtQueryVirtualMemory", {handle, there, 0, kAt + 0x200, 48, 0}), kSuccess);
  EXPECT_EQ(process.get(0x200 + 24), 0x2000U);
  constexpr u64 kPartialCopy = 0x8000000d;
  EXPECT_EQ(process.call("NtReadVirtualMemory", {handle, 0x10, kAt + 0x200, 8, kAt + 0x110}), kPartialCopy);
  EXPECT_EQ(process.get(0x110), 0U);
  ASSERT_EQ(process.call("NtProtectVirtualMemory", {handle, kAt + 0x40, kAt + 0x48, kPageReadOnly, kAt + 0x50}),
            kSuccess);
  EXPECT_EQ(process.call("NtWriteVirtualMemory", {handle, there, kAt + 0x100, 8, 0}), kPartialCopy);
  process.put(0x48, u64{0});
  EXPECT_EQ(process.call("NtFreeVirtualMemory", {handle, kAt + 0x40, kAt + 0x48, 0x8000}), kSuccess);
  EXPECT_EQ(child.memory.query(there).allocation, 0U);
  host.end(2000, 0);
  EXPECT_EQ(process.call("NtReadVirtualMemory", {handle, there, kAt + 0x200, 8, 0}), kInvalidHandle);
}

TEST_F(NtChildren, ShareTheConsoleUnlessTheyGetTheirOwn) {
  constexpr u64 kGroupAt = 0x408, kConsoleAt = 0x10, kNew = ~u64{0}, kHidden = ~u64{1};
  process.state.console = process.state.group = 1000;
  const auto child_of = [&](u64 console, u32 group) -> const State& {
    if (host.program != nullptr) host.end(2000, 0);
    process.state.space.write(kParameters + kConsoleAt, &console, sizeof console);
    process.state.space.write(kParameters + kGroupAt, &group, sizeof group);
    EXPECT_EQ(create("C:\\app\\exact_1k.exe"), kSuccess);
    return *find_process(*process.state.system, 2000);
  };
  EXPECT_EQ(child_of(kNew, 1000).console, 1000U) << "the creator has no handle of its console";
  EXPECT_EQ(child_of(kNew, 1000).group, 1000U);
  EXPECT_EQ(child_of(kNew, 0).group, 2000U) << "CREATE_NEW_PROCESS_GROUP";
  EXPECT_EQ(child_of(kHidden, 1000).console, 2000U) << "CREATE_NO_WINDOW";
  EXPECT_EQ(child_of(0, 1000).console, 2000U) << "DETACHED_PROCESS";
}

}  // namespace
}  // namespace wperf::sim::nt
