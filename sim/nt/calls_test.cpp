// SPDX-License-Identifier: BSD-3-Clause
// System calls, made by the tests without a program.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <utility>

#include "sim/nt/test_files.h"

namespace wperf::sim::nt {
namespace {

u64 make_event(TestProcess& process, bool resets, bool signalled) {
  EXPECT_EQ(process.call("NtCreateEvent", {kAt, 0, 0, resets ? 1U : 0U, signalled ? 1U : 0U}), kSuccess);
  return process.get(0);
}

TEST(NtWaits, AnEventThatResetsItselfEndsOneWait) {
  TestProcess process;
  process.add_thread();
  const u64 event = make_event(process, true, false);
  EXPECT_EQ(process.call("NtWaitForSingleObject", {event, 0, 0}, 0), kNoAnswer);
  EXPECT_EQ(process.call("NtWaitForSingleObject", {event, 0, 0}, 1), kNoAnswer);
  const Thread& first = *process.state.threads[0];
  const Thread& second = *process.state.threads[1];
  process.add_thread();
  process.now_ns = 500;
  EXPECT_EQ(process.call("NtSetEvent", {event, 0}, 2), kSuccess);
  EXPECT_EQ(first.wait.kind, Wait::Kind::none);
  EXPECT_EQ(first.registers.x[0], kSuccess);
  EXPECT_EQ(first.ready_ns, 500U);
  EXPECT_EQ(second.wait.kind, Wait::Kind::objects);
}

TEST(NtWaits, AnEventOfManyEndsAllWaitsUntilItIsReset) {
  TestProcess process;
  const u64 event = make_event(process, false, true);
  EXPECT_EQ(process.call("NtWaitForSingleObject", {event, 0, 0}), kNoAnswer);
  EXPECT_EQ(process.state.threads[0]->registers.x[0], kSuccess);
  EXPECT_EQ(process.call("NtResetEvent", {event, process.put(8, u64{0})}), kSuccess);
  EXPECT_EQ(process.get<u32>(8), 1U);
  process.put(16, u64{0});
  EXPECT_EQ(process.call("NtWaitForSingleObject", {event, 0, kAt + 16}), kTimeout);
}

TEST(NtWaits, AWaitForAllTakesNothingUntilItHasAll) {
  TestProcess process;
  process.add_thread();
  const u64 first = make_event(process, true, true), second = make_event(process, true, false);
  process.put(0x40, first);
  process.put(0x48, second);
  EXPECT_EQ(process.call("NtWaitForMultipleObjects", {2, kAt + 0x40, 0, 0, 0}), kNoAnswer);
  EXPECT_TRUE(process.state.handles.at<Event>(first)->signalled);
  EXPECT_EQ(process.call("NtSetEvent", {second, 0}, 1), kSuccess);
  EXPECT_FALSE(process.state.handles.at<Event>(first)->signalled);
  EXPECT_EQ(process.state.threads[0]->wait.kind, Wait::Kind::none);
}

TEST(NtWaits, AnyObjectEndsAWaitWithItsPlace) {
  TestProcess process;
  process.put(0x40, make_event(process, true, false));
  process.put(0x48, make_event(process, true, true));
  EXPECT_EQ(process.call("NtWaitForMultipleObjects", {2, kAt + 0x40, 1, 0, 0}), kNoAnswer);
  EXPECT_EQ(process.state.threads[0]->registers.x[0], 1U);
  EXPECT_EQ(process.call("NtWaitForMultipleObjects", {65, kAt + 0x40, 1, 0, 0}), kInvalidParameter);
}

TEST(NtWaits, AnAlertIsKeptForTheThreadThatWillWait) {
  TestProcess process;
  EXPECT_EQ(process.call("NtAlertThreadByThreadId", {1004}), kSuccess);
  EXPECT_EQ(process.call("NtWaitForAlertByThreadId", {0, 0}), kNoAnswer);
  EXPECT_EQ(process.state.threads[0]->registers.x[0], kAlerted);
  EXPECT_EQ(process.call("NtAlertThreadByThreadId", {77}), kInvalidCid);
}

TEST(NtWaits, PacketsOfAPortComeInTheirOrder) {
  TestProcess process;
  process.add_thread();
  ASSERT_EQ(process.call("NtCreateIoCompletion", {kAt, 0, 0, 0}), kSuccess);
  const u64 port = process.get(0);
  EXPECT_EQ(process.call("NtRemoveIoCompletion", {port, kAt + 8, kAt + 16, kAt + 32, 0}), kNoAnswer);
  EXPECT_EQ(process.call("NtSetIoCompletion", {port, 11, 12, 0, 13}, 1), kSuccess);
  EXPECT_EQ(process.get(8), 11U);
  EXPECT_EQ(process.get(16), 12U);
  EXPECT_EQ(process.get(40), 13U);
  EXPECT_EQ(process.call("NtSetIoCompletion", {port, 21, 22, 0, 23}, 1), kSuccess);
  EXPECT_EQ(process.call("NtSetIoCompletion", {port, 31, 32, 0, 33}, 1), kSuccess);
  EXPECT_EQ(process.call("NtRemoveIoCompletionEx", {port, kAt + 0x100, 8, kAt + 8, 0, 0}), kNoAnswer);
  EXPECT_EQ(process.get<u32>(8), 2U);
  EXPECT_EQ(process.get(0x100), 21U);
  EXPECT_EQ(process.get(0x120), 31U);
}

TEST(NtWaits, ObjectsWithANameAreShared) {
  TestProcess process;
  const u64 name = process.named(0x1000, "\\Sessions\\1\\BaseNamedObjects\\Lock", 0x80);
  ASSERT_EQ(process.call("NtCreateEvent", {kAt, 0, name, 0, 0}), kSuccess);
  const u64 first = process.get(0);
  ASSERT_EQ(process.call("NtCreateEvent", {kAt, 0, name, 0, 0}), kObjectNameExists);
  EXPECT_EQ(process.state.handles.at(first), process.state.handles.at(process.get(0)));
  EXPECT_EQ(process.call("NtOpenMutant", {kAt, 0, name}), kObjectTypeMismatch);
  EXPECT_EQ(process.call("NtOpenEvent", {kAt, 0, process.named(0x1000, "\\other")}), kObjectNameNotFound);
  const u64 job = process.named(0x1000, "\\Sessions\\1\\BaseNamedObjects\\Job");
  ASSERT_EQ(process.call("NtCreateJobObject", {kAt, 0, job}), kSuccess);
  const u64 made = process.get(0);
  ASSERT_EQ(process.call("NtOpenJobObject", {kAt, 0, job}), kSuccess);
  EXPECT_EQ(process.state.handles.at(made), process.state.handles.at(process.get(0)));
}

TEST(NtWaits, OneCallSignalsAndWaits) {
  TestProcess process;
  process.add_thread();
  const auto made = [&](std::string_view call, u64 fourth, u64 fifth) {
    EXPECT_EQ(process.call(call, {kAt, 0, 0, fourth, fifth}), kSuccess);
    return process.get(0);
  };
  const u64 semaphore = made("NtCreateSemaphore", 0, 1), mutant = made("NtCreateMutant", 1, 0);
  const u64 event = made("NtCreateEvent", 1, 0);
  EXPECT_EQ(process.call("NtSignalAndWaitForSingleObject", {mutant, event, 0, 0}, 1), kMutantNotOwned);
  EXPECT_EQ(process.call("NtSignalAndWaitForSingleObject", {semaphore, event, 0, 0}, 1), kNoAnswer);
  EXPECT_EQ(process.call("NtSignalAndWaitForSingleObject", {semaphore, event, 0, 0}), kSemaphoreLimit);
  EXPECT_EQ(process.call("NtSignalAndWaitForSingleObject", {event, semaphore, 0, 0}), kNoAnswer);
  for (const auto& thread : process.state.threads) EXPECT_EQ(thread->wait.kind, Wait::Kind::none);
  EXPECT_EQ(process.call("NtSignalAndWaitForSingleObject", {mutant, 0x4444, 0, 0}), kInvalidHandle);
  EXPECT_EQ(process.call("NtSignalAndWaitForSingleObject", {mutant, mutant, 0, 0}), kNoAnswer);
}

TEST(NtMemory, AllocationsAnswerWithWholePages) {
  TestProcess process;
  process.put(0, u64{0});
  process.put(8, u64{100});
  ASSERT_EQ(process.call("NtAllocateVirtualMemory", {kThisProcess, kAt, 0, kAt + 8, 0x3000, kPageReadWrite}), kSuccess);
  const u64 base = process.get(0);
  EXPECT_EQ(process.get(8), 0x1000U);
  ASSERT_EQ(process.call("NtQueryVirtualMemory", {kThisProcess, base, 0, kAt + 0x100, 48, 0}), kSuccess);
  EXPECT_EQ(process.get(0x100), base);
  EXPECT_EQ(process.get<u32>(0x100 + 32), 0x1000U);  // committed
  process.put(8, u64{0});
  EXPECT_EQ(process.call("NtFreeVirtualMemory", {kThisProcess, kAt, kAt + 8, 0x8000}), kSuccess);
  ASSERT_EQ(process.call("NtQueryVirtualMemory", {kThisProcess, base, 0, kAt + 0x100, 48, 0}), kSuccess);
  EXPECT_EQ(process.get<u32>(0x100 + 32), 0x10000U);  // free
}

TEST(NtMemory, SectionsAreLimitedInAll) {
  constexpr u64 kReserve = 0x4000000, kCommit = 0x8000000;
  TestProcess process;
  const auto create = [&](u64 at, u64 size, u64 kind) {
    process.put(0x100, size);
    return process.call("NtCreateSection", {kAt + at, 0, 0, kAt + 0x100, kPageReadWrite, kind, 0});
  };
  const auto map = [&](u64 section, u64 protection) {
    process.put(0x20, u64{0});
    process.put(0x28, u64{0});
    return process.call("NtMapViewOfSection",
                        {section, kThisProcess, kAt + 0x20, 0, 0, 0, kAt + 0x28, 1, 0, protection});
  };
  const u64& bytes = process.state.sections->bytes;
  ASSERT_EQ(create(0, u64{5} << 30, kCommit), kSuccess);
  EXPECT_EQ(create(8, u64{5} << 30, kCommit), kNoMemory);
  EXPECT_EQ(map(process.get(0), kPageReadWrite), kSuccess);
  EXPECT_EQ(map(process.get(0), kPageWriteCopy), kNoMemory) << "a copy needs memory, too";
  ASSERT_EQ(process.call("NtClose", {process.get(0)}), kSuccess);
  ASSERT_EQ(process.call("NtUnmapViewOfSection", {kThisProcess, process.state.views.begin()->first}), kSuccess);
  EXPECT_EQ(bytes, 0U);

  ASSERT_EQ(create(0, u64{20} << 30, kReserve), kSuccess) << "addresses need no memory";
  EXPECT_EQ(bytes, 0U);
  for (int round = 0; round < 2; ++round) {
    ASSERT_EQ(map(process.get(0), kPageReadWrite), kSuccess);
    process.put(0x30, process.get(0x20) + 0x3000);
    process.put(0x38, u64{0x2000});
    ASSERT_EQ(
        process.call("NtAllocateVirtualMemory", {kThisProcess, kAt + 0x30, 0, kAt + 0x38, 0x1000, kPageReadWrite}),
        kSuccess);
    ASSERT_EQ(process.call("NtUnmapViewOfSection", {kThisProcess, process.get(0x20)}), kSuccess);
    EXPECT_EQ(bytes, 0x2000U) << "the section keeps the two pages";
  }
  map(process.get(0), kPageWriteCopy);
  EXPECT_TRUE(process.state.lacked);
  ASSERT_EQ(process.call("NtClose", {process.get(0)}), kSuccess);
  EXPECT_EQ(bytes, 0U);
}

TEST(NtMemory, ViewsShareThePagesThatOneOfThemCommitted) {
  constexpr u64 kReserve = 0x4000000, kSize = 0x40000;
  TestProcess process;
  process.put(0x100, u64{1} << 41);
  process.put(0, u64{77});
  ASSERT_EQ(process.call("NtCreateSection", {kAt, 0, 0, kAt + 0x100, kPageReadWrite, kReserve, 0}), kSuccess);
  EXPECT_EQ(process.call("NtCreateSection", {kAt + 8, 0, 0, kAt + 0x100, kPageReadWrite, kReserve, 0}), kSuccess);
  EXPECT_EQ(process.call("NtCreateSection", {kAt + 16, 0, 0, kAt + 0x100, kPageReadWrite, kReserve, 0}), kNoMemory);
  EXPECT_EQ(process.get(16), 0U) << "no handle";
  const auto map = [&](u64 offset, u64 protection) {
    process.put(0x20, u64{0});
    process.put(0x28, kSize);
    process.put(0x30, offset);
    EXPECT_EQ(process.call("NtMapViewOfSection",
                           {process.get(0), kThisProcess, kAt + 0x20, 0, 0, kAt + 0x30, kAt + 0x28, 1, 0, protection}),
              kSuccess);
    return process.get(0x20);
  };
  const u64 first = map(0x10000, kPageReadWrite), second = map(0x20000, kPageReadOnly);
  const auto commit = [&](u64 address, u64 size) {
    process.put(0x30, address);
    process.put(0x38, size);
    return process.call("NtAllocateVirtualMemory", {kThisProcess, kAt + 0x30, 0, kAt + 0x38, 0x1000, kPageReadWrite});
  };
  ASSERT_EQ(commit(first + 0xf000, 0x2000), kSuccess);  // the second page is in the other view, too
  const u64 value = 42;
  ASSERT_TRUE(process.state.space.write(first + 0x10000, &value, sizeof value));
  u64 seen = 0;
  ASSERT_TRUE(process.state.space.read(second, &seen, sizeof seen));
  EXPECT_EQ(seen, 42U);
  EXPECT_EQ(process.state.memory.query(second).protection, kPageReadOnly);
  EXPECT_EQ(process.state.memory.query(second).size, kPageSize);
  const u64 third = map(0, kPageReadWrite);
  ASSERT_TRUE(process.state.space.read(third + 0x20000, &seen, sizeof seen));
  EXPECT_EQ(process.state.sections->bytes, 0x2000U);
  EXPECT_FALSE(commit_shared_page(process.state, second)) << "it is there already";
  EXPECT_FALSE(commit_shared_page(process.state, second + kPageSize)) << "nobody committed it";
}

TEST(NtMemory, BadPointersAreAnswered) {
  TestProcess process;
  EXPECT_EQ(process.call("NtAllocateVirtualMemory", {kThisProcess, 0x10, 0, 0x18, 0x3000, 4}), kAccessViolation);
  EXPECT_EQ(process.call("NtCreateEvent", {0, 0, 0, 0, 0}), kAccessViolation);
  EXPECT_EQ(process.call("NtCreateEvent", {kAt, 0, 0x30, 0, 0}), kAccessViolation);
}

TEST_F(NtFiles, AreFoundWhateverTheirCase) {
  ASSERT_EQ(open("\\??\\C:\\WORK\\hello.TXT"), kSuccess);
  const u64 file = process.get(0);
  EXPECT_EQ(read(file, 5), "hello");
  EXPECT_EQ(read(file, 100), ", world");
  EXPECT_EQ(open("\\Device\\HarddiskVolume1\\work\\hello.txt"), kSuccess) << "the volume instead of its drive";
  EXPECT_EQ(process.call("NtReadFile", {file, 0, 0, 0, kAt + 0x10, kAt + 0x4000, 1, 0, 0}), kEndOfFile);
  ASSERT_EQ(process.call("NtQueryObject", {file, 1, kAt + 0x4000, 0x200, 0}), kSuccess);
  EXPECT_EQ(process.get<u16>(0x4000), 2 * std::string_view("\\??\\C:\\work\\Hello.txt").size());
}

TEST_F(NtFiles, NamesLeadNowhereElse) {
  EXPECT_EQ(open("\\??\\C:\\work\\..\\etc\\passwd"), kObjectNameInvalid);
  EXPECT_EQ(open("\\??\\C:\\work\\a/b"), kObjectNameInvalid);
  EXPECT_EQ(open("\\??\\D:\\x"), kObjectPathNotFound);
  EXPECT_EQ(open("\\??\\UNC\\server\\share\\x"), kObjectPathNotFound);
  EXPECT_EQ(open("\\Device\\HarddiskVolume1\\work\\..\\etc\\passwd"), kObjectNameInvalid);
  EXPECT_EQ(open("\\Device\\HarddiskVolume12\\x"), kObjectPathNotFound);
  std::filesystem::create_symlink("/etc/passwd", folder / "link");
  EXPECT_EQ(open("\\??\\C:\\work\\link"), kAccessDenied);
  EXPECT_EQ(open("\\??\\C:\\work\\missing"), kObjectNameNotFound);
  EXPECT_EQ(open("\\??\\C:\\work\\missing\\x"), kObjectPathNotFound);
}

TEST_F(NtFiles, AreWrittenRenamedAndRemoved) {
  ASSERT_EQ(open("\\??\\C:\\work\\new.txt", 0xc0010000, 2), kSuccess);
  const u64 file = process.get(0);
  EXPECT_EQ(process.get(0x18), 2U);  // the file was created
  EXPECT_EQ(open("\\??\\C:\\work\\new.txt", 0xc0000000, 2), kObjectNameCollision);
  const u64 bytes = process.put(0x4000, u32{0x64636261});
  ASSERT_EQ(process.call("NtWriteFile", {file, 0, 0, 0, kAt + 0x10, bytes, 4, 0, 0}), kSuccess);
  ASSERT_EQ(process.call("NtClose", {file}), kSuccess);
  std::ifstream stream(folder / "new.txt");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), "abcd");
  EXPECT_EQ(process.call("NtDeleteFile", {process.named(0x1000, "\\??\\C:\\work\\NEW.txt")}), kSuccess);
  EXPECT_FALSE(std::filesystem::exists(folder / "new.txt"));
}

