// SPDX-License-Identifier: BSD-3-Clause
// One opened perf event, and the messages when the kernel refuses it.
#pragma once
#include <linux/perf_event.h>

#include <string>

#include "base/ints.h"
#include "ground/diag/result.h"
#include "ground/os/descriptor_linux.h"
#include "machine/plan/kernel_words.h"

namespace wperf::perf_events {

using os::Descriptor;

// The tasks and cores an event watches. thread -1 means everything on `core`; core -1 means the thread wherever it
// runs.
struct Scope {
  int thread = -1;
  int core = -1;
};

// The attributes that all events share. User mode only, unless `kernel` is set, the event happens in the kernel, or
// `modifiers` choose.
perf_event_attr attributes_of(const plan::KernelEvent& event, bool kernel, const plan::EventModifiers& modifiers = {});

// leader: that of its group, or -1. On failure nothing is open and errno has the reason.
Descriptor open_event(perf_event_attr& attributes, Scope scope, int leader = -1);
using OpenEvent = Descriptor (*)(perf_event_attr&, Scope, int leader);

// How many of the cores' events can be counted at the same time, at most `most`: the kernel refuses a group that could
// never be scheduled. `opener` replaces the kernel in tests.
u32 greatest_group(u32 most, OpenEvent opener = open_event);

// The meaning of `error` (an errno of open_event) for the user. `kernel`: kernel mode was also asked for.
diag::Error refusal(int error, const std::string& event, bool hardware, bool kernel, Scope scope);

// The error if the limit on locked memory made an mmap fail: room for `what`.
diag::Error no_room(const std::string& what);

struct Reading {
  u64 value = 0, enabled_ns = 0, running_ns = 0;
};
diag::Result<Reading> read_event(const Descriptor& event);

// Raises the limit of descriptors as far as this process may.
void raise_descriptor_limit();

}  // namespace wperf::perf_events
