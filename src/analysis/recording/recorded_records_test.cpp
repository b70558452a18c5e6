// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/recorded_records.h"

#include <gtest/gtest.h>

#include <optional>
#include <tuple>

#include "formats/perf_data/perf_data_builder_test.h"
#include "formats/spe/spe_encoder.h"

namespace wperf::recording {
namespace {

using perf_data::ProcessHistory;
using perf_data::RecordType;
using perf_data::test::Fields;
using spe::Origin;
using spe::SpeEncoder;

constexpr u32 kNobody = ProcessHistory::kNobody;
constexpr u32 kProgram = 100, kItsThread = 101, kOther = 200, kOtherThread = 201, kStranger = 300;

// The records of one core, in a file with the threads of two programs.
class RecordedRecordsTest : public testing::Test {
 protected:
  RecordedRecordsTest() {
    start(kProgram, kItsThread);
    start(kOther, kOtherThread);
  }
  // `thread` 0: the record has no thread.
  void operation(u64 pc, u32 thread, u32 exception_level = 0) {
    encoder_.pc(pc, exception_level);
    if (thread != 0) encoder_.context(1, thread);
    encoder_.operation(spe::kClassOther, 0).end();
  }
  // For each record: (address, is it from another process), as seen from `process`.
  std::vector<std::tuple<u64, bool>> seen_by(u32 process) {
    read();
    std::vector<std::tuple<u64, bool>> seen;
    DecodeStates states;
    RecordedRecords(*traces_, *code_, process).for_each(states, [&](const Origin& origin, const spe::Record& record) {
      seen.emplace_back(record.pc() & 0xffff'ffff, origin.other_process);
    });
    EXPECT_EQ(states.at(0).damage.bad_bytes, 0u);
    return seen;
  }
  // The number of operations of other processes, as counted by the aggregator.
  u64 counted_as_others(u32 process) {
    read();
    spe::Aggregator aggregator({.memory = false});
    DecodeStates states;
    RecordedRecords(*traces_, *code_, process).add_to(aggregator, states);
    u64 hits = 0;
    aggregator.for_each_event([&](const spe::EventHits& row) {
      if (aggregator.site(row.site).other_process) hits += row.hits;
    });
    return hits;
  }

 private:
  void start(u32 process, u32 thread) {
    builder_.add(RecordType::comm, Fields().u32s({process, process}).text("program"));
    builder_.add(RecordType::fork, Fields().u32s({process, process, thread, process}).u64s({0}));
  }
  void read() {
    if (code_.has_value()) return;
    constexpr u64 kUnit = 8, kPerCore = 1;
    builder_.add(RecordType::auxtrace_info, Fields().u32s({perf_data::kAuxArmSpe, 0}).u64s({kUnit, kPerCore}));
    encoder_.padding((8 - encoder_.size() % 8) % 8);
    builder_.add(RecordType::auxtrace, Fields().u64s({encoder_.size(), 0, 0}).u32s({0, ~u32{0}, 0, 0}));
    Fields data;
    for (const std::byte byte : encoder_.bytes()) data.put(byte);
    builder_.raw(data);
    bytes_ = builder_.build();
    file_ = perf_data::PerfFile::open(bytes_).value();
    history_ = ProcessHistory::collect(file_);
    code_.emplace(history_);
    traces_ = perf_data::AuxTraces::collect(file_);
  }

  SpeEncoder encoder_;
  perf_data::test::FileBuilder builder_;
  std::vector<std::byte> bytes_;
  perf_data::PerfFile file_;
  ProcessHistory history_;
  std::optional<CanonicalCode> code_;
  std::optional<perf_data::AuxTraces> traces_;
};

TEST_F(RecordedRecordsTest, ThreadsTellWhoseCodeItWas) {
  operation(0x1000, kProgram);
  operation(0x1004, kItsThread);
  operation(0x1008, kOther);
  operation(0x100c, kOtherThread);
  EXPECT_EQ(seen_by(kProgram),
            (std::vector<std::tuple<u64, bool>>{{0x1000, false}, {0x1004, false}, {0x1008, true}, {0x100c, true}}));
  EXPECT_EQ(seen_by(kOther),
            (std::vector<std::tuple<u64, bool>>{{0x1000, true}, {0x1004, true}, {0x1008, false}, {0x100c, false}}));
  EXPECT_EQ(counted_as_others(kProgram), 2u);
}

// All processes share one kernel.
TEST_F(RecordedRecordsTest, KernelOperationsAreNotOfOtherProcesses) {
  operation(0x2000, kOther, 1);
  operation(0x2004, kProgram, 1);
  EXPECT_EQ(seen_by(kProgram), (std::vector<std::tuple<u64, bool>>{{0x2000, false}, {0x2004, false}}));
  EXPECT_EQ(counted_as_others(kProgram), 0u);
}

// A record without a context packet counts for the program, because no other process is known. A thread without a
// record also counts for the program, because the program may have started it.
TEST_F(RecordedRecordsTest, WhoeverIsNotKnownIsNotAnother) {
  operation(0x3000, 0);
  operation(0x3004, kStranger);
  EXPECT_EQ(seen_by(kProgram), (std::vector<std::tuple<u64, bool>>{{0x3000, false}, {0x3004, false}}));
}

TEST_F(RecordedRecordsTest, WholeMachineHasNoOtherProcesses) {
  operation(0x1000, kProgram);
  operation(0x1008, kOther);
  EXPECT_EQ(counted_as_others(kNobody), 0u);
}

}  // namespace
}  // namespace wperf::recording