TEST_F(NtFiles, AHandleHasOnlyTheRightsItWasOpenedWith) {
  ASSERT_EQ(open("\\??\\C:\\work\\new.txt", 0x80000000, 5), kSuccess);  // overwrites it, or makes it
  process.put(0x100, u64{'x'});
  EXPECT_EQ(process.call("NtWriteFile", {process.get(0), 0, 0, 0, kAt + 0x10, kAt + 0x100, 1, 0, 0}), kAccessDenied);
}

TEST_F(NtFiles, OnlyEmptyFoldersAreRemoved) {
  std::filesystem::create_directory(folder / "sub");
  std::ofstream(folder / "sub" / "file") << "x";
  ASSERT_EQ(open("\\??\\C:\\work\\sub", 0x10000, 1, 1), kSuccess);
  process.put(0x100, u8{1});
  constexpr u64 kDisposition = 13;
  const auto remove = [&] {
    return process.call("NtSetInformationFile", {process.get(0), kAt + 0x10, kAt + 0x100, 1, kDisposition});
  };
  EXPECT_EQ(remove(), kDirectoryNotEmpty);
  std::filesystem::remove(folder / "sub" / "file");
  EXPECT_EQ(remove(), kSuccess);
  ASSERT_EQ(process.call("NtClose", {process.get(0)}), kSuccess);
  EXPECT_FALSE(std::filesystem::exists(folder / "sub"));
}

