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

// Reads the output of llvm_unsymbolized(), according to the description of the format.
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

// Reads a .spt file according to Microsoft's description.
class SptReader {
 public:
  struct Module {
    std::string name, guid;
    u32 age = 0;
    std::vector<std::tuple<u8, u32, u64>> samples;         // type, RVA, count
    std::vector<std::tuple<u32, u32, u64>> branches;       // from, to, count
    std::vector<std::pair<std::vector<u32>, u64>> stacks;  // RVAs, count
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
                         .samples = {},
                         .branches = {},
                         .stacks = {}});
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
      u64 repeat = 0;  // additional times that the next record counts
      for (at += 8; at < end;) {
        const u8 type = number<u8>(at);
        if (type == 0x82) {
          repeat = number<u64>(at + 2);
          at += 10;
          continue;
        }
        const u8 addresses = number<u8>(at + 1);
        at += 2;
        if (type == 0x42) modules[module].stacks.emplace_back(std::vector<u32>(), 1 + repeat);
        for (u8 i = 0; i < addresses; ++i, at += 4) {
          const u32 rva = number<u32>(at);
          if (type == 0x10) {
            modules[module].branches.emplace_back(number<u32>(at += 4), rva, 1 + repeat);
          } else if (type == 0x42) {
            modules[module].stacks.back().first.push_back(rva);
          } else {
            modules[module].samples.emplace_back(type, rva, 1 + repeat);
          }
        }
        repeat = 0;
      }
      ASSERT_EQ(at, end);
    }
  }
  const std::string& bytes_;
};

