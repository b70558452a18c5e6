// SPDX-License-Identifier: BSD-3-Clause
// speedscope's file format. Each profile in it is a thread, either sampled (stacks with weights) or evented (times at
// which frames open and close). Frames are shared and may come after the profiles, so the file is read twice.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "formats/profiles/foreign_profile.h"
#include "ground/text/json_reader.h"

namespace wperf::profiles {
namespace {

// The nanoseconds in a unit of weights, or 0 if it is not a unit of time.
double nanoseconds_of(std::string_view unit) {
  if (unit == "nanoseconds") return 1;
  if (unit == "microseconds") return 1e3;
  if (unit == "milliseconds") return 1e6;
  return unit == "seconds" ? 1e9 : 0;
}

// One profile; its members may come in any order.
struct SpeedscopeThread {
  u32 pid = kNothing, tid = kNothing;
  std::string event;  // wperf's name for it
  std::string name, unit;
  double start = 0;
  std::vector<u32> nodes;       // one for each sample or interval; kNothing if damaged
  std::vector<double> weights;  // the samples' weights, or the lengths of intervals
  std::vector<double> moments;  // the start times of intervals
  bool is_evented = false;
};

// Splits a name such as "comm (12/13) [cycles]", which wperf writes, into its parts.
void take_name_apart(SpeedscopeThread& thread) {
  std::string_view name = thread.name;
  const usize mark = name.starts_with('[') ? 0 : name.rfind(" [");
  if (!name.ends_with(']') || mark == name.npos) return;
  const usize begin = mark + (name[mark] == '[' ? 1 : 2);
  thread.event = name.substr(begin, name.size() - begin - 1);
  name = name.substr(0, mark);
  const usize ids = name.rfind(" (");
  const std::string_view of = ids != name.npos ? name.substr(ids) : std::string_view();
  if (const usize slash = of.find('/'); slash != of.npos && of.ends_with(')')) {
    const char* const end = of.data() + of.size() - 1;
    std::from_chars(of.data() + 2, of.data() + slash, thread.pid);
    std::from_chars(of.data() + slash + 1, end, thread.tid);
    name = name.substr(0, ids);
  }
  thread.name = std::string(name);
}

class SpeedscopeReader {
 public:
  SpeedscopeReader(Bytes file, const ProfileReadOptions& options, const ProgressCallback& passed)
      : file_(file), passed_(passed), builder_(options) {}

  diag::Result<ForeignProfile> run() {
    read_frames();
    text::JsonReader json(file_);
    json.for_each_member([&](std::string_view key) {
      if (key == "exporter") is_own_ = json.string().starts_with("wperf");
      if (key == "profiles") json.for_each([&] { read_thread(json); });
    });
    if (not_counted_ != 0)
      warnings_.push_back(fmt::format("{} weights are negative or not numbers, and are left out", not_counted_));
    if (!json.sound()) warnings_.push_back("the profile is truncated or damaged; the part before that is shown");
    return finish_profile(builder_, std::move(warnings_));
  }

 private:
  void read_frames();
  void read_thread(text::JsonReader& json);
  void read_sample(text::JsonReader& json, SpeedscopeThread& thread);
  void read_event(text::JsonReader& json, SpeedscopeThread& thread);
  void count(const SpeedscopeThread& thread);
  void report_progress(const text::JsonReader& json) {
    if (json.position() - reported_ >= kProgressBytes) passed_(reported_ = json.position());
  }
  // Returns kNothing if there is no such frame.
  u32 place_of(double frame) const {
    const bool is_one = frame >= 0 && frame < static_cast<double>(places_.size());
    return is_one ? places_[static_cast<usize>(frame)] : kNothing;
  }

