// SPDX-License-Identifier: BSD-3-Clause
// Sampling with perf events: one ring for each core, into which the events of all threads write. The first event also
// tells of mappings, names and forks, so that addresses can be named when the program is gone.
#include <fmt/format.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>

#include "device/linux_sessions_linux.h"
#include "device/perf_events/record_collector.h"
#include "device/perf_events/sample_ring_linux.h"

namespace wperf::device {
namespace {

using perf_events::Descriptor;
using perf_events::SampleRing;
using perf_events::Scope;

constexpr u64 kSampleFields = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;

// Events of one thread on one core, or of the whole core.
struct Watch {
  std::vector<Descriptor> events;  // by event of the plan
};
struct CoreRing {
  u32 core = 0;
  SampleRing ring;
};

class LinuxSampleSession final : public SampleSession {
 public:
  LinuxSampleSession(LinuxPrograms& programs, const LinuxMachine& machine, const plan::SamplePlan& plan)
      : programs_(programs), machine_(machine), plan_(plan) {}

  diag::Result<void> open();

  diag::Result<void> start() override {
    if (starts_with_program_) return {};
    switch_all(PERF_EVENT_IOC_ENABLE);
    add_what_runs();  // now that the kernel tells of changes, none is missed
    return {};
  }
  diag::Result<void> stop() override {
    switch_all(PERF_EVENT_IOC_DISABLE);
    return {};
  }
  diag::Result<void> drain(raw::SampleCapture& capture) override;

 private:
  diag::Result<void> open_core(u32 core, const std::vector<int>& threads);
  diag::Result<Watch> open_watch(Scope scope);
  perf_event_attr attributes_of(usize number, Scope scope) const;
  void add_what_runs();
  void add_mappings_of(u32 process);
  void switch_all(unsigned long request) {
    for (const Watch& watch : watches_) {
      for (const Descriptor& event : watch.events) ioctl(event.number(), request, 0);
    }
  }

