// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/listed/jit_dump.h"

#include <gtest/gtest.h>

#include <string>

namespace wperf::symbols {
namespace {

// Writes a dump as a program would, number by number.
class DumpWriter {
 public:
  explicit DumpWriter(bool swapped = false, u64 flags = 0) : swapped_(swapped) {
    for (const u32 word : {u32{0x4A695444}, u32{1}, u32{40}, u32{62}, u32{0}, u32{77}}) add(word);
    add(u64{5});
    add(flags);
  }
  void load(u64 time, u64 address, u64 size, u64 index, const std::string& name) {
    begin(0, time, 40 + name.size() + 1 + size);
    add(u32{77});
    add(u32{77});
    for (const u64 word : {address, address, size, index}) add(word);
    bytes_ += name + '\0' + std::string(size, '\x90');
  }
  void move(u64 time, u64 from, u64 to, u64 size, u64 index) {
    begin(1, time, 48);
    add(u32{77});
    add(u32{77});
    for (const u64 word : {to, from, to, size, index}) add(word);
  }
  struct Line {
    u64 address;
    u32 line;
    std::string file;
  };
  void lines(u64 time, u64 address, const std::vector<Line>& entries) {
    u64 size = 16;
    for (const Line& entry : entries) size += 17 + entry.file.size();
    begin(2, time, size);
    add(address);
    add(u64{entries.size()});
    for (const Line& entry : entries) {
      add(entry.address);
      add(entry.line);
      add(u32{0});
      bytes_ += entry.file + '\0';
    }
  }
  JitDump parsed() const { return JitDump::parse(std::as_bytes(std::span(bytes_))).value(); }
  std::string& bytes() { return bytes_; }

 private:
  template <typename T>
  void add(T value) {
    if (swapped_) value = byte_swapped(value);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void begin(u32 kind, u64 time, u64 body) {
    add(kind);
    add(static_cast<u32>(16 + body));
    add(time);
  }
  bool swapped_;
  std::string bytes_;
};

std::string name_at(const JitDump& dump, u64 address, u64 when) {
  const u32 found = dump.find(address, when);
  return found == JitDump::kNone ? "" : std::string(dump.functions()[found].name);
}

TEST(JitDump, NamesWhatWasThereAtTheTime) {
  for (const bool swapped : {false, true}) {
    DumpWriter writer(swapped);
    writer.load(100, 0x1000, 0x40, 1, "first");
    writer.load(200, 0x1040, 0x40, 2, "neighbour");
    writer.load(300, 0x1000, 0x20, 3, "second");
    const JitDump dump = writer.parsed();
    EXPECT_EQ(dump.process(), 77u);
    EXPECT_EQ(name_at(dump, 0x1010, 99), "");
    EXPECT_EQ(name_at(dump, 0x1010, 100), "first");
    EXPECT_EQ(name_at(dump, 0x1010, 300), "second");
    EXPECT_EQ(name_at(dump, 0x1030, 300), "first");
    EXPECT_EQ(name_at(dump, 0x1040, 150), "");
    EXPECT_EQ(name_at(dump, 0x107f, 200), "neighbour");
    EXPECT_EQ(name_at(dump, 0x1080, 200), "");
    EXPECT_EQ(dump.damaged(), 0u);
  }
}

TEST(JitDump, CodeMovesWithItsLines) {
  DumpWriter writer;
  writer.lines(40, 0x3000, {{0x1000, 1, "nobody.js"}});  // lines that belong to no function
  writer.lines(50, 0x1000, {{0x1020, 3, "b.js"}, {0x1010, 9, "a.js"}, {0x1010, 8, "a.js"}, {0x1000, 7, "\xff"}});
  writer.load(100, 0x1000, 0x40, 1, "moved");
  writer.move(200, 0x1000, 0x9000, 0x40, 1);
  const JitDump dump = writer.parsed();
  EXPECT_EQ(name_at(dump, 0x9000, 150), "");
  ASSERT_EQ(name_at(dump, 0x9018, 200), "moved");
  const JitFunction& function = dump.functions()[dump.find(0x9018, 200)];
  EXPECT_EQ(dump.line_at(function, 0x9008).line, 7u);
  EXPECT_EQ(dump.line_at(function, 0x9018).line, 8u) << "the last one";
  EXPECT_EQ(dump.line_at(function, 0x9018).file, "a.js");
  EXPECT_EQ(dump.line_at(function, 0x903f).file, "b.js");
}

TEST(JitDump, TimesOfAnotherClockSayNothing) {
  DumpWriter writer(false, 1);
  writer.load(100, 0x1000, 0x40, 1, "f");
  EXPECT_EQ(name_at(writer.parsed(), 0x1000, 0), "f");
}

TEST(JitDump, AnyCutIsRead) {
  DumpWriter writer;
  writer.lines(50, 0x1000, {{0x1000, 7, "a.js"}});
  writer.load(100, 0x1000, 0x40, 1, "f");
  writer.load(110, 0x2000, 0x40, 2, "g");
  const std::string whole = writer.bytes();
  EXPECT_EQ(JitDump::parse({}).has_value(), false);
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    const auto dump = JitDump::parse(std::as_bytes(std::span(cut)));
    ASSERT_EQ(dump.has_value(), size >= 40) << size;
    if (size >= 40) {
      EXPECT_LT(dump->functions().size(), 2u) << size;
    }
  }
}

TEST(JitDump, SizesThatWrapAround) {
  DumpWriter writer;
  writer.load(100, ~u64{0} - 8, 0x40, 1, "wraps");
  writer.move(100, 0x1000, 0x2000, 0x40, 9);
  const JitDump dump = writer.parsed();
  EXPECT_EQ(dump.functions().size(), 0u);
  EXPECT_EQ(dump.damaged(), 2u);
}

}  // namespace
}  // namespace wperf::symbols
