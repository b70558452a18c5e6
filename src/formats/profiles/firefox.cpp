// SPDX-License-Identifier: BSD-3-Clause
// Firefox Profiler's processed format, which samply also writes. It has columns of numbers that are indices into other
// columns. Up to version 59 each thread has its own tables; since then all threads share them. If a column is absent,
// its values are unknown.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "formats/profiles/foreign_profile.h"
#include "formats/profiles/profile_builder.h"
#include "ground/text/json_reader.h"

namespace wperf::profiles {
namespace {

// The tables of the format: strings, stacks, frames, functions and their origins.
struct FirefoxTables {
  std::vector<std::string> strings;
  std::vector<u32> stack_frame, stack_prefix;
  bool has_offsets = false;  // a prefix is the distance to an earlier stack, 0 if there is none (since version 66)
  std::vector<u32> frame_function, frame_line, frame_library;
  std::vector<u64> frame_address;  // ~0: no address
  std::vector<u32> function_name, function_resource, function_file, function_source;
  std::vector<u32> resource_library, resource_name;
  std::vector<u32> source_file;  // exists since version 58

  // If `name` is a table, reads it.
  void read(text::JsonReader& json, std::string_view name);
  // For each stack its node, or kNothing if it refers to a missing entry. `others`: the strings to use if the thread
  // has none.
  std::vector<u32> make_nodes(ProfileBuilder& builder, const std::vector<std::string>& libraries,
                              const std::vector<std::string>& others) const;

 private:
  u32 place_of(ProfileBuilder& builder, u32 frame, const std::vector<std::string>& libraries,
               const std::vector<std::string>& texts) const;
};

constexpr u64 kNoAddress = ~u64{0};
constexpr double kGreatestAddress = 9e15;  // a double holds all integers up to here exactly

u32 at(const std::vector<u32>& column, u32 index) {
  return index < column.size() ? column[index] : kNothing;
}

std::string_view text_at(const std::vector<std::string>& texts, u32 index) {
  return index < texts.size() ? std::string_view(texts[index]) : std::string_view();
}

void read_addresses(text::JsonReader& json, std::vector<u64>& out) {
  json.for_each([&] {
    const double number = json.number(-1);
    out.push_back(number >= 0 && number < kGreatestAddress ? static_cast<u64>(number) : kNoAddress);
  });
}

void read_strings(text::JsonReader& json, std::vector<std::string>& out) {
  json.for_each([&] { out.emplace_back(json.string()); });
}

// Profilers write an address if they have no name for it.
bool is_address(std::string_view name) {
  return name.starts_with("0x") && name.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string_view::npos;
}

// A column of indices; null and -1 become kNothing.
void read_firefox_indices(text::JsonReader& json, std::vector<u32>& out) {
  json.for_each([&] {
    const double number = json.number(-1);
    out.push_back(number >= 0 && number < static_cast<double>(kNothing) ? static_cast<u32>(number) : kNothing);
  });
}

// Reads the paths of code files.
void read_firefox_libraries(text::JsonReader& json, std::vector<std::string>& out) {
  json.for_each([&] {
    std::string name, path;
    json.for_each_member([&](std::string_view key) {
      if (key == "name") name = json.string();
      if (key == "path") path = json.string();
    });
    out.push_back(path.empty() ? name : path);
  });
}

void FirefoxTables::read(text::JsonReader& json, std::string_view name) {
  if (name == "stringArray" || name == "stringTable") return read_strings(json, strings);
  struct Column {
    std::string_view table, name;
    std::vector<u32>* values;
  };
  const Column columns[] = {
      {"stackTable", "frame", &stack_frame},         {"stackTable", "prefix", &stack_prefix},
      {"stackTable", "prefixOffset", &stack_prefix}, {"frameTable", "func", &frame_function},
      {"frameTable", "line", &frame_line},           {"frameTable", "lib", &frame_library},
      {"funcTable", "name", &function_name},         {"funcTable", "resource", &function_resource},
      {"funcTable", "fileName", &function_file},     {"funcTable", "source", &function_source},
      {"resourceTable", "lib", &resource_library},   {"resourceTable", "name", &resource_name},
      {"sources", "filename", &source_file},
  };
  bool is_known = false;
  for (const Column& column : columns) is_known = is_known || column.table == name;
  if (!is_known) return;
  json.for_each_member([&](std::string_view key) {
    if (name == "frameTable" && key == "address") return read_addresses(json, frame_address);
    if (name == "stackTable" && key == "prefixOffset") has_offsets = true;
    for (const Column& column : columns) {
      if (column.table != name || column.name != key) continue;
      column.values->clear();
      return read_firefox_indices(json, *column.values);
    }
  });
}

u32 FirefoxTables::place_of(ProfileBuilder& builder, u32 frame, const std::vector<std::string>& libraries,
                            const std::vector<std::string>& texts) const {
  const u32 function = frame_function[frame];
  const u32 resource = at(function_resource, function);
  u32 library = at(frame_library, frame);
  if (library == kNothing) library = at(resource_library, resource);
  // Code of a page or an add-on belongs to no library and is named after its source.
  const std::string_view path =
      library < libraries.size() ? text_at(libraries, library) : text_at(texts, at(resource_name, resource));
  const u32 module = builder.module(path);
  std::string_view name = text_at(texts, at(function_name, function));
  const u64 address = frame < frame_address.size() ? frame_address[frame] : kNoAddress;
  if (is_address(name) && address != kNoAddress) name = {};
  const u32 source = at(function_source, function);
  const u32 file = source != kNothing ? at(source_file, source) : at(function_file, function);
  const u32 line = at(frame_line, frame);
  return builder.place(builder.function(name, module, address == kNoAddress ? 0 : address), text_at(texts, file),
                       line == kNothing ? 0 : line);
}

std::vector<u32> FirefoxTables::make_nodes(ProfileBuilder& builder, const std::vector<std::string>& libraries,
                                           const std::vector<std::string>& others) const {
  const std::vector<std::string>& texts = strings.empty() ? others : strings;
  std::vector<u32> places(frame_function.size(), kNothing);
  std::vector<u32> nodes(stack_frame.size(), kNothing);
  for (u32 stack = 0; stack < nodes.size(); ++stack) {
    const u32 frame = stack_frame[stack];
    const u32 told = at(stack_prefix, stack);
    if (frame >= places.size()) continue;
    u32 parent = ProfileBuilder::kRoot;
    const bool is_root = has_offsets ? told == 0 : told == kNothing;
    if (!is_root) {
      const u32 prefix = has_offsets ? stack - std::min(told, stack + 1) : told;
      if (prefix >= stack || nodes[prefix] == kNothing) continue;  // callers must come before their callees
      parent = nodes[prefix];
    }
    if (places[frame] == kNothing) places[frame] = place_of(builder, frame, libraries, texts);
    nodes[stack] = builder.node(parent, places[frame]);
  }
  return nodes;
}

constexpr u32 kNewestVersion = 70;

struct Thread {
  std::string name, process, pid, tid, weight_type;
  std::string event;  // wperf's name for it
  FirefoxTables own;
  std::vector<u32> stacks;  // the samples' stacks; kNothing: no stack
  std::vector<double> times, weights;
  bool has_deltas = false;  // times are relative to the previous sample
};

// Numbers may be written as text; returns kNothing for any other text.
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
  FirefoxReader(Bytes file, const ProfileReadOptions& options, const ProgressCallback& passed)
      : passed_(passed), json_(file), builder_(options) {}

