// SPDX-License-Identifier: BSD-3-Clause
// Firefox Profiler's processed format, which samply writes, too: columns of numbers that point into other columns. Up
// to version 59 each thread has separate tables, since then all share them. Values of an absent column are unknown.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formats/profiles/firefox_tables.h"
#include "formats/profiles/foreign_profile.h"

namespace wperf::profiles {
namespace {

constexpr u32 kNewestVersion = 70;

struct Thread {
  std::string name, process, pid, tid, weight_type;
  std::string event;  // wperf's name for it
  FirefoxTables own;
  std::vector<u32> stacks;  // of samples; kNothing: no stack
  std::vector<double> times, weights;
  bool has_deltas = false;  // times are since the sample before
};

// Numbers, or numbers as text; kNothing: neither.
u32 number_of(const std::string& text) {
  u64 number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9' || number > kNothing) return kNothing;
    number = number * 10 + static_cast<u64>(c - '0');
  }
  return text.empty() ? kNothing : static_cast<u32>(std::min<u64>(number, kNothing));
}

std::string text_or_number(text::JsonReader& json) {
  if (json.kind() == text::JsonReader::Kind::string) return std::string(json.string());
  const double number = json.number(-1);
  return number >= 0 && number < 4e9 ? std::to_string(static_cast<u64>(number)) : std::string();
}

class FirefoxReader {
 public:
  FirefoxReader(Bytes file, const ProfileWishes& wishes, const TellPassed& passed)
      : passed_(passed), json_(file), builder_(wishes) {}

  diag::Result<ForeignProfile> run() {
    json_.for_each_member([&](std::string_view key) {
      if (key == "meta") read_meta();
      if (key == "libs") read_firefox_libraries(json_, libraries_);
      if (key == "shared") json_.for_each_member([&](std::string_view table) { shared_.read(json_, table); });
      if (key == "threads") json_.for_each([&] { read_thread(); });
      if (json_.position() - told_ >= kToldBytes) passed_(told_ = json_.position());
    });
    const std::vector<u32> shared_nodes = shared_.make_nodes(builder_, libraries_, {});
    for (Thread& thread : threads_) count(thread, shared_nodes);
    tell();
    return finish_profile(builder_, std::move(warnings_));
  }

 private:
  void read_meta();
  void read_thread();
  void read_samples(Thread& thread);
  void count(Thread& thread, const std::vector<u32>& shared_nodes);
  void tell();

  const TellPassed& passed_;
  text::JsonReader json_;
  ProfileBuilder builder_;
  std::vector<std::string> warnings_, libraries_;
  FirefoxTables shared_;
  std::vector<Thread> threads_;
  double version_ = 0;
  u64 without_stack_ = 0, not_counted_ = 0, told_ = 0;
};

void FirefoxReader::read_meta() {
  json_.for_each_member([&](std::string_view key) {
    if (key == "preprocessedProfileVersion") version_ = json_.number();
  });
}

void FirefoxReader::read_thread() {
  Thread& thread = threads_.emplace_back();
  json_.for_each_member([&](std::string_view key) {
    if (key == "name") {
      thread.name = json_.string();
    } else if (key == "wperfEvent") {
      thread.event = json_.string();
    } else if (key == "processName") {
      thread.process = json_.string();
    } else if (key == "pid") {
      thread.pid = text_or_number(json_);
    } else if (key == "tid") {
      thread.tid = text_or_number(json_);
    } else if (key == "samples") {
      read_samples(thread);
    } else {
      thread.own.read(json_, key);
    }
    if (json_.position() - told_ >= kToldBytes) passed_(told_ = json_.position());
  });
}

void FirefoxReader::read_samples(Thread& thread) {
  json_.for_each_member([&](std::string_view key) {
    if (key == "stack") {
      read_firefox_indices(json_, thread.stacks);
    } else if (key == "time" || key == "timeDeltas") {
      thread.has_deltas = key == "timeDeltas";
      json_.for_each([&] { thread.times.push_back(json_.number(NAN)); });
    } else if (key == "weight") {
      json_.for_each([&] { thread.weights.push_back(json_.number(1)); });
    } else if (key == "weightType") {
      thread.weight_type = json_.string();
    }
  });
}

void FirefoxReader::count(Thread& thread, const std::vector<u32>& shared_nodes) {
  const std::vector<u32> own_nodes = thread.own.make_nodes(builder_, libraries_, shared_.strings);
  thread.own = {};
  const std::vector<u32>& nodes = own_nodes.empty() ? shared_nodes : own_nodes;
  const bool is_plain = thread.weight_type.empty() || thread.weight_type == "samples";
  const bool is_own = is_plain && !thread.event.empty();
  const u32 event = builder_.event(is_own ? thread.event : is_plain ? "samples" : thread.weight_type);
  const std::string mark = " [" + thread.event + "]";
  if (is_own && thread.name.ends_with(mark)) thread.name.resize(thread.name.size() - mark.size());
  const u32 task =
      builder_.task(number_of(thread.pid), number_of(thread.tid), thread.name.empty() ? thread.process : thread.name);
  double now_ms = 0;
  for (usize i = 0; i < thread.stacks.size(); ++i) {
    const double time = i < thread.times.size() ? thread.times[i] : NAN;
    now_ms = thread.has_deltas && !std::isnan(time) ? now_ms + time : time;
    const u32 stack = thread.stacks[i];
    if (stack == kNothing) {
      ++without_stack_;
      continue;
    }
    if (stack >= nodes.size() || nodes[stack] == kNothing) {
      ++builder_.losses().damaged_records;
      continue;
    }
    const double weight = std::round(i < thread.weights.size() ? thread.weights[i] : 1);
    if (!(weight >= 0 && weight < kGreatestWeight)) {
      ++not_counted_;
      continue;
    }
    const auto period = static_cast<u64>(weight);
    const stacks::StackSample sample{.event = event,
                                     .task = task,
                                     .core = kNothing,
                                     .node = nodes[stack],
                                     .count = is_plain ? period : 1,
                                     .period = period};
    std::isnan(now_ms) ? builder_.add(sample) : builder_.add_about(sample, now_ms * 1e6);
  }
  thread = {};
}

void FirefoxReader::tell() {
  if (version_ > kNewestVersion) {
    warnings_.push_back(fmt::format("the profile has format version {}; the newest version that wperf knows is {}",
                                    version_, kNewestVersion));
  }
  if (without_stack_ != 0)
    warnings_.push_back(fmt::format("{} samples without a stack are not counted", without_stack_));
  if (not_counted_ != 0)
    warnings_.push_back(fmt::format("{} negative weights, as in comparisons, are left out", not_counted_));
  if (!json_.sound()) warnings_.push_back("the profile is truncated or damaged; the part before that is shown");
}

}  // namespace

diag::Result<ForeignProfile> read_firefox(Bytes file, const ProfileWishes& wishes, const TellPassed& passed) {
  return FirefoxReader(file, wishes, passed).run();
}

}  // namespace wperf::profiles
