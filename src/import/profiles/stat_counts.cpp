// SPDX-License-Identifier: BSD-3-Clause
#include "import/profiles/stat_counts.h"

#include <algorithm>
#include <utility>

#include "import/profiles/json_reader.h"

namespace wperf::profiles {
namespace {

constexpr usize kMostCounts = 100'000;  // sums of different ones; no document comes near

class StatReader {
 public:
  explicit StatReader(Bytes file) : json_(file) {}

  std::optional<StatCounts> read() {
    bool has_cores = false, has_time = false;
    json_.for_each_member([&](std::string_view key) {
      if (key == "core") {
        json_.for_each_member([&](std::string_view member) {
          if (member != "cores") return;
          has_cores = true;
          json_.for_each([&] { read_unit({}); });
        });
      } else if (key == "dsu") {
        json_.for_each_member([&](std::string_view member) {
          if (!member.empty() && member.find_first_not_of("0123456789") == std::string_view::npos) read_unit("/dsu/");
        });
      } else if (key == "Time_elapsed") {
        has_time = true;
        found_.seconds = json_.number();
      }
    });
    if (!has_cores) return std::nullopt;
    found_.is_whole = json_.sound() && has_time;
    return std::move(found_);
  }

 private:
  // One core, or one cluster.
  void read_unit(std::string_view prefix) {
    seen_here_.clear();
    json_.for_each_member([&](std::string_view key) {
      if (key == "Performance_counter") json_.for_each([&] { read_row(prefix); });
    });
  }

  void read_row(std::string_view prefix) {
    std::string name;
    double counted = 0, scaled = -1;
    json_.for_each_member([&](std::string_view key) {
      if (key == "event_name") name = json_.string();
      if (key == "counter_value") counted = json_.number();
      if (key == "scaled_value") scaled = json_.number();
    });
    if (name.empty()) return;
    name.insert(0, prefix);
    // An event of several groups is there several times: each tells the same.
    if (std::find(seen_here_.begin(), seen_here_.end(), name) != seen_here_.end()) return;
    seen_here_.push_back(name);
    const double value = std::max(0.0, scaled >= 0 ? scaled : counted);
    const auto known = std::find_if(found_.counts.begin(), found_.counts.end(),
                                    [&](const StatCounts::Count& one) { return one.event == name; });
    if (known != found_.counts.end()) {
      known->value += value;
    } else if (found_.counts.size() < kMostCounts) {
      found_.counts.push_back({std::move(name), value});
    }
  }

  JsonReader json_;
  StatCounts found_;
  std::vector<std::string> seen_here_;
};

}  // namespace

std::optional<StatCounts> read_stat_counts(Bytes file) {
  return StatReader(file).read();
}

}  // namespace wperf::profiles
