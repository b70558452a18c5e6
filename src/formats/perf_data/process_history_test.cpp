// SPDX-License-Identifier: BSD-3-Clause
#include "formats/perf_data/process_history.h"

#include <gtest/gtest.h>

#include <span>

#include "formats/perf_data/perf_data_builder_test.h"
#include "formats/perf_data/run_facts.h"

namespace wperf::perf_data {
namespace {

using test::Fields;
using test::FileBuilder;

constexpr u64 kTimed = kSampleIp | kSampleTid | kSampleTime;
constexpr u16 kMadeUpFork = 1u << 13;

// Records whose trailers have the thread and the time.
class Timed {
 public:
  explicit Timed(u64 sample_type = kTimed, u64 flags = 1u << 18) : timed_(flags != 0) {
    builder_.event(test::attributes(sample_type, 0, flags));
  }
  Timed& mmap(u64 when, u32 pid, u64 address, u64 length, u64 offset, std::string_view file) {
    return add(RecordType::mmap, Fields().u32s({pid, pid}).u64s({address, length, offset}).text(file), when, pid);
  }
  Timed& mmap2(u64 when, u64 address, u64 inode, u64 generation, std::string_view file) {
    Fields body;
    body.u32s({7, 7}).u64s({address, 0x1000, 0}).u32s({8, 1}).u64s({inode, generation}).u32s({5, 2}).text(file);
    return add(RecordType::mmap2, body, when, 7);
  }
  Timed& run(const RunFacts& facts) {
    const std::string bytes = run_facts_bytes(facts);
    builder_.feature(static_cast<Feature>(kRunFactsFeature), Fields().bytes(std::as_bytes(std::span(bytes))));
    return *this;
  }
  Timed& comm(u64 when, u32 pid, u32 tid, std::string_view name, u16 misc = 0) {
    return add(RecordType::comm, Fields().u32s({pid, tid}).text(name), when, pid, misc);
  }
  Timed& fork(u64 when, u32 pid, u32 tid, u32 parent, u16 misc = 0) {
    return add(RecordType::fork, Fields().u32s({pid, parent, tid, parent}).u64s({when}), when, pid, misc);
  }
  ProcessHistory collect() {
    bytes_ = builder_.build();
    return ProcessHistory::collect(PerfFile::open(bytes_).value());
  }

