// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/canonical_code.h"

#include <gtest/gtest.h>

#include "formats/perf_data/perf_data_builder_test.h"

namespace wperf::recording {
namespace {

using perf_data::ProcessHistory;
using perf_data::RecordType;
using perf_data::test::Fields;

// The position of a record in the file decides which mappings apply to it.
class CanonicalCodeTest : public testing::Test {
 protected:
  void mmap(u32 pid, u64 address, u64 length, u64 page_offset, std::string_view file) {
    builder_.add(RecordType::mmap, Fields().u32s({pid, pid}).u64s({address, length, page_offset}).text(file));
  }
  void fork(u32 pid, u32 parent) {
    builder_.add(RecordType::fork, Fields().u32s({pid, parent, pid, parent}).u64s({0}));
  }
  void collect() {
    bytes_ = builder_.build();
    history_ = ProcessHistory::collect(perf_data::PerfFile::open(bytes_).value());
    code_.emplace(history_);
    addresses_.emplace(*code_);
  }
  u64 canonical(u32 pid, u64 address) {
    const u32 space = history_.task_at(pid, pid, ~u64{0} - 1).space;
    const u64 first = addresses_->of(space, address);
    EXPECT_EQ(addresses_->of(space, address), first) << "asked again";
    return first;
  }
  static constexpr u64 kNowhere = CanonicalCode::kNowhere;

  ProcessHistory history_;
  std::optional<CanonicalCode> code_;
  std::optional<CanonicalAddresses> addresses_;

 private:
  perf_data::test::FileBuilder builder_;
  std::vector<std::byte> bytes_;
};

TEST_F(CanonicalCodeTest, OneFileHasOnePlace) {
  mmap(1, 0x10000, 0x2000, 0x1000, "/lib/a.so");
  mmap(2, 0x50000, 0x2000, 0x1000, "/lib/a.so");
  collect();
  ASSERT_EQ(code_->files().size(), 1u);
  EXPECT_EQ(code_->files()[0].base, 0xf000u);
  EXPECT_EQ(code_->files()[0].size, 0x3000u);
  EXPECT_EQ(canonical(1, 0x10010), 0x10010u);
  EXPECT_EQ(canonical(2, 0x50010), 0x10010u);
  EXPECT_EQ(canonical(2, 0x51fff), 0x11fffu);
}

TEST_F(CanonicalCodeTest, UnmappedAddressHasNoFile) {
  mmap(1, 0x10000, 0x2000, 0, "/lib/a.so");
  mmap(2, 0x50000, 0x2000, 0, "/lib/b.so");
  collect();
  EXPECT_EQ(canonical(2, 0x52000), 0x52000u | kNowhere);
  EXPECT_EQ(canonical(2, 0x10010), 0x10010u | kNowhere) << "a file is there in the other process";
  EXPECT_EQ(canonical(3, 0x10010), 0x10010u | kNowhere) << "nobody knows this process";
}

TEST_F(CanonicalCodeTest, FilesAtOneAddressGetDifferentPlaces) {
  mmap(1, 0x400000, 0x2000, 0, "/bin/a");
  mmap(2, 0x400000, 0x1000, 0, "/bin/b");
  collect();
  EXPECT_EQ(canonical(1, 0x400123), 0x400123u);
  const u64 b = canonical(2, 0x400123);
  EXPECT_NE(b, 0x400123u);
  EXPECT_EQ(b, code_->files()[1].base + 0x123);
}

TEST_F(CanonicalCodeTest, LaterMappingCoversEarlierOne) {
  mmap(1, 0x10000, 0x9000, 0, "/lib/whole");
  mmap(1, 0x12000, 0x1000, 0x5000, "/lib/hole");
  collect();
  EXPECT_EQ(canonical(1, 0x11fff), code_->files()[0].base + 0x1fff);
  EXPECT_EQ(canonical(1, 0x12000), code_->files()[1].base + 0x5000);
  EXPECT_EQ(canonical(1, 0x13000), code_->files()[0].base + 0x3000);
}

TEST_F(CanonicalCodeTest, ChildrenHaveTheirParentsCode) {
  mmap(1, 0x10000, 0x2000, 0, "/lib/a.so");
  fork(2, 1);
  mmap(1, 0x10000, 0x2000, 0, "/lib/b.so");
  collect();
  EXPECT_EQ(canonical(2, 0x10010), code_->files()[0].base + 0x10);
  EXPECT_EQ(canonical(1, 0x10010), code_->files()[1].base + 0x10);
}

TEST_F(CanonicalCodeTest, AnonymousCodeIsPerProcess) {
  mmap(1, 0x7f00'0000'0000, 0x2000, 0, "//anon");
  mmap(2, 0x7f00'0000'0000, 0x2000, 0, "//anon");
  mmap(3, 0x7f00'0000'0000, 0x2000, 0, "/lib/a.so");
  collect();
  ASSERT_EQ(code_->files().size(), 3u);
  EXPECT_EQ(canonical(3, 0x7f00'0000'0010), 0x7f00'0000'0010u);
  EXPECT_NE(canonical(1, 0x7f00'0000'0010), canonical(2, 0x7f00'0000'0010));
  for (const u32 pid : {1u, 2u}) {
    const u64 address = canonical(pid, 0x7f00'0000'0010);
    const auto in_file = [&](const CanonicalFile& file) { return address - file.base < file.size; };
    const auto file = std::find_if(code_->files().begin(), code_->files().end(), in_file);
    ASSERT_NE(file, code_->files().end());
    EXPECT_EQ(history_.codes()[file->code].first_process, pid);
    EXPECT_EQ(file->first + (address - file->base), 0x7f00'0000'0010u) << "the offset is the address";
  }
}

TEST_F(CanonicalCodeTest, AddressesNeverWrap) {
  mmap(1, 0x1000, 0x7fff'ffff'f000, 0, "//anon");
  mmap(2, 0x10000, 0x2000, ~u64{0xffff}, "/lib/far.so");
  mmap(2, 0x20000, 0x1000'0000'0000, 0, "/lib/long.so");
  collect();
  std::vector<std::pair<u64, u64>> places;
  for (const CanonicalFile& file : code_->files()) {
    EXPECT_LE(file.base + file.size, kNowhere);
    places.emplace_back(file.base, file.base + file.size);
  }
  std::sort(places.begin(), places.end());
  for (usize i = 1; i < places.size(); ++i) EXPECT_LE(places[i - 1].second, places[i].first);
}

}  // namespace
}  // namespace wperf::recording
