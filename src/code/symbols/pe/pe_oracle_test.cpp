// SPDX-License-Identifier: BSD-3-Clause
// Compares every image that the build makes with llvm-readobj.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <tuple>

#include "code/symbols/pe/image_files_test.h"
#include "code/symbols/pe/pe_file.h"

namespace wperf::symbols {
namespace {

std::vector<std::string> readobj(const std::string& options, const std::filesystem::path& image) {
  const std::string command = std::string(WPERF_READOBJ) + " " + options + " '" + image.string() + "' 2>/dev/null";
  std::string text;
  if (std::FILE* pipe = popen(command.c_str(), "r")) {
    std::array<char, 4096> chunk;
    while (const size_t count = std::fread(chunk.data(), 1, chunk.size(), pipe)) text.append(chunk.data(), count);
    pclose(pipe);
  }
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    line.erase(0, line.find_first_not_of(' '));
    lines.push_back(line);
  }
  return lines;
}

// The value in a line "Key: value".
std::optional<std::string> value_of(const std::string& line, const std::string& key) {
  if (line.rfind(key + ": ", 0) != 0) return std::nullopt;
  return line.substr(key.size() + 2);
}

u64 number(const std::string& text) {
  const size_t open = text.find('(');
  return std::stoull(open == std::string::npos ? text : text.substr(open + 1), nullptr, 0);
}

// Returns true if the line has the key; then its value must be the number.
bool expect_number(const std::string& line, const std::string& key, u64 expected) {
  const std::optional<std::string> value = value_of(line, key);
  if (value.has_value()) {
    EXPECT_EQ(expected, number(*value)) << key;
  }
  return value.has_value();
}

bool expect_text(const std::string& line, const std::string& key, std::string_view expected) {
  const std::optional<std::string> value = value_of(line, key);
  if (value.has_value()) {
    EXPECT_EQ(expected, *value) << key;
  }
  return value.has_value();
}

class Image : public testing::Test {
 protected:
  void SetUp() override {
    paths_ = find_images({WPERF_TEST_IMAGES, WPERF_WORKLOADS});
    if (paths_.empty() || std::string(WPERF_READOBJ).empty()) GTEST_SKIP() << "needs clang, lld-link and llvm-readobj";
  }
  // Calls check(path, file) for each image.
  template <class Check>
  void each(Check check) {
    for (const auto& path : paths_) {
      SCOPED_TRACE(path.filename().string());
      const auto bytes = load_bytes(path);
      auto parsed = PeFile::parse(bytes);
      ASSERT_TRUE(parsed.has_value()) << parsed.error().text;
      check(path, parsed.value());
    }
  }
  std::vector<std::filesystem::path> paths_;
};

TEST_F(Image, HeadersAndSections) {
  each([](const auto& path, const PeFile& file) {
    std::vector<Section> expected;
    for (const std::string& line : readobj("--file-headers --sections", path)) {
      expect_number(line, "TimeDateStamp", file.time_stamp());
      expect_number(line, "ImageBase", file.image_base());
      expect_number(line, "SizeOfImage", file.image_size());
      expect_number(line, "AddressOfEntryPoint", file.entry_rva());
      if (auto v = value_of(line, "Name")) expected.push_back({.name = v->substr(0, v->find(' '))});
      if (expected.empty()) continue;
      if (auto v = value_of(line, "VirtualSize")) expected.back().virtual_size = static_cast<u32>(number(*v));
      if (auto v = value_of(line, "VirtualAddress")) expected.back().rva = static_cast<u32>(number(*v));
      if (auto v = value_of(line, "RawDataSize")) expected.back().file_size = static_cast<u32>(number(*v));
      if (auto v = value_of(line, "PointerToRawData")) expected.back().file_offset = static_cast<u32>(number(*v));
      if (line.rfind("Characteristics [ (", 0) == 0) expected.back().characteristics = static_cast<u32>(number(line));
    }
    ASSERT_FALSE(expected.empty());
    ASSERT_EQ(file.sections().size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      const Section& mine = file.sections()[i];
      EXPECT_EQ(
          std::tie(mine.name, mine.rva, mine.virtual_size, mine.file_offset, mine.file_size, mine.characteristics),
          std::tie(expected[i].name, expected[i].rva, expected[i].virtual_size, expected[i].file_offset,
                   expected[i].file_size, expected[i].characteristics));
    }
  });
}

std::string text_of(const code::Guid& guid) {
  char text[64];
  std::snprintf(text, sizeof text, "{%08X-%04X-%04X-%02X%02X-%02X%02X%02X%02X%02X%02X}", guid.data1, guid.data2,
                guid.data3, guid.data4[0], guid.data4[1], guid.data4[2], guid.data4[3], guid.data4[4], guid.data4[5],
                guid.data4[6], guid.data4[7]);
  return text;
}

TEST_F(Image, CodeView) {
  each([](const auto& path, const PeFile& file) {
    ASSERT_TRUE(file.codeview().has_value());
    int found = 0;
    for (const std::string& line : readobj("--coff-debug-directory", path)) {
      found += expect_text(line, "PDBGUID", text_of(file.codeview()->id.guid)) ? 1 : 0;
      found += expect_number(line, "PDBAge", file.codeview()->id.age) ? 1 : 0;
      found += expect_text(line, "PDBFileName", file.codeview()->path) ? 1 : 0;
    }
    EXPECT_EQ(found, 3);
  });
}

TEST_F(Image, Exports) {
  int forwarders = 0, nameless = 0;
  each([&](const auto& path, const PeFile& file) {
    std::multiset<std::pair<u32, std::string>> expected, mine;
    std::string name;
    bool forwarded = false;
    for (const std::string& line : readobj("--coff-exports", path)) {
      if (line == "Export {") name.clear(), forwarded = false;
      if (auto v = value_of(line, "Name")) name = *v;
      if (auto v = value_of(line, "ForwardedTo")) forwarded = true, ++forwarders;
      if (auto v = value_of(line, "RVA")) {
        if (name.empty()) ++nameless;
        if (!name.empty() && !forwarded) expected.emplace(static_cast<u32>(number(*v)), name);
      }
    }
    for (const Export& entry : file.exports()) mine.emplace(entry.rva.value, entry.name);
    EXPECT_EQ(mine, expected);
  });
  EXPECT_GT(forwarders, 0);
  EXPECT_GT(nameless, 0);
}

struct Arm64Record {
  u32 begin = 0, length = 0;
  bool fragment = false;
  std::vector<std::string> prologue;  // in llvm-readobj's order: the last instruction first
};

std::vector<Arm64Record> arm64_records(const std::filesystem::path& path, u64 image_base) {
  std::vector<Arm64Record> out;
  bool in_prologue = false;
  for (const std::string& line : readobj("--unwind", path)) {
    if (line == "RuntimeFunction {") out.emplace_back();
    if (auto v = value_of(line, "Function")) out.back().begin = static_cast<u32>(number(*v) - image_base);
    if (auto v = value_of(line, "FunctionLength")) out.back().length = static_cast<u32>(number(*v));
    if (auto v = value_of(line, "Fragment")) out.back().fragment = *v == "Yes";
    if (line == "]") in_prologue = false;
    if (in_prologue) out.back().prologue.push_back(line);
    if (line == "Prologue [") in_prologue = true;
  }
  return out;
}

bool mentions_lr(const std::string& line) {
  return line.find("x30") != std::string::npos || line.find("lr") != std::string::npos;
}

TEST_F(Image, Arm64FunctionsAndWhereTheirPrologueSavesLr) {
  size_t records_seen = 0, saving = 0;
  each([&](const auto& path, const PeFile& file) {
    if (file.machine() == PeMachine::x64) return;
    for (const Arm64Record& record : arm64_records(path, file.image_base())) {
      SCOPED_TRACE(record.begin);
      const code::Rva begin{record.begin};
      const auto bounds = file.function_at(begin);
      ASSERT_TRUE(bounds.has_value());
      EXPECT_EQ(bounds->begin, begin);
      EXPECT_EQ(bounds->end.value, record.begin + record.length);
      ++records_seen;
      std::vector<std::string> codes;  // without the end codes
      bool fragment = record.fragment, saved_before = false;
      for (const std::string& line : record.prologue) {
        if (line == "end" || line.find("; end") == line.size() - 5) break;
        if (line.find("; end_c") != std::string::npos) fragment = true;
        codes.push_back(line);
      }
      if (fragment) {
        for (const std::string& line : codes) saved_before |= mentions_lr(line);
        EXPECT_EQ(file.saves_return_address(begin), saved_before);
        continue;
      }
      std::optional<u32> saved_by;
      for (u32 i = 0; i < codes.size(); ++i) {
        const bool save_next = codes[i].find("save next") != std::string::npos;
        if (mentions_lr(codes[i])) saved_by = static_cast<u32>(codes.size()) - 1 - i;
        if (save_next && i == 0) saved_by = static_cast<u32>(codes.size()) - 1;  // the save_next of packed.S
      }
      saving += saved_by.has_value() ? 1 : 0;
      for (u32 i = 0; i <= codes.size() && i * 4 < record.length; ++i) {
        EXPECT_EQ(file.saves_return_address({record.begin + i * 4}), saved_by.has_value() && i > *saved_by) << i;
      }
    }
  });
  EXPECT_GT(records_seen, 500u);
  EXPECT_GT(saving, 300u);
}

// Does this instruction store (or load) x30?
bool touches_lr(u32 code, bool load) {
  const bool pair = (code & 0x7e000000) == 0x28000000 && (code >> 30) == 2 && ((code >> 22) & 1) == (load ? 1 : 0);
  const bool single = (code & 0xff000000) == 0xf9000000 && ((code >> 22) & 3) == (load ? 1 : 0);
  const bool indexed = (code & 0xff200000) == 0xf8000000 && ((code >> 22) & 3) == (load ? 1 : 0) && (code & 0x400) != 0;
  const u32 first = code & 31, second = (code >> 10) & 31;
  return (pair && (first == 30 || second == 30)) || ((single || indexed) && first == 30);
}

TEST_F(Image, SavedLrAgreesWithTheInstructions) {
  size_t functions = 0, restores = 0;
  each([&](const auto& path, const PeFile& file) {
    if (file.machine() == PeMachine::x64 || path.filename().string().rfind("functions", 0) != 0) return;
    for (const code::RvaRange& range : file.functions()) {
      const auto bytes = file.bytes_at(range.begin, range.end.value - range.begin.value);
      std::vector<u32> code(bytes.size() / 4);
      std::memcpy(code.data(), bytes.data(), code.size() * 4);
      if (code.empty() || code[0] == 0xd503201f || file.saves_return_address(range.begin)) continue;  // in packed.S
      const u32 ret = 0xd65f03c0;
      bool saved = false;
      ++functions;
      for (u32 i = 0; i < code.size(); ++i) {
        EXPECT_EQ(file.saves_return_address({range.begin.value + i * 4}), saved)
            << std::hex << range.begin.value << "+" << i * 4;
        if (touches_lr(code[i], false)) saved = true;
        if (touches_lr(code[i], true)) saved = false, ++restores;
        const bool jump = (code[i] >> 26) == 5 || (code[i] & 0xfffffc1f) == 0xd61f0000;  // b, br
        const bool leaves = code[i] == ret || (jump && !saved);
        if (leaves && i + 1 < code.size() && restores > 0)
          saved = true;  // code after an exit has the frame of the function's body
      }
    }
  });
  EXPECT_GT(functions, 20u);
  EXPECT_GT(restores, 20u);
}

TEST_F(Image, X64Functions) {
  size_t records = 0, merged = 0;
  each([&](const auto& path, const PeFile& file) {
    if (file.machine() != PeMachine::x64) return;
    u64 begin = 0;
    int depth = 0;
    for (const std::string& line : readobj("--unwind", path)) {
      if (line == "RuntimeFunction {") depth = 0;
      if (line == "Chained {") depth = 1;
      if (depth > 0) continue;
      if (auto v = value_of(line, "StartAddress")) begin = number(*v) - file.image_base();
      if (auto v = value_of(line, "EndAddress")) {
        const u64 end = number(*v) - file.image_base();
        const auto bounds = file.function_at({static_cast<u32>(begin)});
        ASSERT_TRUE(bounds.has_value());
        EXPECT_LE(bounds->begin.value, begin);
        EXPECT_GE(bounds->end.value, end);
        ++records;
        merged += bounds->begin.value != begin || bounds->end.value != end ? 1 : 0;
      }
    }
    EXPECT_TRUE(file.saves_return_address(file.functions().at(0).begin));
  });
  EXPECT_GT(records, 10u);
  EXPECT_EQ(merged, 3u);  // in chained.S: the inner part of `whole`, and both of its cold parts
}

TEST_F(Image, CodeMapOfHybrids) {
  int hybrids = 0;
  each([&](const auto& path, const PeFile& file) {
    std::vector<std::string> expected, mine;
    bool in_map = false;
    for (const std::string& line : readobj("--coff-load-config", path)) {
      if (line == "]") in_map = false;
      if (in_map) expected.push_back(line);
      if (line == "CodeMap [") in_map = true;
    }
    for (const CodeRange& code : file.code_ranges()) {
      const std::map<PeMachine, const char*> names = {
          {PeMachine::arm64, "ARM64"}, {PeMachine::arm64ec, "ARM64EC"}, {PeMachine::x64, "X64"}};
      char text[80];
      std::snprintf(text, sizeof text, "0x%X - 0x%X  %s", code.range.begin.value, code.range.end.value,
                    names.at(code.machine));
      mine.emplace_back(text);
    }
    EXPECT_EQ(mine, expected);
    if (expected.empty()) return;
    ++hybrids;
    EXPECT_EQ(file.machine(), path.stem() == "functions_arm64x" ? PeMachine::arm64 : PeMachine::arm64ec);
    // There are functions of both instruction sets, each with its own place for the return address.
    size_t x64 = 0, arm64 = 0;
    for (const code::RvaRange& function : file.functions())
      (file.saves_return_address(function.begin) ? x64 : arm64) += 1;
    EXPECT_GT(arm64, 10u);
    EXPECT_EQ(x64, path.stem() == "functions_arm64ec" ? 3u : 0u);
  });
  EXPECT_EQ(hybrids, 2);
}

}  // namespace
}  // namespace wperf::symbols
