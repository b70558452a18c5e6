// SPDX-License-Identifier: BSD-3-Clause
#include "formats/profiles/stat_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "ground/text/json_reader.h"

namespace wperf::profiles {
namespace {

constexpr usize kMostCounts = 100'000;  // limit of different sums; no real document is near it
constexpr usize kMostRows = 1'000'000;  // limit for one count

constexpr std::string_view kChannelWord = "dmc ", kCycles = "cycle_count", kClk = "dmc_clk", kClkDiv2 = "dmc_clkdiv2";

// Is it an event of dmc_clk, the class for the memory controller's full clock? The class's only other event is the
// cycle count.
bool is_clk_event(std::string_view name) {
  return name == "request" || name == "upload_stall";
}

class StatReader {
 public:
  explicit StatReader(Bytes file) : json_(file) {}

  std::optional<StatCounts> read() {
    json_.for_each_member([&](std::string_view key) {
      if (key == "timeline") {
        json_.for_each([&] {
          json_.for_each_member([&](std::string_view member) { read_member(member); });
          finish_count();
        });
      } else {
        read_member(key);
      }
    });
    finish_count();
    if (counts_read_ == 0) return std::nullopt;
    found_.is_whole = found_.is_whole && json_.sound();
    for (Tally& tally : tallies_) take_tally(tally);
    if (counts_read_ > 1) {
      found_.losses.push_back(
          fmt::format("{} counts of a timeline are added up; the pauses between them were not counted.", counts_read_));
    }
    return std::move(found_);
  }

 private:
  // One row of the document.
  struct Fields {
    std::string channel, name, note;
    double counted = 0, scaled = -1;
    bool had_no_turn = false;
  };
  struct Row {
    std::string event;
    std::string place;  // also used as the key of estimates
    usize unit = 0;     // the number of the core or cluster
    double value = 0;
    bool is_scaled = false;
    bool had_no_turn = false;
  };
  struct Tally {
    std::string event;
    double value = 0;
    u64 counted = 0, missed = 0;  // numbers of cores and clusters, over all counts
  };

  void read_member(std::string_view key) {
    if (key == "core") {
      json_.for_each_member([&](std::string_view member) {
        if (member != "cores") return;
        has_cores_ = true;
        json_.for_each([&] { read_unit("core", {}); });
      });
    } else if (key == "dsu") {
      json_.for_each_member([&](std::string_view member) {
        if (!member.empty() && member.find_first_not_of("0123456789") == std::string_view::npos)
          read_unit("dsu", std::string(member));
      });
    } else if (key == "dmc") {
      json_.for_each_member([&](std::string_view member) {
        if (member == "pmu") read_channels();
      });
    } else if (key == "Multiplexing_estimates") {
      has_estimates_ = true;
      json_.for_each([&] { read_estimate(); });
    } else if (key == "User_time" || key == "System_time") {
      found_.cpu_seconds += json_.number();
    } else if (key == "Time_elapsed") {
      has_time_ = true;
      found_.seconds += json_.number();
    }
  }

  // Reads one core or one cluster.
  void read_unit(std::string_view kind, std::string number) {
    ++units_;
    json_.for_each_member([&](std::string_view key) {
      if (key == "core_number") number = fmt::format("{}", json_.number());
      if (key == "Performance_counter") json_.for_each([&] { add_row(read_fields(), kind, number); });
    });
  }

  // The rows of a channel are adjacent, and the rows of dmc_clk are first.
  void read_channels() {
    std::vector<Fields> channel;
    const auto finish_channel = [&] {
      if (!channel.empty()) add_channel(channel);
      channel.clear();
    };
    json_.for_each_member([&](std::string_view key) {
      if (key != "PMU_Performance_Counters") return;
      json_.for_each([&] {
        Fields row = read_fields();
        if (row.channel == "overall" || channel.size() >= kMostRows) return;
        if (!channel.empty() && channel.front().channel != row.channel) finish_channel();
        channel.push_back(std::move(row));
      });
    });
    finish_channel();
  }

  // The document does not say which rows belong to dmc_clk. Only the name of the cycle event is in both classes.
  void add_channel(const std::vector<Fields>& rows) {
    ++units_;
    const std::string number = rows.front().channel.substr(std::min(kChannelWord.size(), rows.front().channel.size()));
    const auto is_cycles = [](const Fields& row) { return row.name == kCycles; };
    usize clk_end = rows.size();  // the end of the rows that certainly belong to dmc_clk
    while (clk_end > 0 && !is_clk_event(rows[clk_end - 1].name)) --clk_end;
    usize clkdiv2_begin = clk_end;  // the begin of the rows that certainly belong to dmc_clkdiv2
    while (clkdiv2_begin < rows.size() && is_cycles(rows[clkdiv2_begin])) ++clkdiv2_begin;
    if (clkdiv2_begin - clk_end == 2) clkdiv2_begin = ++clk_end;
    for (usize i = 0; i < rows.size(); ++i)
      add_row(rows[i], i < clk_end ? kClk : i >= clkdiv2_begin ? kClkDiv2 : "dmc", number);
  }

