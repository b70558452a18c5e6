// SPDX-License-Identifier: BSD-3-Clause
// Compares the catalogue with its source data, if these are next to the source tree.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "machine/pmu/catalogue.h"

namespace wperf::pmu {
namespace {

using Json = nlohmann::json;

std::string lower(std::string text) {
  for (char& letter : text) letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
  return text;
}

std::string joined(const Json& words) {
  std::string text;
  for (const Json& word : words) text += (text.empty() ? "" : ",") + word.get<std::string>();
  return text;
}

// "arm-c1-pro-r1p2" → c1-pro, "neoverse-n2-r0p3" unchanged, "common-armv8" → armv8-a.
std::optional<Product> product_of_file(std::string stem) {
  if (stem.starts_with("common-")) return find_product(stem.substr(7) + "-a");
  if (stem.starts_with("arm-")) stem.erase(0, 4);
  if (const auto exact = find_product(stem)) return exact;
  return find_product(stem.substr(0, stem.rfind("-r")));
}

void compare(const Json& facts, Product product) {
  const Json none = Json::object();
  // Events of Neoverse V3 that newer data leave out but WindowsPerf shows.
  const usize of_older_facts = product.name() == "neoverse-v3" ? 2 : 0;
  EXPECT_EQ(product.event_count(), facts["events"].size() + of_older_facts);
  for (const auto& [name, code] : facts["events"].items()) {
    const std::optional<Event> event = product.find_event(lower(name));
    ASSERT_TRUE(event.has_value()) << name;
    EXPECT_EQ(event->code, std::strtoul(code.get<std::string>().c_str(), nullptr, 16)) << name;
  }
  const Json& metrics = facts.contains("metrics") ? facts["metrics"] : none;
  EXPECT_EQ(product.metric_count(), metrics.size());
  for (const auto& [name, metric] : metrics.items()) {
    const std::optional<Metric> found = product.find_metric(name);
    ASSERT_TRUE(found.has_value()) << name;
    EXPECT_EQ(found->formula, lower(metric["formula"].get<std::string>()));
    EXPECT_EQ(found->unit, metric["units"].get<std::string>());
    EXPECT_EQ(found->events, lower(joined(metric["events"])));
  }
  const Json& groups = facts.contains("metric_groups") ? facts["metric_groups"] : none;
  EXPECT_EQ(product.group_count(), groups.size());
  for (const auto& [name, members] : groups.items()) {
    EXPECT_EQ(product.find_group(name).value_or(MetricGroup{}).metrics, joined(members)) << name;
  }
}

TEST(CatalogueFacts, EveryProductIsWhatItsFactsSay) {
  const std::filesystem::path folder = std::filesystem::path(WPERF_SOURCE_DIR) / ".." / "shared" / "facts" / "cpus";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no facts beside the source tree";
  usize files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path().filename().string());
    const std::optional<Product> product = product_of_file(entry.path().stem().string());
    ASSERT_TRUE(product.has_value());
    std::ifstream file(entry.path());
    compare(Json::parse(file), *product);
    ++files;
  }
  EXPECT_GE(files, 38u);
}

std::string published_title(Product product, const std::string& kind, const std::string& name) {
  if (kind == "metric") return std::string(product.find_metric(name).value_or(Metric{}).title);
  if (kind == "group") return std::string(product.find_group(name).value_or(MetricGroup{}).title);
  return std::string(product.find_event(name).value_or(Event{}).title);
}

// The columns are cpu,kind,name,title. Only titles may contain commas, and are then quoted.
TEST(CatalogueFacts, TitlesAreThePublishedOnes) {
  std::ifstream file(std::filesystem::path(WPERF_SOURCE_DIR) / ".." / "shared" / "facts" / "titles.csv");
  if (!file.is_open()) GTEST_SKIP() << "no facts beside the source tree";
  usize compared = 0;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    if (line.ends_with('\r')) line.pop_back();
    const usize kind = line.find(',') + 1, name = line.find(',', kind) + 1, title = line.find(',', name) + 1;
    const std::optional<Product> product = find_product(line.substr(0, kind - 1));
    ASSERT_TRUE(product.has_value()) << line;
    const std::string shown =
        published_title(*product, line.substr(kind, name - kind - 1), line.substr(name, title - name - 1));
    if (shown.empty()) continue;  // from another version of the data
    const bool quoted = line[title] == '"';
    EXPECT_EQ(shown, quoted ? line.substr(title + 1, line.size() - title - 2) : line.substr(title)) << line;
    ++compared;
  }
  EXPECT_GT(compared, 2400u);
}

}  // namespace
}  // namespace wperf::pmu
