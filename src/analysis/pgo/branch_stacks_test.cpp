// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/pgo/branch_stacks.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <system_error>

#include "code/symbols/elf/elf_file.h"
#include "code/symbols/elf/elf_symbols.h"
#include "formats/perf_data/perf_data_builder_test.h"
#include "ground/os/mapped_file.h"

namespace wperf::pgo {
namespace {

using perf_data::RecordType;
using perf_data::test::Fields;

constexpr u64 kFields =
    perf_data::kSampleIp | perf_data::kSampleTid | perf_data::kSampleTime | perf_data::kSampleBranchStack;
constexpr u64 kHome = 0x5500'0000'0000, kOther = 0x7f00'0000'0000;
constexpr u64 kKernelAddress = ~u64{0} - 0x1000;

// Makes recordings of this test program, which is mapped as a whole.
class BranchStacksTest : public testing::Test {
 protected:
  explicit BranchStacksTest(u64 fields = kFields) : fields_(fields) {}
  void SetUp() override {
    std::error_code failed;
    path_ = std::filesystem::read_symlink("/proc/self/exe", failed).string();
    if (failed) GTEST_SKIP() << "this system does not say which program runs";
    offset_ = find_code();
    builder_.event(perf_data::test::attributes(fields_));
    map(kHome, path_);
    map(kOther, "/nowhere/other.so");
  }
  void map(u64 begin, std::string_view path) {
    builder_.add(RecordType::mmap2,
                 Fields()
                     .u32s({7, 7})
                     .u64s({begin, 0x100'0000, 0})
                     .u32s({8, 1})
                     .u64s({99, 0})
                     .u32s({5, 2})
                     .text(path)
                     .u32s({7, 7})
                     .u64s({1}),
                 perf_data::kUserMode);
  }
  // Adds a sample. Arguments: from, to and flags of each branch, newest first. `claimed`: the number of branches that
  // the record claims.
  void sample(std::initializer_list<u64> branches, std::optional<u64> claimed = std::nullopt) {
    constexpr u64 kNoIndex = ~u64{0};
    Fields body;
    body.u64s({kHome + offset_}).u32s({7, 7}).u64s({2, claimed.value_or(branches.size() / 3), kNoIndex}).u64s(branches);
    builder_.add(RecordType::sample, body, perf_data::kUserMode);
  }
  const Binary* read() {
    bytes_ = builder_.build();
    const perf_data::PerfFile file = perf_data::PerfFile::open(bytes_).value();
    const recording::RecordedSamples recorded = recording::read_recorded_samples(file, {.code = true});
    const modules::CodeFile* const code = recorded.files.find(0);
    if (code != nullptr) {
      const std::optional<u64> linked = code->address_of_offset(offset_);
      if (linked.has_value()) moved_ = *linked - offset_;
    }
    add_samples(recorded, ~usize{0}, counts_);
    add_branch_stacks(file, recorded, false, counts_);
    return counts_.binaries.empty() ? nullptr : &counts_.binaries.front();
  }
  // An address in the code of this program.
  u64 code(u64 offset) const { return kHome + offset_ + offset; }
  u64 linked(u64 offset) const { return moved_ + offset_ + offset; }

  perf_data::test::FileBuilder builder_;
  ProfileCounts counts_;

 private:
  // The offset in the file of a function in .text.
  u64 find_code() const {
    constexpr u64 kStep = 16, kEnough = 64;  // bytes
    const auto mapped = os::MappedFile::open("/proc/self/exe");
    const auto elf = symbols::ElfFile::parse(mapped.value().bytes());
    const symbols::ElfSection text = *elf.value().section(".text");
    const auto known = symbols::ElfSymbols::read(&elf.value(), nullptr, nullptr);
    for (u64 at = text.address; at < text.address + text.size; at += kStep) {
      const symbols::ElfSymbol* const function = known.find(at);
      if (function != nullptr && function->begin >= at && function->end >= function->begin + kEnough) {
        return function->begin - text.address + text.offset;
      }
    }
    return text.offset;
  }
  u64 fields_;
  std::string path_;
  std::vector<std::byte> bytes_;
  u64 moved_ = 0;
  u64 offset_ = 0;
};

TEST_F(BranchStacksTest, CodeBetweenTwoBranchesIsRange) {
  sample({code(8), code(0), 1, code(4), code(0), 0});
  sample({code(8), code(0), 0});
  const Binary* const binary = read();
  ASSERT_NE(binary, nullptr);
  EXPECT_EQ(counts_.branch_stacks, 2);
  const auto counts = counts_of(*binary, {0});
  ASSERT_EQ(counts.branches.size(), 2);
  EXPECT_EQ(counts.branches[0], (compiler_profiles::BranchCount{linked(4), linked(0), 1, 0}));
  EXPECT_EQ(counts.branches[1], (compiler_profiles::BranchCount{linked(8), linked(0), 2, 1}));
  EXPECT_EQ(counts.ranges, (std::vector<compiler_profiles::RangeCount>{{linked(0), linked(8), 1}}));
}

TEST_F(BranchStacksTest, BranchesFromElsewhereAreEntriesOfTheirTargets) {
  sample({code(8), code(0), 0, kOther + 4, code(0), 0});
  sample({code(8), code(4), 0, kKernelAddress, code(4), 0});
  sample({code(4), kOther, 0, code(4), kKernelAddress, 0, kOther, kOther + 8, 0});
  const Binary* const binary = read();
  ASSERT_NE(binary, nullptr);
  const auto counts = counts_of(*binary, {0});
  EXPECT_EQ(counts.entries, (std::vector<compiler_profiles::AddressCount>{{linked(0), 1}, {linked(4), 1}}));
  EXPECT_EQ(counts.branches.size(), 2);
  EXPECT_EQ(counts.ranges.size(), 2);
}

TEST_F(BranchStacksTest, RangesThatCannotBeAreCounted) {
  sample({code(0), code(0), 0, code(4), code(16), 0});               // the range ends before it begins
  sample({code(0x8000), code(0), 0, code(4), code(0), 0});           // the range covers several functions
  sample({kOther + 8, code(0), 0, code(4), code(0), 0});             // a branch to another file
  sample({code(4), code(0), 0, kKernelAddress, kKernelAddress, 0});  // a branch from the kernel
  read();
  EXPECT_EQ(counts_.drops.ranges_backwards, 1);
  EXPECT_EQ(counts_.drops.ranges_across_functions, 1);
  EXPECT_EQ(counts_.drops.ranges_elsewhere, 2);
  EXPECT_EQ(counts_.drops.branches_elsewhere, 2);
}

class PeriodsTest : public BranchStacksTest {
 protected:
  PeriodsTest()
      : BranchStacksTest(perf_data::kSampleIp | perf_data::kSampleTid | perf_data::kSampleTime |
                         perf_data::kSamplePeriod) {}
  void sample(u64 offset, u64 period) {
    Fields body;
    body.u64s({code(offset)}).u32s({7, 7}).u64s({2, period});
    builder_.add(RecordType::sample, body, perf_data::kUserMode);
  }
  std::vector<u64> counts(compiler_profiles::AddressCounts (*counted)(const Binary&, const std::vector<u32>&)) {
    std::vector<u64> out;
    for (const auto& one : counted(counts_.binaries.front(), {0}).samples) out.push_back(one.count);
    return out;
  }
  static compiler_profiles::AddressCounts weighted(const Binary& binary, const std::vector<u32>& events) {
    return weighted_by_periods(counts_of(binary, events), binary, events);
  }
};

TEST_F(PeriodsTest, ASampleCountsAsItsPeriod) {
  for (u32 i = 0; i < 100; ++i) {
    sample(0, 100);
    sample(16, 9900);
  }
  ASSERT_NE(read(), nullptr);
  EXPECT_EQ(counts(counts_of), (std::vector<u64>{100, 100}));
  EXPECT_EQ(counts(weighted), (std::vector<u64>{2, 198}));
}

TEST_F(PeriodsTest, OnePeriodIsNoWeight) {
  for (u32 i = 0; i < 3; ++i) sample(0, 7001);
  sample(16, 7001);
  ASSERT_NE(read(), nullptr);
  EXPECT_TRUE(counts_.binaries.front().weighted.empty());
  EXPECT_EQ(counts(weighted), (std::vector<u64>{3, 1}));
}

TEST_F(BranchStacksTest, StackLongerThanRecordIsDamage) {
  sample({code(8), code(0), 0});
  sample({code(8), code(0), 0}, 1'000'000);
  sample({code(8), code(0), 0}, ~u64{0} / 24 + 2);
  read();
  EXPECT_EQ(counts_.branch_stacks, 1);
}

}  // namespace
}  // namespace wperf::pgo
