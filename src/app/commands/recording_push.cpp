// SPDX-License-Identifier: BSD-3-Clause
#include "app/commands/recording_push.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <string>

#include "app/commands/destinations.h"
#include "app/commands/options_builder.h"
#include "app/measure/counting.h"
#include "app/measure/recording_run.h"
#include "app/measure/tool.h"
#include "app/measure/warnings_only_console.h"
#include "app/output/outputs.h"
#include "app/push/delivery.h"
#include "app/push/upload.h"
#include "app/show/recording_views.h"
#include "ground/os/process.h"
#include "ground/text/number_text.h"
#include "machine/plan/sample_plan.h"

namespace wperf::commands {
namespace {

using Clock = std::chrono::steady_clock;
constexpr u64 kExitNs = 2'000'000'000;

double seconds(Clock::duration time) {
  return std::chrono::duration<double>(time).count();
}
u64 now_unix_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<u64>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

class PushingRecorder {
 public:
  PushingRecorder(const request::Request& request, measure::OpenedMachine& machine, diag::Console& console,
                  measure::WarningsOnlyConsole& quiet, push::Delivery& delivery)
      : request_(request), machine_(machine), console_(console), quiet_(quiet), delivery_(delivery) {}

  diag::Result<int> run();

 private:
  // The remaining time of --timeout, but at most one period; nullopt if no time remains.
  std::optional<u64> next_period_ms() const;
  diag::Result<void> send(const measure::Recording& recording, push::ProfileTime time);
  diag::Result<std::vector<push::Upload>> pack(stacks::StackProfile& profile, const stacks::Moments& moments,
                                               push::ProfileTime time);
  push::AgentCost cost_of_period();
  // Ends the sending thread and waits for it.
  void finish_sending();
  void print_totals();

