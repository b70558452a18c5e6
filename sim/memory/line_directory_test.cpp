// SPDX-License-Identifier: BSD-3-Clause
#include "sim/memory/line_directory.h"

#include <gtest/gtest.h>

#include <map>

#include "sim/memory/lru_sets.h"
#include "sim/memory/shared_memory_system.h"

namespace wperf::sim {
namespace {

using Copy = SnoopedCaches::Copy;

class FakeCaches final : public SnoopedCaches {
 public:
  Copy give_up(u64 line) override {
    const Copy copy = lines[line];
    lines[line] = Copy::none;
    return copy;
  }
  Copy share(u64 line) override {
    const Copy copy = lines[line];
    if (copy == Copy::dirty) lines[line] = Copy::clean;
    return copy;
  }
  void add_lines_to(u32, LineDirectory& directory) const override {
    for (const auto& [line, copy] : lines)
      if (copy != Copy::none) directory.adopt(core, line, copy == Copy::dirty);
  }
  u32 core = 0;
  std::map<u64, Copy> lines;
};

class LineDirectoryTest : public testing::Test {
 protected:
  void SetUp() override {
    for (u32 core = 0; core < 3; ++core) {
      caches[core].core = core;
      directory.attach(core, &caches[core]);
    }
  }
  void read(u32 core, u32 from) {
    EXPECT_EQ(directory.read(core, kLine), from);
    if (caches[core].lines[kLine] == Copy::none) caches[core].lines[kLine] = Copy::clean;
  }
  void write(u32 core, u32 from, bool others) {
    bool had = !others;
    EXPECT_EQ(directory.write(core, kLine, had), from);
    EXPECT_EQ(had, others);
    caches[core].lines[kLine] = Copy::dirty;
  }
  static constexpr u64 kLine = 77;
  static constexpr u32 kNobody = LineDirectory::kNobody;
  LineDirectory directory{3};
  FakeCaches caches[3];
};

TEST_F(LineDirectoryTest, ReadersShareAndAWriterIsAlone) {
  read(0, kNobody);
  read(1, kNobody);
  write(2, kNobody, true);
  EXPECT_EQ(caches[0].lines[kLine], Copy::none);
  EXPECT_EQ(caches[1].lines[kLine], Copy::none);
  write(2, kNobody, false);
  read(0, 2);
  EXPECT_EQ(caches[2].lines[kLine], Copy::clean);
  write(2, kNobody, true);
  write(1, 2, true);
}

TEST_F(LineDirectoryTest, EvictedLineIsNotFoundInItsCore) {
  write(0, kNobody, false);
  caches[0].lines[kLine] = Copy::none;
  read(1, kNobody);
  write(0, kNobody, true);
}

TEST_F(LineDirectoryTest, BeginsWithWhatIsCached) {
  caches[0].lines[kLine] = Copy::dirty;
  directory.begin(0);
  write(1, 0, true);
  EXPECT_EQ(caches[0].lines[kLine], Copy::none);
}

TEST_F(LineDirectoryTest, CoreCanBeRemoved) {
  write(0, kNobody, false);
  directory.attach(0, nullptr);
  read(1, kNobody);
}

TEST(SharedMemorySystem, PeersServeLinesOfCoherentSpacesOnly) {
  SharedConfig config;
  config.core_count = 4;
  config.cluster_size = 2;
  SharedMemorySystem shared(config);
  FakeCaches caches[4];
  for (u32 core = 0; core < 4; ++core) shared.attach(core, &caches[core]);
  const u64 line = line_key(5, 0x1000);
  EXPECT_FALSE(shared.is_coherent(5));
  EXPECT_EQ(shared.read_line(0, line, true), Served::dram);
  caches[0].lines[line] = Copy::dirty;
  EXPECT_EQ(shared.read_line(1, line, false), Served::l3);
  shared.make_coherent(5);
  EXPECT_TRUE(shared.is_coherent(5));
  EXPECT_EQ(shared.read_line(1, line, true), Served::peer_core);
  caches[1].lines[line] = Copy::dirty;
  EXPECT_EQ(shared.read_line(2, line, false), Served::peer_cluster);
  EXPECT_EQ(shared.read_line(0, line, false), Served::l3) << "where the reader before left it";
  EXPECT_TRUE(shared.own_line(0, line));
  EXPECT_FALSE(shared.own_line(0, line));
}

}  // namespace
}  // namespace wperf::sim
