// SPDX-License-Identifier: BSD-3-Clause
// pprof's profile.proto. The file is read twice, because a sample may come before its locations. Field numbers are
// defined by the format. Tables keep offsets into the file; names become functions when a sample first needs them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "formats/profiles/foreign_profile.h"
#include "ground/text/protobuf.h"

namespace wperf::profiles {
namespace {

constexpr usize kMostInlined = 512;  // at one location; no compiler creates more
// One byte of a stack may refer to a location with kMostInlined frames. So the numbers of walked frames and of kept
// frames, over all stacks, are limited to these constants plus some frames for each byte of the file.
constexpr u64 kLeastWalked = u64{1} << 24, kWalkedPerByte = 16, kLeastKept = u64{1} << 20, kKeptPerByte = 1;
constexpr u64 kMostKept = u64{1} << 31;  // nodes have 32-bit numbers
constexpr usize kMostComments = 16;
constexpr usize kMostEvents = 1000;  // views take time for each event and sample
constexpr u64 kGreatestNumber = ~u64{0} >> 1;

// Maps the ids of a table to its rows; ids may be any numbers.
template <class Row>
class RowsById {
 public:
  void add(u64 id, Row row) {
    if (ids_.insert(id, 0).is_new) rows_.push_back(row);  // if two rows have the same id, the first one counts
  }
  Row* find(u64 id) {
    const u32 number = ids_.find(id, 0);
    return number == stacks::IdTable::kNone ? nullptr : &rows_[number];
  }

 private:
  stacks::IdTable ids_;
  std::vector<Row> rows_;
};

struct ValueType {
  u64 type = 0, unit = 0;  // strings
};
struct Mapping {
  u64 start = 0, limit = 0, offset = 0, file = 0;
};
struct Function {
  u64 name = 0, file = 0;
};
struct Location {
  Bytes message;
  u32 first = kNothing, count = 0;  // range in places_, innermost first; kNothing: not resolved yet
};

ValueType value_type(Bytes message) {
  ValueType out;
  for (text::ProtobufReader in(message); in.next();) {
    if (in.field() == 1) out.type = in.number();
    if (in.field() == 2) out.unit = in.number();
  }
  return out;
}

class PprofReader {
 public:
  PprofReader(Bytes file, const ProfileReadOptions& options, const ProgressCallback& passed)
      : file_(file), passed_(passed), builder_(options) {}

  diag::Result<ForeignProfile> run() {
    read_tables();
    if (types_.empty()) return damaged_profile("the pprof profile does not describe its values");
    make_events();
    read_samples();
    if (negative_ != 0) {
      warnings_.push_back(
          fmt::format("{} negative values, as in differences of two profiles, are left out", negative_));
    }
    if (inflated_ != 0) {
      warnings_.push_back(fmt::format(
          "{} samples are left out: with inlined functions, their stacks are longer than those of any real program",
          inflated_));
    }
    if (cut_) warnings_.push_back("the profile is truncated or damaged; the part before that is shown");
    return finish_profile(builder_, std::move(warnings_));
  }

 private:
  // Maps the values of a sample to events.
  struct Column {
    u32 value = 0, event = 0;
    std::optional<u32> count = std::nullopt;  // index of the value with the number of samples
    bool has_own_count = false;
    bool is_count = false;
  };

  std::string_view string(u64 index) const { return index < strings_.size() ? strings_[index] : std::string_view(); }
  void read_tables();
  void add_row(u32 field, Bytes message);
  void make_events();
  void read_samples();
  void read_sample(Bytes message);
  void read_label(Bytes message);
  void count_sample(u32 node, u32 task);
  u32 node_of_stack();
  bool has_room_for(const Location& location);
  const Location* look_at(u64 id);
  void place_lines(const Location& location, u64 mapping, u64 address);