TEST_F(NtFiles, TheTimeOfTheLastChangeIsSet) {
  ASSERT_EQ(open("\\??\\C:\\work\\Hello.txt", 0x40000000), kSuccess);
  struct {
    u64 created = 0, read = 0, written = (11'644'473'600 + 1000) * 10'000'000ull, changed = 0;
    u32 attributes = 0, padding = 0;
  } facts;
  process.put(0x100, facts);
  ASSERT_EQ(process.call("NtSetInformationFile", {process.get(0), kAt + 0x10, kAt + 0x100, sizeof facts, 4}), kSuccess);
  struct stat info{};
  ASSERT_EQ(::stat((folder / "Hello.txt").c_str(), &info), 0);
  EXPECT_EQ(info.st_mtime, 1000);
}

TEST_F(NtFiles, RangesAreLocked) {
  constexpr u64 kOffset = kAt + 0x20, kSize = kAt + 0x28;
  const auto set = [&](u64 begin, u64 size) {
    process.put(0x20, begin);
    process.put(0x28, size);
  };
  const auto lock = [&](u64 file, bool exclusive) {
    return process.call("NtLockFile", {file, 0, 0, 0, 0, kOffset, kSize, 0, 1, exclusive});
  };
  const auto unlock = [&](u64 file) { return process.call("NtUnlockFile", {file, 0, kOffset, kSize, 0}); };
  ASSERT_EQ(open("\\??\\C:\\work\\Hello.txt"), kSuccess);
  const u64 one = process.get(0);
  ASSERT_EQ(open("\\??\\C:\\work\\Hello.txt"), kSuccess);
  const u64 other = process.get(0);
  set(100, 10);
  EXPECT_EQ(lock(one, true), kSuccess);
  EXPECT_EQ(lock(one, true), kLockNotGranted);
  EXPECT_EQ(lock(one, false), kSuccess) << "a shared lock over an exclusive one of the same file object";
  set(109, 1);
  EXPECT_EQ(lock(other, false), kLockNotGranted);
  EXPECT_EQ(unlock(other), kRangeNotLocked);
  EXPECT_EQ(process.call("NtLockFile", {other, 0, 0, 0, 0, kOffset, kSize, 0, 0, 0}), kNoAnswer);
  const auto is_awake = [&] { return process.state.threads[0]->wait.wake_ns != kNever; };
  EXPECT_EQ(process.state.threads[0]->wait.kind, Wait::Kind::host) << "a lock that may wait";
  EXPECT_FALSE(is_awake());
  process.add_thread();
  EXPECT_EQ(process.call("NtUnlockFile", {one, 0, kOffset, kSize, 0}, 1), kRangeNotLocked);
  EXPECT_FALSE(is_awake());
  set(100, 10);
  EXPECT_EQ(process.call("NtUnlockFile", {one, 0, kOffset, kSize, 0}, 1), kSuccess) << "the exclusive one";
  EXPECT_TRUE(is_awake()) << "shared locks may overlap";
  process.state.threads[0]->wait = {};
  EXPECT_EQ(process.call("NtUnlockFile", {one, 0, kOffset, kSize, 0}, 1), kSuccess) << "the shared one";
  EXPECT_EQ(lock(one, true), kSuccess);
  EXPECT_EQ(lock(one, false), kSuccess);
  set(110, ~u64{0});
  EXPECT_EQ(lock(other, true), kSuccess);
  set(100, 10);
  EXPECT_EQ(unlock(one), kSuccess) << "the exclusive one first";
  EXPECT_EQ(lock(other, false), kSuccess);
  EXPECT_EQ(lock(other, true), kLockNotGranted);
  EXPECT_EQ(unlock(one), kSuccess);
  EXPECT_EQ(unlock(one), kRangeNotLocked);
  EXPECT_EQ(unlock(other), kSuccess);
  EXPECT_EQ(lock(one, true), kSuccess);
  EXPECT_EQ(process.call("NtClose", {one}), kSuccess);
  EXPECT_EQ(lock(other, true), kSuccess) << "closing a file ends its locks";
}

TEST_F(NtFiles, FoldersAreListedByMask) {
  std::ofstream(folder / "b.TXT") << "";
  std::ofstream(folder / "c.dat") << "";
  ASSERT_EQ(open("\\??\\C:\\work", 0x80000000, 1, 1), kSuccess);
  const u64 handle = process.get(0);
  process.named(0x1000, "*.txt");  // the UNICODE_STRING is at 0x1040
  const auto list = [&](u64 mask) {
    return process.call("NtQueryDirectoryFile", {handle, 0, 0, 0, kAt + 0x10, kAt + 0x4000, 0x1000, 12, 0, mask, 0});
  };
  ASSERT_EQ(list(kAt + 0x1040), kSuccess);
  EXPECT_EQ(process.get<u32>(0x4000 + 8), 2 * std::string_view("Hello.txt").size());
  const u32 next = process.get<u32>(0x4000);
  ASSERT_NE(next, 0U);
  EXPECT_EQ(process.get<u32>(0x4000 + next), 0U);
  EXPECT_EQ(list(0), kNoMoreFiles);
}

// A program whose standard streams are pipes of this test.
class NtStreams : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::pipe(input), 0);
    ASSERT_EQ(::pipe(output), 0);
    process.state.streams =
        std::make_shared<StandardStreams>(std::array<int, 3>{input[0], output[1], ::dup(output[1])});
  }
  void TearDown() override {
    for (const int end : {input[1], output[0]})
      if (end >= 0) ::close(end);
  }
  u64 handle_to(File::Type type) {
    Call call(process.state, *process.state.threads[0], "test", 0);
    EXPECT_EQ(call.give_handle(kAt, std::make_shared<File>(type, nullptr)), kSuccess);
    return process.get(0);
  }
  const Thread& thread() const { return *process.state.threads[0]; }
  // Repeats the call at the time when its wait ends.
  bool go_on() {
    process.now_ns = thread().wait.wake_ns;
    return call_again(process.state, *process.state.threads[0], process.now_ns);
  }

  int input[2] = {-1, -1}, output[2] = {-1, -1};
  TestProcess process;
};

