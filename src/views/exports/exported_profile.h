// SPDX-License-Identifier: BSD-3-Clause
// A profile prepared for the formats of other tools: texts are UTF-8, files and lines are separate, and the frames of
// an address are grouped.
#pragma once
#include <fmt/format.h>

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/stacks/moments.h"
#include "model/stacks/stack_profile.h"

namespace wperf::exports {

using stacks::kNothing;
using TakeBytes = std::function<void(std::string_view)>;

struct Source {
  const stacks::StackProfile& profile;
  const stacks::Moments& moments;
  std::string tool;  // "wperf 1.2"
  // For servers that list many profiles: the start as wall-clock time (0 if unknown), and labels.
  u64 begin_unix_ns = 0;
  std::vector<std::pair<std::string, std::string>> attributes = {};
  std::string program = {};  // the name of the program that was started; empty if not known
};

// Bytes that are not UTF-8, and zero bytes, become U+FFFD.
std::string clean_text(std::string_view text);

// Collects small pieces of output into larger ones.
class Collected {
 public:
  explicit Collected(TakeBytes take) : take_(std::move(take)) {}
  std::string text;  // callers append to it
  void number(u64 value) {
    const fmt::format_int digits(value);
    text.append(digits.data(), digits.size());
  }
  // Appends a value in units of 10^-`digits`, with that many decimals.
  void decimal(u64 value, u32 digits) {
    std::array<char, 24> places;
    u64 unit = 1;
    for (u32 i = 0; i < digits; ++i) unit *= 10;
    u64 rest = value % unit;
    for (u32 i = digits; i-- > 0; rest /= 10) places[i] = static_cast<char>('0' + rest % 10);
    number(value / unit);
    text += '.';
    text.append(places.data(), digits);
  }
  void flush_if_long() {
    constexpr usize kLong = 1 << 16;
    if (text.size() >= kLong) flush();
  }
  // Appends a large number of bytes.
  void pass(std::string_view bytes) {
    flush();
    take_(bytes);
  }
  void flush() {
    take_(text);
    text.clear();
  }

 private:
  TakeBytes take_;
};

// Numbers texts; each text has one number.
class Texts {
 public:
  u32 operator()(std::string_view text);
  const std::vector<std::string>& all() const { return all_; }

 private:
  std::unordered_map<std::string, u32> numbers_;
  std::vector<std::string> all_;
};

struct PlaceLine {
  std::string_view file;  // empty: not known
  u32 line = 0;
};

class Names {
 public:
  explicit Names(const stacks::StackProfile& profile);
  // The name without the mark of inlined functions, for formats that mark such functions in another way.
  std::string_view function(u32 number) const { return functions_[number]; }
  std::string marked_function(u32 number) const;
  const std::string& thread(u32 task) const { return threads_[task]; }
  // The name with the thread's number: "name (12)".
  std::string numbered_thread(u32 task) const;
  // The name of the process's first thread; if unknown, of the task's thread.
  const std::string& process(u32 task) const { return processes_[task]; }
  PlaceLine line(u32 place) const;

 private:
  const stacks::StackProfile& profile_;
  void name_processes();
  std::vector<std::string> functions_, threads_, processes_, files_;
  std::vector<PlaceLine> lines_;  // by line of the profile
};

// Frames that share an address: inlined functions, innermost first, and the function that contains them.
class Locations {
 public:
  struct Location {
    u32 place = 0;
    u32 outer = kNothing;  // the location that it was merged into
  };
  explicit Locations(const stacks::StackProfile& profile);
  const std::vector<Location>& all() const { return all_; }
  u32 of_node(u32 node) const { return of_node_[node]; }
  // Calls visit(location), innermost first.
  template <class Visit>
  void for_each_of(u32 node, Visit visit) const {
    while (node < of_node_.size() && of_node_[node] != kNothing) {
      visit(of_node_[node]);
      while (all_[of_node_[node]].outer != kNothing) node = profile_.nodes[node].parent;
      node = profile_.nodes[node].parent;
    }
  }

 private:
  const stacks::StackProfile& profile_;
  std::vector<Location> all_;
  std::vector<u32> of_node_;
};

// Calls visit(moment, row, count, period) for each moment. The count and period of a row are divided among its moments
// without a remainder. Rows without moments come first, with moment kNothing.
template <class Visit>
void for_each_moment(const Source& source, Visit visit) {
  const stacks::StackProfile& profile = source.profile;
  const stacks::SampleMoments& moments = source.moments.samples;
  struct Share {
    u32 moments = 0, given = 0;
  };
  std::vector<Share> shares(profile.samples.size());
  for (const u32 row : moments.rows) ++shares[row].moments;
  for (u32 row = 0; row < shares.size(); ++row) {
    if (shares[row].moments == 0) visit(kNothing, row, profile.samples[row].count, profile.samples[row].period);
  }
  for (u32 i = 0; i < moments.size(); ++i) {
    const u32 row = moments.rows[i];
    Share& share = shares[row];
    const stacks::StackSample& sample = profile.samples[row];
    // Each of the first moments gets one more, until the remainder is used up.
    const auto part = [&](u64 all) { return all / share.moments + (share.given < all % share.moments ? 1 : 0); };
    const u64 count = part(sample.count), period = part(sample.period);
    ++share.given;
    visit(i, row, count, period);
  }
}

// "running", "ready", "waiting: lock".
std::string state_name(const stacks::Moments& moments, const stacks::ThreadState& state);
std::string_view mark_name(stacks::MarkKind kind);
// The name of the track, with the core if it was counted for one core.
std::string track_name(const stacks::CounterTrack& track);
// "1,234 records lost: …", for formats with remarks.
std::vector<std::string> loss_texts(const stacks::StackLosses& losses);
// Does the event count nanoseconds?
bool is_clock(const stacks::StackEvent& event);
// The events that have samples.
std::vector<u32> used_events(const stacks::StackProfile& profile);
// The module of the program itself, found by name. `program`: the name of the started program, if known.
u32 main_module(const stacks::StackProfile& profile, std::string_view program);

// Writes profiles in formats of other tools. Pure: each writer returns its bytes in pieces, in order.
// docs/user/export.md lists what each format contains and what it leaves out.
void write_pprof(const Source& source, const TakeBytes& take);
void write_otlp(const Source& source, const TakeBytes& take);
void write_perfetto(const Source& source, const TakeBytes& take);
void write_perfetto_perf(const Source& source, const TakeBytes& take);
void write_firefox(const Source& source, const TakeBytes& take);
void write_speedscope(const Source& source, const TakeBytes& take);
void write_chrome(const Source& source, const TakeBytes& take);
void write_callgrind(const Source& source, const TakeBytes& take);
void write_csv(const Source& source, const TakeBytes& take);
void write_sql(const Source& source, const TakeBytes& take);

// Mozilla's name of a build: GUID and age. For an ELF file: the first half of its build id, in the byte order of a
// GUID.
std::string breakpad_id(const stacks::StackModule& module);

}  // namespace wperf::exports
