// SPDX-License-Identifier: BSD-3-Clause
// The objects for which a program can wait, and the information about them.
#include <gtest/gtest.h>

#include <array>

#include "sim/nt/test_process.h"

namespace wperf::sim::nt {
namespace {

class NtObjects : public ::testing::Test {
 protected:
  static constexpr u64 kAt = TestProcess::kArguments;
};

TEST_F(NtObjects, AMutantBelongsToOneThreadAndIsAbandonedWithIt) {
  TestProcess process;
  process.add_thread();
  ASSERT_EQ(process.call("NtCreateMutant", {kAt, 0, 0, 1}), kSuccess);
  const u64 mutant = process.get(0);
  EXPECT_EQ(process.call("NtReleaseMutant", {mutant, 0}, 1), kMutantNotOwned);
  EXPECT_EQ(process.call("NtWaitForSingleObject", {mutant, 0, 0}, 1), kNoAnswer);
  EXPECT_EQ(process.state.threads[1]->wait.kind, Wait::Kind::objects);
  EXPECT_EQ(process.call("NtTerminateThread", {0, 3}, 0), kNoAnswer);
  EXPECT_EQ(process.outcome, CallOutcome::thread_ended);
  EXPECT_EQ(process.state.threads[1]->registers.x[0], kWaitAbandoned);
  EXPECT_EQ(process.call("NtTerminateThread", {0, 5}, 1), kNoAnswer);
  EXPECT_EQ(process.outcome, CallOutcome::ended);
  EXPECT_EQ(process.state.exit_code, 5U);
}

TEST_F(NtObjects, AWaitForAllHasEachObjectOnce) {
  TestProcess process;
  ASSERT_EQ(process.call("NtCreateEvent", {kAt, 0, 0, 0, 1}), kSuccess);
  const u64 event = process.get(0);
  ASSERT_EQ(process.call("NtDuplicateObject", {kThisProcess, event, kThisProcess, kAt + 8, 0, 0, 2}), kSuccess);
  process.put(0x10, std::array<u64, 2>{event, process.get(8)});
  EXPECT_EQ(process.call("NtWaitForMultipleObjects", {2, kAt + 0x10, 0, 0, 0}), 0xc0000030U);
  EXPECT_EQ(process.call("NtWaitForMultipleObjects", {2, kAt + 0x10, 1, 0, 0}), kNoAnswer) << "for any";
  EXPECT_EQ(process.state.threads[0]->registers.x[0], kSuccess);
  process.put(0x10, std::array<u64, 2>{0x7770, event});
  EXPECT_EQ(process.call("NtWaitForMultipleObjects", {2, kAt + 0x10, 0, 0, 0}), kInvalidHandle);
}

TEST_F(NtObjects, ASemaphoreCountsAndHasALimit) {
  TestProcess process;
  ASSERT_EQ(process.call("NtCreateSemaphore", {kAt, 0, 0, 1, 2}), kSuccess);
  const u64 semaphore = process.get(0);
  EXPECT_EQ(process.call("NtReleaseSemaphore", {semaphore, 1, kAt + 8}), kSuccess);
  EXPECT_EQ(process.get<u32>(8), 1U);
  EXPECT_EQ(process.call("NtReleaseSemaphore", {semaphore, 1, 0}), kSemaphoreLimit);
  EXPECT_EQ(process.call("NtReleaseSemaphore", {semaphore, ~u64{0}, 0}), kSemaphoreLimit);
}

TEST_F(NtObjects, ATimerWakesItsWaiterWhenItIsDue) {
  TestProcess process;
  ASSERT_EQ(process.call("NtCreateTimer", {kAt, 0, 0, 1}), kSuccess);
  const u64 timer = process.get(0);
  process.put(8, std::int64_t{-100});  // 10 microseconds from now
  ASSERT_EQ(process.call("NtSetTimer", {timer, kAt + 8, 0, 0, 0, 1, 0}), kSuccess);
  EXPECT_EQ(process.call("NtWaitForSingleObject", {timer, 0, 0}), kNoAnswer);
  Thread& thread = *process.state.threads[0];
  EXPECT_EQ(thread.wait.wake_ns, 10'000U);
  EXPECT_FALSE(try_to_end_wait(process.state, thread, 9'999));
  EXPECT_TRUE(try_to_end_wait(process.state, thread, 10'000));
  process.now_ns = 20'000;
  EXPECT_EQ(process.call("NtWaitForSingleObject", {timer, 0, 0}), kNoAnswer);
  EXPECT_EQ(thread.wait.wake_ns, 1'010'000U);  // its period is one millisecond
}

// The timer calls its routine once for the first due time, however often it was due meanwhile, and never in a wait that
// is not alertable.
TEST_F(NtObjects, ATimerCallsItsRoutineInAnAlertableWait) {
  TestProcess process;
  ASSERT_EQ(process.call("NtCreateTimer", {kAt, 0, 0, 1}), kSuccess);
  const u64 timer = process.get(0);
  process.put(8, std::int64_t{-100});  // 10 microseconds from now
  ASSERT_EQ(process.call("NtSetTimer", {timer, kAt + 8, 0x1234, 0x55, 0, 1, 0}), kSuccess);
  Thread& thread = *process.state.threads[0];
  process.now_ns = 3'500'000;
  EXPECT_EQ(process.call("NtDelayExecution", {0, kAt + 8}), kNoAnswer);
  EXPECT_EQ(thread.wait.kind, Wait::Kind::time);
  thread.wait = {};
  EXPECT_EQ(process.call("NtDelayExecution", {1, kAt + 8}), kNoAnswer);
  EXPECT_EQ(thread.wait.kind, Wait::Kind::none);
  std::array<u64, 4> call{};  // routine, context, time
  ASSERT_TRUE(process.state.space.read(thread.registers.sp, call.data(), sizeof call));
  const u64 due = kBootTime + 10'000 / kNsPerTick;
  EXPECT_EQ(call, (std::array<u64, 4>{0x1234, 0x55, due & 0xffffffff, due >> 32}));
  process.put(8, std::int64_t{-100'000});
  EXPECT_EQ(process.call("NtDelayExecution", {1, kAt + 8}), kNoAnswer);
  EXPECT_EQ(thread.wait.wake_ns, 4'010'000U);
  thread.wait = {};
  process.now_ns = 4'100'000;
  ASSERT_EQ(process.call("NtCancelTimer", {timer, 0}), kSuccess);
  EXPECT_EQ(process.call("NtTestAlert", {}), kSuccess);
  EXPECT_TRUE(thread.apcs.empty());
}

TEST_F(NtObjects, ASleepWithoutTimeCallsRoutinesIfItIsAlertable) {
  TestProcess process;
  ASSERT_EQ(process.call("NtCreateTimer", {kAt, 0, 0, 1}), kSuccess);
  process.put(8, std::int64_t{-100});
  process.put(0x10, std::int64_t{0});
  ASSERT_EQ(process.call("NtSetTimer", {process.get(0), kAt + 8, 0x1234, 0x55, 0, 0, 0}), kSuccess);
  const ThreadState& registers = process.state.threads[0]->registers;
  const u64 sp = registers.sp;
  EXPECT_EQ(process.call("NtDelayExecution", {1, kAt + 0x10}), kSuccess) << "nothing is due";
  process.now_ns = 20'000;
  EXPECT_EQ(process.call("NtDelayExecution", {0, kAt + 0x10}), kSuccess) << "not alertable";
  EXPECT_EQ(registers.sp, sp);
  EXPECT_EQ(process.call("NtDelayExecution", {1, kAt + 0x10}), kNoAnswer);
  EXPECT_LT(registers.sp, sp) << "the routine is called";
}

TEST_F(NtObjects, RoutinesOfTimersAreCalledInTheOrderOfTheirTimes) {
  TestProcess process;
  for (const u64 ticks : {30, 10, 20}) {
    ASSERT_EQ(process.call("NtCreateTimer", {kAt, 0, 0, 1}), kSuccess);
    process.put(8, -static_cast<std::int64_t>(ticks));
    ASSERT_EQ(process.call("NtSetTimer", {process.get(0), kAt + 8, 0x1000 + ticks, 0, 0, 0, 0}), kSuccess);
  }
  process.now_ns = 10'000;
  for (const u64 ticks : {10, 20, 30}) {
    EXPECT_EQ(process.call("NtTestAlert", {}), kNoAnswer);
    u64 routine = 0;
    ASSERT_TRUE(process.state.space.read(process.state.threads[0]->registers.sp, &routine, sizeof routine));
    EXPECT_EQ(routine, 0x1000 + ticks);
  }
  EXPECT_EQ(process.call("NtTestAlert", {}), kSuccess);
}

TEST_F(NtObjects, SayTheirState) {
  TestProcess process;
  ASSERT_EQ(process.call("NtCreateSemaphore", {kAt, 0, 0, 3, 7}), kSuccess);
  ASSERT_EQ(process.call("NtQuerySemaphore", {process.get(0), 0, kAt + 0x20, 8, kAt + 0x28}), kSuccess);
  EXPECT_EQ(process.get(0x20), 3U | u64{7} << 32);
  EXPECT_EQ(process.get<u32>(0x28), 8U);
  EXPECT_EQ(process.call("NtQuerySemaphore", {process.get(0), 1, kAt + 0x20, 8, 0}), kInvalidInfoClass);
  EXPECT_EQ(process.call("NtQueryEvent", {process.get(0), 0, kAt + 0x20, 8, 0}), kInvalidHandle);
  ASSERT_EQ(process.call("NtCreateMutant", {kAt, 0, 0, 1}), kSuccess);
  ASSERT_EQ(process.call("NtQueryMutant", {process.get(0), 0, kAt + 0x20, 8, 0}), kSuccess);
  EXPECT_EQ(process.get(0x20), u64{1} << 32);  // count 0, owned by this thread
  ASSERT_EQ(process.call("NtDuplicateObject", {kThisProcess, process.get(0), kThisProcess, kAt + 8, 0, 0, 2}),
            kSuccess);
  EXPECT_EQ(process.call("NtCompareObjects", {process.get(0), process.get(8)}), kSuccess);
  EXPECT_EQ(process.call("NtCompareObjects", {process.get(0), kThisProcess}), kNotSameObject);
}

TEST_F(NtObjects, BelongToTheUser) {
  TestProcess process;
  ASSERT_EQ(process.call("NtCreateEvent", {kAt, 0, 0, 1, 0}), kSuccess);
  const u64 event = process.get(0);
  EXPECT_EQ(process.call("NtQuerySecurityObject", {event, 5, kAt + 0x100, 91, kAt + 8}), kBufferTooSmall);
  EXPECT_EQ(process.get<u32>(8), 92U);
  ASSERT_EQ(process.call("NtQuerySecurityObject", {event, 5, kAt + 0x100, 92, 0}), kSuccess);
  EXPECT_EQ(process.get<u32>(0x100), 0x80040001U);  // one block with an access list
  EXPECT_EQ(process.get<u32>(0x104), 20U);          // the owner
  EXPECT_EQ(process.get<u32>(0x108), 0U);           // no group was requested
  EXPECT_EQ(process.get<u32>(0x110), 48U);          // the access list
}

TEST_F(NtObjects, TheDirectoryOfDevicesHasTheDrive) {
  TestProcess process;
  constexpr u64 kDirectory = kAt + 8, kPosition = kAt + 0x20, kSize = kAt + 0x28, kBuffer = kAt + 0x4000;
  ASSERT_EQ(process.call("NtOpenDirectoryObject", {kDirectory, 1, process.named(0x1000, "\\DosDevices\\")}), kSuccess);
  const u64 directory = process.get(8);
  const auto query = [&](u64 room, u64 from_start = 0) {
    return process.call("NtQueryDirectoryObject", {directory, kBuffer, room, 1, from_start, kPosition, kSize});
  };
  process.put(0x20, u32{0});
  EXPECT_EQ(query(64), kBufferTooSmall);
  const u32 size = process.get<u32>(0x28);
  EXPECT_EQ(query(size), kSuccess);
  EXPECT_EQ(process.get<u16>(0x4000), 4u);
  EXPECT_EQ(process.get<u32>(process.get(0x4008) - kAt), u32{':'} << 16 | 'C');
  EXPECT_EQ(query(0x400), kSuccess);
  EXPECT_EQ(query(0x400), kSuccess);
  EXPECT_EQ(query(0x400), kNoMoreEntries);
  EXPECT_EQ(query(0x400, 1), kSuccess);
  EXPECT_EQ(process.get<u32>(0x20), 1u);
  process.put(0x20, ~0u);
  EXPECT_EQ(query(0x400), kNoMoreEntries);
  EXPECT_EQ(process.call("NtQueryDirectoryObject", {directory, 0x10, 0x400, 1, 1, kPosition, 0}), kAccessViolation);
  ASSERT_EQ(process.call("NtOpenDirectoryObject", {kDirectory, 1, process.named(0x1000, "\\KernelObjects")}), kSuccess);
  EXPECT_EQ(process.call("NtQueryDirectoryObject", {process.get(8), kBuffer, 0x400, 1, 1, kPosition, 0}),
            kNoMoreEntries);
}

TEST_F(NtObjects, AProtectedHandleIsNotClosed) {
  constexpr u64 kHandleFlags = 4, kHandleNotClosable = 0xc0000235;
  TestProcess process;
  ASSERT_EQ(process.call("NtCreateEvent", {kAt, 0, 0, 0, 1}), kSuccess);
  const u64 event = process.get(0);
  process.put(0x10, std::array<u8, 2>{0, 1});
  ASSERT_EQ(process.call("NtSetInformationObject", {event, kHandleFlags, kAt + 0x10, 2}), kSuccess);
  ASSERT_EQ(process.call("NtQueryObject", {event, kHandleFlags, kAt + 0x20, 2, 0}), kSuccess);
  EXPECT_EQ((process.get<std::array<u8, 2>>(0x20)), (std::array<u8, 2>{0, 1}));
  EXPECT_EQ(process.call("NtClose", {event}), kHandleNotClosable);
  EXPECT_EQ(process.call("NtSetEvent", {event, 0}), kSuccess);
  process.put(0x10, std::array<u8, 2>{0, 0});
  ASSERT_EQ(process.call("NtSetInformationObject", {event, kHandleFlags, kAt + 0x10, 2}), kSuccess);
  EXPECT_EQ(process.call("NtClose", {event}), kSuccess);
}

TEST_F(NtObjects, NamesHaveFoldersAndCase) {
  TestProcess process;
  const std::string own = "\\Sessions\\1\\BaseNamedObjects\\";
  const auto create = [&](const std::string& name, u64 flags = 0) {
    return process.call("NtCreateMutant", {kAt, 0, process.named(0x1000, own + name, flags), 0});
  };
  const auto open = [&](const std::string& name, u64 flags = 0) {
    return process.call("NtOpenMutant", {kAt, 0, process.named(0x1000, name, flags)});
  };
  ASSERT_EQ(create("Local\\mx"), kSuccess);
  EXPECT_EQ(create("mx"), kObjectNameCollision) << "Local is the session's own folder";
  EXPECT_EQ(create("Session\\1\\mx"), kObjectNameCollision);
  EXPECT_EQ(open(own + "MX"), kObjectNameNotFound);
  EXPECT_EQ(open(own + "MX", 0x40), kSuccess) << "OBJ_CASE_INSENSITIVE";
  EXPECT_EQ(create("MX"), kSuccess);
  EXPECT_EQ(open(own + "Global\\mx"), kObjectNameNotFound);
  EXPECT_EQ(create("Global\\mx"), kSuccess);
  EXPECT_EQ(open("\\BaseNamedObjects\\mx"), kSuccess);
  EXPECT_EQ(create("some\\mx"), kObjectPathNotFound);
  ASSERT_EQ(process.call("NtCreateDirectoryObject", {kAt, 0, process.named(0x1000, own + "some")}), kSuccess);
  EXPECT_EQ(create("some\\mx"), kSuccess);
}

TEST_F(NtObjects, ADirectoryIsMadeOnce) {
  TestProcess process;
  const auto create = [&](u64 flags) {
    return process.call("NtCreateDirectoryObject", {kAt, 0, process.named(0x1000, "\\BaseNamedObjects\\mine", flags)});
  };
  EXPECT_EQ(create(0), kSuccess);
  EXPECT_EQ(create(0), kObjectNameCollision);
  EXPECT_EQ(create(0x80), kObjectNameExists);
}

TEST_F(NtObjects, NoTokenHasPrivileges) {
  TestProcess process;
  ASSERT_EQ(process.call("NtOpenProcessToken", {kThisProcess, 8, kAt}), kSuccess);
  const u64 token = process.get(0);
  process.put(0x100, std::array<u32, 5>{1, 1, 20, 0, 0});  // all of: SeDebugPrivilege
  process.put(0x200, u8{7});
  ASSERT_EQ(process.call("NtPrivilegeCheck", {token, kAt + 0x100, kAt + 0x200}), kSuccess);
  EXPECT_EQ(process.get<u8>(0x200), 0);
  EXPECT_EQ(process.call("NtPrivilegeCheck", {0x7770, kAt + 0x100, kAt + 0x200}), kInvalidHandle);
  constexpr u64 kIntegrity = 25, kSession = 12, kPrivilegeNotHeld = 0xc0000061;
  EXPECT_EQ(process.call("NtSetInformationToken", {token, kIntegrity, kAt + 0x100, 16}), kSuccess);
  EXPECT_EQ(process.call("NtSetInformationToken", {token, kSession, kAt + 0x100, 4}), kPrivilegeNotHeld);
}

TEST_F(NtObjects, MemoryIsNeverShort) {
  TestProcess process;
  const auto wait = [&](std::string_view name) {
    EXPECT_EQ(process.call("NtOpenEvent", {kAt, 0, process.named(0x1000, name)}), kSuccess);
    process.put(0x10, u64{0});
    const u64 answer = process.call("NtWaitForSingleObject", {process.get(0), 0, kAt + 0x10});
    return answer == kNoAnswer ? process.state.threads[0]->registers.x[0] : answer;
  };
  EXPECT_EQ(wait("\\KernelObjects\\LowMemoryCondition"), kTimeout);
  EXPECT_EQ(wait("\\KernelObjects\\HighMemoryCondition"), kSuccess);
}

}  // namespace
}  // namespace wperf::sim::nt
