// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <thread>

#include "formats/perf_data/event_table.h"
#include "machine/perf_events/recording_thread_linux.h"

namespace wperf::perf_events {
namespace {

TEST(RecordingThread, TakesWhatWasThereBeforeWhileItRuns) {
  const std::string path = testing::TempDir() + "wperf_recording_thread_" + std::to_string(getpid());
  {
    auto created = os::RecordingFile::create(path);
    ASSERT_TRUE(created.has_value());
    os::RecordingFile file = std::move(created).value();
    std::vector<SampleRing> none;
    RecordingThread thread(none, file);
    ASSERT_TRUE(thread.start().has_value());
    thread.add_earlier("what was there");
    thread.stop();
    EXPECT_FALSE(file.error().has_value());
  }
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::remove(path.c_str());
  EXPECT_EQ(bytes, "what was there");  // no samples, so there is no mark of a round
}

// The clocks advance only when the filter changes them.
std::atomic<u64> fake_now_ns, fake_processor_ns;
constexpr RecordingClocks kClocks = {.now = [] { return fake_now_ns.load(); },
                                     .processor_time = [] { return fake_processor_ns.load(); }};
constexpr u64 kRoundNs = 1'000'000;

// A ring that the test fills.
class OwnRing {
 public:
  OwnRing() : file_(memfd_create("ring", MFD_CLOEXEC)) {
    EXPECT_EQ(ftruncate(file_.number(), static_cast<off_t>(size())), 0);
    page_ = static_cast<perf_event_mmap_page*>(
        mmap(nullptr, size(), PROT_READ | PROT_WRITE, MAP_SHARED, file_.number(), 0));
    EXPECT_NE(page_, MAP_FAILED);
    auto ring = SampleRing::map(file_, {.watched = file_.number()});
    EXPECT_TRUE(ring.has_value());
    rings_.push_back(std::move(ring).value());
  }
  ~OwnRing() { munmap(page_, size()); }
  OwnRing(const OwnRing&) = delete;
  OwnRing& operator=(const OwnRing&) = delete;

  std::vector<SampleRing>& rings() { return rings_; }
  void put(std::string_view records) {
    const std::span<std::byte> ring(reinterpret_cast<std::byte*>(page_) + sysconf(_SC_PAGESIZE), kRingBytes);
    for (usize i = 0; i < records.size(); ++i)
      ring[static_cast<usize>((page_->data_head + i) % kRingBytes)] = static_cast<std::byte>(records[i]);
    write(records.size());
  }
  void write(u64 bytes) { std::atomic_ref<__u64>(page_->data_head).fetch_add(bytes, std::memory_order_release); }

 private:
  static usize size() { return kRingBytes + static_cast<usize>(sysconf(_SC_PAGESIZE)); }

  Descriptor file_;
  perf_event_mmap_page* page_ = nullptr;
  std::vector<SampleRing> rings_;
};

// A filter that is slow in every other round, and records whether it was hurried.
class SlowFilter final : public perf_data::RecordFilter {
 public:
  // After each round the ring has `waiting` bytes. `own`: the filter itself uses the CPU time; otherwise other threads
  // do.
  SlowFilter(OwnRing& ring, u64 waiting, bool own) : ring_(ring), waiting_(waiting), own_(own) {}

  void begin(std::span<const perf_data::WrittenEvent>) override {}
  void take(std::span<const std::byte>, std::span<const std::byte>) override {}
  void set_hurried(bool is_hurried) override {
    const std::lock_guard lock(mutex_);
    if (rounds_ != 0) ++(was_slow_ ? after_slow_ : after_quick_)[is_hurried ? 1 : 0];
    fake_now_ns += kRoundNs;
  }
  void settle(u64, std::string&) override {
    const std::lock_guard lock(mutex_);
    ring_.write(waiting_);  // the round emptied it
    was_slow_ = rounds_++ % 2 == 0;
    if (!was_slow_) return;
    fake_now_ns += 9 * kRoundNs;
    if (own_) fake_processor_ns += 9 * kRoundNs;
  }
  perf_data::StackFacts stacks() const override { return {}; }

  struct Told {
    u64 after_slow[2], after_quick[2];  // index: not hurried, hurried
  };
  Told told() const {
    const std::lock_guard lock(mutex_);
    return {{after_slow_[0], after_slow_[1]}, {after_quick_[0], after_quick_[1]}};
  }

