// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/kernel_sample_profile.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <span>

#include "import/perf_data/perf_data_builder_test.h"
#include "os/files.h"
#include "os/process.h"
#include "symbols/elf/elf_builder_test.h"

namespace wperf::pipeline {
namespace {

using perf_data::RecordType;
using perf_data::test::Fields;

constexpr u32 kProcess = 8;
constexpr u64 kMapped = 0x10000;  // where the process has the file from its beginning on

std::vector<std::byte> file_of_function_f() {
  symbols::ElfBuilder builder;
  builder.add_symbols({{"f", 0x1230, 16}});  // at byte 0x230
  return builder.build();
}

std::vector<std::byte> recording_of(const char* path) {
  perf_data::test::FileBuilder builder;
  builder.event(perf_data::test::attributes(perf_data::kSampleIp | perf_data::kSampleTid | perf_data::kSampleTime));
  builder.add(
      RecordType::mmap,
      Fields().u32s({kProcess, kProcess}).u64s({kMapped, 0x1000, 0}).text(path).u32s({kProcess, kProcess}).u64s({1}));
  return builder.build();
}

// Two folders in a new one, the second of them with the file.
class TwoSymbolFolders {
 public:
  explicit TwoSymbolFolders(const std::string& file_name)
      : path_(std::filesystem::temp_directory_path() /
              ("wperf_symbol_folders_" + std::to_string(os::process_number()))) {
    std::filesystem::create_directories(path_ / "first");
    std::filesystem::create_directories(path_ / "second");
    const auto bytes = file_of_function_f();
    EXPECT_TRUE(os::save_file_at_once((path_ / "second" / file_name).string(), std::span(bytes)).has_value());
  }
  ~TwoSymbolFolders() { std::filesystem::remove_all(path_); }
  TwoSymbolFolders(const TwoSymbolFolders&) = delete;
  TwoSymbolFolders& operator=(const TwoSymbolFolders&) = delete;

  std::string list(const char* separator) const { return (path_ / "first").string() + separator + second(); }
  std::string second() const { return (path_ / "second").string(); }

 private:
  std::filesystem::path path_;
};

std::string name_of_sample_in_f(const std::string& symbol_path) {
  const std::vector<std::byte> bytes = recording_of("/no/such/folder/program_with_f");
  const perf_data::PerfFile file = perf_data::PerfFile::open(bytes).value();
  SamplingOutcome outcome;
  outcome.plan.events.resize(1);
  outcome.capture.samples = {{.time_ns = 5, .pc = kMapped + 0x234, .process = kProcess, .overflowed = 1}};
  SampledProgram program;
  program.pid = kProcess;
  modules::SymbolOptions options;
  options.symbol_path = symbol_path;
  const auto profile = build_kernel_sample_profile(outcome, file, program, options);
  const auto& events = profile.value().events;
  if (events.size() != 1 || events[0].rows.size() != 1) return "no single row";
  return profile.value().symbols[events[0].rows[0].symbol].name;
}

TEST(KernelSampleProfile, SymbolPathMayHaveSeveralFolders) {
  const TwoSymbolFolders folders("program_with_f");
  EXPECT_EQ(name_of_sample_in_f(folders.second()), "f");
  EXPECT_EQ(name_of_sample_in_f(folders.list(";")), "f");
  EXPECT_EQ(name_of_sample_in_f(folders.list(":")), "f");
  EXPECT_NE(name_of_sample_in_f(folders.second() + "/further"), "f");
}

}  // namespace
}  // namespace wperf::pipeline
