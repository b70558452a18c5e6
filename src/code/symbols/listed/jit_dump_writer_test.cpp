// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/listed/jit_dump_writer.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "code/symbols/listed/jit_dump.h"
#include "ground/bytes/bytes.h"

namespace wperf::symbols {
namespace {

constexpr std::array<JitDumpWriter::Line, 3> kLines = {{{0x1000, 7}, {0x1008, 9}, {0x1020, 8}}};

// The dumps in a section, which must outlive them.
std::vector<JitDump> dumps_of(const std::string& section) {
  std::vector<JitDump> out;
  bytes::Reader dumps(std::as_bytes(std::span(section)));
  while (dumps.left() != 0) {
    auto dump = JitDump::parse(dumps.bytes(dumps.word()));
    EXPECT_TRUE(dumps.sound() && dump.has_value());
    if (!dumps.sound() || !dump.has_value()) break;
    EXPECT_EQ(dump->damaged(), 0u);
    out.push_back(*std::move(dump));
  }
  return out;
}

// The dump from a writer, read back.
struct WrittenDump {
  explicit WrittenDump(const JitDumpWriter& writer) {
    writer.append_to(section);
    auto all = dumps_of(section);
    EXPECT_EQ(all.size(), 1u);
    if (!all.empty()) dump = std::move(all.front());
  }
  std::string_view name_at(u64 address, u64 when) const {
    const u32 found = dump.find(address, when);
    return found == JitDump::kNone ? std::string_view() : dump.functions()[found].name;
  }
  JitLine line_at(u64 address, u64 when) const {
    const u32 found = dump.find(address, when);
    return found == JitDump::kNone ? JitLine() : dump.line_at(dump.functions()[found], address);
  }

  std::string section;
  JitDump dump;
};

TEST(JitDumpWriter, WritesADumpWithoutFunctions) {
  const WrittenDump written(JitDumpWriter(77));
  EXPECT_EQ(written.dump.process(), 77u);
  EXPECT_TRUE(written.dump.functions().empty());
}

TEST(JitDumpWriter, WritesNamesAndLines) {
  JitDumpWriter writer(77);
  writer.add({.begin = 0x1000, .size = 0x40, .since = 50, .name = "first", .file = "/a.py", .lines = kLines});
  writer.add({.begin = 0x2000, .size = 0x10, .since = 60, .name = "příčka"});
  const WrittenDump written(writer);
  ASSERT_EQ(written.dump.functions().size(), 2u);
  EXPECT_EQ(written.dump.functions()[0].begin, 0x1000u);
  EXPECT_EQ(written.dump.functions()[0].end, 0x1040u);
  EXPECT_EQ(written.dump.functions()[0].since, 50u);
  EXPECT_EQ(written.name_at(0x103f, 50), "first");
  EXPECT_EQ(written.name_at(0x1000, 49), "");
  EXPECT_EQ(written.name_at(0x2000, 60), "příčka");
  for (const auto& [address, line] : {std::pair(0x1000u, 7u), {0x1007u, 7u}, {0x1008u, 9u}, {0x1030u, 8u}}) {
    EXPECT_EQ(written.line_at(address, 50).line, line) << address;
    EXPECT_EQ(written.line_at(address, 50).file, "/a.py") << address;
  }
  EXPECT_EQ(written.line_at(0x2000, 60).line, 0u) << "not a line of the function before";
  EXPECT_TRUE(written.line_at(0x2000, 60).file.empty());
}

TEST(JitDumpWriter, CutsNames) {
  constexpr usize kMostName = 16 << 10;
  const std::string longest(kMostName, 'x'), longer = longest + 'y';
  JitDumpWriter writer(77);
  writer.add({.begin = 0x1000, .size = 0x40, .name = longer, .file = longer, .lines = kLines});
  writer.add({.begin = 0x2000, .size = 0x40, .name = std::string_view("with\0zero", 9)});
  writer.add({.begin = 0x3000, .size = 0x40, .name = longest});
  writer.add({.begin = 0x4000, .size = 0x40});
  const WrittenDump written(writer);
  EXPECT_EQ(written.name_at(0x1000, 0), longest);
  EXPECT_EQ(written.line_at(0x1008, 0).file, longest);
  EXPECT_EQ(written.line_at(0x1008, 0).line, 9u);
  EXPECT_EQ(written.name_at(0x2000, 0), "with");
  EXPECT_EQ(written.name_at(0x3000, 0), longest);
  EXPECT_EQ(written.name_at(0x4000, 0), "");
  EXPECT_EQ(written.dump.functions().size(), 4u);
}

TEST(JitDumpWriter, TellsFunctionsAtOneAddressApartByTime) {
  constexpr std::array<JitDumpWriter::Line, 1> kOther = {{{0x1000, 70}}};
  JitDumpWriter writer(77);
  writer.add({.begin = 0x1000, .size = 0x40, .since = 100, .name = "old", .file = "old.py", .lines = kLines});
  writer.add({.begin = 0x1000, .size = 0x20, .since = 200, .name = "young", .file = "young.py", .lines = kOther});
  const WrittenDump written(writer);
  EXPECT_EQ(written.name_at(0x1000, 199), "old");
  EXPECT_EQ(written.line_at(0x1000, 199).line, 7u);
  EXPECT_EQ(written.name_at(0x1000, 200), "young");
  EXPECT_EQ(written.line_at(0x1000, 200).line, 70u);
  EXPECT_EQ(written.line_at(0x1000, 200).file, "young.py");
  EXPECT_EQ(written.name_at(0x1030, 200), "old") << "outside of the young one";
}

TEST(JitDumpWriter, AppendsDumpsToOneSection) {
  JitDumpWriter first(77), second(78);
  first.add({.begin = 0x1000, .size = 0x40, .since = 1, .name = "f", .file = "f.py", .lines = kLines});
  second.add({.begin = 0x1000, .size = 0x40, .since = 1, .name = "g"});
  std::string section;
  first.append_to(section);
  const std::string before = section;
  JitDumpWriter(79).append_to(section);
  second.append_to(section);
  EXPECT_TRUE(section.starts_with(before));
  const auto dumps = dumps_of(section);
  ASSERT_EQ(dumps.size(), 3u);
  EXPECT_EQ(dumps[0].process(), 77u);
  EXPECT_EQ(dumps[0].functions().at(0).name, "f");
  EXPECT_EQ(dumps[1].process(), 79u);
  EXPECT_EQ(dumps[2].process(), 78u);
  EXPECT_EQ(dumps[2].functions().at(0).name, "g");
}

}  // namespace
}  // namespace wperf::symbols
