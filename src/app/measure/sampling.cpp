// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/sampling.h"

#include <algorithm>

#include "app/measure/opened_machine.h"

namespace wperf::measure {
namespace {

constexpr u64 kTrialNs = 50 * kNanosecondsPerMillisecond;
constexpr int kTrials = 4;

// The most samples that one core gave of event n.
u64 busiest_core(const readings::SampleCapture& capture, u32 event) {
  std::vector<u64> counts;
  for (const readings::DrainedSample& sample : capture.samples) {
    if ((sample.overflowed >> event & 1) == 0) continue;
    if (sample.core >= counts.size()) counts.resize(sample.core + 1u);
    ++counts[sample.core];
  }
  return counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
}

}  // namespace

diag::Result<void> adapt_intervals(Machine& machine, plan::SamplePlan& plan, u32 pid) {
  for (int trial = 0; plan.rate_hz.has_value() && trial < kTrials; ++trial) {
    readings::SampleCapture capture;
    WPERF_TRY(const auto session, machine.device->open_sampling(plan));
    WPERF_CHECK_OK(session->start());
    const u64 start = machine.device->programs().now_ns();
    for (u64 now = start; now < start + kTrialNs; now = machine.device->programs().now_ns()) {
      const u64 left = start + kTrialNs - now;
      WPERF_CHECK_OK(machine.device->programs().wait(std::min(left, session->drain_every_ns(left)), pid));
      if (pid != 0 && !machine.device->programs().process(pid).running) break;
      WPERF_CHECK_OK(session->drain(capture));
    }
    const u64 elapsed = machine.device->programs().now_ns() - start;
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

diag::Result<SamplingOutcome> sample_once(Machine& machine, const plan::SamplePlan& plan, const Until& until,
                                          diag::Console& console, const SampleSink& sink) {
  SamplingOutcome outcome;
  outcome.plan = plan;
  WPERF_CHECK_OK(adapt_intervals(machine, outcome.plan, until.pid));
  WPERF_CHECK_OK(sink.begin(outcome.plan));
  WPERF_TRY(const auto session, machine.device->open_sampling(outcome.plan));
  WPERF_CHECK_OK(session->start());
  outcome.capture.start_ns = machine.device->programs().now_ns();
  Collected collected{.in_bytes = false};
  const auto drain = [&]() -> diag::Result<Collected> {
    WPERF_CHECK_OK(session->drain(outcome.capture));
    collected.amount += outcome.capture.samples.size();
    sink.take(outcome.capture);
    collected.next_ns = session->drain_every_ns(kSampleDrainNs);
    return collected;
  };
  WPERF_TRY(outcome.collection,
            collect_samples(machine, until, {session->drain_every_ns(kSampleDrainNs), drain}, console));
  WPERF_CHECK_OK(session->stop());
  outcome.capture.end_ns = machine.device->programs().now_ns();
  WPERF_CHECK_OK(session->drain(outcome.capture));
  sink.take(outcome.capture);
  tell_collected(outcome.collection, console);
  outcome.capture.processes = machine.device->programs().processes();
  return outcome;
}

}  // namespace wperf::measure
