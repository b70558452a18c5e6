// SPDX-License-Identifier: BSD-3-Clause
// section.h with software events, which any Linux machine can count. tests/arm_linux tests it with a processor's
// events.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wperf/section.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <thread>

namespace {

// Pages that are not in memory yet.
class FreshPages {
 public:
  explicit FreshPages(std::size_t pages)
      : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))), size_(pages * page_) {
    void* const memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(memory, MAP_FAILED);
    madvise(memory, size_, MADV_NOHUGEPAGE);
    memory_ = static_cast<volatile char*>(memory);
  }
  ~FreshPages() { munmap(const_cast<char*>(memory_), size_); }
  FreshPages(const FreshPages&) = delete;
  FreshPages& operator=(const FreshPages&) = delete;

  void touch() {
    for (std::size_t at = 0; at < size_; at += page_) memory_[at] = 1;
  }

 private:
  std::size_t page_, size_;
  volatile char* memory_ = nullptr;
};

std::uint64_t thread_time_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

void work_for(std::uint64_t nanoseconds) {
  const std::uint64_t end = thread_time_ns() + nanoseconds;
  while (thread_time_ns() < end) {
  }
}

class SectionTest : public testing::Test {
 protected:
  void SetUp() override {
    const wperf::Count faults = wperf::Counters({"page-faults"})["page-faults"];
    if (!faults.value.has_value()) GTEST_SKIP() << "this machine does not count page faults: " << faults.absent;
  }
};

TEST_F(SectionTest, CountsEachPageThatIsTouched) {
  wperf::Counters counters({"page-faults"});
  FreshPages pages(1000);
  FreshPages outside(1000);
  {
    const wperf::Section section(counters);
    pages.touch();
  }
  outside.touch();
  EXPECT_EQ(counters["page-faults"].value, 1000u);
  EXPECT_EQ(counters.sections(), 1u);
}

TEST_F(SectionTest, SectionsAddUpUntilReset) {
  wperf::Counters counters({"page-faults", "minor-faults"});
  FreshPages first(10), second(20), third(5);
  for (FreshPages* pages : {&first, &second}) {
    const wperf::Section section(counters);
    pages->touch();
  }
  EXPECT_EQ(counters["page-faults"].value, 30u);
  EXPECT_EQ(counters["minor-faults"].value, 30u);
  EXPECT_EQ(counters.sections(), 2u);
  counters.reset();
  EXPECT_EQ(counters["page-faults"].value, 0u);
  {
    const wperf::Section section(counters);
    third.touch();
  }
  EXPECT_EQ(counters["page-faults"].value, 5u);
}

TEST_F(SectionTest, EventsOfSeveralSourcesAreAllCountedInEachSection) {
  wperf::Counters counters({"task-clock", "page-faults", "cpu-migrations", "task-clock"});
  for (int i = 0; i < 3; ++i) {
    FreshPages pages(100);
    const wperf::Section section(counters);
    pages.touch();
    work_for(2'000'000);
  }
  const std::vector<wperf::Count> counts = counters.counts();
  ASSERT_EQ(counts.size(), 4u);
  EXPECT_GT(counts[0].value, 6'000'000u);
  EXPECT_EQ(counts[1].value, 300u);
  EXPECT_GT(counts[3].value, 6'000'000u) << "the same event again";
}

TEST_F(SectionTest, TimeIsThatOfTheSectionWithoutTheOverhead) {
  wperf::Counters counters({"task-clock"});
  const std::uint64_t before = thread_time_ns();
  {
    const wperf::Section section(counters);
    work_for(20'000'000);
  }
  const std::uint64_t outside = thread_time_ns() - before;
  const wperf::Count clock = counters["task-clock"];
  EXPECT_GE(clock.value, 19'900'000u);
  EXPECT_LE(clock.value, outside + outside / 10) << "another clock, which a hypervisor may stop at other times";
  EXPECT_EQ(clock.share, 1);
}

TEST_F(SectionTest, OverheadOfEmptySectionsIsSubtractedAndShown) {
  constexpr std::uint64_t kSections = 1000;
  wperf::Counters counters({"task-clock", "page-faults"});
  for (std::uint64_t i = 0; i < kSections; ++i) const wperf::Section section(counters);
  const wperf::Count clock = counters["task-clock"], faults = counters["page-faults"];
  EXPECT_EQ(faults.value, 0u);
  EXPECT_EQ(faults.overhead, 0u);
  EXPECT_GT(clock.overhead, 0u);
  EXPECT_EQ(clock.overhead % kSections, 0u);
  EXPECT_EQ(clock.value, clock.counted - std::min(clock.counted, clock.overhead));
  EXPECT_NE(wperf::text(counters.counts()).find("overhead of " + std::to_string(clock.overhead)), std::string::npos);
}

TEST_F(SectionTest, AnotherThreadIsNotCounted) {
  wperf::Counters counters({"page-faults"});
  FreshPages pages(1000);
  {
    const wperf::Section section(counters);
    std::thread([&pages] { pages.touch(); }).join();
  }
  EXPECT_LT(counters["page-faults"].value, 100u);
}

