// SPDX-License-Identifier: BSD-3-Clause
#include "formats/profiles/profile_builder.h"

#include <fmt/format.h>

#include <cmath>

#include "model/stacks/time_slices.h"

namespace wperf::profiles {
namespace {

std::string_view last_part(std::string_view path) {
  const usize slash = path.find_last_of("/\\");
  return slash == std::string_view::npos || slash + 1 == path.size() ? path : path.substr(slash + 1);
}

constexpr u64 kNoTime = u64{1} << 63;  // earlier than any other time, as a signed number

// The times may be as far apart as 64 bits allow.
double seconds_between(std::int64_t begin_ns, std::int64_t end_ns) {
  return static_cast<double>(static_cast<u64>(end_ns) - static_cast<u64>(begin_ns)) / 1e9;
}

bool is_kernel_module(std::string_view path) {
  return path.starts_with("[kernel") || path.starts_with("[guest.kernel") || path == "kernel" ||
         path == "ntoskrnl.exe" || path.ends_with("\\ntoskrnl.exe") || path.ends_with(".ko") ||
         path.ends_with("/vmlinux");
}

}  // namespace

u32 ProfileBuilder::event(std::string_view name) {
  const auto [entry, is_new] = events_.try_emplace(std::string(name), static_cast<u32>(profile_.events.size()));
  if (is_new) profile_.events.emplace_back().name = entry->first;
  return entry->second;
}

u32 ProfileBuilder::task(u32 pid, u32 tid, std::string_view name) {
  const auto [entry, is_new] = names_.try_emplace(std::string(name), static_cast<u32>(profile_.names.size()));
  if (is_new) profile_.names.push_back(entry->first);
  const auto [number, is_new_task] = tasks_.insert((u64{pid} << 32) | tid, entry->second);
  if (is_new_task) profile_.tasks.push_back({pid, tid, entry->second});
  return number;
}

u32 ProfileBuilder::module(std::string_view path) {
  const auto [entry, is_new] = modules_.try_emplace(std::string(path), static_cast<u32>(profile_.modules.size()));
  if (is_new) {
    profile_.modules.push_back({.name = path.empty() ? "-" : std::string(last_part(path)),
                                .path = std::string(path),
                                .reason = "the profile has no function names there",
                                .is_nowhere = path.empty()});
  }
  return entry->second;
}

u32 ProfileBuilder::function(std::string_view name, u32 module, u64 address) {
  const bool is_known = !name.empty();
  const stacks::StackModule& in = profile_.modules[module];
  const std::string shown = is_known        ? std::string(name)
                            : in.is_nowhere ? fmt::format("0x{:x}", address)
                                            : fmt::format("{}+0x{:x}", in.name, address);
  return function_number({shown, module, is_known, is_kernel_module(in.path)});
}

u32 ProfileBuilder::function(std::string_view name, u32 module, const FunctionMarks& marks) {
  const std::string_view mark = marks.is_inlined ? stacks::kInlinedMark : std::string_view();
  return function_number({std::string(name).append(mark), module, marks.is_known, marks.is_kernel, marks.is_inlined});
}

u32 ProfileBuilder::function_number(stacks::StackFunction function) {
  const auto [entry, is_new] = functions_.try_emplace(fmt::format("{}\n{}", function.module, function.name),
                                                      static_cast<u32>(profile_.functions.size()));
  if (is_new) profile_.functions.push_back(std::move(function));
  return entry->second;
}

u32 ProfileBuilder::place(u32 function, std::string_view file, u64 line) {
  u32 number = kNothing;
  if (options_.lines && line != 0 && !file.empty()) {
    const auto [entry, is_new] =
        lines_.try_emplace(fmt::format("{}:{}", last_part(file), line), static_cast<u32>(profile_.lines.size()));
    if (is_new) profile_.lines.push_back(entry->first);
    number = entry->second;
  }
  const auto [place, is_new] = places_.insert(function, number);
  if (is_new) profile_.places.push_back({function, number});
  return place;
}

u32 ProfileBuilder::node(u32 parent, u32 place) {
  const auto [number, is_new] = nodes_.insert(parent, place);
  if (is_new) profile_.nodes.push_back({parent, place});
  profile_.has_callers = profile_.has_callers || parent != kRoot;
  return number + 1;  // number 0 is the root
}

u32 ProfileBuilder::frameless_node() {
  if (!frameless_.has_value()) frameless_ = node(kRoot, place(function("[no stack]", module("")), {}, 0));
  return *frameless_;
}

void ProfileBuilder::add_about(const stacks::StackSample& sample, double time_ns) {
  constexpr double kGreatestTime = 9e18;  // a 63-bit integer can hold it
  if (std::abs(time_ns) < kGreatestTime) return add_at(sample, std::llround(time_ns));
  add(sample);
}

void ProfileBuilder::add_at(const stacks::StackSample& sample, std::int64_t time_ns) {
  has_times_ = true;
  if (!all_.has_value()) all_ = {time_ns, time_ns};
  all_->add(time_ns);
  if (!options_.from_seconds.has_value() && !options_.to_seconds.has_value()) return keep(sample, time_ns);
  waiting_.push_back({sample, time_ns});
}

void ProfileBuilder::add(const stacks::StackSample& sample) {
  keep(sample, std::nullopt);
}

void ProfileBuilder::keep(const stacks::StackSample& sample, std::optional<std::int64_t> time_ns) {
  if (time_ns.has_value()) {
    if (!chosen_.has_value()) chosen_ = {*time_ns, *time_ns};
    chosen_->add(*time_ns);
  }
  const u32 row = count(sample);
  if (row == kNothing || !options_.times) return;
  moments_.samples.rows.push_back(row);
  moments_.samples.times_ns.push_back(time_ns.has_value() ? static_cast<u64>(*time_ns) : kNoTime);
  if (options_.slice_ns != 0) weights_.push_back({sample.count, sample.period});
}

// Returns kNothing if the sample was left out.
u32 ProfileBuilder::count(stacks::StackSample sample) {
  stacks::StackEvent& event = profile_.events[sample.event];
  if (sample.count > ~u64{0} - event.samples || sample.period > ~u64{0} - event.period) {
    ++too_large_;
    return kNothing;
  }
  event.samples += sample.count;
  event.period += sample.period;
  if (sample.node == kRoot) sample.node = frameless_node();
  const auto [number, is_new] =
      samples_.insert((u64{sample.event} << 32) | sample.task, (u64{sample.core} << 32) | sample.node);
  if (is_new) {
    profile_.samples.push_back(sample);
  } else {
    profile_.samples[number].count += sample.count;
    profile_.samples[number].period += sample.period;
  }
  return number;
}

bool ProfileBuilder::is_chosen(std::int64_t time_ns) const {
  const double since = seconds_between(all_->first_ns, time_ns);
  return since >= options_.from_seconds.value_or(since) && since <= options_.to_seconds.value_or(since);
}

// Times are on the profile's own clock. 0 means unknown, so a clock that begins at or before 0 is shifted.
void ProfileBuilder::make_moments() {
  const TimeSpan span = chosen_.value_or(TimeSpan{});
  const u64 moved = span.first_ns < 1 ? u64{1} - static_cast<u64>(span.first_ns) : 0;
  stacks::SampleMoments& samples = moments_.samples;
  for (u64& time : samples.times_ns) time = time == kNoTime ? 0 : time + moved;
  if (!options_.times || !chosen_.has_value()) return;
  moments_.begin_ns = static_cast<u64>(span.first_ns) + moved;
  moments_.end_ns = static_cast<u64>(span.last_ns) + moved;
  profile_.slices = stacks::make_time_slices(moments_.begin_ns, moments_.end_ns, options_.slice_ns);
  if (profile_.slices.count == 0) return;
  stacks::SliceTally slices;
  for (usize i = 0; i < samples.size(); ++i) {
    slices.add(samples.rows[i], profile_.slices.at(samples.times_ns[i]), weights_[i].count, weights_[i].period);
  }
  profile_.slice_counts = slices.take();
}

void ProfileBuilder::finish() {
  for (const TimedSample& one : waiting_) {
    if (is_chosen(one.time_ns)) keep(one.sample, one.time_ns);
  }
  waiting_ = {};
  make_moments();
  weights_ = {};
  // The profile's own duration is more reliable, but does not apply to a part of the profile.
  const bool is_part = has_times_ && (options_.from_seconds.has_value() || options_.to_seconds.has_value());
  if (elapsed_.has_value() && !is_part) {
    profile_.elapsed_seconds = *elapsed_;
  } else if (chosen_.has_value()) {
    profile_.elapsed_seconds = seconds_between(chosen_->first_ns, chosen_->last_ns);
  }
}

}  // namespace wperf::profiles
