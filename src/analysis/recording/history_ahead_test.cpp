// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/history_ahead.h"

#include <gtest/gtest.h>

#include <thread>

#include "analysis/recording/recorded_samples.h"
#include "formats/perf_data/perf_data_builder_test.h"

namespace wperf::recording {
namespace {

using perf_data::ProcessHistory;
using perf_data::RecordType;
using perf_data::test::Fields;

constexpr u64 kTimedChains =
    perf_data::kSampleIp | perf_data::kSampleTid | perf_data::kSampleTime | perf_data::kSampleCallchain;
constexpr u32 kChangingPid = 7;

// Rounds of samples with long chains, so that few of them fill a file, with the test's records in between.
class Rounds {
 public:
  Rounds() { builder_.event(perf_data::test::attributes(kTimedChains)); }

  void comm(u64 when, u32 tid, std::string_view name) {
    builder_.add(RecordType::comm,
                 Fields().u32s({kChangingPid, tid}).text(name).u32s({kChangingPid, tid}).u64s({when}));
  }
  void mmap(u64 when, std::string_view file) {
    Fields body = Fields()
                      .u32s({kChangingPid, kChangingPid})
                      .u64s({0x1000, 0x1000, 0})
                      .text(file)
                      .u32s({kChangingPid, kChangingPid})
                      .u64s({when});
    builder_.add(RecordType::mmap, body);
  }
  void samples(u64 from, u64 to, u32 tid) {
    Fields chain;
    constexpr u64 kDepth = 250;
    for (u64 depth = 0; depth < kDepth; ++depth) chain.u64s({0x1000 + depth});
    for (u64 when = from; when < to; ++when) {
      builder_.add(RecordType::sample,
                   Fields().u64s({0x1000}).u32s({kChangingPid, tid}).u64s({when, kDepth}).bytes(chain.all()));
    }
  }
  void times(u64 first, u64 last) { builder_.feature(perf_data::Feature::sample_time, Fields().u64s({first, last})); }
  void end_round() { builder_.add(RecordType::finished_round, {}); }

  perf_data::PerfFile open() {
    bytes_ = builder_.build();
    return perf_data::PerfFile::open(bytes_).value();
  }

 private:
  perf_data::test::FileBuilder builder_;
  std::vector<std::byte> bytes_;
};

// "name: samples", in the order of the samples.
std::string counted(const perf_data::PerfFile& file) {
  const stacks::StackProfile profile = read_recorded_samples(file, {.signatures = true}).profile;
  std::vector<std::pair<std::string, u64>> names;
  for (const stacks::StackSample& sample : profile.samples) {
    const std::string& name = profile.names[profile.tasks[sample.task].name];
    if (names.empty() || names.back().first != name) names.emplace_back(name, 0);
    names.back().second += sample.count;
  }
  std::string text;
  for (const auto& [name, count] : names) text += name + ": " + std::to_string(count) + "\n";
  return text;
}

constexpr u64 kRounds = 40, kRoundSize = 100;

// In each round, the thread has another name, and another file is mapped at the same address.
Rounds changing() {
  Rounds file;
  for (u64 round = 0; round < kRounds; ++round) {
    const u64 from = 1000 + round * kRoundSize;
    file.comm(from, kChangingPid, "name " + std::to_string(round));
    file.mmap(from + kRoundSize / 2, "/file " + std::to_string(round));
    file.samples(from, from + kRoundSize, kChangingPid);
    file.end_round();
  }
  return file;
}

TEST(HistoryAhead, AnswersAreThoseOfTheWholeHistory) {
  Rounds recorded = changing();
  const perf_data::PerfFile file = recorded.open();
  const ProcessHistory whole = ProcessHistory::collect(file);
  HistoryAhead ahead(file);
  std::vector<ProcessHistory::Task> tasks;
  for (u64 when = 1000; when < 1000 + kRounds * kRoundSize; when += 10)
    tasks.push_back(ahead.task_at(kChangingPid, kChangingPid, when));
  const std::optional<ProcessHistory> history = ahead.finish();
  ASSERT_TRUE(history.has_value());
  for (usize i = 0; i < tasks.size(); ++i) {
    const u64 when = 1000 + i * 10;
    const ProcessHistory::Task expected = whole.task_at(kChangingPid, kChangingPid, when);
    EXPECT_EQ(history->names()[tasks[i].name], whole.names()[expected.name]) << when;
    EXPECT_EQ(history->codes()[history->place_in(tasks[i].space, 0x1000).code].path,
              whole.codes()[whole.place_in(expected.space, 0x1000).code].path)
        << when;
    EXPECT_LE(tasks[i].begin, when);
    EXPECT_GT(tasks[i].end, when);
  }
}

TEST(HistoryAhead, ReportsNameSamplesByTheirMoment) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one core: nothing is read ahead";
  Rounds recorded = changing();
  const perf_data::PerfFile file = recorded.open();
  ASSERT_TRUE(HistoryAhead::is_of_use(file));
  std::string expected;
  for (u64 round = 0; round < kRounds; ++round) expected += "name " + std::to_string(round) + ": 100\n";
  EXPECT_EQ(counted(file), expected);
}

// HTML pages and --timeline need the time of the first sample. The header has this time, but the time must be checked.
TEST(HistoryAhead, TimesOfTheHeaderAreLookedAt) {
  const u64 last = 1000 + kRounds * kRoundSize - 1;
  const ReadOptions wanted{.signatures = true, .slice_ns = 1000};
  for (const u64 told : {u64{1000}, u64{900}, u64{0}}) {
    Rounds recorded = changing();
    recorded.times(told, last);
    const perf_data::PerfFile file = recorded.open();
    const stacks::StackProfile profile = read_recorded_samples(file, wanted).profile;
    EXPECT_EQ(profile.slices.begin_ns, 1000u) << told;
    EXPECT_EQ(profile.slices.count, 4u) << told;
  }
}

// A record that is older than all records of two rounds before. No recorder writes such records, but a file may be
// sorted differently.
TEST(HistoryAhead, GivesUpWhereTheOrderIsAnother) {
  Rounds recorded = changing();
  recorded.comm(1050, kChangingPid, "found late");
  const perf_data::PerfFile file = recorded.open();
  EXPECT_EQ(counted(file).substr(0, 27), "name 0: 50\nfound late: 50\nn");
  HistoryAhead ahead(file);
  EXPECT_FALSE(ahead.finish().has_value());
  EXPECT_TRUE(ahead.gave_up());
}

// If the record with a thread's name comes last, the thread had that name all the time.
TEST(HistoryAhead, AnswersThatTurnOutWrongAreTakenBack) {
  Rounds recorded;
  for (u64 round = 0; round < kRounds; ++round) {
    recorded.samples(1000 + round * kRoundSize, 1000 + (round + 1) * kRoundSize, 8);
    recorded.end_round();
  }
  recorded.comm(1000 + kRounds * kRoundSize, 8, "named at last");
  recorded.samples(1001 + kRounds * kRoundSize, 1002 + kRounds * kRoundSize, 9);
  EXPECT_EQ(counted(recorded.open()), "named at last: 4000\n:9: 1\n");
}

}  // namespace
}  // namespace wperf::recording
