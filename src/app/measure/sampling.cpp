// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/sampling.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "app/measure/opened_machine.h"
#include "app/measure/python_host.h"
#include "formats/perf_data/event_attributes.h"
#include "formats/perf_data/format.h"
#include "formats/perf_data/record_bytes.h"

namespace wperf::measure {
namespace {

constexpr u64 kTrialNs = 50 * kNanosecondsPerMillisecond;
constexpr int kTrials = 4;

// The number of samples of an event on the core that has the most of them.
u64 busiest_core(const readings::SampleCapture& capture, u32 event) {
  std::vector<u64> counts;
  for (const readings::DrainedSample& sample : capture.samples) {
    if ((sample.overflowed >> event & 1) == 0) continue;
    if (sample.core >= counts.size()) counts.resize(sample.core + 1u);
    ++counts[sample.core];
  }
  return counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
}

constexpr u32 kRawEvent = 4;  // PERF_TYPE_RAW: a hardware event number
constexpr u64 kSampleType = perf_data::kSampleIp | perf_data::kSampleTid | perf_data::kSampleTime |
                            perf_data::kSampleId | perf_data::kSampleCpu | perf_data::kSamplePeriod |
                            perf_data::kSampleUserRegisters;
constexpr u64 kLinkRegister = u64{1} << 30;  // in perf's register numbers for Arm64

u64 sample_type_of(const plan::SamplePlan& plan) {
  return kSampleType | (plan.call_stacks.wanted() ? u64{perf_data::kSampleCallchain} : 0);
}

// Makes a chain as a kernel writes it: the sample's address and its callers, with a mark before each part. Returns the
// index of the first user frame.
usize make_callchain(const readings::SampleCapture& capture, const readings::DrainedSample& sample,
                     std::vector<u64>& chain) {
  chain.clear();
  const bool kernel = sample.exception_level != 0;
  chain.push_back(kernel ? perf_data::kCallchainKernel : perf_data::kCallchainUser);
  chain.push_back(sample.pc);
  const std::span<const u64> frames(capture.frames.data() + sample.first_frame, sample.frame_count);
  for (usize i = 0; i < frames.size(); ++i) {
    if (kernel && i == sample.kernel_frames) chain.push_back(perf_data::kCallchainUser);
    chain.push_back(frames[i]);
  }
  return kernel ? usize{3} + sample.kernel_frames : 1;
}

std::vector<perf_data::WrittenEvent> events_of(const plan::SamplePlan& plan) {
  std::vector<perf_data::WrittenEvent> events;
  for (const plan::SampleEvent& event : plan.events) {
    const perf_data::WrittenAttributes attributes{.type = kRawEvent,
                                                  .config = event.code,
                                                  .period = event.interval,
                                                  .sample_type = sample_type_of(plan),
                                                  .kernel = plan.kernel,
                                                  .user_registers = kLinkRegister};
    events.push_back({.name = event.name,
                      .attributes = perf_data::attribute_bytes(attributes),
                      .ids = {id_of_event(events.size())}});
  }
  return events;
}

std::vector<const readings::DrainedSample*> in_order_of_time(const readings::SampleCapture& capture) {
  std::vector<const readings::DrainedSample*> in_order;
  in_order.reserve(capture.samples.size());
  for (const readings::DrainedSample& sample : capture.samples) in_order.push_back(&sample);
  std::sort(in_order.begin(), in_order.end(), [](const readings::DrainedSample* a, const readings::DrainedSample* b) {
    return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a < b;
  });
  return in_order;
}

struct Recorded {
  const plan::SamplePlan& plan;
  const readings::SampleCapture& capture;
  const readings::DrainedSample& sample;
  DriverPython* python;
  std::vector<u64>& chain;  // memory that is reused for each sample
};

void append_sample(const Recorded& of, std::string& records) {
  const auto& [plan, capture, sample, python, chain] = of;
  const bool is_user = sample.exception_level == 0;
  u64 place = sample.pc, link = sample.lr;
  if (plan.call_stacks.wanted()) {
    const usize user = make_callchain(capture, sample, chain);
    if (python != nullptr)
      python->join(sample, python->copy_of(sample.thread, sample.time_ns).get(), user, chain, link);
    if (is_user) place = chain[user];
  }
  for (usize event = 0; event < plan.events.size(); ++event) {
    if ((sample.overflowed >> event & 1) == 0) continue;
    perf_data::append_sample(records, {.sample_type = sample_type_of(plan),
                                       .id = id_of_event(event),
                                       .ip = place,
                                       .time = sample.time_ns,
                                       .period = plan.events[event].interval,
                                       .pid = sample.process,
                                       .tid = sample.thread,
                                       .cpu = sample.core,
                                       .kernel = !is_user,
                                       .callchain = chain,
                                       .user_registers = std::span(&link, is_user ? 1 : 0)});
  }
}

perf_data::RunFacts run_of(const plan::SamplePlan& plan, const readings::SampleCapture& capture,
                           const SampledProgram& program) {
  perf_data::RunFacts run = facts_of_run(program, capture.processes, capture.start_ns, capture.end_ns);
  run.note = plan.note;
  if (!capture.remark.empty()) run.note += (run.note.empty() ? "" : "; ") + capture.remark;
  for (const readings::CoreStatistics& core : capture.core_statistics) {
    run.cores.push_back({.core = core.core,
                         .taken = core.taken,
                         .lost_ring_full = core.lost_ring_full,
                         .lost_filtered = core.lost_filtered,
                         .held_back = core.held_back,
                         .register_losses = core.register_losses});
  }
  return run;
}

}  // namespace

diag::Result<void> adapt_intervals(OpenedMachine& machine, plan::SamplePlan& plan, u32 pid) {
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

diag::Result<SamplingOutcome> sample_once(OpenedMachine& machine, const plan::SamplePlan& plan,
                                          const StopCondition& until, diag::Console& console, const SampleSink& sink) {
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
  print_end_of_collection(outcome.collection, machine, console);
  outcome.capture.processes = machine.device->programs().processes();
  return outcome;
}

void SampleRecords::take(const plan::SamplePlan& plan, readings::SampleCapture& capture, DriverPython* python) {
  samples_ += capture.samples.size();
  std::pair<u32, u32> last_thread{0, 0};
  for (const readings::DrainedSample& sample : capture.samples) {
    const std::pair thread{sample.process, sample.thread};
    if (thread != last_thread || threads_.empty()) threads_.insert(last_thread = thread);
    first_ns_ = std::min(first_ns_, sample.time_ns);
    last_ns_ = std::max(last_ns_, sample.time_ns);
  }
  std::vector<u64> chain;
  if (python != nullptr) python->begin_drain();
  for (const readings::DrainedSample* sample : in_order_of_time(capture))
    append_sample({plan, capture, *sample, python, chain}, bytes_);
  if (python != nullptr) python->end_drain();
  capture.samples.clear();
  capture.frames.clear();
}

SampleRecorder::SampleRecorder(const plan::SamplePlan& plan, os::RecordingFile& file, DriverPython* python)
    : plan_(plan), writer_(events_of(plan), sample_type_of(plan), file), python_(python) {}

void SampleRecorder::append(const SampleRecords& records) {
  writer_.append(records.bytes());
  first_ns_ = std::min(first_ns_, records.first_ns());
  last_ns_ = std::max(last_ns_, records.last_ns());
  threads_.insert(records.threads().begin(), records.threads().end());
}

void SampleRecorder::finish(const readings::SampleCapture& capture, const plan::Capabilities& machine,
                            std::span<const std::string> arguments, const SampledProgram& program) {
  RunEnding ending{
      .processes = capture.processes, .threads = std::move(threads_), .run = run_of(plan_, capture, program)};
  if (python_ != nullptr) {
    ending.run.python = python_->samples();
    ending.jit_code = python_->jit_code();
    if (ending.run.python.versions.empty())
      ending.run.note += std::string(ending.run.note.empty() ? "" : "; ").append(kNoPython);
  }
  if (first_ns_ <= last_ns_) {
    ending.first_ns = first_ns_;
    ending.last_ns = last_ns_;
  }
  writer_.finish(ending, machine, arguments);
}

}  // namespace wperf::measure