  diag::Result<ForeignProfile> run() {
    json_.for_each_member([&](std::string_view key) {
      if (key == "meta") read_meta();
      if (key == "libs") read_firefox_libraries(json_, libraries_);
      if (key == "shared") json_.for_each_member([&](std::string_view table) { shared_.read(json_, table); });
      if (key == "threads") json_.for_each([&] { read_thread(); });
      if (json_.position() - reported_ >= kProgressBytes) passed_(reported_ = json_.position());
    });
    const std::vector<u32> shared_nodes = shared_.make_nodes(builder_, libraries_, {});
    for (Thread& thread : threads_) count(thread, shared_nodes);
    report_progress();
    return finish_profile(builder_, std::move(warnings_));
  }

 private:
  void read_meta();
  void read_thread();
  void read_samples(Thread& thread);
  void count(Thread& thread, const std::vector<u32>& shared_nodes);
  void report_progress();

  const ProgressCallback& passed_;
  text::JsonReader json_;
  ProfileBuilder builder_;
  std::vector<std::string> warnings_, libraries_;
  FirefoxTables shared_;
  std::vector<Thread> threads_;
  double version_ = 0;
  u64 without_stack_ = 0, not_counted_ = 0, reported_ = 0;
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
    if (json_.position() - reported_ >= kProgressBytes) passed_(reported_ = json_.position());
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
  // The weights are numbers of samples, not counts of the event.
  const u32 event = builder_.event(is_own ? thread.event + " (samples)" : is_plain ? "samples" : thread.weight_type);
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

void FirefoxReader::report_progress() {
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

diag::Result<ForeignProfile> read_firefox(Bytes file, const ProfileReadOptions& options,
                                          const ProgressCallback& passed) {
  return FirefoxReader(file, options, passed).run();
}

}  // namespace wperf::profiles