 private:
  Timed& add(RecordType type, Fields body, u64 when, u32 pid, u16 misc = 0) {
    if (timed_) body.u32s({pid, pid}).u64s({when});
    builder_.add(type, body, misc);
    return *this;
  }
  FileBuilder builder_;
  std::vector<std::byte> bytes_;
  bool timed_;
};

std::string name_at(const ProcessHistory& history, u32 pid, u32 tid, u64 when) {
  const u32 name = history.task_at(pid, tid, when).name;
  return name == kNoCode ? "-" : history.names()[name];
}

std::string place_at(const ProcessHistory& history, u32 pid, u64 when, u64 address) {
  const CodePlace place = history.place_in(history.task_at(pid, pid, when).space, address);
  if (place.code == kNoCode) return "-";
  return std::string(history.codes()[place.code].path) + "+" + std::to_string(place.offset);
}

TEST(ProcessHistory, FilesWithOnePathAreToldApartByTheirInodes) {
  RunFacts facts;
  facts.mapped_files = {{12, 1, "", "/a"}, {12, 2, "\x5a\x5b", "/a"}};
  Timed file;
  file.mmap2(1, 0x1000, 12, 1, "/a").mmap2(2, 0x2000, 12, 2, "/a").mmap2(3, 0x3000, 13, 1, "/a").run(facts);
  const ProcessHistory history = file.collect();
  ASSERT_EQ(history.codes().size(), 3u);
  EXPECT_TRUE(history.codes()[0].was_replaced);
  EXPECT_FALSE(history.codes()[1].was_replaced);
  EXPECT_EQ(text_in(history.codes()[1].build_id), "\x5a\x5b");
  EXPECT_FALSE(history.codes()[2].was_replaced);
  EXPECT_TRUE(history.codes()[2].build_id.empty());
}

TEST(ProcessHistory, ThreadsKeepANameUntilTheNextOne) {
  Timed file;
  const ProcessHistory history = file.comm(10, 1, 1, "sh").fork(20, 1, 2, 1).comm(30, 1, 1, "worker").collect();
  EXPECT_EQ(name_at(history, 1, 1, 0), "sh");  // no thread had another name before its first one
  EXPECT_EQ(name_at(history, 1, 1, 29), "sh");
  EXPECT_EQ(name_at(history, 1, 1, 30), "worker");
  EXPECT_EQ(name_at(history, 1, 2, 99), "sh");
  EXPECT_EQ(name_at(history, 1, 3, 99), "-");
  EXPECT_EQ(name_at(history, 0, 0, 99), "swapper");
  const ProcessHistory::Task task = history.task_at(1, 1, 25);
  EXPECT_EQ(task.begin, 0u);
  EXPECT_EQ(task.end, 30u);
}

std::string program_at(const ProcessHistory& history, u32 pid, u32 tid, u64 when) {
  const u32 name = history.task_at(pid, tid, when).program;
  return name == kNoCode ? "-" : history.names()[name];
}

TEST(ProcessHistory, AProcessKeepsItsNameUntilItRunsAnotherProgram) {
  constexpr u64 kMarksExecs = u64{1} << 24, kSampleIdAll = u64{1} << 18;
  for (const bool marks : {true, false}) {
    Timed file(kTimed, kSampleIdAll | (marks ? kMarksExecs : 0));
    const ProcessHistory history = file.fork(5, 1, 1, 9, kMadeUpFork)
                                       .comm(5, 1, 1, "sh")
                                       .fork(10, 2, 2, 1)
                                       .comm(20, 2, 2, "program", kMiscCommExec)
                                       .fork(21, 2, 3, 2)
                                       .comm(25, 2, 3, "pool")
                                       .comm(30, 2, 2, "phase")
                                       .comm(40, 2, 2, "other", kMiscCommExec)
                                       .collect();
    EXPECT_EQ(program_at(history, 1, 1, 50), "sh");
    EXPECT_EQ(program_at(history, 2, 2, 15), "sh");
    EXPECT_EQ(program_at(history, 2, 2, 25), "program");
    EXPECT_EQ(program_at(history, 2, 3, 25), "program");
    EXPECT_EQ(program_at(history, 2, 2, 35), marks ? "program" : "phase");
    EXPECT_EQ(name_at(history, 2, 2, 35), "phase");
    EXPECT_EQ(program_at(history, 2, 2, 45), "other");
    EXPECT_EQ(program_at(history, 7, 7, 45), "-");
  }
}

TEST(ProcessHistory, RecordsCountByTheirTimes) {
  Timed file;
  const ProcessHistory history = file.comm(50, 1, 1, "late").comm(10, 1, 1, "early").collect();
  EXPECT_EQ(name_at(history, 1, 1, 40), "early");
  EXPECT_EQ(name_at(history, 1, 1, 60), "late");
}

TEST(ProcessHistory, OverlappingMappingsDifferByTime) {
  Timed file;
  const ProcessHistory history = file.mmap(10, 1, 0x1000, 0x3000, 0, "/a")
                                     .mmap(20, 1, 0x9000, 0x1000, 0, "/b")
                                     .mmap(30, 1, 0x2000, 0x1000, 0x5000, "/c")
                                     .collect();
  EXPECT_EQ(place_at(history, 1, 15, 0x2010), "/a+4112");
  EXPECT_EQ(place_at(history, 1, 30, 0x2010), "/c+20496");
  EXPECT_EQ(place_at(history, 1, 40, 0x3010), "/a+8208");
  EXPECT_EQ(place_at(history, 1, 40, 0x1010), "/a+16");
  // Nothing was mapped there before, so code that ran there must be this code.
  EXPECT_EQ(place_at(history, 1, 15, 0x9000), "/b+0");
  EXPECT_EQ(place_at(history, 1, 40, 0x4000), "-");
  EXPECT_EQ(place_at(history, 2, 40, 0x1000), "-");
}

TEST(ProcessHistory, AChildBeginsWithItsParentsMemory) {
  Timed file;
  const ProcessHistory history = file.mmap(10, 1, 0x1000, 0x1000, 0, "/a")
                                     .comm(10, 1, 1, "parent")
                                     .fork(20, 2, 2, 1)
                                     .mmap(30, 2, 0x1000, 0x1000, 0, "/b")
                                     .fork(40, 3, 3, 1, kMadeUpFork)
                                     .collect();
  EXPECT_EQ(place_at(history, 2, 25, 0x1000), "/a+0");
  EXPECT_EQ(place_at(history, 2, 35, 0x1000), "/b+0");
  EXPECT_EQ(place_at(history, 1, 35, 0x1000), "/a+0");
  EXPECT_EQ(place_at(history, 3, 45, 0x1000), "-");
  EXPECT_EQ(name_at(history, 3, 3, 45), "parent");
}

TEST(ProcessHistory, ReusedPidIsNewProcess) {
  Timed file;
  const ProcessHistory history = file.mmap(10, 7, 0x1000, 0x1000, 0, "/old")
                                     .comm(10, 7, 7, "old")
                                     .comm(10, 1, 1, "sh")
                                     .fork(50, 7, 7, 1)
                                     .collect();
  EXPECT_EQ(place_at(history, 7, 40, 0x1000), "/old+0");
  EXPECT_EQ(place_at(history, 7, 60, 0x1000), "-");
  EXPECT_EQ(name_at(history, 7, 7, 60), "sh");
}

TEST(ProcessHistory, MemoryWithoutAFileBelongsToItsProcess) {
  Timed file;
  const ProcessHistory history =
      file.mmap(10, 1, 0x1000, 0x1000, 0x77, "//anon").mmap(10, 2, 0x1000, 0x1000, 0x77, "//anon").collect();
  ASSERT_EQ(history.codes().size(), 2u);
  EXPECT_TRUE(history.codes()[0].is_anonymous);
  EXPECT_EQ(place_at(history, 1, 20, 0x1010), "//anon+4112");  // offset = address
}

TEST(ProcessHistory, WithoutTimesTheOrderOfTheFileCounts) {
  Timed file(kSampleIp | kSampleTid, 0);
  const ProcessHistory history = file.comm(99, 1, 1, "first").comm(1, 1, 1, "second").collect();
  EXPECT_FALSE(history.has_times());
  EXPECT_EQ(name_at(history, 1, 1, 0), "first");
  EXPECT_EQ(name_at(history, 1, 1, ~u64{0} - 1), "second");
}

TEST(ProcessHistory, TheKernelIsApart) {
  Timed file;
  const u64 text = 0xffffffff81000000;
  const ProcessHistory history = file.mmap(0, ~u32{0}, text, 0x1000, text, "[kernel.kallsyms]_text").collect();
  ASSERT_EQ(history.kernel().size(), 1u);
  EXPECT_EQ(history.kernel()[0].page_offset, text);
  EXPECT_TRUE(history.codes().empty());
}

}  // namespace
}  // namespace wperf::perf_data
