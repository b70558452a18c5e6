// SPDX-License-Identifier: BSD-3-Clause
#include "app/show/compared_runs.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>

#include "ground/os/files.h"

namespace wperf::show {
namespace {

class DocumentRecorder final : public diag::Console {
 public:
  void out(std::string_view) override {}
  void document(std::string_view said) override { text += said; }
  void warn(std::string_view) override {}
  bool animated() const override { return false; }
  bool interrupted() const override { return false; }
  std::string text;
};

struct BaselineFile {
  explicit BaselineFile(std::string_view content)
      : path((std::filesystem::temp_directory_path() / ("wperf_baseline_" + std::to_string(getpid()))).string()) {
    EXPECT_TRUE(os::save_with_folders(path, std::as_bytes(std::span(content))).has_value());
  }
  ~BaselineFile() { std::remove(path.c_str()); }
  std::string path;
};

std::string baseline_of(const std::vector<compare::RunCosts>& runs) {
  DocumentRecorder heard;
  EXPECT_TRUE(write_baseline(runs, "-", {}, heard).has_value());
  return heard.text;
}

bool is_read(std::string_view content) {
  const BaselineFile file(content);
  return read_baseline(file.path).has_value();
}

TEST(BenchBaseline, IsReadAsItWasWritten) {
  std::vector<compare::RunCosts> runs(5);
  for (usize i = 0; i < runs.size(); ++i) {
    runs[i].file = "./old \"in\" quotes";
    runs[i].seconds = 0.1 + 1e-9 * static_cast<double>(i);
    if (i != 2) runs[i].cpu_seconds = 0.05;
    runs[i].was_stopped = i == 3;
    runs[i].counts = {{"inst_retired", 123'456'789'012'345}, {"page-faults", 0}};
  }
  const BaselineFile file(baseline_of(runs));
  const std::vector<compare::RunCosts> read = read_baseline(file.path).value();
  ASSERT_EQ(read.size(), runs.size());
  for (usize i = 0; i < runs.size(); ++i) {
    EXPECT_EQ(read[i].file, runs[i].file);
    EXPECT_EQ(read[i].seconds, runs[i].seconds);
    EXPECT_EQ(read[i].was_stopped, runs[i].was_stopped);
    EXPECT_EQ(read[i].cpu_seconds, runs[i].cpu_seconds);
    ASSERT_EQ(read[i].counts.size(), 2u);
    EXPECT_EQ(read[i].counts[0].event, "inst_retired");
    EXPECT_EQ(read[i].counts[0].value, 123'456'789'012'345);
    EXPECT_EQ(read[i].counts[1].value, 0);
  }
}

TEST(ComparedRuns, AreKeptUntilTheFileChanges) {
  const BaselineFile file("main;work;hot 60\nmain;cool 40\n");
  std::string state = "first";
  std::atomic<int> opened = 0;  // files are read at the same time
  KeptRuns kept([&](const std::string& name) { return name + state; });
  ComparisonOptions options;
  options.kept = &kept;
  options.open = [&](const std::string& name, diag::Console& console) {
    ++opened;
    return open_file(name, console);
  };
  DocumentRecorder heard;
  const auto read = [&] { return read_compared_runs({file.path}, {file.path}, options, heard).value(); };
  const ComparedRuns first = read();
  ASSERT_EQ(first.before.size(), 1u);
  EXPECT_EQ(opened, 2);
  EXPECT_EQ(read().after.front().units.size(), first.after.front().units.size());
  EXPECT_EQ(opened, 2);
  state = "second";
  read();
  EXPECT_EQ(opened, 4);
  EXPECT_TRUE(read_compared_runs({file.path, file.path}, {file.path}, options, heard).has_value());
  EXPECT_EQ(opened, 7) << "a file that is not alone on its side is read in another way";
}

TEST(BenchBaseline, InvalidBaselineIsRefused) {
  const auto with_runs = [](const std::string& runs) {
    return R"({"bench_baseline":{"program":"p","runs":[)" + runs + "]}}";
  };
  EXPECT_TRUE(is_read(with_runs(R"({"elapsed":1,"inst_retired":5})")));
  const std::string whole = with_runs(R"({"elapsed":1,"inst_retired":5})");
  for (usize length = 0; length < whole.size(); ++length) EXPECT_FALSE(is_read(whole.substr(0, length))) << length;
  EXPECT_FALSE(is_read("{}"));
  EXPECT_FALSE(is_read(R"({"core":{"cores":[]}})"));
  EXPECT_FALSE(is_read(with_runs("")));
  for (const char* value : {"-1", "1e999", "\"5\"", "null", "[5]", "{}"})
    EXPECT_FALSE(is_read(with_runs(std::string(R"({"inst_retired":)") + value + "}"))) << value;
  std::string many = "{}";
  for (int i = 0; i < 10'000; ++i) many += ",{}";
  EXPECT_FALSE(is_read(with_runs(many)));
  std::string wide = R"({"a":1)";
  for (int i = 0; i < 10'001; ++i) wide += R"(,"a":1)";
  EXPECT_FALSE(is_read(with_runs(wide + "}")));
}

}  // namespace
}  // namespace wperf::show
