// SPDX-License-Identifier: BSD-3-Clause
#include "device/perf_events/record_collector.h"

#include <gtest/gtest.h>

#include <cstring>

namespace wperf::perf_events {
namespace {

using Kind = raw::Happening::Kind;

// Writes records as the kernel lays them out for our attributes: identity of pid, tid, time, id behind each.
class FakeKernel {
 public:
  FakeKernel() : ring_(4096) {}

  void sample(u64 id, u64 pc, u32 pid, u32 tid, u64 time, u16 mode) {
    begin();
    word(id), word(pc), half(pid), half(tid), word(time);
    end(9, mode);
  }
  void mapping(u32 pid, u64 address, u64 length, u64 offset, const char* path, u64 time) {
    begin();
    half(pid), half(pid), word(address), word(length), word(offset);
    half(0x0201'0014), word(0x1111'1111'1111'1111), word(0), half(0);  // 20 bytes of build id
    half(5), half(2);
    text(path);
    identity(pid, time);
    end(10, 2 | 1 << 14);
  }
  void name(u32 pid, const char* name, u64 time, bool by_exec) {
    begin();
    half(pid), half(pid);
    text(name);
    identity(pid, time);
    end(3, by_exec ? 1 << 13 : 0);
  }
  void fork(u32 pid, u32 parent, u64 time) {
    begin();
    half(pid), half(parent), half(pid), half(parent), word(time);
    identity(parent, time);
    end(7, 0);
  }
  void lost(u64 count) {
    begin();
    word(1), word(count);
    identity(0, 1);
    end(2, 0);
  }
  void throttle() {
    begin();
    word(5), word(1), word(1);
    identity(0, 5);
    end(5, 0);
  }
  void rubbish() {
    begin();
    word(1);
    end(9, 2);  // a sample of one word
  }
  RingReader reader() const { return RingReader(ring_, head_, 0); }

 private:
  void begin() { body_.clear(); }
  void put(const void* from, usize size) {
    const auto* bytes = static_cast<const std::byte*>(from);
    body_.insert(body_.end(), bytes, bytes + size);
  }
  void word(u64 value) { put(&value, sizeof value); }
  void half(u32 value) { put(&value, sizeof value); }
  void text(const char* from) {
    put(from, std::strlen(from) + 1);
    while (body_.size() % 8 != 0) body_.push_back(std::byte{0});
  }
  void identity(u32 pid, u64 time) { half(pid), half(pid), word(time), word(1); }
  void end(u32 type, int misc) {
    const u16 small = static_cast<u16>(misc), size = static_cast<u16>(body_.size() + 8);
    std::memcpy(ring_.data() + head_, &type, 4);
    std::memcpy(ring_.data() + head_ + 4, &small, 2);
    std::memcpy(ring_.data() + head_ + 6, &size, 2);
    std::memcpy(ring_.data() + head_ + 8, body_.data(), body_.size());
    head_ += size;
  }

  std::vector<std::byte> ring_, body_;
  u64 head_ = 0;
};

perf_data::EventTable two_events() {
  std::vector<perf_data::Event> events(2);
  for (perf_data::Event& event : events) {
    event.attributes.sample_type =
        perf_data::kSampleIdentifier | perf_data::kSampleIp | perf_data::kSampleTid | perf_data::kSampleTime;
    event.attributes.flags = u64{1} << 18;
  }
  events[0].ids = {1, 3};
  events[1].ids = {2};
  return perf_data::EventTable(std::move(events));
}

struct Collected {
  raw::SampleCapture capture;
  raw::CoreTally tally;
};
Collected collect(const FakeKernel& kernel) {
  Collected out;
  RecordCollector collector(two_events());
  RingReader reader = kernel.reader();
  collector.collect(reader, 5, out.capture, out.tally);
  return out;
}

TEST(RecordCollector, Samples) {
  FakeKernel kernel;
  kernel.sample(3, 0x1234, 10, 11, 99, 2);
  kernel.sample(2, 0xffff'8000, 10, 12, 100, 1);
  const Collected out = collect(kernel);
  ASSERT_EQ(out.capture.samples.size(), 2u);
  const raw::Sample& first = out.capture.samples[0];
  EXPECT_EQ(first.pc, 0x1234u);
  EXPECT_EQ(first.process, 10u);
  EXPECT_EQ(first.thread, 11u);
  EXPECT_EQ(first.time_ns, 99u);
  EXPECT_EQ(first.core, 5u);
  EXPECT_EQ(first.overflowed, 1u) << "id 3 is of the first event";
  EXPECT_EQ(first.exception_level, 0u);
  EXPECT_EQ(out.capture.samples[1].overflowed, 2u);
  EXPECT_NE(out.capture.samples[1].exception_level, 0u) << "kernel mode";
  EXPECT_EQ(out.tally.taken, 2u);
}

TEST(RecordCollector, Happenings) {
  FakeKernel kernel;
  kernel.fork(20, 10, 1);
  kernel.name(20, "child", 2, true);
  kernel.mapping(20, 0x4000, 0x1000, 0x2000, "/bin/child", 3);
  const auto happenings = collect(kernel).capture.happenings;
  ASSERT_EQ(happenings.size(), 3u);
  EXPECT_EQ(happenings[0].kind, Kind::began);
  EXPECT_EQ(happenings[0].parent, 10u);
  EXPECT_EQ(happenings[1].kind, Kind::executed);
  EXPECT_EQ(happenings[1].text, "child");
  EXPECT_EQ(happenings[2].kind, Kind::mapped);
  EXPECT_EQ(happenings[2].time_ns, 3u);
  EXPECT_EQ(happenings[2].begin, 0x4000u);
  EXPECT_EQ(happenings[2].size, 0x1000u);
  EXPECT_EQ(happenings[2].file_offset, 0x2000u);
  EXPECT_EQ(happenings[2].text, "/bin/child");
  EXPECT_EQ(happenings[2].build_id.size(), 20u);
}

TEST(RecordCollector, LossesByCause) {
  FakeKernel kernel;
  kernel.sample(1, 1, 1, 1, 1, 2);
  kernel.lost(40);
  kernel.lost(2);
  kernel.throttle();
  kernel.rubbish();
  const raw::CoreTally tally = collect(kernel).tally;
  EXPECT_EQ(tally.lost_ring_full, 42u);
  EXPECT_EQ(tally.taken, 43u) << "taken is delivered and lost";
  EXPECT_EQ(tally.throttled, 1u);
  EXPECT_EQ(tally.unreadable, 1u);
}

TEST(RecordCollector, MappingsOfARunningProgram) {
  std::vector<raw::Happening> happenings;
  add_mappings(7,
               "55e8a000-55e8b000 r--p 00000000 fe:00 12    /usr/bin/name\n"
               "55e8b000-55e8d000 r-xp 00001000 fe:00 12    /usr/bin/a name\n"
               "7f00-7e00 r-xp 00001000 fe:00 12    /backwards\n"
               "rubbish\n\n"
               "7ffd000-7ffe000 r-xp 00000000 00:00 0    [vdso]",
               happenings);
  ASSERT_EQ(happenings.size(), 2u);
  EXPECT_EQ(happenings[0].begin, 0x55e8b000u);
  EXPECT_EQ(happenings[0].size, 0x2000u);
  EXPECT_EQ(happenings[0].file_offset, 0x1000u);
  EXPECT_EQ(happenings[0].text, "/usr/bin/a name");
  EXPECT_EQ(happenings[0].process, 7u);
  EXPECT_EQ(happenings[1].text, "[vdso]");
}

}  // namespace
}  // namespace wperf::perf_events