  const request::Request& request_;
  measure::OpenedMachine& machine_;
  diag::Console& console_;
  measure::WarningsOnlyConsole& quiet_;
  push::Delivery& delivery_;
  std::future<void> sending_;
  Clock::time_point begin_ = Clock::now();
  Clock::duration recorded_{};
  u64 periods_ = 0, cpu_sent_ns_ = 0;
};

std::optional<u64> PushingRecorder::next_period_ms() const {
  if (request_.duration_ms() == 0) return request_.push.period_ms;
  const auto gone = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin_).count();
  const u64 gone_ms = static_cast<u64>(std::max<std::chrono::milliseconds::rep>(gone, 0));
  if (gone_ms >= request_.duration_ms()) return std::nullopt;
  return std::min(request_.push.period_ms, request_.duration_ms() - gone_ms);
}

push::AgentCost PushingRecorder::cost_of_period() {
  const os::ProcessCost own = os::process_cost();
  const u64 cpu_ns = own.cpu_ns - std::min(own.cpu_ns, cpu_sent_ns_);
  cpu_sent_ns_ = own.cpu_ns;
  return {.cpu_ns = cpu_ns, .resident_bytes = own.resident_bytes, .pid = os::process_number()};
}

diag::Result<std::vector<push::Upload>> PushingRecorder::pack(stacks::StackProfile& profile,
                                                              const stacks::Moments& moments, push::ProfileTime time) {
  const auto labels = push::labels_of(request_.push, push::program_of(profile));
  push::add_agent_cost(cost_of_period(), profile);
  const push::PackedProfile packed =
      push::packed_profile({profile, moments, measure::tool_version()}, request_.push.target, labels, time);
  return push::make_uploads(request_.push.target, labels, packed);
}

void PushingRecorder::finish_sending() {
  if (sending_.valid()) sending_.get();
}

diag::Result<void> PushingRecorder::send(const measure::Recording& recording, push::ProfileTime time) {
  std::vector<push::Upload> uploads;
  const auto take = [&](stacks::StackProfile& profile, const stacks::Moments& moments) -> diag::Result<void> {
    WPERF_TRY(uploads, pack(profile, moments, time));
    return {};
  };
  request::Request shown = shown_request(request_, recording);
  shown.recording.export_format =
      request_.push.target == request::PushTarget::otlp ? request::ExportFormat::otlp : request::ExportFormat::pprof;
  show::ReportOptions options = report_options(shown, quiet_);
  options.exported->sink = take;
  WPERF_CHECK_OK(show::show_recording(recording, options, quiet_));
  finish_sending();
  // Sends in another thread, because recording must continue without gaps even if the server is slow or unreachable.
  sending_ = std::async(std::launch::async, [this, uploads = std::move(uploads), number = ++periods_] {
    const auto sent = delivery_.deliver(uploads, fmt::format("profile {}", number));
    if (sent.has_value()) return;
    quiet_.warn("warning: " + sent.error().text);
    if (!sent.error().hint.empty()) quiet_.warn("hint: " + sent.error().hint);
  });
  return {};
}

void PushingRecorder::print_totals() {
  const push::DeliveryTotals& totals = delivery_.totals();
  const double elapsed = seconds(Clock::now() - begin_);
  const os::ProcessCost cost = os::process_cost();
  std::string text = fmt::format("sent {} profiles ({} bytes) in {:.1f} s", text::with_commas(totals.sent),
                                 text::with_commas(totals.sent_bytes), elapsed);
  if (const u64 waiting = delivery_.waiting(); waiting != 0)
    text += fmt::format(", {} wait in the spool folder", waiting);
  if (totals.refused != 0) text += fmt::format(", {} were refused", totals.refused);
  if (totals.dropped != 0) text += fmt::format(", {} dropped because the spool folder is full", totals.dropped);
  if (totals.lost != 0) text += fmt::format(", {} lost", totals.lost);
  const double cpu = static_cast<double>(cost.cpu_ns) / 1e9;
  constexpr double kMegabyte = 1 << 20, kPercent = 100;
  text += fmt::format(
      "\nrecorded {:.2f} % of this time; wperf itself used {:.2f} s of processor time ({:.2f} % of one core) and at "
      "most {:.1f} MB of memory\n",
      elapsed > 0 ? kPercent * seconds(recorded_) / elapsed : 0, cpu, elapsed > 0 ? kPercent * cpu / elapsed : 0,
      static_cast<double>(cost.most_bytes) / kMegabyte);
  if (!output::silent(request_.outputs)) console_.out(text);
}

diag::Result<int> PushingRecorder::run() {
  measure::MeasureOptions options = measure_options(request_);
  measure::SpawnedProgram program(machine_.device->programs());
  WPERF_TRY(const plan::SamplePlan plan,
            plan::make_sample_plan(options.wanted, options.view, machine_.capabilities, machine_.catalog));
  WPERF_TRY(const measure::SampledProgram sampled,
            measure::start_or_find(options, plan.program_core, machine_, program, quiet_));
  diag::Result<int> status = 0;
  for (auto length = next_period_ms(); length.has_value(); length = next_period_ms()) {
    options.wanted.timeout = request::Duration{*length};
    const u64 begin_unix_ns = now_unix_ns();
    const Clock::time_point begin = Clock::now();
    auto recorded = measure::record_sampled(options, plan, sampled, machine_, quiet_);
    if (!recorded.has_value()) {
      // If the program ended between two periods, it cannot be opened again. This is not a failure. The kernel refuses
      // an exiting process some time before it reports the end of that process.
      const bool may_have_ended = periods_ != 0 && sampled.pid != 0;
      if (may_have_ended) (void)machine_.device->programs().wait(kExitNs, sampled.pid);
      const device::ProcessState now = machine_.device->programs().process(sampled.pid);
      const bool ended = may_have_ended && !now.running;
      if (!ended) status = std::move(recorded).error();
      if (ended && request_.program.has_value()) status = measure::status_of_program(request_, machine_, now, quiet_);
      break;
    }
    recorded_ += Clock::now() - begin;
    const measure::Recording& recording = recorded.value();
    if (auto sent = send(recording, {begin_unix_ns, now_unix_ns()}); !sent.has_value()) {
      status = std::move(sent).error();
      break;
    }
    status = measure::status_of_recording(request_, machine_, recording, quiet_);
    if (!status.has_value() || recording.end != measure::WaitEnd::time || console_.interrupted()) break;
  }
  finish_sending();
  print_totals();
  const push::DeliveryTotals& totals = delivery_.totals();
  const bool all_there = totals.lost + totals.refused + totals.dropped == 0;
  if (status.has_value() && status.value() == 0 && !all_there) return 1;
  return status;
}

}  // namespace

diag::Result<int> record_and_push(const request::Request& request, measure::OpenedMachine& machine,
                                  diag::Console& console) {
  if (request.sampling.spe.has_value() || !kept_recording(request).empty() || request.recording.wants_page()) {
    return diag::usage_error(
        "--push sends profiles of samples and keeps no recording; it cannot be combined with SPE, -o or --html",
        "send an existing recording with `wperf push FILE`");
  }
  // Ctrl-C ends the recording. The recorded part is still sent, within a short time limit.
  measure::WarningsOnlyConsole quiet(console);
  WPERF_TRY(push::Delivery delivery,
            push::make_delivery(request.push, push::kTriesOfKept, [&](std::string_view line) { quiet.warn(line); }));
  return PushingRecorder(request, machine, console, quiet, delivery).run();
}

}  // namespace wperf::commands