  LinuxPrograms& programs_;
  const LinuxMachine& machine_;
  plan::SamplePlan plan_;
  std::vector<Watch> watches_;
  std::vector<CoreRing> rings_;
  std::vector<std::vector<u64>> ids_;  // by event of the plan
  std::optional<perf_events::RecordCollector> collector_;
  std::vector<raw::Happening> before_;  // what ran when sampling began
  bool starts_with_program_ = false;
};

perf_event_attr LinuxSampleSession::attributes_of(usize number, Scope scope) const {
  const plan::SampleEvent& planned = plan_.events[number];
  plan::KernelEvent event;
  if (planned.kernel_event.has_value()) {
    event = *planned.kernel_event;
  } else {
    event.type = core_unit_type(machine_, static_cast<u32>(std::max(scope.core, 0)));
    event.config = planned.code;
    event.hardware = true;
  }
  perf_event_attr attributes = perf_events::attributes_of(event, plan_.kernel);
  attributes.sample_type = kSampleFields;
  attributes.sample_id_all = 1;
  if (planned.adaptive && plan_.rate_hz.has_value()) {
    attributes.freq = 1;
    attributes.sample_freq = *plan_.rate_hz;
  } else {
    attributes.sample_period = planned.interval;
  }
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_MONOTONIC;
  attributes.inherit = scope.thread >= 0 ? 1 : 0;
  attributes.enable_on_exec = starts_with_program_ ? 1 : 0;
  attributes.watermark = 1;
  attributes.wakeup_watermark = 1u << 18;
  if (number == 0) {
    attributes.mmap = attributes.mmap2 = 1;
    attributes.comm = attributes.comm_exec = 1;
    attributes.task = 1;
    attributes.build_id = 1;
  }
  return attributes;
}

diag::Result<Watch> LinuxSampleSession::open_watch(Scope scope) {
  Watch watch;
  for (usize i = 0; i < plan_.events.size(); ++i) {
    const plan::SampleEvent& planned = plan_.events[i];
    perf_event_attr attributes = attributes_of(i, scope);
    Descriptor event = perf_events::open_event(attributes, scope);
    if (!event.is_open() && errno == EINVAL && attributes.build_id != 0) {  // kernels before 5.12
      attributes.build_id = 0;
      event = perf_events::open_event(attributes, scope);
    }
    if (!event.is_open()) {
      const int error = errno;
      const bool hardware = !planned.kernel_event.has_value() || planned.kernel_event->hardware;
      diag::Error refused = perf_events::refusal(error, planned.name, hardware, attributes.exclude_kernel == 0, scope);
      errno = error;
      return refused;
    }
    u64 id = 0;
    if (ioctl(event.number(), PERF_EVENT_IOC_ID, &id) != 0) {
      return diag::Error{.text = fmt::format("an event has no identity: {}", std::strerror(errno)), .hint = {}};
    }
    ids_[i].push_back(id);
    watch.events.push_back(std::move(event));
  }
  return watch;
}

diag::Result<void> LinuxSampleSession::open_core(u32 core, const std::vector<int>& threads) {
  if (std::find(machine_.cores.begin(), machine_.cores.end(), core) == machine_.cores.end()) return {};  // offline
  const Descriptor* first = nullptr;
  for (const int thread : threads) {
    auto opened = open_watch({.thread = thread, .core = static_cast<int>(core)});
    if (!opened.has_value()) {
      if (errno == ESRCH && threads.size() > 1) continue;  // ended since it was listed
      return std::move(opened).error();
    }
    watches_.push_back(std::move(opened).value());
    for (const Descriptor& event : watches_.back().events) {
      if (first == nullptr) {
        first = &event;
        WPERF_TRY(SampleRing ring, SampleRing::map(event));
        rings_.push_back({.core = core, .ring = std::move(ring)});
      } else if (ioctl(event.number(), PERF_EVENT_IOC_SET_OUTPUT, first->number()) != 0) {
        return diag::Error{.text = fmt::format("the events of a core cannot share a ring: {}", std::strerror(errno)),
                           .hint = {}};
      }
    }
  }
  return {};
}

diag::Result<void> LinuxSampleSession::open() {
  perf_events::raise_descriptor_limit();
  ids_.resize(plan_.events.size());
  std::vector<int> threads{-1};
  if (plan_.process.has_value()) {
    starts_with_program_ = programs_.is_held(*plan_.process);
    threads = programs_.threads_to_watch(*plan_.process);
  }
  watches_.reserve(plan_.cores.size() * threads.size());  // descriptors are pointed to
  for (const u32 core : plan_.cores) WPERF_CHECK_OK(open_core(core, threads));
  std::vector<perf_data::Event> events(plan_.events.size());
  for (usize i = 0; i < events.size(); ++i) {
    constexpr u64 kSampleIdAll = u64{1} << 18;
    events[i].attributes.sample_type = kSampleFields;
    events[i].attributes.flags = kSampleIdAll;
    events[i].ids = ids_[i];
  }
  collector_.emplace(perf_data::EventTable(std::move(events)));
  return {};
}

// Programs that began before: the kernel tells only of changes.
void LinuxSampleSession::add_what_runs() {
  const perf_events::SystemFiles files;
  if (plan_.process.has_value()) {
    add_mappings_of(*plan_.process);
    for (const int thread : programs_.threads_to_watch(*plan_.process)) {
      raw::Happening& one = before_.emplace_back();
      one.kind = raw::Happening::Kind::named;
      one.process = *plan_.process;
      one.thread = static_cast<u32>(thread);
      one.text = files.text(fmt::format("/proc/{}/task/{}/comm", *plan_.process, thread)).value_or("");
    }
    return;
  }
  for (const std::string& name : files.names("/proc")) {
    u32 process = 0;
    const auto end = std::from_chars(name.data(), name.data() + name.size(), process);
    if (end.ec != std::errc{} || end.ptr != name.data() + name.size()) continue;
    raw::Happening& one = before_.emplace_back();
    one.kind = raw::Happening::Kind::named;
    one.process = one.thread = process;
    one.text = files.text("/proc/" + name + "/comm").value_or("");
    add_mappings_of(process);
  }
}

void LinuxSampleSession::add_mappings_of(u32 process) {
  const auto text = perf_events::SystemFiles().text(fmt::format("/proc/{}/maps", process));
  if (!text.has_value()) return;
  perf_events::add_mappings(process, *text, before_);
}

diag::Result<void> LinuxSampleSession::drain(raw::SampleCapture& capture) {
  if (!before_.empty()) {
    capture.happenings.insert(capture.happenings.end(), std::make_move_iterator(before_.begin()),
                              std::make_move_iterator(before_.end()));
    before_.clear();
  }
  capture.tallies.resize(rings_.size());
  for (usize i = 0; i < rings_.size(); ++i) {
    capture.tallies[i].core = rings_[i].core;
    perf_events::RingReader reader = rings_[i].ring.waiting();
    collector_->collect(reader, rings_[i].core, capture, capture.tallies[i]);
    rings_[i].ring.taken_up_to(reader.tail());
  }
  return {};
}

}  // namespace

diag::Result<std::unique_ptr<SampleSession>> open_linux_sampling(LinuxPrograms& programs, const LinuxMachine& machine,
                                                                 const plan::SamplePlan& plan) {
  auto session = std::make_unique<LinuxSampleSession>(programs, machine, plan);
  WPERF_CHECK_OK(session->open());
  return std::unique_ptr<SampleSession>(std::move(session));
}

}  // namespace wperf::device
