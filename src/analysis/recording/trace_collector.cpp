// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/trace_collector.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/recording/trace_recording.h"
#include "model/stacks/unrecorded.h"

namespace wperf::recording {
namespace {

// Sources that wperf added are called "wperf.0x0021 br_retired" (src/machine/etw).
std::string event_name_of(const std::string& source) {
  const usize space = source.find(' ');
  return source.starts_with("wperf.0x") && space != source.npos ? source.substr(space + 1) : source;
}

u16 last_interval(const TraceSource& source) {
  return static_cast<u16>(std::max<usize>(source.intervals.size(), 1) - 1);
}

}  // namespace

void CoreInterrupts::add(const etl::InterruptEvent& interrupt, u64 end) {
  const u64 begin = std::min(interrupt.start, end);
  u64 own = end - begin;
  u64 from = begin;
  while (!before_.empty() && before_.back().second > begin) {
    const u64 inner = std::max(before_.back().first, begin), until = std::min(before_.back().second, end);
    own -= std::min(own, until - std::min(inner, until));
    from = std::min(from, before_.back().first);
    before_.pop_back();
  }
  constexpr usize kDeepest = 64;
  if (before_.size() == kDeepest) before_.erase(before_.begin());
  before_.emplace_back(from, end);
  (interrupt.is_isr ? isr : dpc) += own;
  ++count;
}

TraceCollector::TraceCollector(const TraceConversionOptions& options) : options_(options) {
  std::sort(options_.cores.begin(), options_.cores.end());
}

void TraceCollector::take(const etl::Event& event) {
  if (options_.switches && (take_switch(event) || take_interrupt(event))) return;
  if (const auto sample = etl::sample_event(event)) return take_sample(event, *sample);
  if (const auto stack = etl::stack_event(event)) return stacks.take(*stack, event.pointer_size);
  if (const auto interval = etl::interval_event(event)) return take_interval(*interval);
  if (const auto mask = etl::group_mask_event(event)) {
    constexpr u32 kProfile = 2 | 0x400, kSwitches = 4, kDispatcher = 0x200;  // samples by the timer or by counters
    any_mask = true;
    samples_on |= (mask->words[1] & kProfile) != 0;
    switches_on |= (mask->words[1] & kSwitches) != 0;
    wakeups_on |= (mask->words[1] & kDispatcher) != 0;
    return;
  }
  if (history.take(event)) return;
  if (const auto loss = etl::loss_event(event)) {
    constexpr usize kMost = 10'000;
    if (lost_over_time.size() < kMost) lost_over_time.push_back(*loss);
    return;
  }
  if (!take_python(event)) take_jit_code(event);
}

std::string TraceCollector::section(u32 number) const {
  const auto known = sections_.find(number);
  return known != sections_.end() ? known->second : std::string();
}

bool TraceCollector::take_python(const etl::Event& event) {
  if (const auto stack = etl::python_stack_event(event)) {
    stacks.replace_user(*stack, event.pointer_size);
    return true;
  }
  const auto section = etl::section_event(event);
  if (section.has_value())
    sections_[section->number].append(reinterpret_cast<const char*>(section->part.data()), section->part.size());
  return section.has_value();
}

bool TraceCollector::take_switch(const etl::Event& event) {
  if (const auto change = etl::switch_event(event)) {
    const u32 index = static_cast<u32>(switches.size());
    switches.push_back({.time = event.time,
                        .leaves = change->old_thread,
                        .comes = change->new_thread,
                        .number = stacks.add(event.time, change->new_thread),
                        .core = event.core,
                        .state = change->old_state,
                        .reason = change->old_wait_reason});
    if (event.core >= runs_.size()) runs_.resize(event.core + usize{1}, stacks::kNobody);
    runs_[event.core] = change->new_thread;
    if (const auto left = left_.find(change->new_thread); left != left_.end()) {
      switches[left->second].gone_on = index;
      left_.erase(left);
    }
    started_.erase(change->new_thread);
    if (change->old_thread != stacks::kIdleThread) left_[change->old_thread] = index;
    return true;
  }
  if (const auto ready = etl::ready_event(event)) {
    constexpr u8 kByDpc = 1;
    u32 waker = stacks::kNobody;
    if ((ready->flags & kByDpc) == 0) {
      const bool is_known = event.core < runs_.size() && runs_[event.core] != stacks::kNobody;
      waker = is_known ? runs_[event.core] : stacks::kUnknown;
    }
    const bool is_thread = waker != stacks::kNobody && waker != stacks::kUnknown && waker != stacks::kIdleThread;
    const bool is_new = started_.erase(ready->thread) != 0;
    switches.push_back({.time = event.time,
                        .leaves = waker,
                        .comes = ready->thread,
                        .number = is_thread ? stacks.add(event.time, waker) : kNoStack,
                        .core = event.core,
                        .kind = is_new ? stacks::Kind::created : stacks::Kind::woken});
    return true;
  }
  if (const auto thread = etl::thread_event(event); thread.has_value() && thread->kind == etl::Rundown::begins) {
    started_.insert(thread->thread);
  }
  has_compact_switches = has_compact_switches || etl::is_compact_switch_event(event);
  return false;
}

void TraceCollector::take_sample(const etl::Event& event, const etl::SampleEvent& sample) {
  if (!options_.cores.empty() && !std::binary_search(options_.cores.begin(), options_.cores.end(), u32{event.core})) {
    ++samples_of_other_cores;
    return;
  }
  if (sample.is_idle() && sample.source == etl::SampleSource::timer && !options_.idle) {
    idle_times.push_back(event.time);
    return;
  }
  const std::optional<u16> counter =
      sample.source == etl::SampleSource::counter ? std::optional(sample.counter) : std::nullopt;
  const u8 source = source_index(counter);
  samples.push_back({.time = event.time,
                     .address = sample.address,
                     .thread = sample.thread,
                     .number = stacks.add(event.time, sample.thread),
                     .count = std::max<u16>(sample.count, 1),
                     .interval = last_interval(sources[source]),
                     .core = event.core,
                     .source = source,
                     .kernel = (sample.address >> (event.pointer_size * 8 - 1) & 1) != 0});
}

void TraceCollector::take_jit_code(const etl::Event& event) {
  auto code = etl::jit_code_event(event);
  if (!code.has_value() || code->size == 0 || event.process == etl::Event::kNobody) return;
  jit_code[event.process].push_back({code->was_there ? 0 : event.time, *std::move(code)});
}

bool TraceCollector::take_interrupt(const etl::Event& event) {
  const auto interrupt = etl::interrupt_event(event);
  if (!interrupt.has_value()) return false;
  if (event.core >= interrupts.size()) interrupts.resize(event.core + usize{1});
  interrupts[event.core].add(*interrupt, event.time);
  return true;
}

u8 TraceCollector::source_index(std::optional<u16> counter) {
  for (usize i = 0; i < sources.size(); ++i) {
    if (sources[i].counter == counter) return static_cast<u8>(i);
  }
  constexpr usize kMost = 255;
  if (sources.size() == kMost) return kMost - 1;
  sources.push_back({counter, counter.has_value() ? fmt::format("source {}", *counter) : "Timer", {}});
  return static_cast<u8>(sources.size() - 1);
}

void TraceCollector::take_interval(const etl::IntervalEvent& interval) {
  const std::optional<u16> counter =
      interval.source == 0 ? std::nullopt : std::optional(static_cast<u16>(interval.source));
  if (interval.source > 0xffff) return;
  TraceSource& source = sources[source_index(counter)];
  constexpr usize kMostIntervals = 0xffff;
  std::vector<u32>& known = source.intervals;
  if (interval.interval != 0 && known.size() < kMostIntervals) {
    if (known.empty() && interval.is_change && interval.interval_before != 0) {
      known.push_back(interval.interval_before);
    }
    if (known.empty() || known.back() != interval.interval) known.push_back(interval.interval);
  }
  if (!interval.name.empty()) source.name = event_name_of(interval.name);
}

namespace {

std::string evidence(etl::TraceGap::Sign sign) {
  switch (sign) {
    case etl::TraceGap::Sign::events_flag:
      return "events lost";
    case etl::TraceGap::Sign::buffer_flag:
      return "buffer lost";
    case etl::TraceGap::Sign::numbers:
      return "buffer numbers";
    case etl::TraceGap::Sign::damage:
      return "damage";
    case etl::TraceGap::Sign::file_end:
      return "end of file";
  }
  return {};
}

}  // namespace

stacks::TraceFacts trace_facts(const etl::Trace& trace, const TraceRecording& recorded) {
  stacks::TraceFacts facts = trace_facts(trace, recorded.losses);
  facts.samples_of_nobody = recorded.samples_of_nobody;
  facts.unexplained_stacks = recorded.unexplained_stacks;
  facts.samples_without_stack = recorded.samples_without_stack;
  facts.python = recorded.python;
  for (const etl::LossEvent& one : recorded.lost_over_time) {
    facts.lost_over_time.push_back(
        {.begin = one.begin_ns, .end = one.end_ns, .events = one.events, .buffers = one.buffers});
  }
  return facts;
}

stacks::TraceFacts trace_facts(const etl::Trace& trace, const etl::TraceLosses& losses) {
  stacks::TraceFacts facts{.events_lost = trace.header().events_lost,
                           .buffers_lost = trace.header().buffers_lost,
                           .flagged_buffers = losses.flagged_buffers,
                           .missing_buffers = losses.missing_buffers,
                           .missing_at_end = losses.missing_at_end,
                           .buffers_written = losses.buffers_written,
                           .cut_buffers = losses.cut_buffers,
                           .damaged_buffers = losses.damaged_buffers,
                           .damaged_bytes = losses.damaged_bytes,
                           .out_of_order = losses.out_of_order};
  for (const etl::TraceGap& gap : losses.gaps) {
    facts.gaps.push_back({.evidence = evidence(gap.sign),
                          .core = gap.core,
                          .begin = trace.nanoseconds(gap.begin),
                          .end = trace.nanoseconds(gap.end),
                          .buffers = gap.buffers});
  }
  return facts;
}

std::vector<stacks::Unrecorded> unrecorded_of(const etl::Trace& trace, const etl::TraceLosses& losses,
                                              const std::vector<etl::LossEvent>& lost_over_time) {
  std::vector<stacks::Unrecorded> out;
  for (const etl::Unrecorded& one : losses.unrecorded) {
    out.push_back({.begin = trace.nanoseconds(one.begin) + 1,
                   .end = one.end == ~u64{0} ? one.end : trace.nanoseconds(one.end) + 1,
                   .core = one.core});
  }
  // Losses that Windows reported during the recording. Such losses may be on any core, so they are used only if no
  // buffer shows the core of a loss.
  std::vector<stacks::Unrecorded> told;
  for (const etl::TraceGap& gap : losses.gaps) {
    if (!gap.core.has_value()) continue;
    told.push_back({.begin = trace.nanoseconds(gap.begin), .end = trace.nanoseconds(gap.end)});
  }
  const stacks::UnrecordedTimes known(told, 0, ~u64{0});
  for (const etl::LossEvent& one : lost_over_time) {
    if (!known.any(one.begin_ns, one.end_ns)) out.push_back({.begin = one.begin_ns + 1, .end = one.end_ns + 1});
  }
  return out;
}

}  // namespace wperf::recording
