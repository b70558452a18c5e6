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
#include "os/files.h"
#include "pipeline/outputs.h"
#include "pipeline/tool_version.h"
#include "pmu/catalogue.h"

namespace wperf::pipeline {
namespace {

constexpr u32 kRawEvent = 4;  // PERF_TYPE_RAW: the number is the hardware's own
constexpr u64 kSampleType = perf_data::kSampleIp | perf_data::kSampleTid | perf_data::kSampleTime |
                            perf_data::kSampleId | perf_data::kSampleCpu | perf_data::kSamplePeriod;

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
                                                    .sample_type = kSampleType,
                                                    .kernel = plan.kernel};
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
void append_programs(std::string& records, const raw::SampleCapture& capture) {
  std::set<std::pair<u32, u32>> threads;
  for (const raw::Sample& sample : capture.samples) threads.emplace(sample.process, sample.thread);
  for (const raw::Process& process : capture.processes) {
    const perf_export::Trailer trailer{
        .sample_type = kSampleType, .pid = process.pid, .tid = process.pid, .id = id_of(0)};
    const std::string name = name_of(process);
    perf_export::append_comm(records, process.pid, process.pid, name, true, trailer);
    for (auto thread = threads.lower_bound({process.pid, 0}); thread != threads.end() && thread->first == process.pid;
         ++thread) {
      if (thread->second == process.pid) continue;
      perf_export::append_fork(records, process.pid, process.pid, thread->second, process.pid, 0, trailer);
      perf_export::append_comm(records, process.pid, thread->second, name, false, trailer);
    }
    for (const raw::Module& module : process.modules) {
      perf_export::append_mmap2(records,
                                {.pid = process.pid,
                                 .tid = process.pid,
                                 .address = module.base,
                                 .length = module.size,
                                 .file = module.path.empty() ? module.name : module.path},
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
  for (const raw::Sample* sample : in_order) {
    for (usize event = 0; event < plan.events.size(); ++event) {
      if ((sample->overflowed >> event & 1) == 0) continue;
      perf_export::append_sample(records, {.sample_type = kSampleType,
                                           .id = id_of(event),
                                           .ip = sample->pc,
                                           .time = sample->time_ns,
                                           .period = plan.events[event].interval,
                                           .pid = sample->process,
                                           .tid = sample->thread,
                                           .cpu = sample->core,
                                           .kernel = sample->exception_level != 0});
    }
  }
}

perf_export::RecordingFacts facts_of(const raw::SampleCapture& capture, const plan::Capabilities& machine,
                                     std::span<const std::string> arguments) {
  perf_export::RecordingFacts facts;
  facts.version = tool_version();
  if (machine.midr != 0) {
    facts.architecture = "aarch64";
    facts.cpu_description = std::string(pmu::identify(machine.midr).name());
    facts.cpu_id = fmt::format("0x{:016x}", machine.midr);
  }
  facts.cores_online = facts.cores_available = machine.core_count;
  facts.command_line = {"wperf"};
  facts.command_line.insert(facts.command_line.end(), arguments.begin(), arguments.end());
  if (!capture.samples.empty()) {
    const auto [first, last] =
        std::minmax_element(capture.samples.begin(), capture.samples.end(),
                            [](const raw::Sample& a, const raw::Sample& b) { return a.time_ns < b.time_ns; });
    facts.first_sample_ns = first->time_ns;
    facts.last_sample_ns = last->time_ns;
  }
  return facts;
}

}  // namespace

std::string perf_data_of(const plan::SamplePlan& plan, const raw::SampleCapture& capture,
                         const plan::Capabilities& machine, std::span<const std::string> arguments) {
  const std::vector<perf_export::WrittenEvent> events = events_of(plan);
  std::string file = perf_export::file_beginning(events);
  const usize begin = file.size();
  append_programs(file, capture);
  append_samples(file, plan, capture);
  perf_export::append_finished_round(file);
  const perf_export::FileEnding ending =
      perf_export::file_ending(events, file.size() - begin, facts_of(capture, machine, arguments));
  file.replace(0, ending.header.size(), ending.header);
  return file + ending.tail;
}

void export_perf_data(const request::Request& request, const plan::Capabilities& machine,
                      const SamplingOutcome& outcome, diag::Console& console) {
  if (!request.sampling.perf_data) return;
  const std::string path = output_path(request.outputs, request.sampling.perf_data_file.value_or("perf.data"));
  const std::string file = perf_data_of(outcome.plan, outcome.capture, machine, request.arguments);
  if (!os::save_file_at_once(path, std::as_bytes(std::span(file))).has_value()) {
    console.warn("Unable to open " + path);
  }
}

}  // namespace wperf::pipeline
