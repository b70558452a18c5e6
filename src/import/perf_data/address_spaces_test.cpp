// SPDX-License-Identifier: BSD-3-Clause
#include "import/perf_data/address_spaces.h"

#include <gtest/gtest.h>

#include "import/perf_data/perf_data_builder_test.h"

namespace wperf::perf_data {
namespace {

using test::Fields;
using test::FileBuilder;

class Recorded {
 public:
  Recorded() { builder_.event(test::attributes(kSampleIp, 0, 0)); }
  Recorded& mmap(u32 pid, u64 address, u64 length, u64 offset, std::string_view file) {
    builder_.add(RecordType::mmap, Fields().u32s({pid, pid}).u64s({address, length, offset}).text(file));
    return *this;
  }
  Recorded& comm(u32 pid, u32 tid, std::string_view name) {
    builder_.add(RecordType::comm, Fields().u32s({pid, tid}).text(name));
    return *this;
  }
  Recorded& fork(u32 pid, u32 parent, u32 tid) {
    builder_.add(RecordType::fork, Fields().u32s({pid, parent, tid, parent}).u64s({0}));
    return *this;
  }
  AddressSpaces collect() {
    bytes_ = builder_.build();
    return AddressSpaces::collect(PerfFile::open(bytes_).value());
  }

 private:
  FileBuilder builder_;
  std::vector<std::byte> bytes_;
};

u64 home(const AddressSpaces& spaces, u32 pid, u64 address) {
  const AddressSpaces::Space* space = spaces.space_of(pid);
  if (space == nullptr) return address;
  u32 hint = 1000;
  const u64 first = spaces.at_home(*space, address, hint);
  EXPECT_EQ(spaces.at_home(*space, address, hint), first);
  return first;
}

TEST(AddressSpaces, OneFileHasOneHome) {
  Recorded recorded;
  const AddressSpaces spaces =
      recorded.mmap(1, 0x10000, 0x2000, 0x1000, "/lib/a.so").mmap(2, 0x50000, 0x2000, 0x1000, "/lib/a.so").collect();
  ASSERT_EQ(spaces.files().size(), 1u);
  EXPECT_EQ(spaces.files()[0].home, 0xf000u);
  EXPECT_EQ(spaces.files()[0].size, 0x3000u);
  EXPECT_EQ(home(spaces, 1, 0x10010), 0x10010u);
  EXPECT_EQ(home(spaces, 2, 0x50010), 0x10010u);
  EXPECT_EQ(home(spaces, 2, 0x52000), 0x52000u);  // behind it
  EXPECT_EQ(home(spaces, 3, 0x50010), 0x50010u);  // nobody
  EXPECT_EQ(spaces.only_process(), AddressSpaces::kNobody);
}

TEST(AddressSpaces, FilesAtOneAddressGetDifferentHomes) {
  Recorded recorded;
  const AddressSpaces spaces =
      recorded.mmap(1, 0x400000, 0x2000, 0, "/bin/a").mmap(2, 0x400000, 0x1000, 0, "/bin/b").collect();
  EXPECT_EQ(home(spaces, 1, 0x400123), 0x400123u);
  const u64 b = home(spaces, 2, 0x400123);
  EXPECT_NE(b, 0x400123u);
  EXPECT_EQ(b, spaces.files()[1].home + 0x123);
}

TEST(AddressSpaces, ALaterMappingCoversAnEarlierOne) {
  Recorded recorded;
  const AddressSpaces spaces =
      recorded.mmap(1, 0x10000, 0x9000, 0, "/lib/whole").mmap(1, 0x12000, 0x1000, 0x5000, "/lib/hole").collect();
  const auto& files = spaces.files();
  EXPECT_EQ(home(spaces, 1, 0x11fff), files[0].home + 0x1fff);
  EXPECT_EQ(home(spaces, 1, 0x12000), files[1].home + 0x5000);
  EXPECT_EQ(home(spaces, 1, 0x13000), files[0].home + 0x3000);
}

TEST(AddressSpaces, ChildrenInheritThreadsShare) {
  Recorded recorded;
  const AddressSpaces spaces = recorded.comm(1, 1, "parent")
                                   .mmap(1, 0x10000, 0x1000, 0, "/bin/p")
                                   .fork(2, 1, 2)
                                   .fork(1, 1, 7)
                                   .mmap(1, 0x20000, 0x1000, 0, "/bin/q")
                                   .collect();
  EXPECT_EQ(home(spaces, 2, 0x10000), spaces.files()[0].home);
  EXPECT_EQ(home(spaces, 2, 0x20000), 0x20000u);  // mapped after the fork
  EXPECT_EQ(spaces.process_of_thread(7), 1u);
  EXPECT_EQ(spaces.process_of_thread(8), AddressSpaces::kNobody);
  EXPECT_EQ(spaces.find_process(2)->name, "parent");
  EXPECT_EQ(spaces.find_process(3), nullptr);
}

TEST(AddressSpaces, MappingsThatCannotBeAreLeftOut) {
  Recorded recorded;
  const AddressSpaces spaces = recorded.mmap(1, ~u64{0xfff}, 0x10000, 0, "/bin/wraps")
                                   .mmap(1, 0x1000, 0, 0, "/bin/empty")
                                   .mmap(1, 0x1000, 0x1000, ~u64{0}, "/bin/beyond")
                                   .collect();
  EXPECT_TRUE(spaces.files().empty());
}

}  // namespace
}  // namespace wperf::perf_data