  const Bytes file_;
  const ProgressCallback& passed_;
  ProfileBuilder builder_;
  std::vector<std::string> warnings_;
  std::vector<u32> places_;  // by frame number
  std::vector<u32> open_;    // nodes of the frames that are open
  double moment_ = 0;        // the time of the previous event
  u64 not_counted_ = 0, reported_ = 0;
  bool is_own_ = false;  // written by wperf
};

void SpeedscopeReader::read_frames() {
  const u32 module = builder_.module("");
  text::JsonReader json(file_);
  json.for_each_member([&](std::string_view key) {
    if (key != "shared") return;
    json.for_each_member([&](std::string_view table) {
      if (table != "frames") return;
      json.for_each([&] {
        std::string name, file;
        double line = 0;
        json.for_each_member([&](std::string_view part) {
          if (part == "name") name = json.string();
          if (part == "file") file = json.string();
          if (part == "line") line = json.number();
        });
        const bool has_line = line >= 1 && line < 4e9;
        const u32 function = builder_.function(name.empty() ? "[unknown]" : name, module);
        places_.push_back(builder_.place(function, file, has_line ? static_cast<u64>(line) : 0));
      });
      json.stop();
    });
  });
}

void SpeedscopeReader::read_thread(text::JsonReader& json) {
  SpeedscopeThread thread;
  open_.clear();
  moment_ = 0;
  json.for_each_member([&](std::string_view key) {
    if (key == "name") thread.name = json.string();
    if (key == "unit") thread.unit = json.string();
    if (key == "startValue") thread.start = json.number();
    if (key == "samples") json.for_each([&] { read_sample(json, thread); });
    if (key == "weights") json.for_each([&] { thread.weights.push_back(json.number(-1)); });
    if (key == "events") {
      thread.is_evented = true;
      json.for_each([&] { read_event(json, thread); });
    }
  });
  if (is_own_) take_name_apart(thread);
  count(thread);
}

// Outermost frame first.
void SpeedscopeReader::read_sample(text::JsonReader& json, SpeedscopeThread& thread) {
  u32 node = ProfileBuilder::kRoot;
  json.for_each([&] {
    const u32 place = place_of(json.number(-1));
    node = node == kNothing || place == kNothing ? kNothing : builder_.node(node, place);
  });
  thread.nodes.push_back(node);
  report_progress(json);
}

void SpeedscopeReader::read_event(text::JsonReader& json, SpeedscopeThread& thread) {
  bool opens = false;
  double frame = -1, at = moment_;
  json.for_each_member([&](std::string_view key) {
    if (key == "type") opens = json.string() == "O";
    if (key == "frame") frame = json.number(-1);
    if (key == "at") at = json.number(moment_);
  });
  if (at > moment_ && !open_.empty()) {
    thread.nodes.push_back(open_.back());
    thread.weights.push_back(at - moment_);
    thread.moments.push_back(moment_);
  }
  moment_ = std::max(at, moment_);
  const u32 place = place_of(frame);
  if (place == kNothing || (!opens && open_.empty())) {
    ++builder_.losses().damaged_records;
  } else if (opens) {
    open_.push_back(builder_.node(open_.empty() ? ProfileBuilder::kRoot : open_.back(), place));
  } else {
    open_.pop_back();
  }
  report_progress(json);
}

void SpeedscopeReader::count(const SpeedscopeThread& thread) {
  const double to_ns = nanoseconds_of(thread.unit);
  const bool is_time = to_ns != 0, is_plain = thread.unit.empty() || thread.unit == "none";
  const u32 event = builder_.event(is_time                ? "time (nanoseconds)"
                                   : !is_plain            ? thread.unit
                                   : thread.event.empty() ? "samples"
                                                          : thread.event + " (samples)");
  const u32 task = builder_.task(thread.pid, thread.tid, thread.name);
  double moment = thread.start;
  for (usize i = 0; i < thread.nodes.size(); ++i) {
    const double weight = i < thread.weights.size() ? thread.weights[i] : thread.weights.empty() ? 1 : -1;
    const double scaled = std::round(is_time ? weight * to_ns : weight);
    if (!(scaled >= 0 && scaled < kGreatestWeight)) {
      ++not_counted_;
      continue;
    }
    const double at = thread.is_evented ? thread.moments[i] : moment;
    moment += weight;
    if (thread.nodes[i] == kNothing) {
      ++builder_.losses().damaged_records;
      continue;
    }
    const auto period = static_cast<u64>(scaled);
    const stacks::StackSample sample{.event = event,
                                     .task = task,
                                     .core = kNothing,
                                     .node = thread.nodes[i],
                                     .count = is_plain ? period : 1,
                                     .period = period};
    is_time ? builder_.add_about(sample, at * to_ns) : builder_.add(sample);
  }
}

}  // namespace

diag::Result<ForeignProfile> read_speedscope(Bytes file, const ProfileReadOptions& options,
                                             const ProgressCallback& passed) {
  return SpeedscopeReader(file, options, passed).run();
}

}  // namespace wperf::profiles