// Reads the output of llvm_binary(), according to the description of the format.
class BinaryReader {
 public:
  explicit BinaryReader(const std::string& bytes) : bytes_(bytes) {
    EXPECT_EQ(number(), 0x5350'524f'4634'3204u);
    EXPECT_EQ(number(), 103u);
    std::map<u64, std::pair<u64, u64>> sections;  // kind → offset and size
    for (u64 left = fixed(); left != 0; --left) {
      const u64 kind = fixed();
      EXPECT_EQ(fixed(), 0u);
      const u64 offset = fixed();
      sections[kind] = {offset, fixed()};
    }
    at_ = sections.at(2).first;
    for (u64 left = number(); left != 0; --left) {
      names_.push_back(bytes_.substr(at_, bytes_.find('\0', at_) - at_));
      at_ += names_.back().size() + 1;
    }
    at_ = sections.at(1).first;
    while (at_ < sections.at(1).first + sections.at(1).second) summary.push_back(number());
    at_ = sections.at(4).first;
    std::map<u64, std::string> beginnings;
    for (u64 left = number(); left != 0; --left) {
      const std::string name = names_.at(number());
      beginnings[number()] = name;
    }
    const auto [begin, size] = sections.at(32);
    for (at_ = begin; at_ < begin + size;) {
      const std::string expected = beginnings.at(at_ - begin);
      const u64 head = number();
      auto [name, function] = read_function();
      EXPECT_EQ(name, expected);
      function.head = head;
      functions[name] = std::move(function);
    }
    EXPECT_EQ(at_, bytes_.size());
  }
  FunctionProfiles functions;
  std::vector<u64> summary;

 private:
  u64 number() {
    u64 value = 0;
    for (u32 shift = 0; at_ < bytes_.size(); shift += 7) {
      const auto byte = static_cast<u8>(bytes_[at_++]);
      value |= u64{byte & 0x7fu} << shift;
      if (byte < 0x80) break;
    }
    return value;
  }
  u64 fixed() {
    u64 value = 0;
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  SourceLocation location() {
    const auto line = static_cast<u32>(number());
    return {line, static_cast<u32>(number())};
  }
  std::pair<std::string, FunctionProfile> read_function() {
    std::pair<std::string, FunctionProfile> out{names_.at(number()), {}};
    out.second.total = number();
    for (u64 left = number(); left != 0; --left) {
      FunctionProfile::Body& body = out.second.body[location()];
      body.count = number();
      for (u64 targets = number(); targets != 0; --targets) {
        const std::string name = names_.at(number());
        body.targets[name] = number();
      }
    }
    for (u64 left = number(); left != 0; --left) {
      auto& callees = out.second.inlined[location()];
      callees.insert(read_function());
    }
    return out;
  }
  const std::string& bytes_;
  usize at_ = 0;
  std::vector<std::string> names_;
};

FunctionProfiles some_functions() {
  FunctionProfile inner{.total = 40, .head = 0, .body = {{{1, 0}, {40, {}}}}, .inlined = {}};
  FunctionProfile outer{
      .total = 1'000'000'000'000,
      .head = 3,
      .body = {{{2, 0}, {900, {{"callee", 7}, {"other", 1}}}}, {{2, 4}, {0, {}}}, {{70'000, 1}, {60, {}}}},
      .inlined = {{{3, 0}, {{"inner", inner}, {"third", {}}}}}};
  return {{"outer", outer}, {"small", {.total = 1, .head = 9, .body = {}, .inlined = {}}}};
}

TEST(LlvmBinary, AReaderFindsTheSameFunctions) {
  const std::string bytes = llvm_binary(some_functions());
  EXPECT_EQ(BinaryReader(bytes).functions, some_functions());
  const std::string nothing = llvm_binary({});
  EXPECT_TRUE(BinaryReader(nothing).functions.empty());
}

// The sum of all line counts, the largest count, the largest number of entries, the number of counts and of functions.
// Then for each share of the sum: the smallest count that is needed to reach it, and how many counts are at least that
// large.
TEST(LlvmBinary, TheSummaryTellsWhatIsHot) {
  const std::string bytes = llvm_binary(some_functions());
  const std::vector<u64> summary = BinaryReader(bytes).summary;
  ASSERT_EQ(summary.size(), 6 + 16 * 3);
  EXPECT_EQ(std::vector(summary.begin(), summary.begin() + 6), (std::vector<u64>{1000, 900, 9, 4, 2, 16}));
  EXPECT_EQ(std::vector(summary.begin() + 6, summary.begin() + 9), (std::vector<u64>{10'000, 900, 1}));
  EXPECT_EQ(std::vector(summary.begin() + 6 + 10 * 3, summary.begin() + 9 + 10 * 3),
            (std::vector<u64>{950'000, 60, 2}));
  EXPECT_EQ(std::vector(summary.end() - 3, summary.end()), (std::vector<u64>{999'999, 40, 3}));
}

TEST(Spt, AReaderFindsModulesAndSamples) {
  SptModule first{.name = "program.exe", .guid = {1, 2, 3, 15, 16}, .age = 2};
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
  // The usual capacities, because other readers may rely on them.
  EXPECT_EQ(written.value().size(), 0x20 + 0x4000 + 0x100 * 24 + (8 + 6 + 16) + (8 + 16));
}

TEST(Spt, BranchesAndCallsAreRecordsNextToTheSamples) {
  const SptModule module{.name = "a.exe",
                         .samples = {{SptEvent::timer, 0x20, 2}},
                         .branches = {{0x10, 0x40, 1}, {0x44, 0x14, 70'000}},
                         .calls = {{0x24, 0x88, 3}}};
  const auto written = spt({&module, 1});
  ASSERT_TRUE(written.has_value());
  const SptReader read(written.value());
  ASSERT_EQ(read.modules.size(), 1);
  EXPECT_EQ(read.modules[0].samples, (std::vector<std::tuple<u8, u32, u64>>{{0x41, 0x20, 2}}));
  EXPECT_EQ(read.modules[0].branches, (std::vector<std::tuple<u32, u32, u64>>{{0x10, 0x40, 1}, {0x44, 0x14, 70'000}}));
  EXPECT_EQ(read.modules[0].stacks, (std::vector<std::pair<std::vector<u32>, u64>>{{{0x24, 0x88}, 3}}));
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
