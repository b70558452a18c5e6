// SPDX-License-Identifier: BSD-3-Clause
#include "machine/linux_kernel/sampled_attributes_linux.h"

#include <algorithm>
#include <cerrno>

namespace wperf::linux_kernel {
namespace {

void leave_registers_out(perf_event_attr& attributes) {
  attributes.sample_type &= ~u64{PERF_SAMPLE_REGS_USER};
  attributes.sample_regs_user = 0;
}

}  // namespace

u64 sample_type_of(const plan::SamplePlan& plan, bool has_arguments) {
  u64 fields = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
  if (plan.events.size() > 1) fields |= PERF_SAMPLE_IDENTIFIER;
  if (plan.rate_hz.has_value()) fields |= PERF_SAMPLE_PERIOD;
  if (!plan.process.has_value() || plan.core_numbers) fields |= PERF_SAMPLE_CPU;
  if (plan.call_stacks.wanted()) fields |= PERF_SAMPLE_CALLCHAIN;
  // The fields of tracepoints. All events of a recording have the same fields; for other events they are empty.
  const auto is_tracepoint = [](const plan::SampleEvent& event) {
    return event.kernel_event.has_value() && event.kernel_event->type == PERF_TYPE_TRACEPOINT;
  };
  if (std::any_of(plan.events.begin(), plan.events.end(), is_tracepoint)) fields |= PERF_SAMPLE_RAW;
  const bool has_frames = plan.call_stacks.wanted() && kRegistersBesideFrames != 0;
  if (has_arguments || has_frames) fields |= PERF_SAMPLE_REGS_USER;
  if (plan.call_stacks.copies()) fields |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
  if (plan.branch_stacks != plan::BranchStacks::none) fields |= PERF_SAMPLE_BRANCH_STACK;
  return fields;
}

bool counts_what_threads_do(const perf_event_attr& attributes) {
  if (attributes.type == PERF_TYPE_TRACEPOINT) return true;
  return attributes.type == PERF_TYPE_SOFTWARE && attributes.config != PERF_COUNT_SW_CPU_CLOCK &&
         attributes.config != PERF_COUNT_SW_TASK_CLOCK;
}

void leave_copies_out(perf_event_attr& attributes) {
  leave_registers_out(attributes);
  attributes.sample_type &= ~u64{PERF_SAMPLE_STACK_USER};
  attributes.sample_stack_user = 0;
}

bool leave_something_out(perf_event_attr& attributes, int error) {
  if ((error == EINVAL || error == EOPNOTSUPP) && attributes.precise_ip != 0) {
    attributes.precise_ip = (attributes.precise_ip - 1u) & 3u;  // lower until this PMU supports it
    return true;
  }
  if (error != EINVAL && error != EPERM && error != EACCES) return false;
  if (error == EINVAL && attributes.read_format != 0) {
    attributes.read_format = 0;  // since 6.0
    return true;
  }
  if (attributes.ksymbol != 0) {  // since 5.1
    attributes.ksymbol = attributes.bpf_event = 0;
    return true;
  }
  if (error == EINVAL && attributes.sample_regs_user != 0 && attributes.sample_stack_user == 0) {
    leave_registers_out(attributes);
    return true;
  }
  return false;
}

}  // namespace wperf::linux_kernel
