// SPDX-License-Identifier: BSD-3-Clause
// Aborts if an index in the profile is invalid, or if its sums differ from the sums of its samples.
#pragma once
#include <cstdlib>

#include "model/stacks/stack_rows.h"

namespace wperf::fuzz {

inline void hold(bool is_true) {
  if (!is_true) std::abort();
}

inline void check_profile(const stacks::StackProfile& profile) {
  for (const auto& function : profile.functions) hold(function.module < profile.modules.size());
  for (const auto& task : profile.tasks) hold(task.name < profile.names.size());
  for (const auto& place : profile.places) {
    hold(place.function < profile.functions.size());
    hold(place.line == stacks::kNothing || place.line < profile.lines.size());
  }
  for (usize i = 1; i < profile.nodes.size(); ++i)
    hold(profile.nodes[i].parent < i && profile.nodes[i].place < profile.places.size());
  for (const auto& sample : profile.samples) {
    hold(sample.event < profile.events.size() && sample.task < profile.tasks.size());
    hold(sample.node != 0 && sample.node < profile.nodes.size());
  }
  for (u32 event = 0; event < profile.events.size(); ++event) {
    const auto rows = stacks::make_rows(profile, event, {stacks::SortKey::symbol}, {}, true);
    hold(rows.period == profile.events[event].period);
  }
}

}  // namespace wperf::fuzz
