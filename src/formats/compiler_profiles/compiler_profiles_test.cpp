// SPDX-License-Identifier: BSD-3-Clause
#include "formats/compiler_profiles/compiler_profiles.h"

#include <gtest/gtest.h>

#include <cstring>
#include <sstream>
#include <tuple>

namespace wperf::compiler_profiles {
namespace {

AddressCounts some_counts() {
  return {.samples = {{0x1150, 7}, {0x1a00, 1}},
          .ranges = {{0x1150, 0x1160, 4}, {0x2000, 0x2000, 9}},
          .branches = {{0x1160, 0x2000, 5, 2}}};
}

// Reads what llvm_unsymbolized() writes, by the description of the format.
struct ReadUnsymbolized {
  std::vector<RangeCount> ranges;
  std::vector<BranchCount> branches;
};
ReadUnsymbolized read_unsymbolized(const std::string& text) {
  ReadUnsymbolized out;
  std::istringstream in(text);
  usize lines = 0;
  in >> std::dec >> lines;
  for (usize i = 0; i < lines; ++i) {
    RangeCount& one = out.ranges.emplace_back();
    char dash = 0, colon = 0;
    in >> std::hex >> one.begin >> dash >> one.last >> colon >> std::dec >> one.count;
    EXPECT_EQ(dash, '-');
    EXPECT_EQ(colon, ':');
  }
  in >> std::dec >> lines;
  for (usize i = 0; i < lines; ++i) {
    BranchCount& one = out.branches.emplace_back();
    char dash = 0, arrow = 0, colon = 0;
    in >> std::hex >> one.from >> dash >> arrow >> one.to >> colon >> std::dec >> one.count;
    EXPECT_EQ(dash, '-');
    EXPECT_EQ(arrow, '>');
  }
  EXPECT_FALSE(in.fail());
  in >> std::ws;
  EXPECT_TRUE(in.eof());
  return out;
}

TEST(LlvmUnsymbolized, RangesReplaceSamples) {
  const ReadUnsymbolized read = read_unsymbolized(llvm_unsymbolized(some_counts()));
  EXPECT_EQ(read.ranges, some_counts().ranges);
  ASSERT_EQ(read.branches.size(), 1);
  EXPECT_EQ(std::tuple(read.branches[0].from, read.branches[0].to, read.branches[0].count),
            std::tuple(0x1160, 0x2000, 5));
}

TEST(LlvmUnsymbolized, ASampleIsARangeOfOneInstruction) {
  AddressCounts counts = some_counts();
  counts.ranges.clear();
  counts.branches.clear();
  const ReadUnsymbolized read = read_unsymbolized(llvm_unsymbolized(counts));
  EXPECT_EQ(read.ranges, (std::vector<RangeCount>{{0x1150, 0x1150, 7}, {0x1a00, 0x1a00, 1}}));
  EXPECT_TRUE(read.branches.empty());
}

TEST(Bolt, BranchesComeBeforeFallThroughs) {
  EXPECT_EQ(bolt_branches(some_counts()), "B 1160 2000 5 2\nF 1150 1160 4\nF 2000 2000 9\n");
}

TEST(Bolt, BlanksInNamesAreEscaped) {
  const FunctionSample samples[] = {{"work", 0x1c, 12}, {"operator new(unsigned long)/1", 0, 1}};
  EXPECT_EQ(bolt_samples("cycles", samples), "no_lbr cycles\n1 work 1c 12\n1 operator\\ new(unsigned\\ long)/1 0 1\n");
}

// Reads a .spt file by Microsoft's description of it.
class SptReader {
 public:
  struct Module {
    std::string name, guid;
    u32 age = 0;
    std::vector<std::tuple<u8, u32, u64>> samples;  // type, RVA, count
  };
  explicit SptReader(const std::string& bytes) : bytes_(bytes) {
    EXPECT_EQ(number<u32>(0), 0x5350543A);
    EXPECT_EQ(number<u32>(4), 1);
    const u32 names = number<u32>(16), ids = number<u32>(20);
    const u16 used = number<u16>(24), room = number<u16>(26), count = number<u16>(28), id_room = number<u16>(30);
    EXPECT_LE(used, room);
    EXPECT_EQ(ids, names + room);
    for (u32 i = 0; i < count; ++i) {
      const usize at = ids + i * usize{24};
      modules.push_back({.name = bytes_.c_str() + names + number<u32>(at + 20),
                         .guid = bytes_.substr(at, 16),
                         .age = number<u32>(at + 16),
                         .samples = {}});
    }
    read_stream(ids + id_room * usize{24});
  }
  std::vector<Module> modules;