  const Bytes file_;
  const ProgressCallback& passed_;
  ProfileBuilder builder_;
  std::vector<std::string> warnings_;
  std::vector<std::string_view> strings_;
  std::vector<ValueType> types_;
  ValueType period_type_;
  u64 period_ = 0;
  RowsById<Mapping> mappings_;
  RowsById<Function> functions_;
  RowsById<Location> locations_;
  std::vector<u32> places_;
  std::vector<Column> columns_;
  std::vector<u64> stack_, values_;
  u32 pid_ = kNothing, tid_ = kNothing;
  std::string_view thread_;
  u64 negative_ = 0, inflated_ = 0;
  u64 walked_ = 0;  // frames of all stacks that were walked so far
  bool cut_ = false;
};

void PprofReader::read_tables() {
  std::string comments;
  std::vector<u64> comment_strings;
  u64 duration_ns = 0;
  text::ProtobufReader in(file_);
  while (in.next()) {
    switch (in.field()) {
      case 1:
        types_.push_back(value_type(in.bytes()));
        break;
      case 3:
      case 4:
      case 5:
        add_row(in.field(), in.bytes());
        break;
      case 6:
        strings_.push_back(in.text());
        break;
      case 10:
        duration_ns = in.number();
        break;
      case 11:
        period_type_ = value_type(in.bytes());
        break;
      case 12:
        period_ = in.number();
        break;
      case 13:
        in.for_each_number([&](u64 string) {
          if (comment_strings.size() < kMostComments) comment_strings.push_back(string);
        });
        break;
      default:
        break;
    }
  }
  cut_ = !in.sound();
  for (const u64 index : comment_strings) {
    if (const std::string_view comment = string(index); !comment.empty())
      comments.append(comments.empty() ? "" : "; ").append(comment);
  }
  builder_.keep_note(std::move(comments));
  if (duration_ns <= kGreatestNumber) builder_.set_elapsed(static_cast<double>(duration_ns) / 1e9);
}

void PprofReader::add_row(u32 field, Bytes message) {
  std::array<u64, 7> numbers{};
  for (text::ProtobufReader in(message); in.next();) {
    if (in.field() < numbers.size()) numbers[in.field()] = in.number();
  }
  const u64 id = numbers[1];
  if (field == 3) {
    mappings_.add(id, {.start = numbers[2], .limit = numbers[3], .offset = numbers[4], .file = numbers[5]});
  } else if (field == 4) {
    locations_.add(id, {.message = message});
  } else {
    functions_.add(id, {.name = numbers[2] != 0 ? numbers[2] : numbers[3], .file = numbers[4]});
  }
}

void PprofReader::make_events() {
  const auto number_of = [&](std::string_view name, std::string_view end) -> std::optional<u32> {
    for (u32 i = 0; i < types_.size(); ++i) {
      const std::string_view type = string(types_[i].type);
      const bool is_it = type.starts_with(name) && type.substr(name.size()) == end;
      if (is_it && string(types_[i].unit) == "count") return i;
    }
    return std::nullopt;
  };
  std::optional<u32> all = number_of("samples", "");
  if (!all.has_value()) all = number_of("sample", "");
  // If wperf wrote this count for one event, it does not apply to other events.
  if (all.has_value() && number_of(string(types_[*all].type), ".samples").has_value()) all.reset();
  std::vector<bool> is_column(types_.size(), true);
  if (all.has_value() && types_.size() > 1) is_column[*all] = false;
  std::vector<std::optional<u32>> counts;
  for (const ValueType& type : types_) {
    // How wperf writes several events: "cycles.samples" in addition to "cycles".
    const std::optional<u32> own =
        types_.size() <= kMostEvents ? number_of(string(type.type), ".samples") : std::nullopt;
    if (own.has_value()) is_column[*own] = false;
    counts.push_back(own);
  }
  // If no value has a known name, all are taken as counts.
  if (std::find(is_column.begin(), is_column.end(), true) == is_column.end()) is_column.back() = true;
  usize left_out = 0;
  for (u32 i = 0; i < types_.size(); ++i) {
    if (!is_column[i]) continue;
    if (columns_.size() == kMostEvents) {
      ++left_out;
      continue;
    }
    const std::string_view name = string(types_[i].type), unit = string(types_[i].unit);
    const bool is_plain = unit.empty() || unit == "count";
    const std::string shown =
        is_plain || counts[i].has_value() ? std::string(name) : fmt::format("{} ({})", name, unit);
    const u32 event = builder_.event(shown.empty() ? "value" : shown);
    const std::optional<u32> count = counts[i].has_value() ? counts[i] : types_.size() > 1 ? all : std::nullopt;
    columns_.push_back(
        {.value = i, .event = event, .count = count, .has_own_count = counts[i].has_value(), .is_count = is_plain});
    if (period_type_.type == types_[i].type && period_type_.unit == types_[i].unit && period_ <= kGreatestNumber)
      builder_.set_interval(event, period_);
  }
  if (left_out != 0) {
    warnings_.push_back(fmt::format("the profile has {} kinds of values; the last {} are left out",
                                    columns_.size() + left_out, left_out));
  }
}

void PprofReader::read_samples() {
  u64 reported = 0;
  text::ProtobufReader in(file_);
  while (in.next()) {
    if (in.field() == 2) read_sample(in.bytes());
    if (const u64 at = file_.size() - in.left(); at - reported >= kProgressBytes) passed_(reported = at);
  }
}

void PprofReader::read_label(Bytes message) {
  std::string_view key, text;
  u64 number = 0;
  for (text::ProtobufReader in(message); in.next();) {
    if (in.field() == 1) key = string(in.number());
    if (in.field() == 2) text = string(in.number());
    if (in.field() == 3) number = in.number();
  }
  if (key == "pid" || key == "process_id") {
    pid_ = static_cast<u32>(std::min<u64>(number, kNothing));
  } else if (key == "tid" || key == "thread_id" || key == "thread id") {
    tid_ = static_cast<u32>(std::min<u64>(number, kNothing));
  } else if (key == "thread" || key == "comm" || key == "thread_name" || key == "thread name") {
    thread_ = text;
  }
}

void PprofReader::read_sample(Bytes message) {
  stack_.clear();
  values_.clear();
  pid_ = tid_ = kNothing;
  thread_ = {};
  text::ProtobufReader in(message);
  while (in.next()) {
    if (in.field() == 1) in.for_each_number([&](u64 id) { stack_.push_back(id); });
    if (in.field() == 2) in.for_each_number([&](u64 value) { values_.push_back(value); });
    if (in.field() == 3) read_label(in.bytes());
  }
  const u32 node = in.sound() && values_.size() == types_.size() ? node_of_stack() : kNothing;
  if (node == kNothing) {
    ++builder_.losses().damaged_records;
    return;
  }
  count_sample(node, builder_.task(pid_, tid_, thread_));
}

void PprofReader::count_sample(u32 node, u32 task) {
  const auto positive = [&](u32 value) {
    if (values_[value] <= kGreatestNumber) return values_[value];
    ++negative_;
    return u64{0};
  };
  bool counted = false;
  for (const Column& column : columns_) {
    const u64 value = positive(column.value);
    // A shared count does not apply to values that are 0.
    const u64 samples = column.count.has_value() ? positive(*column.count) : column.is_count ? value : value != 0;
    const bool is_last = &column == &columns_.back();
    if (samples == 0 || (value == 0 && !column.has_own_count && (counted || !is_last))) continue;
    counted = true;
    builder_.add(
        {.event = column.event, .task = task, .core = kNothing, .node = node, .count = samples, .period = value});
  }
}

bool PprofReader::has_room_for(const Location& location) {
  walked_ += location.count;
  const u64 kept = builder_.node_count() + u64{location.count};
  return walked_ <= kLeastWalked + kWalkedPerByte * file_.size() &&
         kept <= std::min(kLeastKept + kKeptPerByte * file_.size(), kMostKept);
}

// Returns kNothing if the stack refers to a missing entry, or is longer than the limit.
u32 PprofReader::node_of_stack() {
  u32 node = ProfileBuilder::kRoot;
  for (usize i = stack_.size(); i-- > 0;) {
    const Location* const location = look_at(stack_[i]);
    if (location == nullptr) return kNothing;
    if (!has_room_for(*location)) {
      ++inflated_;
      return kNothing;
    }
    for (u32 line = location->count; line-- > 0;) node = builder_.node(node, places_[location->first + line]);
  }
  return node;
}

const Location* PprofReader::look_at(u64 id) {
  Location* const location = locations_.find(id);
  if (location == nullptr || location->first != kNothing) return location;
  u64 mapping = 0, address = 0;
  for (text::ProtobufReader in(location->message); in.next();) {
    if (in.field() == 2) mapping = in.number();
    if (in.field() == 3) address = in.number();
  }
  location->first = static_cast<u32>(places_.size());
  place_lines(*location, mapping, address);
  location->count = static_cast<u32>(places_.size()) - location->first;
  return location;
}

void PprofReader::place_lines(const Location& location, u64 mapping, u64 address) {
  const Mapping* const mapped = mappings_.find(mapping);
  const u32 module = builder_.module(mapped != nullptr ? string(mapped->file) : std::string_view());
  const u64 offset = mapped != nullptr && address >= mapped->start ? address - mapped->start + mapped->offset : address;
  const usize begin = places_.size();
  for (text::ProtobufReader in(location.message); in.next() && places_.size() - begin < kMostInlined;) {
    if (in.field() != 4) continue;
    u64 function = 0, line = 0;
    for (text::ProtobufReader at(in.bytes()); at.next();) {
      if (at.field() == 1) function = at.number();
      if (at.field() == 2) line = at.number();
    }
    const Function* const known = functions_.find(function);
    const std::string_view name = known != nullptr ? string(known->name) : std::string_view();
    const std::string_view source = known != nullptr ? string(known->file) : std::string_view();
    places_.push_back(builder_.place(builder_.function(name, module, offset), source, line));
  }
  if (places_.size() == begin) places_.push_back(builder_.place(builder_.function({}, module, offset), {}, 0));
}

}  // namespace

diag::Result<ForeignProfile> read_pprof(Bytes file, const ProfileReadOptions& options, const ProgressCallback& passed) {
  return PprofReader(file, options, passed).run();
}

}  // namespace wperf::profiles
