// SPDX-License-Identifier: BSD-3-Clause
// Damaged PDBs: truncated at every byte, or with random changes. They must not crash or hang (sanitizer builds check
// more); a file that can still be opened gives answers.
#include <gtest/gtest.h>

#include <random>

#include "code/symbols/pdb/pdb_builder_test.h"
#include "code/symbols/pdb/pdb_file.h"

namespace wperf::symbols {
namespace {

using pdb::CompilandBuilder;
using pdb::PdbBuilder;

// A PDB with each of the structures that the reader knows.
std::string small_pdb() {
  PdbBuilder builder;
  builder.name("file.cpp");
  builder.ids.push_back(PdbBuilder::type(pdb::LF_STRING_ID).put(u32{0}).text("space"));
  builder.ids.push_back(PdbBuilder::type(pdb::LF_FUNC_ID).put(u32{0x1000}).put(u32{0}).text("callee"));
  for (u32 i = 0; i < 2; ++i) {
    CompilandBuilder one("one.obj");
    for (u32 k = 0; k < 3; ++k) {
      const u32 offset = i * 0x100 + k * 0x20;
      one.procedure(pdb::S_GPROC32, offset, 0x20, "function", [](CompilandBuilder& inside) {
        const u32 site = inside.begin_inline_site(0x1001, std::string("\x0b\x24\x04\x08\0\0", 6));
        inside.end_scope(site, pdb::S_INLINESITE_END);
      });
      one.lines(offset, 0x20, {{0, {{0, 1}, {8, 2}}}});
      builder.publics.push_back({1, offset, "?function@@"});
    }
    one.files({1});
    one.inlinees({{0x1001, 0, 10}});
    builder.compilands.push_back(one);
    builder.pieces.push_back({1, i * 0x100, 0x60, static_cast<u16>(i)});
  }
  return builder.build();
}

// Calls every query. Returns a number, so that the compiler removes none of them.
u64 ask_everything(const std::string& file) {
  const auto opened = PdbFile::open(pdb::as_file(file));
  if (!opened.has_value()) {
    EXPECT_FALSE(opened.error().text.empty());
    return 0;
  }
  const PdbFile& pdb = opened.value();
  u64 count = 1;
  std::vector<Frame> frames;
  for (u32 rva = 0x1000; rva < 0x1200; rva += 8) {
    pdb.frames_at({rva}, frames);
    count += frames.size() + (pdb.function_at({rva}) != nullptr ? 1 : 0) + (pdb.line_at({rva}).has_value() ? 1 : 0);
  }
  for (const Function& function : pdb.functions()) count += pdb.lines_of(function).size() + function.name.size();
  return count + pdb.publics().size() + pdb.all_lines().size();
}

TEST(DamagedPdb, cut_at_every_byte) {
  const std::string file = small_pdb();
  const u64 whole = ask_everything(file);
  ASSERT_GT(whole, 100U);
  u64 less = 0;
  for (usize size = 0; size < file.size(); ++size) {
    // A copy of exactly this size, so that the address sanitizer detects a read beyond it.
    const u64 count = ask_everything(file.substr(0, size));
    EXPECT_LE(count, whole);
    less += count < whole ? 1 : 0;
  }
  EXPECT_GT(less, file.size() / 2);
}

// An inline site 100 lines before the first possible line, and one far after the last.
TEST(DamagedPdb, lines_do_not_wrap) {
  using namespace std::string_literals;
  for (const std::string& moved : {"\x06\x80\xc9"s, "\x06\xdf\xff\xff\xfe"s}) {
    PdbBuilder builder;
    builder.name("file.cpp");
    builder.ids.push_back(PdbBuilder::type(pdb::LF_STRING_ID).put(u32{0}).text("space"));
    builder.ids.push_back(PdbBuilder::type(pdb::LF_FUNC_ID).put(u32{0x1000}).put(u32{0}).text("callee"));
    CompilandBuilder one("one.obj");
    one.procedure(pdb::S_GPROC32, 0, 0x20, "function", [&](CompilandBuilder& inside) {
      const u32 site = inside.begin_inline_site(0x1001, moved + "\x0b\x24\x04\x08\0\0\0"s);
      inside.end_scope(site, pdb::S_INLINESITE_END);
    });
    one.lines(0, 0x20, {{0, {{0, 1}, {8, 2}}}});
    one.files({1});
    one.inlinees({{0x1001, 0, 10}});
    builder.compilands.push_back(one);
    builder.pieces.push_back({1, 0, 0x60, 0});
    const std::string bytes = builder.build();
    const auto opened = PdbFile::open(pdb::as_file(bytes));
    ASSERT_TRUE(opened.has_value());
    std::vector<Frame> frames;
    opened.value().frames_at({0x1004}, frames);
    ASSERT_EQ(frames.size(), 2u);
    EXPECT_TRUE(frames[0].inlined);
    EXPECT_EQ(frames[0].line, 0u);
  }
}

TEST(DamagedPdb, with_changed_bytes) {
  const std::string file = small_pdb();
  std::mt19937 chance(1);
  for (u32 round = 0; round < 10000; ++round) {
    std::string damaged = file;
    for (u32 i = 0; i <= round % 4; ++i) {
      damaged[chance() % damaged.size()] = static_cast<char>(chance());
    }
    ask_everything(damaged);
  }
}

TEST(DamagedPdb, with_changed_numbers) {
  const std::string file = small_pdb();
  const u32 numbers[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffc, static_cast<u32>(file.size())};
  for (usize at = 0; at + 4 <= file.size(); at += 4) {
    for (const u32 number : numbers) {
      std::string damaged = file;
      std::memcpy(damaged.data() + at, &number, sizeof number);
      ask_everything(damaged);
    }
  }
}

}  // namespace
}  // namespace wperf::symbols