 private:
  template <class T>
  T number(usize at) const {
    T value = 0;
    EXPECT_LE(at + sizeof value, bytes_.size());
    if (at + sizeof value <= bytes_.size()) std::memcpy(&value, bytes_.data() + at, sizeof value);
    return value;
  }
  void read_stream(usize at) {
    while (at < bytes_.size()) {
      ASSERT_EQ(number<u8>(at), 0x81);
      const u16 module = number<u16>(at + 2);
      const usize end = at + 4 + number<u32>(at + 4);
      ASSERT_LE(end, bytes_.size());
      ASSERT_LT(module, modules.size());
      u64 repeat = 1;
      for (at += 8; at < end;) {
        const u8 type = number<u8>(at);
        if (type == 0x82) {
          repeat = number<u64>(at + 2);
          at += 10;
          continue;
        }
        const u8 addresses = number<u8>(at + 1);
        at += 2;
        for (u8 i = 0; i < addresses; ++i, at += 4) modules[module].samples.emplace_back(type, number<u32>(at), repeat);
        repeat = 1;
      }
      ASSERT_EQ(at, end);
    }
  }
  const std::string& bytes_;
};

TEST(Spt, AReaderFindsModulesAndSamples) {
  SptModule first{.name = "program.exe", .guid = {1, 2, 3, 15, 16}, .age = 2, .samples = {}};
  first.samples = {{SptEvent::timer, 0x1150, 1}, {SptEvent::cycles, 0x1154, 300}};
  const SptModule second{.name = "ntdll.dll", .guid = {9}, .age = 1, .samples = {{SptEvent::instructions, 4, 2}}};
  const SptModule modules[] = {first, second};
  const auto written = spt(modules);
  ASSERT_TRUE(written.has_value());
  const SptReader read(written.value());
  ASSERT_EQ(read.modules.size(), 2);
  EXPECT_EQ(read.modules[0].name, "program.exe");
  EXPECT_EQ(read.modules[0].guid.substr(0, 5), std::string("\1\2\3\17\20"));
  EXPECT_EQ(read.modules[0].age, 2);
  using Samples = std::vector<std::tuple<u8, u32, u64>>;
  EXPECT_EQ(read.modules[0].samples, (Samples{{0x41, 0x1150, 1}, {0x01, 0x1154, 300}}));
  EXPECT_EQ(read.modules[1].name, "ntdll.dll");
  EXPECT_EQ(read.modules[1].samples, (Samples{{0x02, 4, 2}}));
  // The usual capacities: other readers may rely on them.
  EXPECT_EQ(written.value().size(), 0x20 + 0x4000 + 0x100 * 24 + (8 + 6 + 16) + (8 + 16));
}

TEST(Spt, TablesGrowUpToTheirLimit) {
  std::vector<SptModule> modules(300);
  for (SptModule& module : modules) module.name = std::string(100, 'x');
  const auto written = spt(modules);
  ASSERT_TRUE(written.has_value());
  EXPECT_EQ(SptReader(written.value()).modules.size(), 300);
  modules.resize(700, modules[0]);
  EXPECT_FALSE(spt(modules).has_value());
}

}  // namespace
}  // namespace wperf::compiler_profiles
