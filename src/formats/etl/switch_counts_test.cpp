// SPDX-License-Identifier: BSD-3-Clause
#include "formats/etl/switch_counts.h"

#include <gtest/gtest.h>

namespace wperf::etl {
namespace {

// A core's switches as a trace has them, with one counter.
struct Played {
  std::vector<std::string> records;  // the events point into these bytes
  SwitchCounts counts;

  explicit Played(std::span<const Unrecorded> gaps = {}, std::span<const u32> cores = {})
      : counts(1, cores, 100, gaps) {}

  void take(u8 opcode, u16 core, u64 time, const std::string& payload, std::optional<u64> counter = {}) {
    std::string bytes;
    if (counter.has_value()) bytes.append(reinterpret_cast<const char*>(&*counter), sizeof(u64));
    records.push_back(bytes + payload);
    const Bytes whole = std::as_bytes(std::span(records.back()));
    Event event;
    event.form = EventForm::kernel;
    event.group = 5;
    event.opcode = opcode;
    event.version = 4;
    event.core = core;
    event.time = time;
    event.counters = whole.first(bytes.size());
    event.payload = whole.subspan(bytes.size());
    counts.take(event);
  }
  void change(u16 core, u64 time, u32 leaves, u32 comes, std::optional<u64> counter) {
    std::string payload(24, '\0');
    std::memcpy(payload.data(), &comes, sizeof comes);
    std::memcpy(payload.data() + 4, &leaves, sizeof leaves);
    take(36, core, time, payload, counter);
  }
  void begin_thread(u64 time, u32 process, u32 thread) {
    std::string payload(80, '\0');
    std::memcpy(payload.data(), &process, sizeof process);
    std::memcpy(payload.data() + 4, &thread, sizeof thread);
    take(1, 0, time, payload);
  }
  SwitchCounts::Spent of(u32 thread, usize life = 0) const {
    for (const SwitchCounts::Thread& one : counts.threads()) {
      if (one.thread == thread && life-- == 0) return one.spent;
    }
    return {};
  }
};

TEST(SwitchCounts, ShareOutWhatCoresCounted) {
  Played played;
  played.change(0, 110, 7, 12, 1000);  // the previous thread is known, but not the time at which it started
  played.change(0, 150, 12, 13, 1400);
  played.change(1, 160, 0, 12, 50);
  played.change(0, 170, 13, 0, 1700);
  played.change(1, 180, 12, 0, 53);
  played.counts.finish(200);
  EXPECT_EQ(played.of(12).values, std::vector<u64>{403});
  EXPECT_EQ(played.of(12).running, 60u);
  EXPECT_EQ(played.of(12).switches, 2u);
  EXPECT_EQ(played.of(13).values, std::vector<u64>{300});
  EXPECT_EQ(played.of(7).unseen, 10u);
  EXPECT_EQ(played.of(7).values, std::vector<u64>{0});
  EXPECT_EQ(played.of(0).unseen, 60u + 50);  // core 1 before its first switch; both cores after their last switches
  EXPECT_EQ(played.counts.cores()[0].values, std::vector<u64>{700});
  EXPECT_EQ(played.counts.cores()[1].running, 20u);
  EXPECT_EQ(played.of(12).lost + played.of(13).lost, 0u);
}

TEST(SwitchCounts, ImplausibleCountsAreCountedAsLost) {
  const std::vector<Unrecorded> gaps{{.core = 0, .begin = 300, .end = 310}};
  Played played(gaps);
  played.change(0, 110, 0, 12, 1000);
  played.change(0, 120, 13, 14, 1010);  // the switch to 12 was lost, so these ten events cannot be assigned
  played.change(0, 130, 14, 12, 1005);  // the counter goes back
  played.change(0, 150, 12, 15, {});    // the counter is missing
  played.change(0, 160, 15, 12, 1100);
  played.change(0, 170, 12, 16, 1110);
  played.change(0, 320, 16, 0, 1200);  // something was lost in between
  EXPECT_EQ(played.of(13).lost, 10u);
  EXPECT_EQ(played.of(14).lost, 10u);
  EXPECT_EQ(played.of(12).lost, 20u);
  EXPECT_EQ(played.of(12).values, std::vector<u64>{10});
  EXPECT_EQ(played.of(15).lost, 10u);
  EXPECT_EQ(played.of(16).lost, 150u);
  EXPECT_EQ(played.of(16).values, std::vector<u64>{0});
  EXPECT_EQ(played.counts.switches_without_counters(), 1u);
}

TEST(SwitchCounts, ANumberThatIsUsedAgainIsAnotherThread) {
  Played played;
  played.change(0, 110, 0, 12, 0);
  played.change(0, 120, 12, 0, 5);
  played.begin_thread(125, 4, 12);
  played.change(0, 130, 0, 12, 5);
  played.change(0, 140, 12, 0, 12);
  EXPECT_EQ(played.of(12, 0).values, std::vector<u64>{5});
  EXPECT_EQ(played.of(12, 1).values, std::vector<u64>{7});
}

TEST(SwitchCounts, OtherCoresAreLeftOut) {
  const std::vector<u32> cores{1};
  Played played({}, cores);
  for (const u16 core : {u16{0}, u16{1}, u16{2}}) {
    played.change(core, 110, 0, 12, 0);
    played.change(core, 120, 12, 0, 5);
  }
  EXPECT_EQ(played.of(12).values, std::vector<u64>{5});
}

}  // namespace
}  // namespace wperf::etl
