// SPDX-License-Identifier: BSD-3-Clause
// Converts the frames and samples of a foreign profile to stacks::StackProfile. Each different name, function, stack
// and sample is stored once.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/stacks/growing_array.h"
#include "model/stacks/id_table.h"
#include "model/stacks/moments.h"
#include "model/stacks/stack_profile.h"

namespace wperf::profiles {

using stacks::kNothing;

inline constexpr double kGreatestWeight = 9e18;  // the largest weight of a sample; fits into 64 bits

// Expensive data that a view needs, and the selection of samples.
struct ProfileReadOptions {
  bool lines = false;
  bool times = false;                                        // collect the times of samples
  u64 slice_ns = 0;                                          // count samples in slices of this length; 0: no slices
  std::optional<double> from_seconds = {}, to_seconds = {};  // relative to the first sample
};

class ProfileBuilder {
 public:
  explicit ProfileBuilder(const ProfileReadOptions& options) : options_(options) {
    profile_.nodes.push_back({});  // the root
  }

  // Equal names give the same event.
  u32 event(std::string_view name);
  u32 task(u32 pid, u32 tid, std::string_view name);
  u32 module(std::string_view path);
  // A function without a name becomes "module+0x12", marked as unknown.
  u32 function(std::string_view name, u32 module, u64 address = 0);
  // Marks of a frame, for formats written by wperf. In other formats the names decide.
  struct FunctionMarks {
    bool is_known = true, is_inlined = false, is_kernel = false;
  };
  u32 function(std::string_view name, u32 module, const FunctionMarks& marks);
  // `line` 0: not known. If lines are not requested, all lines of a function are the same place.
  u32 place(u32 function, std::string_view file, u64 line);
  static constexpr u32 kRoot = 0;
  u32 node(u32 parent, u32 place);
  u32 node_count() const { return static_cast<u32>(profile_.nodes.size()); }

  // A sample without frames gets the frame "[no stack]". `time_ns` is given if the profile has times.
  void add(const stacks::StackSample& sample);
  void add_at(const stacks::StackSample& sample, std::int64_t time_ns);
  // The time in nanoseconds is a JSON number, which may be out of range.
  void add_about(const stacks::StackSample& sample, double time_ns);

  void set_interval(u32 event, u64 interval) { profile_.events[event].interval = interval; }
  void set_elapsed(double seconds) { elapsed_ = seconds; }
  void keep_note(std::string note) { profile_.note = std::move(note); }
  stacks::StackLosses& losses() { return profile_.losses; }
  // Samples that were not counted because a sum would not fit into 64 bits.
  u64 too_large() const { return too_large_; }
  bool has_times() const { return has_times_; }
  // Called after the last sample; afterwards the losses are known.
  void finish();
  stacks::StackProfile take() { return std::move(profile_); }
  stacks::Moments take_moments() { return std::move(moments_); }

 private:
  using Names = std::unordered_map<std::string, u32>;
  u32 frameless_node();
  u32 function_number(stacks::StackFunction function);
  bool is_chosen(std::int64_t time_ns) const;
  u32 count(stacks::StackSample sample);
  void keep(const stacks::StackSample& sample, std::optional<std::int64_t> time_ns);
  void make_moments();

  const ProfileReadOptions options_;
  stacks::StackProfile profile_;
  Names events_, names_, modules_, lines_;
  std::unordered_map<std::string, u32> functions_;  // keyed by module and name
  stacks::IdTable tasks_, samples_;
  stacks::SmallIdTable places_, nodes_;
  std::optional<u32> frameless_;
  std::optional<double> elapsed_;
  // If samples are selected by time, they wait until the first time is known.
  struct TimedSample {
    stacks::StackSample sample;
    std::int64_t time_ns = 0;
  };
  stacks::GrowingArray<TimedSample> waiting_;
  struct TimeSpan {
    std::int64_t first_ns = 0, last_ns = 0;
    void add(std::int64_t time_ns) {
      first_ns = std::min(first_ns, time_ns);
      last_ns = std::max(last_ns, time_ns);
    }
  };
  std::optional<TimeSpan> all_, chosen_;  // time ranges of all samples with times, and of the selected ones
  stacks::Moments moments_;               // the times are unchanged until finish()
  struct Weight {
    u64 count = 0, period = 0;
  };
  stacks::GrowingArray<Weight> weights_;  // one for each of moments_.samples, if slices are requested
  bool has_times_ = false;
  u64 too_large_ = 0;
};

}  // namespace wperf::profiles
