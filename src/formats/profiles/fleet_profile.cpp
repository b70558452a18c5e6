// SPDX-License-Identifier: BSD-3-Clause
#include "formats/profiles/fleet_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_map>
#include <utility>

#include "ground/text/json_reader.h"

namespace wperf::profiles {
namespace {

using text::JsonReader;

constexpr usize kMostFleetEvents = 1000;  // views take time for each event and sample
constexpr double kMostSeconds = 1e15;
constexpr u64 kMostUnixSeconds = 10'000'000'000, kNsPerFleetSecond = 1'000'000'000;
constexpr u64 kMostMissing = u64{1} << 40;

// Numbers of 64 bits are in quotes.
std::optional<u64> whole_number(JsonReader& json) {
  const std::string_view text = json.string();
  u64 number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

u32 small_number(JsonReader& json) {
  constexpr double kGreatest = 4e9;
  const double number = json.number(0);
  return number > 0 && number < kGreatest ? static_cast<u32>(number) : 0;
}

std::vector<std::string> texts_of(JsonReader& json) {
  std::vector<std::string> out;
  json.for_each([&] { out.emplace_back(json.string()); });
  return out;
}

// Calls visit(column) for each value of each row. Returns false if rows are missing; the number of rows comes last.
template <class Visit, class Row>
bool for_each_cell(JsonReader& json, Visit visit, Row row_ends) {
  u64 rows = 0;
  std::optional<double> told;
  json.for_each_member([&](std::string_view key) {
    if (key == "data") {
      json.for_each([&] {
        u32 column = 0;
        json.for_each([&] { visit(column++); });
        if (json.sound()) row_ends();
        ++rows;
      });
    } else if (key == "rows") {
      told = json.number(-1);
    }
  });
  return json.sound() && told.has_value() && *told == static_cast<double>(rows);
}

bool take_hosts(JsonReader& json, std::vector<FleetHost>& hosts) {
  FleetHost host;
  const auto visit = [&](u32 column) {
    if (column == 0) host.name = json.string();
    if (column == 1) host.profiles = whole_number(json).value_or(0);
    if (column == 2) host.begin_unix_s = whole_number(json).value_or(0);
    if (column == 3) host.end_unix_s = whole_number(json).value_or(0);
    if (column == 4) host.seconds = std::clamp(json.number(0), 0.0, kMostSeconds);
    if (column == 5) host.missing = std::min(whole_number(json).value_or(0), kMostMissing);
  };
  return for_each_cell(json, visit, [&] { hosts.push_back(std::exchange(host, {})); });
}

diag::Error cut_answer() {
  return damaged_profile("the answer of the server is not complete");
}

class FleetReader {
 public:
  FleetReader(Bytes file, const ProfileReadOptions& options, const ProgressCallback& passed)
      : json_(file), builder_(options), passed_(passed) {}

  diag::Result<FleetProfile> run() {
    bool is_whole = true;
    u32 parts = 0;
    json_.for_each_member([&](std::string_view key) {
      if (key == "hosts") is_whole = take_all_hosts() && is_whole;
      if (key == "stacks") is_whole = take_stacks() && is_whole;
      if (key == "counts") is_whole = take_counts() && is_whole;
      ++parts;
    });
    constexpr u32 kParts = 3;
    if (!is_whole || !json_.sound() || parts != kParts) return cut_answer();
    // The total has no duration, because several hosts recorded at the same time.
    u64 begin_unix_s = kMostUnixSeconds;
    for (const FleetHost& host : out_.hosts) {
      begin_unix_s = std::min(begin_unix_s, host.begin_unix_s);
      builder_.losses().lost_samples += host.missing;
    }
    out_.whole = finish_profile(builder_, std::move(warnings_));
    if (!out_.hosts.empty()) out_.whole.moments.begin_unix_ns = begin_unix_s * kNsPerFleetSecond;
    return std::move(out_);
  }

 private:
  struct Frames {
    std::vector<std::string> functions, modules, files;
    std::vector<u32> lines, marks;
    bool are_even() const {
      const usize size = functions.size();
      return modules.size() == size && files.size() == size && lines.size() == size && marks.size() == size;
    }
  };

  bool take_all_hosts() {
    const bool is_whole = take_hosts(json_, out_.hosts);
    for (u32 i = 0; i < out_.hosts.size(); ++i) numbers_of_hosts_.try_emplace(out_.hosts[i].name, i);
    out_.samples.resize(out_.hosts.size());
    return is_whole;
  }

  std::vector<u32> small_numbers() {
    std::vector<u32> out;
    json_.for_each([&] { out.push_back(small_number(json_)); });
    return out;
  }

  bool take_stacks() {
    std::optional<u64> stack;
    Frames frames;
    const auto visit = [&](u32 column) {
      if (column == 0) stack = whole_number(json_);
      if (column == 1) frames.functions = texts_of(json_);
      if (column == 2) frames.modules = texts_of(json_);
      if (column == 3) frames.files = texts_of(json_);
      if (column == 4) frames.lines = small_numbers();
      if (column == 5) frames.marks = small_numbers();
    };
    return for_each_cell(json_, visit, [&] {
      if (stack.has_value() && frames.are_even()) nodes_.try_emplace(*stack, node_of(frames));
      stack.reset();
      frames = {};
      report_progress();
    });
  }

  u32 node_of(const Frames& frames) {
    if (frames.functions.empty()) return node_of({{"[no stack]"}, {""}, {""}, {0}, {0}});
    u32 node = ProfileBuilder::kRoot;
    for (usize i = 0; i < frames.functions.size(); ++i) {
      const u32 marks = frames.marks[i];
      const std::string& name = frames.functions[i];
      const u32 function = builder_.function(name.empty() ? "[unknown]" : name, builder_.module(frames.modules[i]),
                                             ProfileBuilder::FunctionMarks{.is_known = (marks & kNamelessFrame) == 0,
                                                                           .is_inlined = (marks & kInlinedFrame) != 0,
                                                                           .is_kernel = (marks & kKernelFrame) != 0});
      node = builder_.node(node, builder_.place(function, frames.files[i], frames.lines[i]));
    }
    return node;
  }

  bool take_counts() {
    std::optional<u64> stack;
    std::vector<std::string> events, threads, hosts;
    std::vector<u64> samples, periods;
    const auto numbers = [&](std::vector<u64>& out) {
      json_.for_each([&] { out.push_back(whole_number(json_).value_or(0)); });
    };
    const auto visit = [&](u32 column) {
      if (column == 0) stack = whole_number(json_);
      if (column == 1) events = texts_of(json_);
      if (column == 2) threads = texts_of(json_);
      if (column == 3) hosts = texts_of(json_);
      if (column == 4) numbers(samples);
      if (column == 5) numbers(periods);
    };
    return for_each_cell(json_, visit, [&] {
      const usize size = events.size();
      const bool is_even =
          threads.size() == size && hosts.size() == size && samples.size() == size && periods.size() == size;
      const auto node = stack.has_value() ? nodes_.find(*stack) : nodes_.end();
      if (!is_even || node == nodes_.end()) ++builder_.losses().damaged_records;
      for (usize i = 0; is_even && node != nodes_.end() && i < size; ++i) {
        add(hosts[i], events[i], threads[i], {.node = node->second, .count = samples[i], .period = periods[i]});
      }
      stack.reset();
      events = threads = hosts = {};
      samples = periods = {};
      report_progress();
    });
  }

  void add(const std::string& host, const std::string& event, const std::string& thread, stacks::StackSample sample) {
    const auto known = events_.find(event);
    if (known == events_.end() && events_.size() == kMostFleetEvents) {
      ++builder_.losses().damaged_records;
      return;
    }
    sample.event = known != events_.end() ? known->second : events_[event] = builder_.event(event);
    sample.task = builder_.task(kNothing, kNothing, thread);
    sample.core = kNothing;
    const u64 left_out = builder_.too_large();
    builder_.add(sample);
    const auto of = numbers_of_hosts_.find(host);
    if (of == numbers_of_hosts_.end() || builder_.too_large() != left_out) return;
    out_.samples[of->second].push_back(sample);
  }

  void report_progress() {
    if (const u64 at = json_.position(); at - reported_ >= kProgressBytes) passed_(reported_ = at);
  }

  JsonReader json_;
  ProfileBuilder builder_;
  const ProgressCallback& passed_;
  FleetProfile out_;
  std::unordered_map<std::string, u32> numbers_of_hosts_, events_;
  std::unordered_map<u64, u32> nodes_;  // keyed by the stack's number
  std::vector<std::string> warnings_;
  u64 reported_ = 0;
};

}  // namespace

diag::Result<std::vector<FleetHost>> read_fleet_hosts(Bytes answer) {
  JsonReader json(answer);
  std::vector<FleetHost> hosts;
  if (!take_hosts(json, hosts)) return cut_answer();
  return hosts;
}

void FleetProfile::keep_only(usize host) {
  stacks::StackProfile& profile = whole.profile;
  for (stacks::StackEvent& event : profile.events) event.samples = event.period = 0;
  for (const stacks::StackSample& sample : samples[host]) {
    profile.events[sample.event].samples += sample.count;
    profile.events[sample.event].period += sample.period;
  }
  profile.samples = samples[host];
  profile.losses.lost_samples = hosts[host].missing;
  profile.elapsed_seconds = hosts[host].seconds;
  profile.file = hosts[host].name;
}

diag::Result<FleetProfile> read_fleet(Bytes file, const ProfileReadOptions& options, const ProgressCallback& passed) {
  return FleetReader(file, options, passed).run();
}

}  // namespace wperf::profiles
