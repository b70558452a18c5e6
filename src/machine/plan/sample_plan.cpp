// SPDX-License-Identifier: BSD-3-Clause
#include "machine/plan/sample_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "machine/plan/cores.h"
#include "machine/plan/counters.h"
#include "machine/plan/kernel_plan.h"
#include "machine/plan/names.h"
#include "model/request/number.h"

namespace wperf::plan {
namespace {

// Up to half of the interval in either direction. A smaller jitter is not enough: with an eighth of the interval,
// samples move very slowly through a loop if the loop's length nearly divides the interval. Then a thousand samples
// show no more than ten.
constexpr u32 kJitterShift = 1;

// An event with this rate starts with the right interval; others reach it in a few steps.
constexpr u64 kGuessedEventsPerSecond = 1'000'000'000;
// A rare event may suddenly become frequent. A shorter interval than this would then flood the core with interrupts
// before the next adaptation.
constexpr u64 kLeastAdaptedInterval = 1000;
constexpr u64 kGreatestInterval = ~u32{0};
// No step changes the interval by more than this factor, so that a single unusual period has little effect.
constexpr u64 kGreatestStep = 8;
// A kernel that adapts intervals needs no estimate.
constexpr u32 kKernelRateHz = 4000;
// After each sample of a Python program, the sampled core copies the program's frames.
constexpr u32 kPythonRateHz = 1000;
constexpr usize kMostKernelEvents = 32;

u32 kernel_rate_hz(const request::Sampling& sampling) {
  const bool has_python = sampling.call_stacks.python != request::PythonFrames::none;
  return sampling.rate_hz.value_or(has_python ? kPythonRateHz : kKernelRateHz);
}

u32 first_interval(u32 rate_hz) {
  return static_cast<u32>(std::max(kGuessedEventsPerSecond / rate_hz, kLeastAdaptedInterval));
}

// The architecture's names have priority, as when counting.
diag::Result<u16> resolve(const request::EventToken& token, const EventCatalog& catalog) {
  auto code = resolve_code(token, catalog, NameOrder::architecture_first);
  if (code.has_value()) return code;
  diag::Error error = std::move(code).error();
  if (token.text.find_first_of("/{}") != std::string::npos && !token.text.starts_with("arm_spe")) {
    error.hint =
        "for sampling, groups and events outside the cores are not supported; use NAME or NAME:INTERVAL, separated by "
        "commas";
  }
  return error;
}

diag::Result<SampleEvent> plan_event(const request::SampledEvent& asked, const EventCatalog& catalog,
                                     std::optional<u32> rate_hz) {
  const request::EventToken token{
      .event_class = EventClass::core, .text = asked.text, .number = asked.number, .group = std::nullopt};
  SampleEvent event;
  WPERF_TRY(event.code, resolve(token, catalog));
  event.name = event.code == kCycleEvent ? "cycle" : shown_name(token, event.code, catalog);
  event.adaptive = rate_hz.has_value() && !asked.interval.has_value();
  event.interval = event.adaptive ? first_interval(*rate_hz) : asked.interval.value_or(request::kDefaultInterval);
  return event;
}

std::vector<SampleEvent> cycles_only(std::optional<u32> rate_hz, u32 usual_interval) {
  SampleEvent event;
  event.name = "cycle";
  event.code = kCycleEvent;
  event.adaptive = rate_hz.has_value();
  event.interval = event.adaptive ? first_interval(*rate_hz) : usual_interval;
  return {event};
}

diag::Result<void> check_rate(const request::Sampling& sampling, const std::vector<SampleEvent>& events) {
  if (!sampling.rate_hz.has_value()) return {};
  const bool adapts =
      std::any_of(events.begin(), events.end(), [](const SampleEvent& event) { return event.adaptive; });
  if (adapts) return {};
  return diag::usage_error("--freq has no effect: every event of -e has its own interval",
                           "leave out an :INTERVAL, or --freq");
}

bool in_report_order(const SampleEvent& a, const SampleEvent& b) {
  if ((a.code == kCycleEvent) != (b.code == kCycleEvent)) return a.code == kCycleEvent;
  return a.code != b.code ? a.code < b.code : a.interval < b.interval;
}

// The request to the kernel, with unchanged intervals and rates, because the kernel adapts intervals itself.
diag::Result<SampleEvent> plan_kernel_sample(const request::SampledEvent& asked, const Capabilities& machine,
                                             EventCatalog& catalog, u32 rate_hz) {
  request::EventToken token;
  token.text = asked.text;
  token.number = asked.number;
  WPERF_TRY(const std::optional<Entry> entry, make_kernel_entry(token, machine, catalog));
  SampleEvent event;
  event.name = asked.text;
  if (entry.has_value()) {
    event.code = entry->code;
    event.kernel_event = entry->kernel_event;
    event.modifiers = entry->modifiers;
  } else {
    WPERF_TRY(event.code, resolve_code(token, catalog, NameOrder::architecture_first));
  }
  event.adaptive = !asked.interval.has_value();
  const bool is_clock = event.kernel_event.has_value() && event.kernel_event->clock;
  event.interval = asked.interval.value_or(is_clock ? static_cast<u32>(kGuessedEventsPerSecond / rate_hz) : 0);
  return event;
}

std::string why_not_cycles(const Capabilities& machine, const std::vector<SampleEvent>& events) {
  const std::string reason = machine.kernel->why_no_cycles();
  if (reason.empty()) return reason;
  const SampleEvent& event = events.front();
  const bool is_clock = event.kernel_event.has_value() && event.kernel_event->clock;
  return fmt::format("sampling by {}: {}", is_clock ? "CPU time" : event.name, reason);
}

diag::Result<std::vector<SampleEvent>> plan_kernel_samples(const request::Sampling& sampling,
                                                           const Capabilities& machine, const EventCatalog& catalog) {
  if (sampling.jitter) {
    return diag::usage_error("--jitter is not supported: the kernel of this machine cannot vary intervals",
                             "use --freq with an uncommon frequency, such as 997");
  }
  const u32 rate_hz = kernel_rate_hz(sampling);
  std::vector<request::SampledEvent> asked = sampling.events;
  if (asked.empty()) asked.emplace_back().text = machine.kernel->usual_event();
  EventCatalog words = catalog;
  std::vector<SampleEvent> events;
  for (const request::SampledEvent& one : asked) {
    WPERF_TRY(SampleEvent event, plan_kernel_sample(one, machine, words, rate_hz));
    const bool is_clock = event.kernel_event.has_value() && event.kernel_event->clock;
    if (machine.kernel->is_windows() && sampling.rate_hz.has_value() && event.adaptive && !is_clock) {
      return diag::usage_error(
          fmt::format("--freq works only for the timer on Windows, which cannot adapt the interval of {}", event.name),
          fmt::format("set the interval with -e {}:INTERVAL", event.name));
    }
    events.push_back(std::move(event));
  }
  if (events.size() > kMostKernelEvents) {
    return diag::Error{.text = fmt::format("{} events are too many to sample at once", events.size()),
                       .hint = fmt::format("choose at most {}", kMostKernelEvents)};
  }
  WPERF_CHECK_OK(check_rate(sampling, events));
  return events;
}

diag::Result<std::vector<SampleEvent>> plan_events(const request::Sampling& sampling, const Capabilities& machine,
                                                   const EventCatalog& catalog) {
  if (machine.kernel != nullptr) return plan_kernel_samples(sampling, machine, catalog);
  for (const request::SampledEvent& asked : sampling.events) {
    if (asked.interval_error.has_value()) return *asked.interval_error;
  }
  if (sampling.events.empty()) {
    WPERF_CHECK_OK(check_sampled_events(1, machine));
    const u32 usual = machine.usual_cycle_interval;
    return cycles_only(sampling.rate_hz, usual != 0 ? usual : kDefaultCycleInterval);
  }
  std::vector<SampleEvent> events;
  for (const request::SampledEvent& asked : sampling.events) {
    WPERF_TRY(SampleEvent event, plan_event(asked, catalog, sampling.rate_hz));
    events.push_back(std::move(event));
  }
  WPERF_CHECK_OK(check_sampled_events(events.size(), machine));
  WPERF_CHECK_OK(check_rate(sampling, events));
  std::sort(events.begin(), events.end(), in_report_order);
  return events;
}

// If it is given several times, the last one counts. 0: the device's default.
diag::Result<u32> configured_limit(const std::vector<request::ConfigSetting>& config, const Capabilities& machine) {
  u32 limit = 0;
  for (const request::ConfigSetting& setting : config) {
    if (setting.name != request::kSampleLimitSetting) continue;
    limit = static_cast<u32>(request::parse_decimal(setting.value).value_or(0));
    if (machine.kernel != nullptr) {
      return diag::usage_error("sample.limit is not supported: the kernel of this machine has its own limit",
                               "write to /proc/sys/kernel/perf_event_max_sample_rate");
    }
    if (limit == 0) {
      return diag::usage_error("sample.limit must be at least one sample per second");
    }
  }
  return limit;
}

// The stacks are as deep as with -g, but not deeper than requested.
request::CallStacks automatic_stacks_of(const request::Sampling& sampling) {
  request::CallStacks stacks = request::automatic_stacks();
  stacks.most_frames = sampling.call_stacks.most_frames;
  return stacks;
}

diag::Result<void> check_call_stacks(const request::CallStacks& stacks, const Capabilities& machine) {
  if (stacks.python != request::PythonFrames::none) {
    if (!machine.shows_python)
      return diag::usage_error(
          "functions of Python programs cannot be seen here",
          "--python sees them on the linux device and on the simulated machine; without it the interpreter's "
          "own functions are shown");
    if (stacks.source != request::StackSource::automatic)
      return diag::usage_error("--python needs copies of stacks that are unwound while recording",
                               "leave out --call-graph, or use --call-graph auto");
  }
  if (machine.kernel != nullptr || !stacks.wanted()) return {};
  if (stacks.source == request::StackSource::stack_copies) {
    return diag::usage_error("only the linux device can copy stacks",
                             "use -g, which follows frame pointers; every program for Windows on Arm keeps them");
  }
  if (!machine.foreign_driver.empty()) {
    return diag::usage_error(machine.foreign_driver + " cannot record call stacks",
                             "leave out the options that show callers, or use wperf's own driver");
  }
  if (!machine.call_stacks) {
    return diag::Error{.text = "the driver cannot record call stacks",
                       .hint =
                           "the driver is older than this wperf, or its Windows lacks the needed functions; install "
                           "the driver that came with this wperf, or leave out the options that show callers"};
  }
  return {};
}

bool has_table(const request::SampleDisplay& display, request::Breakdown kind) {
  return std::find(display.by.begin(), display.by.end(), kind) != display.by.end();
}

// Refuses options that would be ignored, and options that need facts that this driver's samples do not have: all except
// their core.
diag::Result<void> check_foreign_driver(const request::RecordingView& view, const SamplePlan& plan,
                                        const Capabilities& machine) {
  if (machine.foreign_driver.empty()) return {};
  const auto refusal = [&](const char* what, const char* hint) {
    return diag::usage_error(machine.foreign_driver + what, hint);
  };
  if (plan.cores.size() > 1)
    return refusal(" can sample only one core at a time", "choose one with -c; record starts the program on that core");
  if (plan.jitter_shift != 0) return refusal(" cannot vary intervals", "leave out --jitter");
  if (plan.most_per_second != 0) return refusal(" has no limit of samples to set", "leave out sample.limit");
  if (has_table(plan.display, request::Breakdown::thread) || has_table(plan.display, request::Breakdown::process))
    return refusal(" does not record the thread of a sample", "leave `thread` and `process` out of --by");
  if (plan.display.timeline_ms.has_value() || view.time.has_value())
    return refusal(" does not record the time of a sample", "leave out --timeline and --time");
  return {};
}

bool has_hardware_events(const Capabilities& machine) {
  return machine.kernel != nullptr && !machine.kernel->is_windows() && machine.kernel->has_counters();
}

// --pgo: retired instructions show how often code runs; time is the second choice. These rates cost a program little.
request::Sampling sampling_for_compilers(request::Sampling sampling, const Capabilities& machine) {
  constexpr u32 kRateHz = 10'000, kWindowsRateHz = 4'000;
  constexpr u32 kInterval = 500'000, kSimulatedInterval = 2'000;
  if (machine.kernel != nullptr) {
    if (has_hardware_events(machine)) sampling.events.emplace_back().text = "instructions";
    if (!sampling.rate_hz.has_value()) sampling.rate_hz = machine.kernel->is_windows() ? kWindowsRateHz : kRateHz;
    return sampling;
  }
  request::SampledEvent instructions;
  instructions.text = "inst_retired";
  if (!sampling.rate_hz.has_value())
    instructions.interval = machine.usual_cycle_interval != 0 ? kSimulatedInterval : kInterval;
  sampling.events.push_back(std::move(instructions));
  sampling.jitter = machine.foreign_driver.empty();
  return sampling;
}

bool sorts_by_core(const request::RecordingView& view) {
  return std::any_of(view.sort.begin(), view.sort.end(), [](request::SortBy key) {
    return key == request::SortBy::core || key == request::SortBy::core_kind;
  });
}

}  // namespace

diag::Result<SamplePlan> make_sample_plan(const request::Measurement& wanted, const request::RecordingView& view,
                                          const Capabilities& machine, const EventCatalog& catalog) {
  SamplePlan plan;
  request::Sampling sampling = wanted.sampling;
  WPERF_TRY(NamedCores cores, name_cores(wanted, machine.core_count));
  WPERF_CHECK_OK(check_no_counting_list(wanted.items));
  if (sampling.for_compilers) {
    sampling = sampling_for_compilers(std::move(sampling), machine);
    if (has_hardware_events(machine)) plan.branch_stacks = BranchStacks::optional;
  }
  WPERF_TRY(plan.events, plan_events(sampling, machine, catalog));
  WPERF_CHECK_OK(check_process(wanted, machine));
  WPERF_TRY(SampledCores placed, machine.kernel != nullptr
                                     ? place_by_kernel(std::move(cores), wanted.program.has_value(), machine.core_count)
                                     : place_on_cores(std::move(cores), wanted, machine.core_count));
  plan.process = wanted.process;
  if (machine.kernel != nullptr && sampling.events.empty()) plan.note = why_not_cycles(machine, plan.events);
  plan.cores = std::move(placed.cores);
  plan.program_core = placed.program_core;
  plan.kernel = wanted.kernel;
  plan.jitter_shift = sampling.jitter ? kJitterShift : 0;
  WPERF_TRY(plan.most_per_second, configured_limit(wanted.config, machine));
  const bool adaptive =
      std::any_of(plan.events.begin(), plan.events.end(), [](const SampleEvent& event) { return event.adaptive; });
  if (adaptive) plan.rate_hz = sampling.rate_hz;
  if (adaptive && machine.kernel != nullptr) plan.rate_hz = kernel_rate_hz(sampling);
  plan.display = sampling.display;
  plan.call_stacks = wanted_call_stacks(sampling, view);
  const bool has_stacks = machine.kernel != nullptr || (machine.call_stacks && machine.foreign_driver.empty());
  if (plan.call_stacks.may_be_missing && !has_stacks) plan.call_stacks = {};
  WPERF_CHECK_OK(check_call_stacks(plan.call_stacks, machine));
  if (view.branches) {
    if (machine.kernel == nullptr || machine.kernel->is_windows()) {
      return diag::usage_error("record --branches needs branch stacks, which only the linux device records",
                               "if the core has SPE, use -e arm_spe_0/branch_filter=1/");
    }
    if (plan.call_stacks.wanted()) {
      return diag::usage_error("record --branches cannot record call stacks, too",
                               plan.call_stacks.python == request::PythonFrames::none
                                   ? "leave out -g, or record twice"
                                   : "leave out --python, or record twice");
    }
    plan.branch_stacks = BranchStacks::needed;
  }
  if (view.latency) {
    if (machine.kernel == nullptr || machine.kernel->is_windows()) {
      return diag::usage_error("record --latency needs the linux device: other devices do not record when threads ran",
                               "for traces with samples and context switches use `wperf report --latency FILE.etl`");
    }
    plan.switch_records = true;
  }
  WPERF_CHECK_OK(check_foreign_driver(view, plan, machine));
  if (machine.kernel != nullptr) {
    if (has_table(plan.display, request::Breakdown::caller) && !plan.call_stacks.wanted()) {
      plan.call_stacks = automatic_stacks_of(sampling);
    }
    plan.core_numbers = has_table(plan.display, request::Breakdown::core) || sorts_by_core(view) || plan.switch_records;
  }
  return plan;
}

diag::Result<void> add_switches(SamplePlan& plan, request::Sampling sampling, const Capabilities& machine,
                                const EventCatalog& catalog) {
  for (const SampleEvent& event : plan.events) {
    if (event.name != kSwitchesForWaits && !event.name.starts_with("sched:")) continue;
    return diag::usage_error(
        fmt::format("--waits already records context switches; {} cannot be recorded too", event.name),
        fmt::format("leave {} out of -e", event.name));
  }
  const bool of_windows = machine.kernel->is_windows();
  sampling.rate_hz.reset();
  sampling.events = {{.text = std::string(of_windows ? kSchedulerEvent : kSwitchesForWaits),
                      .number = {},
                      .interval = 1,
                      .interval_error = {}}};
  WPERF_TRY(std::vector<SampleEvent> switches, plan_events(sampling, machine, catalog));
  for (SampleEvent& event : switches) {
    event.shows_waits = !of_windows;
    plan.events.push_back(std::move(event));
  }
  // Windows records the stacks of switches by default.
  if (of_windows) return {};
  plan.call_stacks.source = request::StackSource::frame_pointers;
  return {};
}

request::CallStacks wanted_call_stacks(const request::Sampling& sampling, const request::RecordingView& view) {
  request::CallStacks stacks = sampling.call_stacks;
  const bool shown = view.children || view.tree || view.callers || view.callees || view.folded;
  if (shown && !stacks.wanted()) stacks = automatic_stacks_of(sampling);
  return stacks;
}

u32 adapted_interval(u32 interval, u64 samples, u64 elapsed_ns, u32 rate_hz) {
  if (elapsed_ns == 0 || rate_hz == 0) return interval;
  const u64 least = std::max(u64{interval} / kGreatestStep, u64{1});
  const u64 greatest = u64{interval} * kGreatestStep;
  const double wanted = static_cast<double>(elapsed_ns) / 1e9 * rate_hz;
  const double exact = static_cast<double>(interval) * static_cast<double>(samples) / wanted;
  u64 next = exact < static_cast<double>(greatest) ? static_cast<u64>(exact) : greatest;
  next = std::clamp(next, least, greatest);
  return static_cast<u32>(std::clamp(next, kLeastAdaptedInterval, kGreatestInterval));
}

}  // namespace wperf::plan