 private:
  OwnRing& ring_;
  const u64 waiting_;
  const bool own_;
  mutable std::mutex mutex_;
  u64 rounds_ = 0;
  bool was_slow_ = false;
  u64 after_slow_[2] = {}, after_quick_[2] = {};
};

SlowFilter::Told told_in_some_rounds(u64 waiting, bool own) {
  auto created = os::RecordingFile::create({});
  EXPECT_TRUE(created.has_value());
  OwnRing ring;
  SlowFilter filter(ring, waiting, own);
  RecordingThread thread(ring.rings(), created.value(), &filter, kClocks);
  EXPECT_TRUE(thread.start().has_value());
  thread.add_earlier({});
  constexpr u64 kRounds = 3;  // of each kind
  for (;;) {
    const SlowFilter::Told told = filter.told();
    if (told.after_slow[0] + told.after_slow[1] >= kRounds && told.after_quick[0] + told.after_quick[1] >= kRounds)
      break;
    std::this_thread::yield();
  }
  thread.stop();
  return filter.told();
}

std::string record(perf_data::RecordType type, u64 number, usize size) {
  const u64 head[] = {static_cast<u32>(type) | u64{size} << 48, number};
  std::string out(reinterpret_cast<const char*>(head), sizeof head);
  out.resize(size, 'x');
  return out;
}

// Checks that the samples that are taken later were shown before.
class SeeingFilter final : public perf_data::RecordFilter {
 public:
  void begin(std::span<const perf_data::WrittenEvent>) override {}
  bool wants_to_see() const override { return true; }
  bool see(std::span<const std::byte> beginning, u64) override {
    const std::lock_guard lock(mutex_);
    seen_.push_back(number_at(beginning, 0));
    most_shown_ = std::max(most_shown_, beginning.size());
    return true;
  }
  void take(std::span<const std::byte> first, std::span<const std::byte> second) override {
    std::vector<std::byte> all(first.begin(), first.end());
    all.insert(all.end(), second.begin(), second.end());
    const std::lock_guard lock(mutex_);
    for (usize at = 0; at < all.size();) {
      u64 header = 0;
      std::memcpy(&header, all.data() + at, sizeof header);
      const bool is_sample = static_cast<u32>(header) == static_cast<u32>(perf_data::RecordType::sample);
      if (is_sample) taken_.push_back(number_at(all, at));
      if (is_sample && std::ranges::find(seen_, taken_.back()) == seen_.end()) was_unseen_ = true;
      at += static_cast<usize>(header >> 48);
    }
  }
  void set_hurried(bool) override {}
  void settle(u64, std::string&) override {}
  perf_data::StackFacts stacks() const override { return {}; }

  usize taken() {
    const std::lock_guard lock(mutex_);
    return taken_.size();
  }
  std::mutex mutex_;
  std::vector<u64> seen_, taken_;
  usize most_shown_ = 0;
  bool was_unseen_ = false;

 private:
  static u64 number_at(std::span<const std::byte> bytes, usize offset) {
    u64 number = 0;
    std::memcpy(&number, bytes.data() + offset + sizeof number, sizeof number);
    return number;
  }
};

TEST(RecordingThread, AFilterSeesEachSampleBeforeItComes) {
  auto created = os::RecordingFile::create({});
  ASSERT_TRUE(created.has_value());
  OwnRing ring;
  SeeingFilter filter;
  RecordingThread thread(ring.rings(), created.value(), &filter);
  ASSERT_TRUE(thread.start().has_value());
  thread.add_earlier({});
  std::vector<u64> written;
  constexpr usize kSize = 5 * kRingBytes / 64 / 8 * 8 + 8;  // so that some records cross the end of the ring
  for (u64 number = 1; number <= 200; ++number) {
    const bool is_sample = number % 3 != 0;
    ring.put(record(is_sample ? perf_data::RecordType::sample : perf_data::RecordType::comm, number, kSize));
    if (is_sample) written.push_back(number);
    while (number % 8 == 0 && filter.taken() < written.size()) std::this_thread::yield();
  }
  thread.stop();
  EXPECT_EQ(filter.seen_, written);
  EXPECT_EQ(filter.taken_, written);
  EXPECT_FALSE(filter.was_unseen_);
  EXPECT_EQ(filter.most_shown_, perf_data::kSampleOwnerBytes);
}

TEST(RecordingThread, ARingThatFillsIsEnlargedOnce) {
  for (const u64 waiting : {kRingBytes / 4 * 3 - 8, kRingBytes / 4 * 3}) {
    auto created = os::RecordingFile::create({});
    ASSERT_TRUE(created.has_value());
    OwnRing ring;
    ring.write(waiting);
    std::vector<usize> enlarged;
    RecordingThread thread(ring.rings(), created.value(), nullptr, kClocks,
                           [&](usize number) { enlarged.push_back(number); });
    thread.carry_over();
    thread.carry_over();
    EXPECT_EQ(enlarged, waiting < kRingBytes / 4 * 3 ? std::vector<usize>{} : std::vector<usize>{0})
        << "it is empty the second time";
    EXPECT_EQ(created.value().size(), waiting);
  }
}

TEST(RecordingThread, SlowFilterIsHurriedWhenRingFills) {
  const SlowFilter::Told told = told_in_some_rounds(kRingBytes / 4 * 3, true);
  EXPECT_EQ(told.after_slow[0], 0u);
  EXPECT_GE(told.after_slow[1], 3u);
  EXPECT_EQ(told.after_quick[1], 0u) << "it kept up again";
}

TEST(RecordingThread, AFilterHasItsTimeWhileRingsHaveRoom) {
  const SlowFilter::Told told = told_in_some_rounds(kRingBytes / 4 * 3 - 8, true);
  EXPECT_EQ(told.after_slow[1], 0u);
  EXPECT_EQ(told.after_quick[1], 0u);
}

TEST(RecordingThread, FilterTimeExcludesPreemption) {
  const SlowFilter::Told told = told_in_some_rounds(kRingBytes / 4 * 3, false);
  EXPECT_EQ(told.after_slow[1], 0u);
  EXPECT_EQ(told.after_quick[1], 0u);
}

}  // namespace
}  // namespace wperf::perf_events