TEST_F(NtStreams, AReadWithoutInputMakesItsThreadWait) {
  const u64 file = handle_to(File::Type::input);
  EXPECT_EQ(process.call("NtReadFile", {file, 0, 0, 0, kAt + 0x10, kAt + 0x4000, 100, 0, 0}), kNoAnswer);
  EXPECT_EQ(thread().wait.kind, Wait::Kind::host);
  EXPECT_GT(thread().wait.wake_ns, process.now_ns);
  EXPECT_FALSE(go_on());
  EXPECT_EQ(thread().wait.kind, Wait::Kind::host);
  ASSERT_EQ(::write(input[1], "hello", 5), 5);
  EXPECT_TRUE(go_on());
  EXPECT_EQ(thread().wait.kind, Wait::Kind::none);
  EXPECT_EQ(thread().registers.x[0], kSuccess);
  EXPECT_EQ(process.get(0x18), 5u);
  EXPECT_EQ(process.get<u32>(0x4000), 0x6c6c6568u);
}

TEST_F(NtStreams, TheEndOfTheInputIsAnEndAtOnce) {
  const u64 file = handle_to(File::Type::input);
  ::close(std::exchange(input[1], -1));
  EXPECT_EQ(process.call("NtReadFile", {file, 0, 0, 0, kAt + 0x10, kAt + 0x4000, 100, 0, 0}), kPipeBroken);
}

