// SPDX-License-Identifier: BSD-3-Clause
// An opened perf event, and error messages for refusals of the kernel.
#pragma once
#include <linux/perf_event.h>

#include <string>

#include "base/ints.h"
#include "ground/diag/result.h"
#include "ground/os/descriptor_linux.h"
#include "machine/plan/kernel_words.h"

namespace wperf::perf_events {

using os::Descriptor;

// The tasks and cores that an event watches. thread -1: everything on `core`. core -1: the thread on any core.
struct Scope {
  int thread = -1;
  int core = -1;
};

// The attributes that all events share. They cover only user mode, unless `kernel` is set, the event occurs in the
// kernel, or `modifiers` request other modes.
perf_event_attr attributes_of(const plan::KernelEvent& event, bool kernel, const plan::EventModifiers& modifiers = {});

// leader: the group's leader, or -1. If it fails, nothing is open and errno has the reason.
Descriptor open_event(perf_event_attr& attributes, Scope scope, int leader = -1);
using OpenEvent = Descriptor (*)(perf_event_attr&, Scope, int leader);

// How many of the cores' events can be counted at the same time, at most `most`. The kernel refuses a group that could
// never be scheduled. `opener` replaces the kernel in tests.
u32 greatest_group(u32 most, OpenEvent opener = open_event);

// Explains `error` (an errno from open_event) to the user. `kernel`: kernel mode was requested, too.
diag::Error refusal(int error, const std::string& event, bool hardware, bool kernel, Scope scope);

// The error for an mmap that failed because of the limit on locked memory; `what` needed the memory.
diag::Error no_room(const std::string& what);

struct Reading {
  u64 value = 0, enabled_ns = 0, running_ns = 0;
};
diag::Result<Reading> read_event(const Descriptor& event);

// Raises the limit of open files as much as this process may.
void raise_descriptor_limit();

}  // namespace wperf::perf_events
