// SPDX-License-Identifier: BSD-3-Clause
// Compares our disassembly with the output of llvm-objdump-19, byte for byte, for whole .text sections. If both print
// the same instruction in different spellings, the list below must have a row for the difference. The test also fails
// if no instruction needs a row.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "code/symbols/disassembly/disassembler.h"

namespace wperf::symbols {
namespace {

namespace fs = std::filesystem;

struct Row {
  u64 address = 0;
  std::vector<std::byte> bytes;
  std::string text;  // mnemonic, blank, operands
};

std::string output_of(const std::string& command) {
  std::string out;
  FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return out;
  std::array<char, 65536> buffer{};
  for (usize size = 0; (size = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) out.append(buffer.data(), size);
  return pclose(pipe) == 0 ? out : std::string();
}

std::string trimmed(std::string text) {
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

// "180001000: 52800020      mov w0, #0x1  // =1" → a row; its comment and "<name+0x8>" are left out. Two blanks follow
// the bytes. Written by hand, because a regular expression for each line takes minutes under the sanitizers.
bool parse_row(const std::string& line, Row& row) {
  constexpr std::string_view kHex = "0123456789abcdef", kBlanks = "  ";
  const usize begin = std::min(line.find_first_not_of(' '), line.size()), colon = line.find(": ", begin);
  if (colon == std::string::npos || colon == begin || line.find_first_not_of(kHex, begin) != colon) return false;
  const usize end = line.find(kBlanks, colon), mnemonic = line.find_first_not_of(' ', end);
  if (end == std::string::npos || mnemonic == std::string::npos) return false;
  std::string digits = line.substr(colon + 2, end - colon - 2);
  std::erase(digits, ' ');
  if (digits.empty() || digits.size() % 2 != 0 || digits.find_first_not_of(kHex) != std::string::npos) return false;
  row.address = std::stoull(line.substr(begin, colon - begin), nullptr, 16);
  row.bytes.clear();
  for (usize i = 0; i < digits.size(); i += 2)
    row.bytes.push_back(static_cast<std::byte>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  const usize operands = std::min(line.find(' ', mnemonic), line.size());
  std::string rest = line.substr(std::min(line.find_first_not_of(' ', operands), line.size()));
  for (const std::string_view extra : {"//", "# ", "##", "<"}) rest.resize(std::min(rest.find(extra), rest.size()));
  row.text = trimmed(line.substr(mnemonic, operands - mnemonic) + " " + trimmed(rest));
  return true;
}

std::vector<Row> oracle_rows(const std::string& file, InstructionSet set) {
  const std::string options = set == InstructionSet::arm64 ? "--mattr=+all" : "--x86-asm-syntax=intel --print-imm-hex";
  const std::string text = output_of("llvm-objdump-19 -d -z " + options + " '" + file + "'");
  std::vector<Row> rows;
  for (usize at = 0; at < text.size();) {
    const usize end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    std::replace(line.begin(), line.end(), '\t', ' ');
    Row row;
    if (parse_row(line, row)) {
      // ARM64 instructions are printed as words, most significant byte first.
      if (set == InstructionSet::arm64) std::reverse(row.bytes.begin(), row.bytes.end());
      rows.push_back(std::move(row));
    }
    at = end + 1;
  }
  return rows;
}

// Two spellings of the same instruction: `respell` turns wperf's into llvm-objdump's.
struct Difference {
  const char* why;
  std::string (*respell)(const std::string& ours);
};

std::string replaced(const std::string& text, const std::string& pattern, const char* by) {
  static std::map<std::string, std::regex> known;
  return std::regex_replace(text, known.try_emplace(pattern, pattern).first->second, by);
}

std::string signed_constants(const std::string& ours) {
  std::smatch match;
  static const std::regex kLarge("(.*, )0x([89a-f][0-9a-f]{15})");
  if (!std::regex_match(ours, match, kLarge)) return ours;
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "-0x%llx", ~std::stoull(match[2].str(), nullptr, 16) + 1);
  return match[1].str() + text.data();
}

std::vector<Difference> known_differences(InstructionSet set) {
  if (set == InstructionSet::arm64) {
    return {
        {"a zero for all of a vector",
         [](const std::string& ours) {
           return replaced(ours, "^(movi (v[0-9]+\\.2d|d[0-9]+), #)0x0$", "$010000000000000000");
         }},
        {"names of system registers",
         [](const std::string& ours) {
           return replaced(replaced(ours, "pmccntr_el0", "PMCCNTR_EL0"), "fpcr", "FPCR");
         }},
        {"a supervisor call number of zero",
         [](const std::string& ours) { return replaced(ours, "^svc #0x0$", "svc #0"); }},
    };
  }
  return {
      {"a shift by one",
       [](const std::string& ours) { return replaced(ours, "^((?:sh[lr]|sar) [a-z0-9]+), 1$", "$1"); }},
      {"small numbers",
       [](const std::string& ours) { return replaced(ours, "([ \\-])([0-9])(?=[,\\]]|$)", "$010x$2"); }},
      {"scale before index", [](const std::string& ours) { return replaced(ours, "([a-z0-9]+)\\*([248])", "$2*$1"); }},
      {"constants of 64 bits have a sign", signed_constants},
  };
}

std::string ours_of(const Instruction& instruction) {
  return trimmed(instruction.mnemonic + " " + instruction.operands);
}

class Comparison {
 public:
  explicit Comparison(InstructionSet set) : set_(set), differences_(known_differences(set)) {}

  void compare(const std::string& file) {
    const std::vector<Row> rows = oracle_rows(file, set_);
    ASSERT_FALSE(rows.empty()) << file;
    auto disassembler = Disassembler::open(set_);
    ASSERT_TRUE(disassembler.has_value());
    for (usize first = 0; first < rows.size();) {
      // One run of adjacent instructions at a time, so that the disassembler must find the boundaries between them.
      std::vector<std::byte> code;
      usize last = first;
      for (; last < rows.size() && rows[last].address == rows[first].address + code.size(); ++last) {
        code.insert(code.end(), rows[last].bytes.begin(), rows[last].bytes.end());
      }
      const u64 base = rows[first].address & ~u64{0xffffffff};
      const auto answer = disassembler.value().disassemble(code, base, static_cast<u32>(rows[first].address - base));
      compare_stretch(file, std::span(rows).subspan(first, last - first), answer);
      first = last;
    }
  }

  void expect_every_difference_used() const {
    for (usize i = 0; i < differences_.size(); ++i) EXPECT_TRUE(used_.contains(i)) << differences_[i].why;
  }
  usize compared() const { return compared_; }

 private:
  void compare_stretch(const std::string& file, std::span<const Row> rows, std::span<const Instruction> answer) {
    ASSERT_EQ(answer.size(), rows.size()) << file;
    for (usize i = 0; i < rows.size(); ++i) {
      ++compared_;
      EXPECT_EQ(answer[i].size, rows[i].bytes.size());
      std::string ours = ours_of(answer[i]);
      for (usize d = 0; d < differences_.size() && ours != rows[i].text; ++d) {
        const std::string changed = differences_[d].respell(ours);
        if (changed == ours) continue;
        used_.insert(d);
        ours = changed;
      }
      EXPECT_EQ(ours, rows[i].text) << fs::path(file).filename() << " at " << std::hex << rows[i].address;
    }
  }

  InstructionSet set_;
  std::vector<Difference> differences_;
  std::set<usize> used_;
  usize compared_ = 0;
};

bool have(const std::string& tool) {
  return !output_of(tool + " --version").empty();
}

bool can_disassemble() {
  return Disassembler::open(InstructionSet::arm64).has_value() && have("llvm-objdump-19");
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string path = (fs::temp_directory_path() / "wperf-disassembly-XXXXXX").string();
    path_ = mkdtemp(path.data());
  }
  ~TemporaryFolder() { fs::remove_all(path_); }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

TEST(disassembler_against_llvm_objdump, whole_text_of_the_workloads) {
  if (!can_disassemble()) GTEST_SKIP() << "no Capstone in this build, or no llvm-objdump-19";
  if (!fs::exists(WPERF_WORKLOADS)) GTEST_SKIP() << "the workloads are not built";
  Comparison comparison(InstructionSet::arm64);
  usize files = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(WPERF_WORKLOADS)) {
    const fs::path extension = entry.path().extension();
    if (extension != ".exe" && extension != ".dll") continue;
    comparison.compare(entry.path().string());
    ++files;
  }
  if (files == 0) GTEST_SKIP() << "the workloads are not built";
  EXPECT_GT(comparison.compared(), 2000u);
}

TEST(disassembler_against_llvm_objdump, instructions_newer_than_the_library) {
  if (!can_disassemble() || !have("llvm-mc-19")) GTEST_SKIP() << "no Capstone in this build, or no LLVM 19 tools";
  const TemporaryFolder folder;
  const std::string object = (folder.path() / "newer.obj").string();
  ASSERT_EQ(std::system(("llvm-mc-19 -triple=aarch64-pc-windows-msvc -mattr=+all -filetype=obj " WPERF_SOURCE_DIR
                         "/src/code/symbols/disassembly/testdata/newer_arm64.s -o " +
                         object)
                            .c_str()),
            0);
  Comparison comparison(InstructionSet::arm64);
  comparison.compare(object);
  comparison.expect_every_difference_used();
  EXPECT_GT(comparison.compared(), 100u);
}

TEST(disassembler_against_llvm_objdump, x64_code_of_the_workloads) {
  if (!can_disassemble() || !have("clang-19")) GTEST_SKIP() << "no Capstone in this build, or no LLVM 19 tools";
  const TemporaryFolder folder;
  Comparison comparison(InstructionSet::x64);
  for (const char* name : {"bignum", "branchy", "chase", "fib", "googolplex", "probe", "stream"}) {
    const std::string object = (folder.path() / name).string() + ".obj";
    const std::string compile =
        std::string("clang-19 --target=x86_64-pc-windows-msvc -w -O2 -ffreestanding -c " WPERF_SOURCE_DIR
                    "/sim/workloads/")
            .append(name)
            .append(".c -o ")
            .append(object);
    ASSERT_FALSE(output_of(compile + " && echo done").empty()) << compile;
    comparison.compare(object);
  }
  comparison.expect_every_difference_used();
  EXPECT_GT(comparison.compared(), 1000u);
}

}  // namespace
}  // namespace wperf::symbols
