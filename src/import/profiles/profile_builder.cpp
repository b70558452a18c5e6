// SPDX-License-Identifier: BSD-3-Clause
#include "import/profiles/profile_builder.h"

#include <fmt/format.h>

#include <algorithm>

namespace wperf::profiles {
namespace {

std::string_view last_part(std::string_view path) {
  const usize slash = path.find_last_of("/\\");
  return slash == std::string_view::npos || slash + 1 == path.size() ? path : path.substr(slash + 1);
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
                                .reason = "the profile names no functions there",
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
  const auto [entry, is_new] =
      functions_.try_emplace(fmt::format("{}\n{}", module, shown), static_cast<u32>(profile_.functions.size()));
  if (is_new) profile_.functions.push_back({shown, module, is_known, is_kernel_module(in.path)});
  return entry->second;
}

u32 ProfileBuilder::place(u32 function, std::string_view file, u64 line) {
  u32 number = kNothing;
  if (wishes_.lines && line != 0 && !file.empty()) {
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
  return number + 1;  // after the root
}

u32 ProfileBuilder::frameless_node() {
  if (!frameless_.has_value()) frameless_ = node(kRoot, place(function("[no stack]", module("")), {}, 0));
  return *frameless_;
}

void ProfileBuilder::add_at(const stacks::StackSample& sample, double seconds) {
  has_times_ = true;
  first_seconds_ = std::min(first_seconds_.value_or(seconds), seconds);
  last_seconds_ = std::max(last_seconds_, seconds);
  if (!wishes_.from_seconds.has_value() && !wishes_.to_seconds.has_value()) return add(sample);
  waiting_.push_back({sample, seconds});
}

void ProfileBuilder::add(stacks::StackSample sample) {
  stacks::StackEvent& event = profile_.events[sample.event];
  if (sample.count > ~u64{0} - event.samples || sample.period > ~u64{0} - event.period) {
    ++too_large_;
    return;
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
}

void ProfileBuilder::finish() {
  double first = last_seconds_, last = 0;
  for (const TimedSample& one : waiting_) {
    const double since = one.seconds - first_seconds_.value_or(0);
    if (since < wishes_.from_seconds.value_or(since) || since > wishes_.to_seconds.value_or(since)) continue;
    add(one.sample);
    first = std::min(first, one.seconds);
    last = std::max(last, one.seconds);
  }
  if (!waiting_.empty()) {
    profile_.elapsed_seconds = std::max(last - first, 0.0);
  } else {
    profile_.elapsed_seconds = elapsed_.value_or(first_seconds_.has_value() ? last_seconds_ - *first_seconds_ : 0);
  }
  waiting_ = {};
}

}  // namespace wperf::profiles
