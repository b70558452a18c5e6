// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/sampling.h"

#include <algorithm>

#include "pipeline/milliseconds.h"

namespace wperf::pipeline {
namespace {

constexpr u64 kPollNs = 100 * kNanosecondsPerMillisecond;  // the rings are made for this
constexpr u64 kProgressNs = 1'000 * kNanosecondsPerMillisecond;
constexpr u64 kTrialNs = 50 * kNanosecondsPerMillisecond;
constexpr int kTrials = 4;

// The letters behind "sampling ...", one a second: did samples arrive?
class SamplingProgress {
 public:
  SamplingProgress(diag::Console& console, u64 now) : console_(console), next_(now + kProgressNs) {
    console_.out("sampling ...");
  }
  void at(u64 now, size_t samples) {
    while (now >= next_) {
      console_.out(samples > seen_ ? "." : "e");
      seen_ = samples;
      next_ += kProgressNs;
    }
  }

 private:
  diag::Console& console_;
  u64 next_;
  size_t seen_ = 0;
};

// The most samples that one core gave of event n.
u64 busiest_core(const raw::SampleCapture& capture, u32 event) {
  std::vector<u64> counts;
  for (const raw::Sample& sample : capture.samples) {
    if ((sample.overflowed >> event & 1) == 0) continue;
    if (sample.core >= counts.size()) counts.resize(sample.core + 1u);
    ++counts[sample.core];
  }
  return counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
}

// Short runs whose samples only tell the rate; they end when the intervals have settled.
diag::Result<void> adapt_intervals(Machine& machine, plan::SamplePlan& plan, u32 pid) {
  for (int trial = 0; plan.rate_hz.has_value() && trial < kTrials; ++trial) {
    raw::SampleCapture capture;
    WPERF_TRY(const auto session, machine.device->open_sampling(plan));
    WPERF_CHECK_OK(session->start());
    const u64 start = machine.device->machine().now_ns();
    WPERF_CHECK_OK(machine.device->machine().wait(kTrialNs, pid));
    const u64 elapsed = machine.device->machine().now_ns() - start;
    WPERF_CHECK_OK(session->stop());
    WPERF_CHECK_OK(session->drain(capture));
    if (elapsed == 0) return {};
    for (u32 i = 0; i < plan.events.size(); ++i) {
      plan::SampleEvent& event = plan.events[i];
      if (!event.adaptive) continue;
      event.interval = plan::adapted_interval(event.interval, busiest_core(capture, i), elapsed, *plan.rate_hz);
    }
  }
  return {};
}

diag::Result<WaitEnd> collect(Machine& machine, device::SampleSession& session, u64 duration_ms, u32 pid,
                              diag::Console& console, SamplingOutcome& outcome) {
  device::Channel& channel = machine.device->machine();
  const u64 start = outcome.capture.start_ns;
  const u64 end = start + duration_ms * kNanosecondsPerMillisecond;
  SamplingProgress progress(console, start);
  while (true) {
    if (console.interrupted()) return WaitEnd::interrupted;
    if (pid != 0 && !channel.process(pid).running) return WaitEnd::program_ended;
    const u64 now = channel.now_ns();
    if (duration_ms != 0 && now >= end) return WaitEnd::time;
    const auto waited = channel.wait(duration_ms != 0 ? std::min(kPollNs, end - now) : kPollNs, pid);
    if (!waited.has_value()) {
      outcome.trouble = waited.error();
      return WaitEnd::program_ended;
    }
    WPERF_CHECK_OK(session.drain(outcome.capture));
    progress.at(channel.now_ns(), outcome.capture.samples.size());
  }
}

}  // namespace

diag::Result<SamplingOutcome> sample_once(Machine& machine, const plan::SamplePlan& plan, u64 duration_ms, u32 pid,
                                          diag::Console& console) {
  SamplingOutcome outcome;
  outcome.plan = plan;
  WPERF_CHECK_OK(adapt_intervals(machine, outcome.plan, pid));
  WPERF_TRY(const auto session, machine.device->open_sampling(outcome.plan));
  WPERF_CHECK_OK(session->start());
  outcome.capture.start_ns = machine.device->machine().now_ns();
  WPERF_TRY(outcome.end, collect(machine, *session, duration_ms, pid, console, outcome));
  WPERF_CHECK_OK(session->stop());
  outcome.capture.end_ns = machine.device->machine().now_ns();
  WPERF_CHECK_OK(session->drain(outcome.capture));
  if (outcome.end == WaitEnd::interrupted) console.out("Ctrl-C received, quit counting...");
  console.out(" done!\n");
  outcome.capture.processes = machine.device->machine().processes();
  return outcome;
}

}  // namespace wperf::pipeline
