// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/counting.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/measure/opened_machine.h"

namespace wperf::measure {
namespace {

constexpr u64 kCountStepMs = 100;
constexpr u64 kPauseStepMs = 500;
constexpr u64 kPollMs = 100;  // poll interval, so that Ctrl-C is noticed soon

struct Waiting {
  const SpawnedProgram& program;
  u64 duration_ms = 0;  // 0 = endless
  u64 step_ms = kCountStepMs;
  device::CountSession* session = nullptr;  // checked for a lost lock
  bool keeps_what_was = false;              // keeps the counts from before another program ended the session
};

// `error` receives the report of a crashed program.
diag::Result<WaitEnd> wait_with_progress(device::Programs& programs, const Waiting& waiting, Progress& progress,
                                         diag::Console& console, std::optional<diag::Error>& error) {
  const u64 start = programs.now_ns();
  const u64 end = start + waiting.duration_ms * kNanosecondsPerMillisecond;
  u64 next_step = start + waiting.step_ms * kNanosecondsPerMillisecond;
  while (true) {
    if (console.interrupted()) return WaitEnd::interrupted;
    if (waiting.program.ended()) return WaitEnd::program_ended;
    const u64 now = programs.now_ns();
    if (waiting.duration_ms != 0 && now >= end) return WaitEnd::time;
    u64 slice = kPollMs * kNanosecondsPerMillisecond;
    if (waiting.duration_ms != 0) slice = std::min(slice, end - now);
    const auto waited = programs.wait(slice, waiting.program.pid());
    if (!waited.has_value() && !programs.has_started(waiting.program.pid())) return waited.error();
    if (!waited.has_value()) {
      error = waited.error();
      return WaitEnd::program_ended;
    }
    while (programs.now_ns() >= next_step) {
      progress.step();
      next_step += waiting.step_ms * kNanosecondsPerMillisecond;
    }
    if (waiting.session == nullptr) continue;
    if (auto checked = waiting.session->check(); !checked.has_value()) {
      if (!waiting.keeps_what_was) return std::move(checked).error();
      error = std::move(checked).error();
      return WaitEnd::time;
    }
  }
}

}  // namespace

diag::Result<void> SpawnedProgram::start(const MeasureOptions& options, u32 core) {
  if (options.stdout_is_document) programs_.keep_stdout_free();
  WPERF_TRY(pid_, programs_.spawn(options.wanted.program->path, options.wanted.program->command_line, core));
  started_ = true;
  return {};
}

diag::Result<void> SpawnedProgram::follow(u32 pid) {
  if (!programs_.process(pid).running) {
    return diag::usage_error("no process " + std::to_string(pid) + " is running");
  }
  pid_ = pid;
  return {};
}

std::string killed_text(u32 signal) {
  // The numbers are the same on x86 and Arm.
  static constexpr std::string_view kNames[] = {"",     "HUP",  "INT",  "QUIT", "ILL",  "TRAP", "ABRT", "BUS",
                                                "FPE",  "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM", "TERM",
                                                "",     "",     "",     "",     "",     "",     "",     "",
                                                "XCPU", "XFSZ", "",     "",     "",     "IO",   "PWR",  "SYS"};
  const std::string_view name = signal < std::size(kNames) ? kNames[signal] : std::string_view();
  return name.empty() ? fmt::format("was killed by signal {}", signal)
                      : fmt::format("was killed by SIG{} (signal {})", name, signal);
}

diag::Result<void> check_not_killed(const request::Measurement& wanted, const device::ProcessState& program,
                                    const diag::Console& console) {
  // Ctrl-C also reaches the program.
  if (program.running || program.signal == 0 || !wanted.program.has_value() || console.interrupted()) return {};
  return diag::Error{
      .text = fmt::format("{} {}; the results end there", wanted.program->path, killed_text(program.signal)),
      .hint = {}};
}

int status_of_program(const request::Measurement& wanted, OpenedMachine& machine, const device::ProcessState& program,
                      diag::Console& console) {
  if (program.running || program.exit_code == 0) return 0;
  if (const auto lived = check_not_killed(wanted, program, console); !lived.has_value())
    console.warn("warning: " + lived.error().text);
  if (machine.capabilities.kernel != nullptr) return static_cast<int>(program.exit_code);
  const std::string_view way = machine.device->programs().way_to_output();
  if (!way.empty() && wanted.program.has_value()) {
    console.warn(fmt::format("warning: {} ended with status {}; its output was hidden, {}", wanted.program->path,
                             program.exit_code, way));
  }
  return 0;
}

diag::Result<void> let_start_up(const request::Measurement& wanted, OpenedMachine& machine, u32 pid) {
  const u64 delay_ms = wanted.spawn_delay_ms.value_or(0);
  if (delay_ms == 0) return {};
  return machine.device->programs().wait(delay_ms * kNanosecondsPerMillisecond, pid);
}

Progress::Progress(diag::Console& console, std::string_view label, bool live)
    : console_(console), label_(std::string(label) + " ... "), live_(live) {
  if (live_) console_.out(label_ + (console_.animated() ? "-" : ""));
}

void Progress::step() {
  if (!live_ || !console_.animated()) return;
  constexpr std::string_view kSigns = "/|\\-";
  const char text[] = {'\b', kSigns[position_++ % kSigns.size()]};
  console_.out({text, sizeof text});
}

void Progress::done() {
  if (!live_) return console_.out(label_ + "done\n");
  console_.out(console_.animated() ? "\bdone\n" : "done\n");
}

diag::Result<CountOutcome> count_once(OpenedMachine& machine, const plan::CountPlan& plan, u64 duration_ms,
                                      const SpawnedProgram& program, diag::Console& console) {
  CountOutcome outcome;
  WPERF_TRY(const auto session, machine.device->open_count(plan));
  outcome.remarks = session->remarks();
  for (const std::string& remark : outcome.remarks) console.out("note: " + remark + "\n");
  const bool until_program_ends = duration_ms == 0 && program.pid() != 0 && console.animated();
  Progress progress(console, until_program_ends ? "counting until the program ends; Ctrl-C stops" : "counting",
                    !machine.device->programs().shares_console());
  WPERF_CHECK_OK(session->start());
  const Waiting waiting{.program = program,
                        .duration_ms = duration_ms,
                        .step_ms = kCountStepMs,
                        .session = session.get(),
                        .keeps_what_was = machine.capabilities.kernel != nullptr};
  WPERF_TRY(outcome.end, wait_with_progress(machine.device->programs(), waiting, progress, console, outcome.error));
  WPERF_CHECK_OK(session->stop());
  progress.done();
  if (outcome.end == WaitEnd::interrupted) console.out("Ctrl-C received, quit counting...\n");
  WPERF_TRY(outcome.capture, session->read());
  return outcome;
}

diag::Result<WaitEnd> pause_between_counts(OpenedMachine& machine, u64 duration_ms, const SpawnedProgram& program,
                                           diag::Console& console) {
  Progress progress(console, "sleeping", !machine.device->programs().shares_console());
  WaitEnd end = WaitEnd::time;
  if (duration_ms != 0) {
    std::optional<diag::Error> error;
    const Waiting waiting{.program = program, .duration_ms = duration_ms, .step_ms = kPauseStepMs, .session = nullptr};
    WPERF_TRY(end, wait_with_progress(machine.device->programs(), waiting, progress, console, error));
    if (error.has_value()) return *error;
  }
  progress.done();
  return end;
}

}  // namespace wperf::measure
