// SPDX-License-Identifier: BSD-3-Clause
#include "machine/etw/trace_events.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"

namespace wperf::etw {
namespace {

// Types of plan::KernelEvent: a source (its number is in `config`); context switches with wake-ups; the time on cores;
// the number of switches. A trace of switches provides the last two types without a counter.
constexpr u32 kSourceType = 1, kSwitchType = 2, kTimeType = 3, kSwitchCountType = 5;
constexpr u64 kTimerUnitNs = 100;

// The Arm event that counts the same thing as a source. The event is guessed from the source's name, because Microsoft
// does not document it.
std::string_view event_like(u32 source) {
  switch (source) {
    case 2:
      return "inst_spec";
    case 6:
      return "br_retired";
    case 8:
      return "l1d_cache_refill";
    case 9:
      return "l1i_cache_refill";
    case 11:
      return "br_mis_pred_retired";
    case 19:
      return "cpu_cycles";
    default:
      return {};
  }
}

}  // namespace

diag::Result<std::optional<plan::KernelEvent>> TraceEvents::find(std::string_view name) const {
  const std::string wanted = in_lower_case(std::string(name));
  // The names of time events on other systems are accepted here, too.
  if (wanted == "timer" || wanted == "cpu-clock") {
    return std::optional(plan::KernelEvent{.type = kSourceType, .config = kTimer, .clock = true, .cores = {}});
  }
  if (wanted == plan::kSchedulerEvent) return std::optional(plan::KernelEvent{.type = kSwitchType, .cores = {}});
  if (wanted == "task-clock") return std::optional(plan::KernelEvent{.type = kTimeType, .clock = true, .cores = {}});
  if (wanted == "context-switches") return std::optional(plan::KernelEvent{.type = kSwitchCountType, .cores = {}});
  for (const ProfileSource& source : sources_) {
    if (source.number == kTimer || in_lower_case(source.name) != wanted) continue;
    return std::optional(
        plan::KernelEvent{.type = kSourceType, .config = source.number, .hardware = true, .cores = {}});
  }
  return std::optional<plan::KernelEvent>();
}

std::vector<plan::KernelEvents::Word> TraceEvents::words(bool of_hardware) const {
  std::vector<Word> words;
  for (const ProfileSource& source : sources_) {
    if (source.number != kTimer && !of_hardware) continue;
    const std::string_view event = on_arm_ ? event_like(source.number) : std::string_view();
    words.push_back(
        {in_lower_case(source.name),
         fmt::format("profile source {}, interval {} to {}{}{}{}", source.number, source.least, source.greatest,
                     source.number == kTimer ? " x 100 ns" : "", event.empty() ? "" : ", like ", event)});
  }
  words.push_back({"task-clock", "time on cores (stat)"});
  words.push_back({"context-switches", "times threads started on cores (stat)"});
  return words;
}

std::vector<plan::KernelEvents::Word> TraceEvents::session_facts() const {
  constexpr u32 kUsualRate = 4000;  // the default of `record`
  const u32 buffers = buffers_for(cores_, kUsualRate, true);
  std::vector<Word> facts;
  facts.push_back({"mode", "system logger, into a file, sequential, clock QPC"});
  facts.push_back({"events", "processes, threads, images; samples with stacks; with waits: switches, readies"});
  facts.push_back({"buffers", fmt::format("{} to {} of 1024 KB for the timer at {} Hz on {} cores", buffers,
                                          2 * buffers, kUsualRate, cores_)});
  facts.push_back({"counters at once", std::to_string(at_once_)});
  for (const ProfileSource& source : sources_) {
    facts.push_back(
        {"source " + source.name, fmt::format("{}, interval {}", source.number,
                                              source.number == kTimer ? 10'000'000 / kUsualRate : kUsualInterval)});
  }
  facts.push_back({"sources that can be added", on_arm_ ? "any event number of the cores" : "none"});
  for (Word& fact : facts) fact.name = "trace_session [" + fact.name + "]";
  return facts;
}

diag::Result<void> plan_session(const plan::SamplePlan& plan, std::span<const ProfileSource> sources,
                                SessionPlan& session) {
  for (const plan::SampleEvent& event : plan.events) {
    if (event.kernel_event.has_value() && event.kernel_event->type == kSwitchType) {
      session.switches = true;
      continue;
    }
    if (event.kernel_event.has_value() &&
        (event.kernel_event->type == kTimeType || event.kernel_event->type == kSwitchCountType)) {
      return diag::usage_error(event.name + " can be counted, but not sampled",
                               "count it with `wperf stat`; sample time with `wperf record -e timer`");
    }
    WantedSource one{.name = event.name, .number = {}, .event = event.code, .interval = event.interval};
    const bool is_timer = event.kernel_event.has_value() && event.kernel_event->clock;
    if (event.kernel_event.has_value() && event.kernel_event->type == kSourceType) {
      one.number = static_cast<u32>(event.kernel_event->config);
    } else if (event.kernel_event.has_value()) {
      one.event = static_cast<u32>(event.kernel_event->config);  // an event given as a number
    }
    if (one.interval == 0) one.interval = kUsualInterval;
    if (is_timer) one.interval = static_cast<u32>(one.interval / kTimerUnitNs);
    u32 least = is_timer ? kLeastTimerInterval : kLeastInterval, greatest = is_timer ? kMostTimerInterval : ~u32{0};
    for (const ProfileSource& source : sources) {
      if (one.number != source.number) continue;
      least = std::max(source.least, 1u);
      greatest = source.greatest;
    }
    if (one.interval < least || one.interval > greatest) {
      return diag::usage_error(
          is_timer ? fmt::format("Windows can sample by time {} to {} times per second, not {} times",
                                 10'000'000 / greatest, 10'000'000 / least, 10'000'000 / std::max(one.interval, 1u))
                   : fmt::format("Windows can sample {} every {} to {} events, not every {}", one.name, least, greatest,
                                 one.interval),
          is_timer ? "set the rate with --freq" : fmt::format("-e {}:{}", one.name, least));
    }
    const bool is_twice = std::any_of(session.sources.begin(), session.sources.end(), [&](const WantedSource& other) {
      return other.number == one.number && (one.number.has_value() || other.event == one.event);
    });
    if (is_twice) {
      return diag::usage_error(fmt::format("{} is given twice: Windows has one interval for it", one.name),
                               "give it once");
    }
    session.sources.push_back(std::move(one));
  }
  return {};
}

diag::Result<std::vector<CountedEntry>> plan_counts(const plan::CountPlan& plan, std::span<const ProfileSource> sources,
                                                    SessionPlan& session) {
  std::vector<CountedEntry> entries;
  for (const plan::Entry& entry : plan.schedules[index_of(EventClass::core)].entries) {
    const u32 type = entry.kernel_event.has_value() ? entry.kernel_event->type : 0;
    if (type == kTimeType || type == kSwitchCountType) {
      entries.push_back({type == kTimeType ? CountedEntry::Kind::time : CountedEntry::Kind::switches, 0});
      continue;
    }
    WantedSource one{.name = entry.name, .number = {}, .event = entry.code, .interval = kUsualInterval};
    if (entry.kernel_event.has_value()) one.event = static_cast<u32>(entry.kernel_event->config);
    if (type == kSourceType) one.number = static_cast<u32>(entry.kernel_event->config);
    const bool is_known = type != kSourceType || std::any_of(sources.begin(), sources.end(), [&](const auto& source) {
                            return source.number == one.number && source.number != kTimer;
                          });
    if (type == kSwitchType || !is_known) {
      return diag::usage_error(
          entry.name + " is not a counter of the cores",
          "task-clock counts time, context-switches counts context switches; `wperf list` shows the counters");
    }
    const auto known = std::find_if(session.counted.begin(), session.counted.end(), [&](const WantedSource& other) {
      return other.number == one.number && (one.number.has_value() || other.event == one.event);
    });
    entries.push_back({CountedEntry::Kind::counter, static_cast<usize>(known - session.counted.begin())});
    if (known == session.counted.end()) session.counted.push_back(std::move(one));
  }
  return entries;
}

}  // namespace wperf::etw
