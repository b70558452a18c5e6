// SPDX-License-Identifier: BSD-3-Clause
// Sections written byte by byte. tests/symbols compares sections from compilers with llvm-symbolizer.
#include "code/symbols/dwarf/dwarf_file.h"

#include <gtest/gtest.h>

#include "code/symbols/dwarf/dwarf_format.h"
#include "code/symbols/dwarf/scopes.h"
#include "code/symbols/elf/elf_builder_test.h"

namespace wperf::symbols {
namespace {

using namespace dwarf;

struct Sections {
  explicit Sections(bool big_endian = false)
      : big(big_endian), info(big), abbrev(big), line(big), str(big), ranges(big), aranges(big) {}
  DwarfSections views() const {
    DwarfSections out;
    out.info = EndianBytes(info.bytes, big);
    out.abbrev = EndianBytes(abbrev.bytes, big);
    out.line = EndianBytes(line.bytes, big);
    out.str = EndianBytes(str.bytes, big);
    out.ranges = EndianBytes(ranges.bytes, big);
    out.aranges = EndianBytes(aranges.bytes, big);
    return out;
  }
  bool big;
  ByteWriter info, abbrev, line, str, ranges, aranges;
};

void attributes(ByteWriter& to, std::initializer_list<std::pair<int, int>> list) {
  const auto uleb = [&](int value) {
    while (value >= 0x80) {
      to.number(static_cast<u64>(value & 0x7f) | 0x80, 1);
      value >>= 7;
    }
    to.number(static_cast<u64>(value), 1);
  };
  for (const auto& [attribute, form] : list) {
    uleb(attribute);
    uleb(form);
  }
  to.number(0, 2);
}

// Writes the number of bytes since `start` into the four bytes at `start`.
void close_length(ByteWriter& to, usize start, bool big) {
  ByteWriter length(big);
  length.number(to.bytes.size() - start - 4, 4);
  std::copy(length.bytes.begin(), length.bytes.end(), to.bytes.begin() + static_cast<std::ptrdiff_t>(start));
}

// "a.c" in "/src" (DWARF 4): line 10 at 0x1000, 11 at 0x1004, line 20 of "inc/b.h" at 0x1008, 12 at 0x1010, end at
// 0x1020. If `folded` is not 0, a second sequence at 0x1000 has that line.
void write_lines(Sections& to, u64 first_address = 0x1000, u8 folded = 0) {
  ByteWriter& out = to.line;
  const usize start = out.bytes.size();
  out.number(0, 4);
  out.number(4, 2);
  const usize header_length = out.bytes.size();
  out.number(0, 4);
  out.number(4, 1);     // minimum instruction length
  out.number(1, 1);     // operations per instruction
  out.number(1, 1);     // rows begin as statements by default
  out.number(0xfb, 1);  // line base -5
  out.number(14, 1);
  out.number(13, 1);
  for (const int count : {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1}) out.number(static_cast<u64>(count), 1);
  out.text("inc");
  out.number(0, 1);
  out.text("a.c");
  out.number(0, 3);
  out.text("b.h");
  out.number(1, 1);
  out.number(0, 2);
  out.number(0, 1);
  close_length(out, header_length, to.big);
  out.number(0, 1);  // set address
  out.number(9, 1);
  out.number(kLineSetAddress, 1);
  out.number(first_address, 8);
  out.number(kLineAdvanceLine, 1);
  out.number(9, 1);
  out.number(kLineCopy, 1);            // 10 at 0
  out.number(13 + 14 * 1 + 5 + 1, 1);  // 11 at 4
  out.number(kLineSetFile, 1);
  out.number(2, 1);
  out.number(kLineAdvanceLine, 1);
  out.number(9, 1);
  out.number(13 + 14 * 1 + 5, 1);  // line 20 of the second file at 8
  out.number(kLineSetFile, 1);
  out.number(1, 1);
  out.number(kLineAdvanceLine, 1);
  out.number(0x78, 1);  // -8
  out.number(kLineAdvancePc, 1);
  out.number(2, 1);
  out.number(kLineCopy, 1);  // 12 at 0x10
  out.number(kLineFixedAdvancePc, 1);
  out.number(0x10, 2);
  out.number(0, 1);
  out.number(1, 1);
  out.number(kLineEndSequence, 1);
  if (folded != 0) {
    out.number(0, 1);
    out.number(9, 1);
    out.number(kLineSetAddress, 1);
    out.number(first_address, 8);
    out.number(kLineAdvanceLine, 1);
    out.number(folded - 1u, 1);
    out.number(kLineCopy, 1);
    out.number(kLineAdvancePc, 1);
    out.number(0x20, 1);
    out.number(0, 1);
    out.number(1, 1);
    out.number(kLineEndSequence, 1);
  }
  close_length(out, start, to.big);
}

// A unit with the function "outer" [0x1000, 0x1020), into which "inner" is inlined at [0x1008, 0x1010), line 11.
Sections one_unit(bool big = false, u16 version = 4, u8 declared = 10, u8 folded = 0) {
  Sections to(big);
  ByteWriter& abbrev = to.abbrev;
  abbrev.number(1, 1);
  abbrev.number(kTagCompileUnit, 1);
  abbrev.number(1, 1);
  attributes(abbrev, {{kAtName, kFormString},
                      {kAtCompilationFolder, kFormString},
                      {kAtStatementList, kFormSecOffset},
                      {kAtLowPc, kFormAddr},
                      {kAtHighPc, kFormData4}});
  abbrev.number(2, 1);  // an abstract function
  abbrev.number(kTagSubprogram, 1);
  abbrev.number(0, 1);
  attributes(abbrev, {{kAtName, kFormString}, {kAtLinkageName, kFormStrp}});
  abbrev.number(3, 1);
  abbrev.number(kTagSubprogram, 1);
  abbrev.number(1, 1);
  attributes(abbrev,
             {{kAtName, kFormString}, {kAtLowPc, kFormAddr}, {kAtHighPc, kFormData1}, {kAtDeclaredLine, kFormData1}});
  abbrev.number(4, 1);
  abbrev.number(kTagInlinedSubroutine, 1);
  abbrev.number(0, 1);
  attributes(abbrev, {{kAtAbstractOrigin, kFormRef4},
                      {kAtRanges, kFormSecOffset},
                      {kAtCallFile, kFormData1},
                      {kAtCallLine, kFormData1}});
  abbrev.number(0, 1);
  to.str.text("");
  to.str.text("_Z5innerv");
  to.ranges.number(8, 8);
  to.ranges.number(0x10, 8);
  to.ranges.number(0, 16);

  ByteWriter& info = to.info;
  info.number(0, 4);
  info.number(version, 2);
  info.number(0, 4);
  info.number(8, 1);
  info.number(1, 1);
  info.text("a.c");
  info.text("/src");
  info.number(0, 4);
  info.number(0x1000, 8);
  info.number(0x20, 4);
  const u64 abstract = info.bytes.size();
  info.number(2, 1);
  info.text("inner");
  info.number(1, 4);
  info.number(3, 1);
  info.text("outer");
  info.number(0x1000, 8);
  info.number(0x20, 1);
  info.number(declared, 1);
  info.number(4, 1);
  info.number(abstract, 4);
  info.number(0, 4);
  info.number(1, 1);
  info.number(11, 1);
  info.number(0, 2);
  close_length(info, 0, big);
  write_lines(to, 0x1000, folded);
  return to;
}

// The function "split" at [0x1000, 0x1010) and [0x1018, 0x1020), and "whole" at [0x1010, 0x1018).
Sections function_in_pieces() {
  Sections to;
  to.abbrev.number(1, 1);
  to.abbrev.number(kTagCompileUnit, 1);
  to.abbrev.number(1, 1);
  attributes(to.abbrev, {{kAtLowPc, kFormAddr}, {kAtHighPc, kFormData4}});
  to.abbrev.number(2, 1);
  to.abbrev.number(kTagSubprogram, 1);
  to.abbrev.number(0, 1);
  attributes(to.abbrev, {{kAtName, kFormString}, {kAtRanges, kFormSecOffset}});
  to.abbrev.number(0, 1);
  for (const u64 one : {0x0, 0x10, 0x18, 0x20, 0, 0, 0x10, 0x18, 0, 0}) to.ranges.number(one, 8);
  to.info.number(0, 4);
  to.info.number(4, 2);
  to.info.number(0, 4);
  to.info.number(8, 1);
  to.info.number(1, 1);
  to.info.number(0x1000, 8);
  to.info.number(0x20, 4);
  to.info.number(2, 1);
  to.info.text("split");
  to.info.number(0, 4);
  to.info.number(2, 1);
  to.info.text("whole");
  to.info.number(48, 4);
  to.info.number(0, 1);
  close_length(to.info, 0, false);
  return to;
}

std::string frames_text(const DwarfFile& file, u64 address) {
  std::vector<DwarfFrame> frames;
  file.frames_at(address, frames);
  std::string text;
  for (const DwarfFrame& one : frames) {
    if (!text.empty()) text += " < ";
    text += std::string(one.function) + " " + std::string(one.file) + ":" + std::to_string(one.line);
  }
  return text;
}

TEST(DwarfFile, FunctionsInlinedOnesAndLines) {
  for (const bool big : {false, true}) {
    const Sections sections = one_unit(big);
    const DwarfFile file = DwarfFile::open(sections.views(), {}, {});
    EXPECT_EQ(frames_text(file, 0xfff), "");
    EXPECT_EQ(frames_text(file, 0x1000), "outer /src/a.c:10");
    EXPECT_EQ(frames_text(file, 0x1007), "outer /src/a.c:11");
    EXPECT_EQ(frames_text(file, 0x1008), "_Z5innerv /src/inc/b.h:20 < outer /src/a.c:11");
    EXPECT_EQ(frames_text(file, 0x100f), "_Z5innerv /src/inc/b.h:20 < outer /src/a.c:11");
    EXPECT_EQ(frames_text(file, 0x1010), "outer /src/a.c:12");
    EXPECT_EQ(frames_text(file, 0x101f), "outer /src/a.c:12");
    EXPECT_EQ(frames_text(file, 0x1020), "");
    EXPECT_EQ(file.damage().units, 0u);
    EXPECT_EQ(file.damage().entries, 0u);
  }
}

TEST(DwarfFile, OfFoldedFunctionsTheLinesOfTheOneThatIsNamed) {
  const auto line_at = [](u8 declared, u8 folded) {
    const Sections sections = one_unit(false, 4, declared, folded);
    return frames_text(DwarfFile::open(sections.views(), {}, {}), 0x1000);
  };
  EXPECT_EQ(line_at(10, 50), "outer /src/a.c:10");
  EXPECT_EQ(line_at(48, 50), "outer /src/a.c:50");
  EXPECT_EQ(line_at(50, 50), "outer /src/a.c:50");
  EXPECT_EQ(line_at(10, 5), "outer /src/a.c:10");
  EXPECT_EQ(line_at(4, 5), "outer /src/a.c:5");
  EXPECT_EQ(line_at(60, 50), "outer /src/a.c:10") << "none fits";
}

TEST(DwarfFile, AFunctionInPieces) {
  const Sections sections = function_in_pieces();
  const DwarfFile file = DwarfFile::open(sections.views(), {}, {});
  for (const u64 address : {0x1000, 0x101f}) {
    const std::vector<code::AddressRange> pieces = file.pieces_at(address);
    ASSERT_EQ(pieces.size(), 2u);
    EXPECT_EQ(pieces[0].begin, 0x1000u);
    EXPECT_EQ(pieces[0].end, 0x1010u);
    EXPECT_EQ(pieces[1].begin, 0x1018u);
    EXPECT_EQ(pieces[1].end, 0x1020u);
  }
  for (const u64 address : {0xfff, 0x1010, 0x1020}) EXPECT_TRUE(file.pieces_at(address).empty()) << address;
}

TEST(DwarfFile, OtherVersionsAreLeftOutAndCounted) {
  const Sections sections = one_unit(false, 6);
  const DwarfFile file = DwarfFile::open(sections.views(), {}, {});
  EXPECT_EQ(frames_text(file, 0x1008), "");
  EXPECT_EQ(file.damage().units, 1u);
}

TEST(DwarfFile, EverySectionCutAnywhere) {
  for (ByteWriter Sections::* section :
       {&Sections::info, &Sections::abbrev, &Sections::line, &Sections::str, &Sections::ranges}) {
    const Sections whole = one_unit();
    for (usize size = 0; size < (whole.*section).bytes.size(); ++size) {
      Sections cut = one_unit();
      (cut.*section).bytes.resize(size);
      const DwarfFile file = DwarfFile::open(cut.views(), {}, {});
      for (u64 address = 0xff8; address < 0x1028; address += 4) static_cast<void>(frames_text(file, address));
    }
  }
}

TEST(DwarfFile, ACutInfoSectionCounts) {
  Sections cut = one_unit();
  cut.info.bytes.resize(cut.info.bytes.size() - 1);
  EXPECT_EQ(DwarfFile::open(cut.views(), {}, {}).damage().units, 1u);
}

TEST(DwarfFile, AnEntryThatNamesItself) {
  Sections sections = one_unit();
  // The origin of the inlined entry is that entry itself.
  const usize entry = sections.info.bytes.size() - 2 - 1 - 1 - 4 - 4 - 1;
  sections.info.bytes[entry + 1] = static_cast<std::byte>(entry);
  const DwarfFile file = DwarfFile::open(sections.views(), {}, {});
  EXPECT_EQ(frames_text(file, 0x1008), " /src/inc/b.h:20 < outer /src/a.c:11");
}

TEST(Flatten, WhatIsOnTop) {
  const auto text = [](std::vector<Layer> layers) {
    std::string out;
    for (const Stretch& one : flatten(std::move(layers))) {
      out += std::to_string(one.begin) +
             (one.owner == kNoScope ? "-" : std::string(1, static_cast<char>('a' + one.owner)));
      out += ' ';
    }
    return out;
  };
  EXPECT_EQ(text({}), "");
  EXPECT_EQ(text({{{10, 20}, 0, 0}}), "10a 20- ");
  EXPECT_EQ(text({{{10, 20}, 0, 0}, {{20, 30}, 0, 1}}), "10a 20b 30- ");
  EXPECT_EQ(text({{{12, 14}, 1, 1}, {{10, 20}, 0, 0}, {{14, 16}, 1, 2}}), "10a 12b 14c 16a 20- ");
  EXPECT_EQ(text({{{10, 20}, 1, 1}, {{10, 20}, 0, 0}}), "10b 20- ");
  EXPECT_EQ(text({{{10, 20}, 0, 0}, {{15, 30}, 0, 1}}), "10a 15b 30- ");  // nonsense, but it terminates
  EXPECT_EQ(text({{{10, ~u64{0}}, 0, 0}}), "10a 18446744073709551615- ");
}

}  // namespace
}  // namespace wperf::symbols
