// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/perf_data_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "export/perf_data/event_attributes_bytes.h"
#include "export/perf_data/perf_file_layout.h"
#include "export/perf_data/record_bytes.h"
#include "import/perf_data/format.h"
#include "import/perf_data/run_facts.h"
#include "pipeline/milliseconds.h"
#include "pipeline/tool_version.h"
#include "pmu/catalogue.h"

namespace wperf::pipeline {
namespace {

constexpr u32 kRawEvent = 4;  // PERF_TYPE_RAW: the number is the hardware's own
constexpr u64 kSampleType = perf_data::kSampleIp | perf_data::kSampleTid | perf_data::kSampleTime |
                            perf_data::kSampleId | perf_data::kSampleCpu | perf_data::kSamplePeriod |
                            perf_data::kSampleUserRegisters;
constexpr u64 kLinkRegister = u64{1} << 30;  // as perf numbers registers of Arm64

u64 sample_type_of(const plan::SamplePlan& plan) {
  return kSampleType | (plan.call_stacks.wanted() ? u64{perf_data::kSampleCallchain} : 0);
}

// As a kernel writes it: where the sample lies and its callers, a mark in front of each part.
void make_callchain(const raw::SampleCapture& capture, const raw::Sample& sample, std::vector<u64>& chain) {
  chain.clear();
  const bool kernel = sample.exception_level != 0;
  chain.push_back(kernel ? perf_data::kCallchainKernel : perf_data::kCallchainUser);
  chain.push_back(sample.pc);
  const std::span<const u64> frames(capture.frames.data() + sample.first_frame, sample.frame_count);
  for (usize i = 0; i < frames.size(); ++i) {
    if (kernel && i == sample.kernel_frames) chain.push_back(perf_data::kCallchainUser);
    chain.push_back(frames[i]);
  }
}

// perf takes 0 for "not told", and two intervals of one event are two events: ids are numbers of their own.
u64 id_of(usize event) {
  return event + 1;
}

std::vector<perf_export::WrittenEvent> events_of(const plan::SamplePlan& plan) {
  std::vector<perf_export::WrittenEvent> events;
  for (const plan::SampleEvent& event : plan.events) {
    const perf_export::WrittenAttributes attributes{.type = kRawEvent,
                                                    .config = event.code,
                                                    .period = event.interval,
                                                    .sample_type = sample_type_of(plan),
                                                    .kernel = plan.kernel,
                                                    .user_registers = kLinkRegister};
    events.push_back(
        {.name = event.name, .attributes = perf_export::attribute_bytes(attributes), .ids = {id_of(events.size())}});
  }
  return events;
}

std::string name_of(const raw::Process& process) {
  const std::string& path = process.modules.empty() ? process.image : process.modules.front().name;
  return path.substr(path.find_last_of("/\\") + 1);
}

// What ran, told as if it had been there before the first sample: time 0, which goes before all others.
void append_programs(std::string& records, const plan::SamplePlan& plan, const raw::SampleCapture& capture,
                     const std::set<std::pair<u32, u32>>& threads) {
  for (const raw::Process& process : capture.processes) {
    const perf_export::Trailer trailer{
        .sample_type = sample_type_of(plan), .pid = process.pid, .tid = process.pid, .id = id_of(0)};
    const std::string name = name_of(process);
    perf_export::append_comm(records, process.pid, process.pid, name, true, trailer);
    for (auto thread = threads.lower_bound({process.pid, 0}); thread != threads.end() && thread->first == process.pid;
         ++thread) {
      if (thread->second == process.pid) continue;
      perf_export::append_fork(records, process.pid, process.pid, thread->second, process.pid, 0, trailer);
      perf_export::append_comm(records, process.pid, thread->second, name, false, trailer);
    }
    for (const raw::Module& module : process.modules) {
      // Parts of the system without a file are written as Linux writes its own, "[vdso]".
      const std::string path = module.path.empty() ? '[' + module.name + ']' : module.path;
      perf_export::append_mmap2(
          records,
          {.pid = process.pid, .tid = process.pid, .address = module.base, .length = module.size, .file = path},
          trailer);
    }
  }
}

void append_samples(std::string& records, const plan::SamplePlan& plan, const raw::SampleCapture& capture) {
  std::vector<const raw::Sample*> in_order;
  in_order.reserve(capture.samples.size());
  for (const raw::Sample& sample : capture.samples) in_order.push_back(&sample);
  std::sort(in_order.begin(), in_order.end(), [](const raw::Sample* a, const raw::Sample* b) {
    return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a < b;
  });
  std::vector<u64> chain;
  for (const raw::Sample* sample : in_order) {
    if (plan.call_stacks.wanted()) make_callchain(capture, *sample, chain);
    const bool user = sample->exception_level == 0;
    for (usize event = 0; event < plan.events.size(); ++event) {
      if ((sample->overflowed >> event & 1) == 0) continue;
      perf_export::append_sample(records, {.sample_type = sample_type_of(plan),
                                           .id = id_of(event),
                                           .ip = sample->pc,
                                           .time = sample->time_ns,
                                           .period = plan.events[event].interval,
                                           .pid = sample->process,
                                           .tid = sample->thread,
                                           .cpu = sample->core,
                                           .kernel = sample->exception_level != 0,
                                           .callchain = chain,
                                           .user_registers = std::span(&sample->lr, user ? 1 : 0)});
    }
  }
}

perf_data::RunFacts run_of(const plan::SamplePlan& plan, const raw::SampleCapture& capture,
                           const SampledProgram& program) {
  perf_data::RunFacts run;
  run.windows = true;
  run.image_name = program.image_name;
  run.pe_file = program.pe_file;
  run.pdb_file = program.pdb_file;
  run.process = program.pid;
  run.start_ns = capture.start_ns;
  run.note = plan.note;
  // The contract's clock resolves milliseconds.
  const u64 elapsed_ns = capture.end_ns - capture.start_ns;
  run.end_ns = run.start_ns + elapsed_ns / kNanosecondsPerMillisecond * kNanosecondsPerMillisecond;
  for (const raw::Process& process : capture.processes) {
    if (process.pid == program.pid && !process.running) run.exit_code = process.exit_code;
  }
  for (const raw::CoreTally& core : capture.tallies) {
    run.cores.push_back({.core = core.core,
                         .taken = core.taken,
                         .lost_ring_full = core.lost_ring_full,
                         .lost_filtered = core.lost_filtered,
                         .held_back = core.held_back,
                         .register_losses = core.register_losses});
  }
  return run;
}

perf_export::RecordingFacts facts_of(const plan::SamplePlan& plan, const raw::SampleCapture& capture,
                                     const plan::Capabilities& machine, std::span<const std::string> arguments,
                                     const SampledProgram& program) {
  perf_export::RecordingFacts facts;
  facts.run = perf_data::run_facts_bytes(run_of(plan, capture, program));
  facts.version = tool_version();
  if (machine.midr != 0) {
    facts.architecture = "aarch64";
    facts.cpu_description = std::string(pmu::identify(machine.midr).name());
    facts.cpu_id = fmt::format("0x{:016x}", machine.midr);
  }
  facts.cores_online = facts.cores_available = machine.core_count;
  facts.command_line = {"wperf"};
  facts.command_line.insert(facts.command_line.end(), arguments.begin(), arguments.end());
  return facts;
}

}  // namespace

SampleRecorder::SampleRecorder(const plan::SamplePlan& plan, os::RecordingFile& file)
    : plan_(plan), file_(file), events_(events_of(plan)) {
  const std::string beginning = perf_export::file_beginning(events_);
  records_begin_ = beginning.size();
  file_.append(beginning);
}

void SampleRecorder::take(raw::SampleCapture& capture) {
  taken_ += capture.samples.size();
  std::pair<u32, u32> last_thread{0, 0};
  for (const raw::Sample& sample : capture.samples) {
    const std::pair thread{sample.process, sample.thread};
    if (thread != last_thread || threads_.empty()) threads_.insert(last_thread = thread);
    first_ns_ = std::min(first_ns_, sample.time_ns);
    last_ns_ = std::max(last_ns_, sample.time_ns);
  }
  std::string records;
  append_samples(records, plan_, capture);
  file_.append(records);
  capture.samples.clear();
  capture.frames.clear();
}

// What ran is told last, and counts from the beginning all the same: its time is 0. The whole file is one round, so
// readers put its records in order.
void SampleRecorder::finish(const raw::SampleCapture& capture, const plan::Capabilities& machine,
                            std::span<const std::string> arguments, const SampledProgram& program) {
  std::string records;
  append_programs(records, plan_, capture, threads_);
  perf_export::append_finished_round(records);
  file_.append(records);
  perf_export::RecordingFacts facts = facts_of(plan_, capture, machine, arguments, program);
  if (taken_ != 0) {
    facts.first_sample_ns = first_ns_;
    facts.last_sample_ns = last_ns_;
  }
  const u64 record_bytes = file_.size() - records_begin_;
  const perf_export::FileEnding ending = perf_export::file_ending(events_, record_bytes, facts);
  file_.append(ending.tail);
  file_.replace_beginning(file_.trouble().has_value() ? perf_export::header_without_tail(events_, record_bytes)
                                                      : ending.header);
}

}  // namespace wperf::pipeline
