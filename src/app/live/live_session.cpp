// SPDX-License-Identifier: BSD-3-Clause
#include "app/live/live_session.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/recording/recorded_code.h"
#include "code/modules/symbol_folders.h"
#include "formats/perf_data/perf_file.h"
#include "machine/linux_kernel/linux_device.h"
#include "machine/plan/sample_plan.h"

namespace wperf::live {
namespace {

constexpr u32 kUsualRateHz = 1000;  // for wperf's driver, whose default interval gives few samples a second

}  // namespace

LiveSession::LiveSession(LiveOptions options, measure::OpenedMachine machine, diag::Console& console)
    : options_(std::move(options)),
      machine_(std::move(machine)),
      quiet_(console),
      program_(machine_.device->programs()),
      functions_([this](std::string_view line) {
        if (options_.outputs.verbose) quiet_.warn(line);
      }) {}

diag::Result<void> LiveSession::start() {
  request::Measurement& wanted = options_.measured.wanted;
  const bool of_kernel = machine_.capabilities.kernel != nullptr;
  if (!of_kernel && !wanted.sampling.rate_hz.has_value()) {
    const auto& events = wanted.sampling.events;
    const bool has_adaptive = events.empty() || std::any_of(events.begin(), events.end(), [](const auto& event) {
                                return !event.interval.has_value();
                              });
    if (has_adaptive) wanted.sampling.rate_hz = kUsualRateHz;
  }
  WPERF_TRY(plan_, plan::make_sample_plan(wanted, options_.measured.view, machine_.capabilities, machine_.catalog));
  plan_.core_numbers = true;
  if (options_.view.waits) WPERF_CHECK_OK(plan_waits());
  if (!options_.view.once) machine_.device->programs().keep_terminal_free();
  WPERF_TRY(sampled_, measure::start_or_find(options_.measured, plan_.program_core, machine_, program_, quiet_));
  if (options_.view.counters.has_value()) {
    WPERF_TRY(counts_, measure::LiveCounts::open(wanted, *options_.view.counters, sampled_, machine_));
    for (const std::string& remark : counts_->remarks()) quiet_.warn("note: " + remark);
  }
  WPERF_TRY(live_, measure::start_live_sampling(options_.measured, plan_, sampled_, machine_, quiet_));
  of_ = "the machine";
  if (sampled_.pid != 0) of_ = fmt::format("{} ({})", sampled_.image_name, sampled_.pid);
  return {};
}

diag::Result<measure::LiveLook> LiveSession::next(u64 length_ms, const std::function<void()>& meanwhile) {
  WPERF_TRY(measure::LiveLook look, live_->next(length_ms, meanwhile));
  if (counts_ != nullptr) {
    WPERF_TRY(counted_, counts_->next());
  }
  return look;
}

std::string LiveSession::why_no_waits() const {
  if (options_.view.waits) return {};
  const auto& kernel = machine_.capabilities.kernel;
  if (kernel == nullptr) return "a driver cannot see why threads wait; use `wperf top --device linux --waits`";
  return "waits are not recorded; `wperf top --waits` records them, which costs time at each context switch";
}

diag::Result<void> LiveSession::plan_waits() {
  const auto& kernel = machine_.capabilities.kernel;
  if (kernel == nullptr) {
    options_.view.waits = false;
    return diag::usage_error("--waits needs the linux or etw device: a driver cannot see why threads wait",
                             "`wperf top --device linux --waits`");
  }
  if (kernel->is_windows())
    return plan::add_switches(plan_, options_.measured.wanted.sampling, machine_.capabilities, machine_.catalog);
  const std::optional<linux_kernel::LinuxFacts> facts = linux_kernel::linux_facts();
  if (facts.has_value() && !facts->own_kernel) {
    return diag::Error{.text = fmt::format("this user may not look into the kernel, where threads wait "
                                           "(kernel.perf_event_paranoid is {})",
                                           facts->paranoid.value_or(4)),
                       .hint = "leave out --waits, or run `sysctl kernel.perf_event_paranoid=1` as root"};
  }
  return plan::add_switches(plan_, options_.measured.wanted.sampling, machine_.capabilities, machine_.catalog);
}

diag::Result<LiveSession::LookProfile> LiveSession::look_profile(const measure::LiveLook& newest) {
  WPERF_TRY(const std::vector<std::byte> bytes, live_->recording(1, 0));
  WPERF_TRY(const perf_data::PerfFile file, perf_data::PerfFile::open(bytes));
  recording::ReadOptions wanted = options_.read;
  wanted.cores = true;
  wanted.functions = &functions_;
  wanted.opened = &opened_;
  LookProfile seen{
      .profile = recording::read_recorded_samples(file, wanted).profile, .waits = {}, .counters = counted_};
  children_ = live_->children();
  seen.filter = filter();
  if (seen.profile.note.empty()) seen.profile.note = plan_.note;
  seen.profile.python = newest.python;
  if (!options_.view.waits) return seen;
  remove_switch_events(seen.profile);
  WPERF_TRY(
      seen.waits,
      waits_.take(
          {.file = file, .times = newest, .switches = live_->switches(), .program = records_all() ? sampled_.pid : 0},
          wanted));
  // The lost records may have been context switches.
  if (seen.profile.losses.lost_records + seen.profile.losses.lost_samples != 0) waits_.forget();
  return seen;
}

diag::Result<stacks::FunctionCode> LiveSession::code(const CodePlace& place, usize looks, usize newest_left_out) {
  WPERF_TRY(const std::vector<std::byte> bytes, live_->recording(looks, newest_left_out));
  WPERF_TRY(const perf_data::PerfFile file, perf_data::PerfFile::open(bytes));
  recording::ReadOptions wanted = options_.read;
  wanted.cores = wanted.code = wanted.code_lines = true;
  wanted.functions = &functions_;
  recording::RecordedSamples recorded = recording::read_recorded_samples(file, wanted);
  stacks::StackProfile& profile = recorded.profile;
  stacks::StackFilter only = filter();
  only.modules = {place.module};
  only.symbol = [&](std::string_view name) { return name == place.function; };
  constexpr u32 kFewOfTheName = 16;  // at most this many functions with one name are shown; static functions may have
                                     // the same name
  const recording::CodeRequest request{.filter = std::move(only),
                                       .most_functions = kFewOfTheName,
                                       .least_permille = 0,
                                       .disassemble = true,
                                       .decorated = options_.measured.wanted.sampling.display.decorated_names,
                                       .folders = modules::symbol_folders(options_.measured.wanted)};
  WPERF_CHECK_OK(recording::add_function_code(recorded.files, request, profile));
  const auto is_it = [&](u32 event, u32 number) {
    const stacks::StackFunction& function = profile.functions[number];
    return function.name == place.function && function.is_kernel == place.is_kernel &&
           profile.events[event].name == place.event;
  };
  for (stacks::FunctionCode& one : profile.code) {
    if (is_it(one.event, one.function)) return std::move(one);
  }
  // If samples are in code that cannot be read, shows the reason.
  stacks::FunctionCode unread;
  const stacks::ChosenSamples chosen(profile, request.filter);
  for (const stacks::StackSample& sample : profile.samples) {
    const u32 number = profile.function_of(sample.node);
    if (!chosen.has(sample) || !is_it(sample.event, number)) continue;
    unread.event = sample.event;
    unread.function = number;
    unread.hits.samples += sample.count;
    unread.hits.period += sample.period;
  }
  if (unread.hits.samples != 0) {
    const std::string& reason = profile.modules[profile.functions[unread.function].module].reason;
    unread.reason = place.is_kernel ? "the kernel's code cannot be read on this machine"
                                    : fmt::format("the code of {} cannot be read on this machine", place.module);
    if (!reason.empty()) unread.reason += ": " + reason;
    return unread;
  }
  return diag::Error{.text = "this function has no samples in this look", .hint = {}};
}

bool LiveSession::records_all() const {
  return machine_.capabilities.kernel != nullptr && machine_.capabilities.kernel->is_windows();
}

stacks::StackFilter LiveSession::filter() const {
  stacks::StackFilter filter;
  if (!records_all() || sampled_.pid == 0) return filter;
  const std::set<u32> family = readings::with_children(sampled_.pid, children_);
  filter.pids.assign(family.begin(), family.end());
  return filter;
}

int LiveSession::status(const measure::LiveLook& last) {
  if (!options_.measured.wanted.program.has_value() || last.end != measure::WaitEnd::program_ended) return 0;
  return measure::status_of_program(options_.measured.wanted, machine_,
                                    machine_.device->programs().process(sampled_.pid), quiet_);
}

}  // namespace wperf::live
