// SPDX-License-Identifier: BSD-3-Clause
// Kinds of cores ("cpu_core", "armv8_cortex_a76"): which one a sample of an event ran on. Made only if a view asks for
// it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"

namespace wperf::stacks {

inline constexpr u32 kNothing = ~u32{0};

struct CoreKinds {
  struct Event {
    bool has_cores = false;  // its samples have the core on which they were taken
    u32 kind = kNothing;     // it counts on cores of this kind only
  };
  std::vector<std::string> names;
  std::vector<u32> of_core;  // index into names; kNothing: the recording does not say
  std::vector<Event> events;
  u32 of_others = kNothing;  // if the machine has only one kind

  // Index into names, or kNothing.
  u32 of(u32 event, u32 core) const {
    const Event about = event < events.size() ? events[event] : Event{};
    if (about.has_cores && core < of_core.size() && of_core[core] != kNothing) return of_core[core];
    return about.kind != kNothing ? about.kind : of_others;
  }
  std::string_view name(u32 kind) const { return kind < names.size() ? std::string_view(names[kind]) : "?"; }
};

}  // namespace wperf::stacks
