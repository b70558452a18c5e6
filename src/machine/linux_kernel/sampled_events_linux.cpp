// SPDX-License-Identifier: BSD-3-Clause
#include "machine/linux_kernel/sampled_events_linux.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <ctime>
#include <iterator>
#include <optional>
#include <vector>

#include "formats/perf_data/format.h"
#include "formats/perf_data/record_bytes.h"
#include "formats/perf_data/sample.h"
#include "machine/linux_kernel/sampled_attributes_linux.h"
#include "machine/linux_kernel/switch_cost_linux.h"
#include "machine/perf_events/counter_linux.h"
#include "machine/perf_events/rings_linux.h"

namespace wperf::linux_kernel {
namespace {

using perf_events::Descriptor;
using perf_events::SampleRing;
using perf_events::Scope;

// Polling interval: a waiting thread usually keeps its frames longer than this.
constexpr int kLookMs = 2;
constexpr usize kAllRingBytes = usize{256} << 20;

// Stack copies are refused with these errors by kernels that do not support them, by system call filters of containers,
// and by hypervisors.
bool may_be_of_copies(int error) {
  return error == EINVAL || error == EOPNOTSUPP || error == ENOSYS || error == EACCES || error == EPERM;
}

bool may_lack_branches(int error) {
  return error == EINVAL || error == EOPNOTSUPP || error == ENOENT || error == ENODEV;
}

diag::Error no_branch_stacks(std::string_view event) {
  return {
      .text = fmt::format("this machine records no branches with samples of {}", event),
      .hint =
          "branch stacks need a CPU with LBR or BRBE, a kernel that supports it, and a hardware event such as -e "
          "cycles; virtual machines rarely have them. On Arm, SPE records branches, too: -e arm_spe_0/branch_filter=1/",
      .code = diag::ExitCode::no_device};
}

}  // namespace

Descriptor SampledEvents::open_with_less(perf_event_attr& attributes, Scope scope) const {
  Descriptor event = open_event_(attributes, scope, -1);
  while (!event.is_open() && leave_something_out(attributes, errno)) event = open_event_(attributes, scope, -1);
  return event;
}

perf_event_attr SampledEvents::attributes_of(usize number, Scope scope) const {
  const plan::SampleEvent& planned = plan_.events[number];
  plan::KernelEvent event;
  if (planned.kernel_event.has_value()) {
    event = *planned.kernel_event;
  } else {
    event.type = core_unit_type(machine_, static_cast<u32>(std::max(scope.core, 0)));
    event.config = planned.code;
    event.hardware = true;
  }
  perf_event_attr attributes =
      perf_events::attributes_of(event, plan_.kernel || planned.shows_waits, planned.modifiers);
  const bool only_waits_have_callers = std::any_of(plan_.events.begin(), plan_.events.end(),
                                                   [](const plan::SampleEvent& one) { return one.shows_waits; });
  if (only_waits_have_callers && !planned.shows_waits) {
    attributes.exclude_callchain_kernel = attributes.exclude_callchain_user = 1;
  }
  attributes.sample_type = sample_type_;
  attributes.sample_id_all = 1;
  attributes.read_format = perf_data::kReadLost;
  if (planned.adaptive && plan_.rate_hz.has_value()) {
    attributes.freq = 1;
    attributes.sample_freq = *plan_.rate_hz;
  } else {
    attributes.sample_period = planned.interval;
  }
  // The frames of a Python program are read immediately after a sample.
  const bool may_count_itself = !plan_.process.has_value() && counts_what_threads_do(attributes);
  if (plan_.call_stacks.python != request::PythonFrames::none && !may_count_itself) attributes.wakeup_events = 1;
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_MONOTONIC;
  attributes.inherit = scope.thread >= 0 ? 1 : 0;
  // Branches are taken in the same modes as the event's samples.
  if (plan_.branch_stacks != plan::BranchStacks::none) attributes.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
  attributes.enable_on_exec = starts_with_program_ ? 1 : 0;
  if (plan_.call_stacks.copies()) {
    attributes.exclude_callchain_user = plan_.call_stacks.source == request::StackSource::stack_copies ? 1 : 0;
    attributes.sample_regs_user = kUserRegisters;
    attributes.sample_stack_user = plan_.call_stacks.stack_bytes;
  } else {
    if (records_switches()) attributes.sample_regs_user |= kFirstArgument;
    if (plan_.call_stacks.wanted()) attributes.sample_regs_user |= kRegistersBesideFrames;
  }
  if (plan_.call_stacks.wanted() && plan_.call_stacks.most_frames < request::kMostFrames) {
    attributes.sample_max_stack = static_cast<__u16>(plan_.call_stacks.most_frames + 1);  // plus the sample's own
                                                                                          // address
  }
  if (number == 0) {
    // When a core leaves idle, some kernels lose the tracepoint of the switch; this record still shows the thread that
    // was switched in. The software event does not show when a thread returns to a core.
    attributes.context_switch = has_switch_records() ? 1 : 0;
    attributes.mmap = attributes.mmap2 = 1;
    attributes.comm = attributes.comm_exec = 1;
    attributes.task = 1;
    attributes.mmap_data = plan_.call_stacks.source == request::StackSource::stack_copies ? 1 : 0;  // see WhichMappings
    attributes.ksymbol = attributes.bpf_event = plan_.looks_into_kernel() ? 1 : 0;
  }
  return attributes;
}

bool SampledEvents::has_event(std::initializer_list<std::string_view> names) const {
  return std::any_of(plan_.events.begin(), plan_.events.end(), [&](const plan::SampleEvent& one) {
    return std::find(names.begin(), names.end(), one.name) != names.end();
  });
}

bool SampledEvents::has_switch_records() const {
  return plan_.switch_records || has_event({"sched:sched_switch", "context-switches", "dummy"});
}

// A waiting thread's lock is identified by the arguments of its system call.
bool SampledEvents::records_switches() const {
  return has_event({"sched:sched_switch", "context-switches"});
}

std::optional<u64> SampledEvents::switch_cost() const {
  if (!records_switches()) return std::nullopt;
  return switch_cost_ns([this](Scope scope) {
    std::vector<Descriptor> events;
    for (usize i = 0; i < plan_.events.size(); ++i) {
      perf_event_attr attributes = attributes_of(i, scope);
      attributes.enable_on_exec = 0;
      if (copies_were_refused_) leave_copies_out(attributes);
      Descriptor event = open_with_less(attributes, scope);
      if (!event.is_open()) return std::vector<Descriptor>();
      events.push_back(std::move(event));
    }
    return events;
  });
}

perf_data::WrittenEvent& SampledEvents::describe(const std::string& name, const perf_event_attr& attributes, u64 id,
                                                 std::vector<perf_data::WrittenEvent>& events) {
  const std::string bytes(reinterpret_cast<const char*>(&attributes), sizeof attributes);
  auto known = std::find_if(events.begin(), events.end(), [&](const perf_data::WrittenEvent& one) {
    return one.name == name && one.attributes == bytes;
  });
  if (known == events.end()) {
    events.push_back({.name = name, .attributes = bytes, .ids = {}});
    known = std::prev(events.end());
  }
  known->ids.push_back(id);
  return *known;
}

diag::Result<SampledEvents::Opened> SampledEvents::open_event(usize number, Scope scope) {
  const plan::SampleEvent& planned = plan_.events[number];
  perf_event_attr attributes = attributes_of(number, scope);
  Descriptor event = open_with_less(attributes, scope);
  if (!event.is_open() && plan_.branch_stacks == plan::BranchStacks::optional && may_lack_branches(errno)) {
    attributes = attributes_of(number, scope);
    attributes.sample_type &= ~u64{PERF_SAMPLE_BRANCH_STACK};
    attributes.branch_sample_type = 0;
    event = open_with_less(attributes, scope);
  }
  if (!event.is_open() && plan_.call_stacks.source == request::StackSource::automatic && may_be_of_copies(errno)) {
    const int refused_with = errno;
    attributes = attributes_of(number, scope);
    leave_copies_out(attributes);
    if (records_switches()) {
      attributes.sample_type |= PERF_SAMPLE_REGS_USER;
      attributes.sample_regs_user = kFirstArgument;
    }
    event = open_with_less(attributes, scope);
    copies_were_refused_ = copies_were_refused_ || event.is_open();
    if (!event.is_open()) errno = refused_with;
  }
  if (!event.is_open()) {
    const int refused_with = errno;
    if (plan_.branch_stacks == plan::BranchStacks::needed && may_lack_branches(refused_with))
      return no_branch_stacks(planned.name);
    const bool hardware = !planned.kernel_event.has_value() || planned.kernel_event->hardware;
    // The user did not name this event, which counts nothing.
    const std::string name = planned.name == "dummy" ? "the switches" : planned.name;
    return perf_events::refusal(refused_with, name, hardware, attributes.exclude_kernel == 0, scope);
  }
  wakes_watchers_ = wakes_watchers_ || attributes.wakeup_events != 0;
  u64 id = 0;
  if (ioctl(event.number(), PERF_EVENT_IOC_ID, &id) != 0) {
    return diag::system_error("the kernel gives no id for an event", errno);
  }
  const bool is_unwound = plan_.call_stacks.source == request::StackSource::automatic;
  const bool keeps_argument = is_unwound && records_switches() && (attributes.sample_regs_user & kFirstArgument) != 0;
  describe(planned.name, attributes, id, recorded_).kept_registers = keeps_argument ? kFirstArgument : 0;
  if (is_unwound) leave_copies_out(attributes);
  if (keeps_argument) {
    attributes.sample_type |= PERF_SAMPLE_REGS_USER;
    attributes.sample_regs_user = kFirstArgument;
  }
  describe(planned.name, attributes, id, written_);
  return Opened{.descriptor = std::move(event),
                .id = id,
                .core = static_cast<u32>(std::max(scope.core, 0)),
                .counts_losses = attributes.read_format != 0};
}

diag::Result<std::vector<SampledEvents::Opened>> SampledEvents::open_watch(Scope scope) {
  std::vector<Opened> watch;
  for (usize i = 0; i < plan_.events.size(); ++i) {
    WPERF_TRY(Opened event, open_event(i, scope));
    watch.push_back(std::move(event));
  }
  return watch;
}

// Each ring belongs to an event that writes nothing, because an event that writes could not move to a larger ring.
Descriptor SampledEvents::open_ring_owner(Scope scope) const {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_DUMMY;
  attributes.exclude_kernel = attributes.exclude_hv = 1;
  attributes.disabled = 1;
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_MONOTONIC;  // as for the events, because a ring has one clock
  return open_event_(attributes, scope, -1);
}

diag::Result<void> SampledEvents::map_ring(CoreEvents& core) {
  Descriptor owner = open_ring_owner(core.scope);
  if (!owner.is_open()) return perf_events::refusal(errno, "the samples' ring", false, false, core.scope);
  // At 4,000 copies of 8 KB a second, the small ring is full after 15 ms.
  usize size = plan_.call_stacks.copies() ? perf_events::kWatchedRingBytes : perf_events::kRingBytes;
  if (plan_.call_stacks.python != request::PythonFrames::none) {
    // Context switches on the whole machine come in bursts.
    size = wakes_watchers_ ? perf_events::kWatchedRingBytes
                           : std::clamp(std::bit_floor(kAllRingBytes / std::max<usize>(machine_.cores.size(), 1)),
                                        perf_events::kWatchedRingBytes, perf_events::kMostRingBytes);
  }
  WPERF_TRY(SampleRing ring, SampleRing::map(owner, {.size = size,
                                                     .watched = events_[core.begin].descriptor.number(),
                                                     .core = core.scope.core,
                                                     .look_ms = wakes_watchers_ ? -1 : kLookMs}));
  core.ring = rings_.size();
  rings_.push_back(std::move(ring));
  core.owners.push_back(std::move(owner));
  return {};
}

diag::Result<void> SampledEvents::open_core(u32 core, const std::vector<int>& threads) {
  if (std::find(machine_.cores.begin(), machine_.cores.end(), core) == machine_.cores.end()) return {};  // offline
  CoreEvents opened_here{.scope = {}, .begin = events_.size(), .end = events_.size(), .owners = {}};
  for (const int thread : threads) {
    const Scope scope{.thread = thread, .core = static_cast<int>(core)};
    auto opened = open_watch(scope);
    if (!opened.has_value()) {
      if (opened.error().system_error == ESRCH && threads.size() > 1) continue;  // the thread ended after it was listed
      return std::move(opened).error();
    }
    const bool is_first = opened_here.owners.empty();
    if (is_first) opened_here.scope = scope;
    std::move(opened.value().begin(), opened.value().end(), std::back_inserter(events_));
    if (is_first) WPERF_CHECK_OK(map_ring(opened_here));
    for (; opened_here.end < events_.size(); ++opened_here.end) {
      const int event = events_[opened_here.end].descriptor.number();
      if (ioctl(event, PERF_EVENT_IOC_SET_OUTPUT, opened_here.owners.back().number()) != 0)
        return diag::system_error("the events of a core cannot share a ring", errno);
    }
  }
  if (!opened_here.owners.empty()) cores_.push_back(std::move(opened_here));
  return {};
}

void SampledEvents::enlarge(usize ring) {
  const auto core = std::find_if(cores_.begin(), cores_.end(), [&](const CoreEvents& one) { return one.ring == ring; });
  if (core == cores_.end() || core->is_greatest) return;  // it was replaced, and is only read to the end
  const usize size = rings_[ring].size();
  core->is_greatest = true;
  Descriptor owner = size < perf_events::kMostRingBytes ? open_ring_owner(core->scope) : Descriptor();
  if (!owner.is_open()) return;
  auto larger = SampleRing::map(owner, {.size = std::min(size * 4, perf_events::kMostRingBytes),
                                        .least = size * 2,
                                        .watched = events_[core->begin].descriptor.number(),
                                        .core = core->scope.core});
  if (!larger.has_value()) return;
  for (usize event = core->begin; event < core->end; ++event) {
    ioctl(events_[event].descriptor.number(), PERF_EVENT_IOC_SET_OUTPUT, owner.number());
  }
  core->ring = rings_.size();
  core->is_greatest = false;
  rings_.push_back(std::move(larger).value());
  core->owners.push_back(std::move(owner));
}

diag::Result<void> SampledEvents::open(const std::vector<int>& threads, const std::vector<int>& timed) {
  perf_events::raise_descriptor_limit();
  sample_type_ = sample_type_of(plan_, records_switches());
  // Several threads run at the same time on different cores.
  if (has_switch_records()) sample_type_ |= PERF_SAMPLE_CPU;
  for (const u32 core : plan_.cores) WPERF_CHECK_OK(open_core(core, threads));
  open_cpu_time(timed);
  if (!rings_.empty()) return {};
  return diag::Error{.text = "nothing to sample: the threads have ended, or the cores are offline", .hint = {}};
}

// CPU time is counted, not sampled, so it is always exact. A partial count would be wrong, so either all threads are
// counted or none.
void SampledEvents::open_cpu_time(const std::vector<int>& threads) {
  for (const int thread : threads) {
    perf_event_attr attributes = perf_events::attributes_of(
        {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK, .cores = {}}, plan_.looks_into_kernel());
    attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    attributes.inherit = 1;
    attributes.enable_on_exec = starts_with_program_ ? 1 : 0;
    Descriptor event = open_event_(attributes, {.thread = thread, .core = -1}, -1);
    if (!event.is_open() && errno == ESRCH) continue;  // the thread ended after it was listed
    if (!event.is_open()) return cpu_time_.clear();
    cpu_time_.push_back(std::move(event));
  }
}

void SampledEvents::switch_all(unsigned long request) {
  for (const Opened& event : events_) ioctl(event.descriptor.number(), request, 0);
  for (const Descriptor& event : cpu_time_) ioctl(event.number(), request, 0);
}

std::optional<u64> SampledEvents::cpu_time_ns() const {
  if (cpu_time_.empty()) return std::nullopt;
  u64 sum = 0;
  for (const Descriptor& event : cpu_time_) {
    const auto counted = perf_events::read_event(event);
    if (!counted.has_value()) return std::nullopt;
    sum += counted.value().value;
  }
  return sum;
}

std::string SampledEvents::lost_samples() const {
  std::string records;
  for (const Opened& event : events_) {
    struct {
      u64 value = 0, lost = 0;
    } counted;
    if (!event.counts_losses || read(event.descriptor.number(), &counted, sizeof counted) != sizeof counted) continue;
    if (counted.lost == 0) continue;
    perf_data::append_lost_samples(records, counted.lost,
                                   {.sample_type = sample_type_, .cpu = event.core, .id = event.id});
  }
  return records;
}

}  // namespace wperf::linux_kernel