TEST_F(SectionTest, SectionsOfAnotherThreadHaveAReasonInsteadOfAValue) {
  wperf::Counters counters({"page-faults"});
  FreshPages pages(1000), own(10);
  std::thread([&] {
    const wperf::Section section(counters);
    pages.touch();
  }).join();
  EXPECT_FALSE(counters["page-faults"].value.has_value());
  EXPECT_EQ(counters["page-faults"].absent, "another thread or process used these counters");
  EXPECT_EQ(counters.sections(), 0u);
  counters.reset();
  {
    const wperf::Section section(counters);
    own.touch();
  }
  EXPECT_EQ(counters["page-faults"].value, 10u);
}

TEST_F(SectionTest, SectionsOfAForkedProcessHaveAReasonInsteadOfAValue) {
  wperf::Counters counters({"page-faults"});
  FreshPages pages(10);
  const pid_t child = fork();
  if (child == 0) {
    {
      const wperf::Section section(counters);
      pages.touch();
    }
    const bool says_why = counters["page-faults"].absent == "another thread or process used these counters";
    _exit(says_why && !counters["page-faults"].value.has_value() ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(counters["page-faults"].value, 0u);
}

TEST_F(SectionTest, TwoCountersDoNotDisturbEachOther) {
  wperf::Counters outer({"page-faults"}), inner({"page-faults"});
  FreshPages first(10), second(20);
  {
    const wperf::Section outer_section(outer);
    first.touch();
    const wperf::Section inner_section(inner);
    second.touch();
  }
  EXPECT_EQ(outer["page-faults"].value, 30u);
  EXPECT_EQ(inner["page-faults"].value, 20u);
}

TEST_F(SectionTest, ASectionWithinASectionOfTheSameCountersBelongsToIt) {
  wperf::Counters counters({"page-faults"});
  FreshPages before(100), within(50), after(25);
  {
    const wperf::Section outer(counters);
    before.touch();
    {
      const wperf::Section inner(counters);
      within.touch();
    }
    after.touch();
  }
  EXPECT_EQ(counters["page-faults"].value, 175u);
  EXPECT_EQ(counters.sections(), 1u);
}

TEST_F(SectionTest, UnknownEventsHaveAReasonAndTheOthersCount) {
  wperf::Counters counters({"no-such-event", "page-faults", "../type", "rxyz"});
  FreshPages pages(7);
  {
    const wperf::Section section(counters);
    pages.touch();
  }
  for (const char* name : {"no-such-event", "../type", "rxyz"}) {
    EXPECT_FALSE(counters[name].value.has_value());
    EXPECT_EQ(counters[name].absent, "this machine has no event of this name");
  }
  EXPECT_EQ(counters["page-faults"].value, 7u);
  EXPECT_EQ(counters["cycles"].absent, "it is not one of these counters");
  EXPECT_NE(wperf::text(counters.counts()).find("absent  no-such-event: this machine has no event"), std::string::npos);
}

TEST(Section, AnEventOfTheProcessorHasAValueOrAReason) {
  wperf::Counters counters({"instructions"});
  {
    const wperf::Section section(counters);
    work_for(1'000'000);
  }
  const wperf::Count instructions = counters["instructions"];
  EXPECT_NE(instructions.value.has_value(), !instructions.absent.empty());
  if (instructions.value.has_value()) {
    EXPECT_GT(instructions.value, 1000u);
  }
}

TEST(Section, BitsGoWhereTheFormatOfTheUnitWantsThem) {
  using wperf::section_detail::Event;
  Event event;
  EXPECT_TRUE(wperf::section_detail::place_bits("config:0-7,32-35", 0xabc, event));
  EXPECT_EQ(event.config, 0xa'0000'00bcu);
  EXPECT_TRUE(wperf::section_detail::place_bits("config1:63", 1, event));
  EXPECT_EQ(event.config1, 1ull << 63);
  EXPECT_TRUE(wperf::section_detail::place_bits("config2:4", 0, event));
  EXPECT_EQ(event.config2, 0u);
  for (const char* wrong : {"", "config", "config:", "config:64", "config:3-1", "config3:0", "config:0-7x"}) {
    EXPECT_FALSE(wperf::section_detail::place_bits(wrong, 1, event)) << wrong;
  }
  EXPECT_FALSE(wperf::section_detail::place_bits("config:0-7", 0x100, event)) << "more bits than there is room for";
}

TEST(Section, NumbersAreWholeOrRefused) {
  std::uint64_t number = 0;
  EXPECT_TRUE(wperf::section_detail::parse_number("0x1b", 0, number));
  EXPECT_EQ(number, 0x1bu);
  EXPECT_TRUE(wperf::section_detail::parse_number("1b", 16, number));
  EXPECT_EQ(number, 0x1bu);
  for (const char* wrong : {"", "-1", " 1", "1 ", "x1"}) {
    EXPECT_FALSE(wperf::section_detail::parse_number(wrong, 0, number)) << wrong;
  }
}

}  // namespace
