// SPDX-License-Identifier: BSD-3-Clause
// Which fields and registers are recorded with samples, and what is left out if the kernel refuses it.
#pragma once
#include <linux/perf_event.h>

#include "formats/perf_data/sample.h"
#include "machine/plan/sample_plan.h"

namespace wperf::linux_kernel {

// The registers that perf saves with a stack copy: enough for unwinding.
#if defined(__aarch64__)
constexpr u64 kUserRegisters = (u64{1} << 33) - 1;  // x0 to x30, sp, pc
constexpr u64 kFirstArgument = u64{1} << perf_data::kFirstArgumentArm64;
// A function that calls nothing has no frame record, so only x30 has its return address. perf also records that
// register.
constexpr u64 kRegistersBesideFrames = u64{1} << 30;
#else
constexpr u64 kUserRegisters = 0xff0fff;  // all except the data segments
constexpr u64 kFirstArgument = u64{1} << perf_data::kFirstArgumentX86;
constexpr u64 kRegistersBesideFrames = 0;
#endif

// Requests only fields that are read later, because at high rates nearly the whole recording consists of samples.
u64 sample_type_of(const plan::SamplePlan& plan, bool has_arguments);

// Does the event count actions of threads (it is not a time and not a hardware event)? On the whole machine, each
// wake-up of wperf would itself be an event, and would cause the next wake-up.
bool counts_what_threads_do(const perf_event_attr& attributes);

void leave_copies_out(perf_event_attr& attributes);
// Leaves out one feature that this kernel does not support or this user may not use, newest first. Returns false if no
// remaining feature can be the cause of the error.
bool leave_something_out(perf_event_attr& attributes, int error);

}  // namespace wperf::linux_kernel
