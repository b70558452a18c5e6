// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/live_unwinding.h"

#include <gtest/gtest.h>

#include "formats/perf_data/perf_data_builder_test.h"
#include "formats/perf_data/record_bytes.h"

namespace wperf::recording {
namespace {

using namespace perf_data;
using perf_data::test::Fields;

constexpr u64 kFields =
    kSampleIp | kSampleTid | kSampleTime | kSampleCallchain | kSampleUserRegisters | kSampleUserStack;
constexpr u64 kMade = 0x10000, kFile = 0x400000, kStack = 0x7000;
constexpr bool kArm = unwind::architecture_here() == unwind::Architecture::aarch64;

// This machine's registers in the kernel's numbering: frame pointer, stack pointer, instruction pointer.
constexpr u64 kMask = kArm ? u64{1} << 29 | u64{1} << 31 | u64{1} << 32 : u64{1} << 6 | u64{1} << 7 | u64{1} << 8;

constexpr u64 kStackPointer = kArm ? u64{1} << 31 : u64{1} << 7;

Fields event() {
  Fields all;
  all.u32s({1, 136}).u64s({0, 4000, kFields, 0, u64{1} << 18}).u32s({0, 0}).u64s({0, 0, 0, kMask}).u32s({64, 1});
  all.u64s({0}).u32s({0, 0, 0, 0}).u64s({0, 0});
  return all;
}

struct Taken {
  u64 time = 0, ip = 0;
  std::vector<u64> chain;  // from the kernel
  u64 frame = 0;           // the frame pointer
  std::vector<u64> stack;  // the copy; only `written` words are valid
  usize written = ~usize{0};
  u32 pid = 7;
  bool in_kernel = false;
  u64 user_ip = 0;
};

Fields sample(const Taken& one) {
  Fields body;
  body.u64s({one.ip}).u32s({one.pid, one.pid}).u64s({one.time, one.chain.size()});
  for (const u64 address : one.chain) body.u64s({address});
  body.u64s({2, one.frame, kStack, one.in_kernel ? one.user_ip : one.ip, one.stack.size() * 8});
  for (const u64 word : one.stack) body.u64s({word});
  if (!one.stack.empty()) body.u64s({std::min(one.written, one.stack.size()) * 8});
  return test::record(RecordType::sample, body, one.in_kernel ? kKernelMode : kUserMode);
}

std::string mapping(u64 time, u64 address, std::string_view file, u32 pid = 7) {
  std::string out;
  perf_data::append_mmap2(out, {.pid = pid, .tid = pid, .address = address, .length = 0x10000, .file = file},
                          {.sample_type = kFields & (kSampleTid | kSampleTime), .pid = pid, .tid = pid, .time = time});
  return out;
}

class LiveUnwindingTest : public testing::Test {
 protected:
  LiveUnwindingTest() {
    const Fields attributes = event();
    const auto* text = reinterpret_cast<const char*>(attributes.all().data());
    unwinding_.begin(std::vector<perf_data::WrittenEvent>{{.name = "cycles", .attributes = {text, attributes.size()}}});
  }
  // Keeps the stack pointer of each sample in the file.
  void keep_stack_pointer() {
    const Fields attributes = event();
    const auto* text = reinterpret_cast<const char*>(attributes.all().data());
    unwinding_.begin(std::vector<perf_data::WrittenEvent>{
        {.name = "cycles", .attributes = {text, attributes.size()}, .kept_registers = kStackPointer}});
    kept_ = kStackPointer;
  }
  void take(const Fields& record) { unwinding_.take(record.all(), {}); }
  void take(const std::string& record) { unwinding_.take(std::as_bytes(std::span(record)), {}); }

  // The finished samples as in the file: time and chain.
  struct Seen {
    u64 time = 0;
    std::vector<u64> chain;
    bool operator==(const Seen&) const = default;
  };
  std::vector<Seen> settle(u64 before = ~u64{0}) {
    std::string out;
    unwinding_.settle(before, out);
    perf_data::Event plain;
    plain.attributes.sample_type = kFields & ~u64{kSampleUserRegisters | kSampleUserStack};
    if (kept_ != 0) plain.attributes.sample_type |= kSampleUserRegisters;
    plain.attributes.user_registers = kept_;
    plain.attributes.flags = u64{1} << 18;
    const EventTable events({plain});
    std::vector<Seen> seen;
    const Bytes bytes = std::as_bytes(std::span(out));
    Record record;
    for (u64 at = 0, end = 0; at < bytes.size(); at = end) {
      EXPECT_FALSE(record_at(bytes, at, record, end).has_value());
      if (record.kind() != RecordType::sample) continue;
      Sample one;
      EXPECT_EQ(events.read(record, one), EventTable::Found::yes);
      Seen& last = seen.emplace_back(one.time);
      for (usize i = 0; i < one.callchain.size(); ++i) last.chain.push_back(one.callchain[i]);
      if (kept_ != 0) registers_.push_back(one.user_registers.value_of(kArm ? 31 : 7));
    }
    return seen;
  }

