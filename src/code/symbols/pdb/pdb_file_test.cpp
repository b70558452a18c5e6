// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/pdb/pdb_file.h"

#include <gtest/gtest.h>

#include "code/symbols/pdb/pdb_builder_test.h"
#include "ground/diag/names_all_test.h"

namespace wperf::symbols {
namespace {

using pdb::CompilandBuilder;
using pdb::Out;
using pdb::PdbBuilder;

// Keeps the file in memory as long as the PDB exists.
struct Opened {
  std::string file;
  std::optional<PdbFile> pdb;
};

std::unique_ptr<Opened> open(const PdbBuilder& builder, pdb::MsfLayout layout = {}) {
  auto opened = std::make_unique<Opened>();
  opened->file = builder.build(layout);
  auto result = PdbFile::open(pdb::as_file(opened->file));
  if (result.has_value()) opened->pdb = std::move(result).value();
  return opened;
}

std::string describe(std::span<const Function> functions) {
  std::string text;
  for (const Function& one : functions) {
    char line[64];
    std::snprintf(line, sizeof line, "%x+%x ", one.rva.value, one.size);
    text += line + std::string(one.name) + (one.is_public ? " public\n" : "\n");
  }
  return text;
}

std::string describe(const std::vector<Line>& lines) {
  std::string text;
  for (const Line& one : lines) {
    char line[64];
    std::snprintf(line, sizeof line, "%x+%x %u ", one.rva.value, one.size, one.line);
    text += line + std::string(one.file) + "\n";
  }
  return text;
}

std::string frames(const PdbFile& pdb, u32 rva) {
  std::vector<Frame> out;
  pdb.frames_at({rva}, out);
  std::string text;
  for (const Frame& one : out) {
    text += std::string(one.function) + " " + std::string(one.file) + ":" + std::to_string(one.line) +
            (one.inlined ? " inlined\n" : "\n");
  }
  return text;
}

std::string name_at(const PdbFile& pdb, u32 rva) {
  const Function* function = pdb.function_at({rva});
  return function == nullptr ? "" : std::string(function->name);
}

// Two compilands with lines, an inlined call and public symbols. Section 1 begins at RVA 0x1000.
PdbBuilder small_program() {
  PdbBuilder builder;
  const u32 a = builder.name("a.cpp");
  const u32 b = builder.name("b.h");
  builder.ids.push_back(PdbBuilder::type(pdb::LF_STRING_ID).put(u32{0}).text("space"));
  builder.ids.push_back(PdbBuilder::type(pdb::LF_FUNC_ID).put(u32{0x1000}).put(u32{0}).text("callee"));
  builder.ids.push_back(PdbBuilder::type(pdb::LF_MFUNC_ID).put(u32{0x1001}).put(u32{0}).text("method"));
  builder.types.push_back(PdbBuilder::type(0x1001).put(u32{0}).put(u32{0}));
  builder.types.push_back(PdbBuilder::type(pdb::LF_STRUCTURE)
                              .put(u32{0})
                              .put(u32{0})
                              .put(u32{0})
                              .put(u32{0})
                              .put(u16{8})
                              .text("space::Class"));

  CompilandBuilder first("first.obj");
  first.procedure(pdb::S_GPROC32_ID, 0x10, 0x20, "caller", [](CompilandBuilder& inside) {
    const u32 outer = inside.begin_inline_site(0x1001, std::string("\x0b\x24\x04\x08\0\0", 6));
    const u32 inner = inside.begin_inline_site(0x1002, std::string("\x05\x08\x03\x06\x04\x02\0\0", 8));
    inside.end_scope(inner, pdb::S_INLINESITE_END);
    inside.end_scope(outer, pdb::S_INLINESITE_END);
  });
  first.procedure(pdb::S_LPROC32, 0x40, 0x10, "local");
  first.files({a, b});
  first.lines(0x10, 0x20, {{0, {{0, 10}, {4, 11}, {0xc, 12}}}});
  first.lines(0x40, 0x10, {{0, {{0, 20}, {4, 0xfeefee}}}, {1, {{2, 5}, {8, 6}}}}, true);
  first.inlinees({{0x1002, 1, 200}, {0x1001, 1, 100}});
  builder.compilands.push_back(first);
  CompilandBuilder second("second.obj");
  second.procedure(pdb::S_GPROC32, 0x100, 0x10, "other");
  builder.compilands.push_back(second);
  builder.pieces = {{1, 0x10, 0x20, 0}, {1, 0x40, 0, 1}, {1, 0x40, 0x10, 0}, {1, 0x100, 0x10, 1}};
  builder.publics = {{1, 0x10, "?caller@@"}, {1, 0x60, "_stub"}, {1, 0x100, "?other@@"}, {2, 0x20, "?data@@", 0}};
  return builder;
}

TEST(PdbFile, is_the_build_of_its_guid_and_the_age_in_dbi) {
  PdbBuilder builder = small_program();
  builder.info_age = 7;
  builder.dbi_age = 3;
  const auto opened = open(builder);
  const code::PdbId& id = opened->pdb->id();
  EXPECT_EQ(id.age, 3U);
  EXPECT_EQ(id.guid.data1, 0x11223344U);
  EXPECT_EQ(id.guid.data3, 0x7788U);
  EXPECT_EQ(id.guid.data4[7], 1U);
}

TEST(PdbFile, lists_procedures_and_the_publics_that_none_covers) {
  for (const bool is_scattered : {false, true}) {
    const auto opened = open(small_program(), {512, is_scattered});
    EXPECT_EQ(describe(opened->pdb->functions()),
              "1010+20 caller\n1040+10 local\n1060+0 _stub public\n1100+10 other\n");
    EXPECT_EQ(describe(opened->pdb->publics()),
              "1010+0 ?caller@@ public\n1060+0 _stub public\n1100+0 ?other@@ public\n3020+0 ?data@@ public\n");
    EXPECT_EQ(opened->pdb->functions()[0].module, 0U);
    EXPECT_EQ(opened->pdb->functions()[3].module, 1U);
    EXPECT_EQ(opened->pdb->functions()[2].module, ~0U);
    EXPECT_EQ(opened->pdb->damage().streams + opened->pdb->damage().records, 0U);
  }
}

TEST(PdbFile, finds_the_procedure_else_the_nearest_public_of_the_section) {
  const auto opened = open(small_program());
  EXPECT_EQ(name_at(*opened->pdb, 0x1010), "caller");
  EXPECT_EQ(name_at(*opened->pdb, 0x102f), "caller");
  EXPECT_EQ(name_at(*opened->pdb, 0x1030), "?caller@@");
  EXPECT_EQ(name_at(*opened->pdb, 0x104f), "local");
  EXPECT_EQ(name_at(*opened->pdb, 0x10ff), "_stub");
  EXPECT_EQ(name_at(*opened->pdb, 0x1000), "");
  EXPECT_EQ(name_at(*opened->pdb, 0x3010), "");  // the public symbol before it is in another section
  EXPECT_EQ(name_at(*opened->pdb, 0x3021), "?data@@");
  EXPECT_EQ(name_at(*opened->pdb, 0x9000), "");
}

TEST(PdbFile, says_inlined_frames_with_their_lines) {
  const auto opened = open(small_program());
  EXPECT_EQ(frames(*opened->pdb, 0x1010), "caller a.cpp:10\n");
  EXPECT_EQ(frames(*opened->pdb, 0x1014), "space::callee b.h:101 inlined\ncaller a.cpp:11\n");
  EXPECT_EQ(frames(*opened->pdb, 0x1017),
            "space::Class::method b.h:200 inlined\nspace::callee b.h:101 inlined\ncaller a.cpp:11\n");
  EXPECT_EQ(frames(*opened->pdb, 0x101c), "caller a.cpp:12\n");
  EXPECT_EQ(frames(*opened->pdb, 0x1061), "_stub :0\n");
  EXPECT_EQ(frames(*opened->pdb, 0x1108), "other :0\n");
  EXPECT_EQ(frames(*opened->pdb, 0x1000), "");
}

TEST(PdbFile, mixes_the_blocks_of_a_function_with_code_of_several_files) {
  const auto opened = open(small_program());
  const PdbFile& pdb = *opened->pdb;
  EXPECT_EQ(describe(pdb.lines_of(*pdb.function_at({0x1040}))),
            "1040+2 20 a.cpp\n1042+2 5 b.h\n1044+4 0 a.cpp\n1048+8 6 b.h\n");
  EXPECT_EQ(describe({*pdb.line_at({0x1041})}), "1040+2 20 a.cpp\n");
  EXPECT_EQ(describe({*pdb.line_at({0x1043})}), "1042+2 5 b.h\n");
  EXPECT_EQ(describe({*pdb.line_at({0x1047})}), "1044+4 0 a.cpp\n");
  EXPECT_EQ(describe({*pdb.line_at({0x104f})}), "1048+8 6 b.h\n");
  EXPECT_FALSE(pdb.line_at({0x1050}).has_value());
  EXPECT_FALSE(pdb.line_at({0x1104}).has_value());
  EXPECT_EQ(pdb.all_lines().size(), 7U);
}

TEST(PdbFile, takes_the_first_of_functions_folded_into_one_address) {
  PdbBuilder builder = small_program();
  CompilandBuilder third("third.obj");
  third.procedure(pdb::S_GPROC32, 0x200, 0x10, "original");
  third.procedure(pdb::S_GPROC32, 0x200, 0x10, "copy");
  third.files({1, 7});
  third.lines(0x200, 0x10, {{0, {{0, 1}}}});
  third.lines(0x200, 0x10, {{1, {{0, 2}}}});
  builder.compilands.push_back(third);
  builder.compilands[1].procedure(pdb::S_GPROC32, 0x200, 0x10, "elsewhere");
  builder.pieces.push_back({1, 0x200, 0x10, 2});
  const auto opened = open(builder);
  EXPECT_EQ(name_at(*opened->pdb, 0x1204), "original");
  EXPECT_EQ(frames(*opened->pdb, 0x1204), "original a.cpp:1\n");
  EXPECT_EQ(describe(opened->pdb->lines_of(*opened->pdb->function_at({0x1204}))), "1200+10 1 a.cpp\n");
  for (const Function& one : opened->pdb->functions()) {
    if (one.name == "copy") {
      EXPECT_EQ(describe(opened->pdb->lines_of(one)), "1200+10 2 b.h\n");
    }
  }
  EXPECT_NE(describe(opened->pdb->functions()).find("1200+10 elsewhere\n1200+10 original\n1200+10 copy\n"),
            std::string::npos);
}

TEST(PdbFile, reads_thunks_and_separated_code) {
  PdbBuilder builder = small_program();
  CompilandBuilder& second = builder.compilands[1];
  const u32 thunk = second.record(
      pdb::S_THUNK32,
      Out().put(u32{0}).put(u32{0}).put(u32{0}).put(u32{0x120}).put(u16{1}).put(u16{8}).put(u8{0}).text("jump"));
  second.end_scope(thunk, pdb::S_END);
  Out separated;
  separated.put(u32{0}).put(u32{0}).put(u32{0x20}).put(u32{0}).put(u32{0x400}).put(u32{0x100}).put(u16{1}).put(u16{1});
  second.end_scope(second.record(pdb::S_SEPCODE, separated), pdb::S_END);
  builder.pieces.push_back({1, 0x120, 8, 1});
  builder.pieces.push_back({1, 0x400, 0x20, 1});
  const auto opened = open(builder);
  EXPECT_EQ(name_at(*opened->pdb, 0x1124), "jump");
  EXPECT_EQ(name_at(*opened->pdb, 0x1410), "other");
  EXPECT_EQ(opened->pdb->function_at({0x1410})->rva.value, 0x1400U);
}

TEST(PdbFile, leaves_out_what_the_linker_dropped) {
  PdbBuilder builder = small_program();
  CompilandBuilder& second = builder.compilands[1];
  second.end_scope(second.begin_procedure(pdb::S_GPROC32, 0, 0, 0x10, "dropped"), pdb::S_END);
  second.lines(0, 0x10, {{0, {{0, 1}}}}, false, 0);
  const auto opened = open(builder);
  EXPECT_EQ(describe(opened->pdb->functions()).find("dropped"), std::string::npos);
  EXPECT_EQ(opened->pdb->all_lines().size(), 7U);
  EXPECT_EQ(opened->pdb->damage().streams + opened->pdb->damage().records, 0U);
}

TEST(PdbFile, searches_contributions_of_both_versions_and_out_of_order) {
  for (const bool is_wide : {false, true}) {
    PdbBuilder builder = small_program();
    builder.has_wide_pieces = is_wide;
    EXPECT_EQ(name_at(*open(builder)->pdb, 0x1108), "other") << is_wide;
    std::reverse(builder.pieces.begin(), builder.pieces.end());
    const auto opened = open(builder);
    EXPECT_EQ(name_at(*opened->pdb, 0x1018), "caller") << is_wide;
    EXPECT_EQ(name_at(*opened->pdb, 0x1108), "other") << is_wide;
    EXPECT_EQ(name_at(*opened->pdb, 0x1048), "local") << is_wide;
  }
}

TEST(PdbFile, without_contributions_searches_the_procedures) {
  PdbBuilder builder = small_program();
  builder.pieces.clear();
  const auto opened = open(builder);
  EXPECT_EQ(name_at(*opened->pdb, 0x1108), "other");
  EXPECT_EQ(name_at(*opened->pdb, 0x1070), "_stub");
  EXPECT_EQ(frames(*opened->pdb, 0x1014), "space::callee b.h:101 inlined\ncaller a.cpp:11\n");
  EXPECT_EQ(name_at(*opened->pdb, 0x1000), "");
}

TEST(PdbFile, without_an_index_or_with_a_wrong_one_finds_names_all_the_same) {
  PdbBuilder builder = small_program();
  for (u32 i = 0; i < 200; ++i) {
    builder.ids.push_back(PdbBuilder::type(pdb::LF_FUNC_ID).put(u32{0}).put(u32{0}).text("f" + std::to_string(i)));
  }
  builder.compilands[0].procedure(pdb::S_GPROC32, 0x300, 0x10, "late", [](CompilandBuilder& inside) {
    const u32 site = inside.begin_inline_site(0x1003 + 150, std::string("\x0b\0\x04\x04\0\0", 6));
    inside.end_scope(site, pdb::S_INLINESITE_END);
  });
  builder.pieces.push_back({1, 0x300, 0x10, 0});
  const std::string expected = "f150 :0 inlined\nlate :0\n";
  EXPECT_EQ(frames(*open(builder)->pdb, 0x1301), expected);
  builder.has_index = false;
  EXPECT_EQ(frames(*open(builder)->pdb, 0x1301), expected);
  builder.has_index = true;
  builder.index_shift = 0x10000000;
  EXPECT_EQ(frames(*open(builder)->pdb, 0x1301), expected);
}

TEST(PdbFile, inlinees_with_extra_files_and_imported_ids) {
  PdbBuilder builder = small_program();
  const u32 exporter = builder.name("SECOND.obj");
  CompilandBuilder third("third.obj");
  third.procedure(pdb::S_GPROC32, 0x300, 0x10, "whole", [](CompilandBuilder& inside) {
    const u32 site = inside.begin_inline_site(0x80000001, std::string("\x0b\0\x04\x08\0\0", 6));
    inside.end_scope(site, pdb::S_INLINESITE_END);
    const u32 unknown = inside.begin_inline_site(0x80100001, std::string("\x03\x08\x04\x08\0\0", 6));
    inside.end_scope(unknown, pdb::S_INLINESITE_END);
  });
  third.files({1, 7});
  third.inlinees({{0x1001, 0, 1}, {0x80000001, 1, 50}}, true);
  third.subsection(pdb::DEBUG_S_CROSSSCOPEIMPORTS, Out().put(exporter).put(u32{2}).put(u32{5}).put(u32{0x8000cafe}));
  builder.compilands.push_back(third);
  builder.compilands[1].subsection(pdb::DEBUG_S_CROSSSCOPEEXPORTS,
                                   Out().put(u32{7}).put(u32{0x1000}).put(u32{0x8000cafe}).put(u32{0x1001}));
  builder.pieces.push_back({1, 0x300, 0x10, 2});
  const auto opened = open(builder);
  EXPECT_EQ(frames(*opened->pdb, 0x1304), "space::callee b.h:50 inlined\nwhole :0\n");
  EXPECT_EQ(frames(*opened->pdb, 0x130c), " :0 inlined\nwhole :0\n");
}

TEST(PdbFile, follows_code_that_was_moved_after_linking) {
  PdbBuilder builder = small_program();
  builder.original_sections = builder.sections;
  builder.sections = {PdbBuilder::section(0x5000, 0x1000, pdb::kSectionExecutable)};
  builder.omap_from_source = {{0x1000, 0x5000}, {0x1040, 0}, {0x1060, 0x5800}};
  builder.omap_to_source = {{0x5000, 0x1000}, {0x5040, 0}, {0x5800, 0x1060}};
  const auto opened = open(builder);
  const PdbFile& pdb = *opened->pdb;
  EXPECT_EQ(describe(pdb.functions()), "5010+20 caller\n5800+0 _stub public\n58a0+10 other\n");
  EXPECT_EQ(frames(pdb, 0x5014), "space::callee b.h:101 inlined\ncaller a.cpp:11\n");
  EXPECT_EQ(describe({*pdb.line_at({0x5015})}), "5014+8 11 a.cpp\n");
  EXPECT_EQ(name_at(pdb, 0x58a8), "other");
  EXPECT_EQ(name_at(pdb, 0x1018), "");
  EXPECT_EQ(name_at(pdb, 0x5050), "");
  EXPECT_EQ(describe(pdb.lines_of(pdb.functions()[0])), "5010+4 10 a.cpp\n5014+8 11 a.cpp\n501c+14 12 a.cpp\n");
}

TEST(PdbFile, stripped_to_publics_answers_with_them) {
  PdbBuilder builder = small_program();
  builder.compilands.clear();
  for (const bool has_map : {true, false}) {
    builder.has_address_map = has_map;
    const auto opened = open(builder);
    EXPECT_EQ(describe(opened->pdb->functions()),
              "1010+0 ?caller@@ public\n1060+0 _stub public\n1100+0 ?other@@ public\n");
    EXPECT_EQ(name_at(*opened->pdb, 0x1104), "?other@@");
    EXPECT_EQ(frames(*opened->pdb, 0x1104), "?other@@ :0\n");
  }
}

TEST(PdbFile, counts_damage_and_answers_the_rest) {
  PdbBuilder builder = small_program();
  std::string& symbols = builder.compilands[0].symbols();
  const u32 nowhere = 0x00ffffff;
  std::memcpy(symbols.data() + 4 + 4 + 4, &nowhere, sizeof nowhere);  // the end of "caller"
  builder.compilands[1].symbols()[0] = 2;                             // an older version of compiland streams
  const auto opened = open(builder);
  EXPECT_EQ(describe(opened->pdb->functions()),
            "1010+20 caller\n1040+10 local\n1060+0 _stub public\n1100+0 ?other@@ public\n");
  EXPECT_EQ(frames(*opened->pdb, 0x1014), "caller a.cpp:11\n");
  EXPECT_EQ(opened->pdb->damage().records, 1U);
  EXPECT_EQ(opened->pdb->damage().streams, 1U);
}

TEST(PdbFile, refuses_what_does_not_say_which_build_it_is) {
  const std::string file = pdb::build_msf({"", "short"});
  const auto opened = PdbFile::open(pdb::as_file(file));
  ASSERT_FALSE(opened.has_value());
  EXPECT_TRUE(diag::names_all(opened.error().text, {"build"}));
  EXPECT_EQ(opened.error().code, diag::ExitCode::damaged_input);
}

}  // namespace
}  // namespace wperf::symbols
