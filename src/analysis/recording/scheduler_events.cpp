// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/scheduler_events.h"

#include <algorithm>

namespace wperf::recording {
namespace {

using perf_data::TracepointFormat;
using Role = SchedulerRole;
using stacks::Leaving;

constexpr u32 kSoftwareType = 1, kTracepoint = 2;
constexpr u64 kSoftwareSwitches = 3;

// Task states of Linux in the field prev_state.
constexpr u64 kDead = 0x10, kZombie = 0x20;

Role role_of(std::string_view name) {
  if (name == "sched_switch") return Role::switched;
  if (name == "sched_waking") return Role::waking;
  if (name == "sched_wakeup") return Role::wakeup;
  if (name == "sched_wakeup_new") return Role::created;
  return Role::other;
}

void describe(const TracepointFormat& format, SchedulerEvent& event) {
  event.role = role_of(format.name);
  event.flags = format.field("common_flags");
  if (event.role == Role::switched) {
    event.from = format.field("prev_pid");
    event.from_state = format.field("prev_state");
    event.from_name = format.field("prev_comm");
    event.to = format.field("next_pid");
    event.to_name = format.field("next_comm");
  } else {
    event.to = format.field("pid");
    event.to_name = format.field("comm");
  }
}

Leaving leaving_of(u64 state) {
  // 0 means that the thread could continue. For a forced switch, the kernel sets a bit above all states.
  if ((state & 0xff) == 0) return Leaving::preempted;
  if ((state & (kDead | kZombie)) != 0) return Leaving::ended;
  return Leaving::waits;
}

}  // namespace

stacks::Switch SchedulerEvent::switch_in(const perf_data::Sample& sample) const {
  stacks::Switch change;
  change.comes = static_cast<u32>(to.value(sample.raw));
  if (role == Role::switched) {
    change.leaves = static_cast<u32>(from.value(sample.raw));
    const u64 state = from_state.value(sample.raw);
    change.leaving = leaving_of(state);
    change.reason = static_cast<u8>(state);
    return change;
  }
  constexpr u64 kInInterrupt = 0x08 | 0x10;  // hard or soft interrupt
  change.kind = role == Role::created ? stacks::Kind::created : stacks::Kind::woken;
  if ((flags.value(sample.raw) & kInInterrupt) == 0) change.leaves = sample.tid;
  return change;
}

const SchedulerEvent& SchedulerEvents::of(const perf_data::Sample& sample) const {
  static const SchedulerEvent kOther;
  const u32 event = sample.event == perf_data::kNoEvent ? 0 : sample.event;
  return event < all.size() ? all[event] : kOther;
}

const SchedulerEvent* SchedulerEvents::find(SchedulerRole role) const {
  const auto found = std::ranges::find(all, role, &SchedulerEvent::role);
  return found != all.end() ? &*found : nullptr;
}

SchedulerEvents scheduler_events(const perf_data::PerfFile& file) {
  SchedulerEvents events;
  const auto formats =
      perf_data::read_tracepoint_formats(file.features().bytes(perf_data::Feature::tracing_data), "sched");
  for (const perf_data::Event& recorded : file.attrs()) {
    SchedulerEvent& event = events.all.emplace_back();
    event.has_stacks = recorded.attributes.has(perf_data::kSampleCallchain);
    event.is_tracepoint = recorded.attributes.type == kTracepoint;
    if (recorded.attributes.type == kSoftwareType && recorded.attributes.config == kSoftwareSwitches) {
      event.role = Role::left;
    }
    if (!event.is_tracepoint) continue;
    const auto format = std::ranges::find(formats, recorded.attributes.config, &TracepointFormat::id);
    if (format != formats.end()) {
      describe(*format, event);
    } else if (recorded.name.starts_with("sched:")) {
      events.is_nameless = true;
    }
  }
  return events;
}

}  // namespace wperf::recording