TEST_F(NtStreams, AWriteGoesOnWhereItStoppedForLackOfRoom) {
  const u64 file = handle_to(File::Type::output);
  std::string sent;
  for (u32 number = 0; sent.size() < 200'000; ++number) sent += std::to_string(number) + " ";
  Memory::ReserveOptions options;
  options.address = 0x30'0000'0000;
  options.size = page_up(sent.size());
  ASSERT_EQ(process.state.memory.reserve(options), options.address);
  ASSERT_EQ(process.state.memory.commit(options.address, options.size, kPageReadWrite), kSuccess);
  process.state.space.write(options.address, sent.data(), sent.size());
  EXPECT_EQ(process.call("NtWriteFile", {file, 0, 0, 0, kAt + 0x10, options.address, sent.size(), 0, 0}), kNoAnswer);
  EXPECT_FALSE(go_on());
  std::string got, part(65536, '\0');
  bool done = false;
  while (got.size() < sent.size()) {
    const ssize_t size = ::read(output[0], part.data(), part.size());
    ASSERT_GT(size, 0);
    got.append(part, 0, static_cast<usize>(size));
    if (!done) done = go_on();
  }
  EXPECT_TRUE(done);
  EXPECT_TRUE(got == sent);
  EXPECT_EQ(process.get(0x18), sent.size());
}

// A program whose standard streams lead to a terminal of 100 columns and 40 rows.
class NtConsole : public testing::Test {
 protected:
  void SetUp() override {
    terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
    ASSERT_GE(terminal, 0);
    ASSERT_EQ(::grantpt(terminal), 0);
    ASSERT_EQ(::unlockpt(terminal), 0);
    const int its = ::open(::ptsname(terminal), O_RDWR | O_NOCTTY);
    ASSERT_GE(its, 0);
    const winsize size{40, 100, 0, 0};
    ASSERT_EQ(::ioctl(its, TIOCSWINSZ, &size), 0);
    process.state.streams = std::make_shared<StandardStreams>(std::array<int, 3>{its, ::dup(its), ::dup(its)});
    Call call(process.state, *process.state.threads[0], "test", 0);
    ASSERT_EQ(call.give_handle(kAt, std::make_shared<File>(File::Type::input, nullptr)), kSuccess);
    ASSERT_EQ(call.give_handle(kAt + 8, std::make_shared<File>(File::Type::output, nullptr)), kSuccess);
    in = process.get(0);
    out = process.get(8);
  }
  void TearDown() override { ::close(terminal); }
  u64 control(u64 handle, u32 code, u64 in_size, u64 out_size) {
    return process.call("NtDeviceIoControlFile",
                        {handle, 0, 0, 0, kAt + 0x10, code, kAt + 0x2000, in_size, kAt + 0x4000, out_size});
  }
  std::string shown() {
    std::string text(1000, '\0');
    const ssize_t got = ::read(terminal, text.data(), text.size());
    text.resize(got < 0 ? 0 : static_cast<usize>(got));
    return text;
  }

  int terminal = -1;
  u64 in = 0, out = 0;
  TestProcess process;
};

TEST_F(NtConsole, HasModesAndTheSizeOfTheTerminal) {
  constexpr u32 kGetMode = 0x504000, kSetMode = 0x508004, kScreen = 0x504088;
  ASSERT_EQ(control(in, kGetMode, 0, 4), kSuccess);
  EXPECT_EQ(process.get<u32>(0x4000), 0x1f7u);
  process.put(0x2000, u32{7});
  ASSERT_EQ(control(out, kSetMode, 4, 0), kSuccess);
  ASSERT_EQ(control(out, kGetMode, 0, 4), kSuccess);
  EXPECT_EQ(process.get<u32>(0x4000), 7u);
  EXPECT_EQ(control(out, kScreen, 0, 99), kBufferTooSmall);
  ASSERT_EQ(control(out, kScreen, 0, 100), kSuccess);
  EXPECT_EQ(process.get<u16>(0x4008), 100u);
  EXPECT_EQ(process.get<u16>(0x400a), 40u);
  EXPECT_EQ(control(in, kScreen, 0, 100), kInvalidDeviceRequest);
  EXPECT_EQ(control(out, 0x50abc0, 0, 100), kInvalidDeviceRequest);
}

TEST_F(NtConsole, TextIsThatOfTheTerminal) {
  constexpr u32 kRead = 0x504028, kWrite = 0x508078, kSetScreen = 0x50808c;
  const std::vector<u16> text = {0xe9, 0x20ac, '!'};
  process.state.space.write(kAt + 0x2000, text.data(), 6);
  ASSERT_EQ(control(out, kWrite, 6, 0), kSuccess);
  EXPECT_EQ(shown(), "\u00e9\u20ac!");
  EXPECT_EQ(control(in, kRead, 0, 8), kNoAnswer);  // nothing was typed
  process.state.threads[0]->wait = {};
  ASSERT_EQ(::write(terminal, "h\u00e9\n", 4), 4);
  ASSERT_EQ(control(in, kRead, 0, 4), kSuccess);
  EXPECT_EQ(process.get(0x18), 4u);
  EXPECT_EQ(process.get<u32>(0x4000), u32{0xe9} << 16 | 'h');
  ASSERT_EQ(control(in, kRead, 0, 100), kSuccess);  // the rest of the line
  EXPECT_EQ(process.get(0x18), 4u);
  EXPECT_EQ(process.get<u32>(0x4000), u32{'\n'} << 16 | '\r');
  shown();                           // the echo
  std::array<u16, 52> screen = {8};  // its colours change: bright red on blue
  screen[8] = 0x1c;
  process.state.space.write(kAt + 0x2000, screen.data(), sizeof screen);
  ASSERT_EQ(control(out, kSetScreen, sizeof screen, 0), kSuccess);
  EXPECT_EQ(shown(), "\x1b[0;91;44m");
}

TEST_F(NtStreams, PipeIsNotConsole) {
  const u64 file = handle_to(File::Type::output);
  EXPECT_EQ(process.call("NtDeviceIoControlFile", {file, 0, 0, 0, kAt + 0x10, 0x504000, 0, 0, kAt + 0x4000, 4}),
            kInvalidDeviceRequest);
}

}  // namespace
}  // namespace wperf::sim::nt