  Fields read_fields() {
    Fields row;
    json_.for_each_member([&](std::string_view key) {
      if (key == "pmu_id") row.channel = json_.string();
      if (key == "event_name") row.name = json_.string();
      if (key == "event_note") row.note = json_.string();
      if (key == "counter_value") row.counted = json_.number();
      if (key == "scaled_value") row.scaled = json_.number();
      if (key == "multiplexed") row.had_no_turn = json_.string().starts_with("0/");
    });
    return row;
  }

  void add_row(const Fields& row, std::string_view kind, std::string_view number) {
    if (row.name.empty() || rows_.size() >= kMostRows) return;
    rows_.push_back({.event = kind == "core" ? row.name : fmt::format("/{}/{}", kind, row.name),
                     .place = place_of(kind, number, row.name, row.note),
                     .unit = units_,
                     .value = std::max(0.0, row.scaled >= 0 ? row.scaled : row.counted),
                     .is_scaled = row.scaled >= 0,
                     .had_no_turn = row.had_no_turn && row.counted == 0});
  }

  void read_estimate() {
    std::string kind, name, note;
    double unit = 0, fraction = 1;
    bool is_missing = false;
    json_.for_each_member([&](std::string_view key) {
      if (key == "class") kind = json_.string();
      if (key == "unit") unit = json_.number();
      if (key == "event_name") name = json_.string();
      if (key == "event_note") note = json_.string();
      if (key == "fraction") fraction = std::max(json_.number(), std::numeric_limits<double>::min());
      if (key == "not_counted") is_missing = true;  // the member exists only if it is true
    });
    if (fractions_.size() >= kMostRows) return;
    double& known = fractions_.try_emplace(place_of(kind, fmt::format("{}", unit), name, note), fraction).first->second;
    if (is_missing) known = 0;
  }

  static std::string place_of(std::string_view kind, std::string_view unit, std::string_view name,
                              std::string_view note) {
    return fmt::format("{} {} {} {}", kind, unit, note, name);
  }

  // A kernel reports time slices in milliseconds, so "0/1" may stand for a short time. If there are estimates, they
  // decide.
  bool is_missed(const Row& row) const {
    if (!has_estimates_) return row.had_no_turn;
    const auto known = fractions_.find(row.place);
    return known != fractions_.end() && known->second == 0;
  }

  // Rows of memory channels have no scaled value.
  double scaled_value(const Row& row) const {
    const auto known = fractions_.find(row.place);
    const bool is_part = known != fractions_.end() && known->second > 0 && known->second < 1;
    return is_part && !row.is_scaled ? row.value / known->second : row.value;
  }

  // Called at the end of each count.
  void finish_count() {
    if (has_cores_) {
      ++counts_read_;
      found_.is_whole = found_.is_whole && has_time_;
      for (const Row& row : rows_) tally_of(row.event);  // keeps the order of the document
      // An event in several groups has several rows with the same value, if it was ever scheduled.
      std::stable_sort(rows_.begin(), rows_.end(), [&](const Row& a, const Row& b) {
        return std::tuple(a.unit, is_missed(a)) < std::tuple(b.unit, is_missed(b));
      });
      std::set<std::string_view> seen_here;
      for (usize i = 0; i < rows_.size(); ++i) {
        if (i != 0 && rows_[i].unit != rows_[i - 1].unit) seen_here.clear();
        if (seen_here.insert(rows_[i].event).second) add(rows_[i]);
      }
    }
    has_cores_ = has_time_ = has_estimates_ = false;
    rows_.clear();
    fractions_.clear();
  }

  // Returns nullptr if there are too many.
  Tally* tally_of(const std::string& event) {
    const auto known =
        std::find_if(tallies_.begin(), tallies_.end(), [&](const Tally& one) { return one.event == event; });
    if (known != tallies_.end()) return &*known;
    return tallies_.size() < kMostCounts ? &tallies_.emplace_back(Tally{.event = event}) : nullptr;
  }

  void add(const Row& row) {
    Tally* tally = tally_of(row.event);
    if (tally == nullptr) return;
    if (is_missed(row)) {
      ++tally->missed;
    } else {
      ++tally->counted;
      tally->value += scaled_value(row);
    }
  }

  void take_tally(Tally& tally) {
    if (tally.counted == 0) {
      found_.losses.push_back(tally.event + " was never scheduled on a counter, so it was not counted.");
      found_.uncounted.push_back(std::move(tally.event));
      return;
    }
    if (tally.missed != 0) {
      found_.losses.push_back(fmt::format("{} was not scheduled in {} of {} counts of cores, so its sum is too small.",
                                          tally.event, tally.missed, tally.missed + tally.counted));
    }
    found_.counts.push_back({std::move(tally.event), tally.value});
  }

  text::JsonReader json_;
  StatCounts found_;
  std::vector<Tally> tallies_;
  u64 counts_read_ = 0;
  // The state of the count that is being read.
  bool has_cores_ = false, has_time_ = false, has_estimates_ = false;
  usize units_ = 0;
  std::vector<Row> rows_;
  std::map<std::string, double> fractions_;  // share of the time on a counter; 0: it was never on a counter
};

}  // namespace

std::optional<StatCounts> read_stat_counts(Bytes file) {
  return StatReader(file).read();
}

}  // namespace wperf::profiles