  std::vector<std::optional<u64>> registers_;  // the kept registers
  u64 kept_ = 0;
  LiveUnwinding unwinding_{modules::ElfSearch{.folders = {}, .lines = false}};
};

// Frames at +16 and +32, then the outermost one.
const std::vector<u64> kFrames = {0, 0, kStack + 32, kMade + 0x20, kStack + 48, kMade + 0x30, 0, 0};

TEST_F(LiveUnwindingTest, ACopyBecomesACallChain) {
  take(mapping(1, kMade, "//anon"));
  take(sample({.time = 2,
               .ip = kMade + 0x10,
               .chain = {kCallchainUser, kMade + 0x10},
               .frame = kStack + 16,
               .stack = kFrames}));
  const std::vector<Seen> expected = {{2, {kCallchainUser, kMade + 0x10, kMade + 0x20, kMade + 0x30}}};
  EXPECT_EQ(settle(), expected);
  EXPECT_FALSE(unwinding_.stacks().any());
}

TEST_F(LiveUnwindingTest, TheFileHasTheRegistersThatAreKept) {
  keep_stack_pointer();
  take(mapping(1, kMade, "//anon"));
  take(sample({.time = 2,
               .ip = kMade + 0x10,
               .chain = {kCallchainUser, kMade + 0x10},
               .frame = kStack + 16,
               .stack = kFrames}));
  const std::vector<Seen> expected = {{2, {kCallchainUser, kMade + 0x10, kMade + 0x20, kMade + 0x30}}};
  EXPECT_EQ(settle(), expected);
  EXPECT_EQ(registers_, std::vector<std::optional<u64>>{kStack});
}

TEST_F(LiveUnwindingTest, BehindTheKernelUserCodeStandsWhereItWasLeft) {
  take(mapping(1, kMade, "//anon"));
  take(sample({.time = 2,
               .ip = ~u64{0} << 32,
               .chain = {kCallchainKernel, ~u64{0} << 32, kCallchainUser, 1, 2},
               .frame = kStack + 16,
               .stack = kFrames,
               .in_kernel = true,
               .user_ip = kMade + 0x10}));
  const std::vector<Seen> expected = {
      {2, {kCallchainKernel, ~u64{0} << 32, kCallchainUser, kMade + 0x10, kMade + 0x20, kMade + 0x30}}};
  EXPECT_EQ(settle(), expected);
}

// Ring buffers are read one after the other, so older records may come later.
TEST_F(LiveUnwindingTest, TimeCountsAndNotTheOrderOfRings) {
  const Taken one{.time = 5, .ip = kMade + 0x10, .chain = {}, .frame = kStack + 16, .stack = kFrames};
  take(sample(one));
  take(mapping(3, kMade, "//anon"));
  EXPECT_TRUE(settle(2).empty());
  const std::vector<Seen> expected = {{5, {kCallchainUser, kMade + 0x10, kMade + 0x20, kMade + 0x30}}};
  EXPECT_EQ(settle(6), expected);
  EXPECT_TRUE(settle().empty());
}

// The kernel's callers by frame pointers continue a copy that is too short, if both agree at the end of the copy.
TEST_F(LiveUnwindingTest, FramePointersGoOnWhereTheCopyEnds) {
  take(mapping(1, kMade, "//anon"));
  Taken one{.time = 2,
            .ip = kMade + 0x10,
            .chain = {kCallchainUser, kMade + 0x10, kMade + 0x20, kMade + 0x30, kMade + 0x40},
            .frame = kStack + 16,
            .stack = kFrames,
            .written = 4};
  take(sample(one));
  one.time = 3;
  one.chain[2] = kMade + 0x24;
  take(sample(one));
  const std::vector<Seen> expected = {{2, {kCallchainUser, kMade + 0x10, kMade + 0x20, kMade + 0x30, kMade + 0x40}},
                                      {3, {kCallchainUser, kMade + 0x10, kMade + 0x20}}};
  EXPECT_EQ(settle(), expected);
  EXPECT_EQ(unwinding_.stacks().without_table + unwinding_.stacks().cut, 1u);
}

TEST_F(LiveUnwindingTest, FramePointersEndAtZero) {
  take(mapping(1, kMade, "//anon"));
  Taken one{.time = 2,
            .ip = kMade + 0x10,
            .chain = {kCallchainUser, kMade + 0x10, kMade + 0x20, kMade + 0x30, 0},
            .frame = kStack + 16,
            .stack = kFrames,
            .written = 4};
  take(sample(one));
  one.time = 3;
  one.chain = {kCallchainUser, kMade + 0x10, kMade + 0x20, 0};
  take(sample(one));
  const std::vector<Seen> expected = {{2, {kCallchainUser, kMade + 0x10, kMade + 0x20, kMade + 0x30}},
                                      {3, {kCallchainUser, kMade + 0x10, kMade + 0x20}}};
  EXPECT_EQ(settle(), expected);
  EXPECT_EQ(unwinding_.stacks().without_table + unwinding_.stacks().cut, 1u);
}

// Unwinding that is slower than sampling would lose samples.
TEST_F(LiveUnwindingTest, ForWantOfTimeFramePointersAreTakenAndCounted) {
  take(mapping(1, kMade, "//anon"));
  const Taken one{.time = 2,
                  .ip = kMade + 0x10,
                  .chain = {kCallchainUser, kMade + 0x10, 7},
                  .frame = kStack + 16,
                  .stack = kFrames};
  take(sample(one));
  unwinding_.set_hurried(true);
  const std::vector<Seen> by_pointers = {{2, {kCallchainUser, kMade + 0x10, 7}}};
  EXPECT_EQ(settle(), by_pointers);
  EXPECT_EQ(unwinding_.stacks().by_pointers, 1u);
  take(sample(one));
  unwinding_.set_hurried(false);
  const std::vector<Seen> unwound = {{2, {kCallchainUser, kMade + 0x10, kMade + 0x20, kMade + 0x30}}};
  EXPECT_EQ(settle(), unwound);
  EXPECT_EQ(unwinding_.stacks().by_pointers, 1u);
}

TEST_F(LiveUnwindingTest, WithoutACopyTheChainStays) {
  take(sample({.time = 2, .ip = 9, .chain = {kCallchainUser, 9, 8, 7}, .stack = {}}));
  const std::vector<Seen> expected = {{2, {kCallchainUser, 9, 8, 7}}};
  EXPECT_EQ(settle(), expected);
}

perf_data::Mmap mapped(u32 pid, u64 address, u64 length, std::string_view file, u64 offset = 0) {
  perf_data::Mmap one;
  one.pid = pid;
  one.address = address;
  one.length = length;
  one.page_offset = offset;
  one.file = file;
  return one;
}

TEST(LiveCode, LaterMappingsReplaceWhatTheyCover) {
  LiveCode code;
  code.add(mapped(7, kFile, 0x3000, "/bin/a"));
  const u32 before = code.space_of(7);
  code.add(mapped(7, kFile + 0x1000, 0x1000, "/bin/b", 0x5000));
  const u32 space = code.space_of(7);
  EXPECT_NE(space, before);
  EXPECT_EQ(code.code(code.place_in(space, kFile + 0xfff).code).path, "/bin/a");
  EXPECT_EQ(code.code(code.place_in(space, kFile + 0x1000).code).path, "/bin/b");
  EXPECT_EQ(code.place_in(space, kFile + 0x1010).offset, 0x5010u);
  EXPECT_EQ(code.place_in(space, kFile + 0x2010).offset, 0x2010u);
  EXPECT_EQ(code.place_in(space, kFile + 0x3000).code, kNoCode);
}

TEST(LiveCode, ProcessesBeginLikeTheirParentsAndEnd) {
  LiveCode code;
  code.add(mapped(7, kFile, 0x1000, "/bin/a"));
  perf_data::Task fork;
  fork.pid = fork.tid = 8;
  fork.parent_pid = fork.parent_tid = 7;
  code.add(fork);
  perf_data::Task thread = fork;
  thread.parent_pid = 8;
  thread.tid = 9;
  code.add(thread);
  EXPECT_NE(code.place_in(code.space_of(8), kFile).code, kNoCode);
  perf_data::Task exit = fork;
  exit.is_exit = true;
  code.add(exit);  // the first thread ends; another one still runs
  EXPECT_NE(code.place_in(code.space_of(8), kFile).code, kNoCode);
  code.add(exit);
  EXPECT_EQ(code.place_in(code.space_of(8), kFile).code, kNoCode);
  EXPECT_EQ(code.processes(), 1u);
  perf_data::Comm exec;
  exec.pid = 7;
  exec.by_exec = true;
  code.add(exec);
  EXPECT_EQ(code.place_in(code.space_of(7), kFile).code, kNoCode);
}

}  // namespace
}  // namespace wperf::recording
