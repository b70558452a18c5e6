// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/recording_writer.h"

#include <fmt/format.h>

#include <map>

#include "app/measure/opened_machine.h"
#include "app/measure/tool.h"
#include "code/modules/module_files.h"
#include "formats/perf_data/record_bytes.h"
#include "ground/text/base_name.h"
#include "machine/pmu/catalogue.h"

namespace wperf::measure {
namespace {

std::string name_of(const readings::Process& process) {
  const std::string& path = process.modules.empty() ? process.image : process.modules.front().name;
  return std::string(text::base_name(path));
}

// The build ids of the measured program's modules, by path. Also used for other processes with these modules, because
// opening the modules of all Windows programs would take too long.
std::map<std::string, std::string> builds_of_program(const RunEnding& ending) {
  std::map<std::string, std::string> builds;
  for (const readings::Process& process : ending.processes) {
    if (process.pid != ending.run.process) continue;
    for (const readings::Module& module : process.modules) {
      if (!module.path.empty()) builds.try_emplace(module.path, modules::build_of_file(module.path));
    }
  }
  return builds;
}

// Writes records about the programs with time 0, before all samples.
void append_programs(std::string& records, const RunEnding& ending, u64 sample_type) {
  const std::map<std::string, std::string> builds = builds_of_program(ending);
  for (const readings::Process& process : ending.processes) {
    const perf_data::Trailer trailer{
        .sample_type = sample_type, .pid = process.pid, .tid = process.pid, .id = id_of_event(0)};
    const std::string name = name_of(process);
    perf_data::append_comm(records, {process.pid, process.pid}, name, true, trailer);
    for (auto thread = ending.threads.lower_bound({process.pid, 0});
         thread != ending.threads.end() && thread->first == process.pid; ++thread) {
      if (thread->second == process.pid) continue;
      perf_data::append_fork(records, {process.pid, thread->second}, {process.pid, process.pid}, 0, trailer);
      perf_data::append_comm(records, {process.pid, thread->second}, name, false, trailer);
    }
    for (const readings::Module& module : process.modules) {
      // Modules of the system without a file are named as on Linux, for example "[vdso]".
      const std::string path = module.path.empty() ? '[' + module.name + ']' : module.path;
      const auto build = builds.find(module.path);
      perf_data::append_mmap2(records,
                              {.pid = process.pid,
                               .tid = process.pid,
                               .address = module.base,
                               .length = module.size,
                               .build_id = build != builds.end() ? std::string_view(build->second) : std::string_view(),
                               .file = path},
                              trailer);
    }
  }
}

perf_data::RecordingFacts facts_of(const RunEnding& ending, const plan::Capabilities& machine,
                                   std::span<const std::string> arguments) {
  perf_data::RecordingFacts facts;
  facts.run = perf_data::run_facts_bytes(ending.run);
  facts.jit_code = ending.jit_code;
  facts.record_stacks = ending.record_stacks;
  facts.version = tool_version();
  if (machine.midr != 0) {
    facts.architecture = "aarch64";
    facts.cpu_description = std::string(pmu::identify(machine.midr).name());
    facts.cpu_id = fmt::format("0x{:016x}", machine.midr);
  }
  facts.cores_online = facts.cores_available = machine.core_count;
  facts.command_line = {"wperf"};
  facts.command_line.insert(facts.command_line.end(), arguments.begin(), arguments.end());
  facts.first_sample_ns = ending.first_ns;
  facts.last_sample_ns = ending.last_ns;
  return facts;
}

}  // namespace

perf_data::RunFacts facts_of_run(const SampledProgram& program, const std::vector<readings::Process>& processes,
                                 u64 start_ns, u64 end_ns) {
  perf_data::RunFacts run;
  run.windows = true;
  run.image_name = program.image_name;
  run.pe_file = program.pe_file;
  run.pdb_file = program.pdb_file;
  run.process = program.pid;
  run.start_ns = start_ns;
  // The contract's clock counts milliseconds.
  run.end_ns = start_ns + (end_ns - start_ns) / kNanosecondsPerMillisecond * kNanosecondsPerMillisecond;
  for (const readings::Process& process : processes) {
    if (process.pid == program.pid && !process.running) run.exit_code = process.exit_code;
  }
  return run;
}

RecordingWriter::RecordingWriter(std::vector<perf_data::WrittenEvent> events, u64 sample_type, os::RecordingFile& file)
    : file_(file), events_(std::move(events)), sample_type_(sample_type) {
  const std::string beginning = perf_data::file_beginning(events_);
  records_begin_ = beginning.size();
  file_.append(beginning);
}

// The records about programs are written last, but are valid from the beginning, because their time is 0. The whole
// file is one round, so readers sort its records.
void RecordingWriter::finish(const RunEnding& ending, const plan::Capabilities& machine,
                             std::span<const std::string> arguments) {
  std::string records;
  append_programs(records, ending, sample_type_);
  perf_data::append_finished_round(records);
  file_.append(records);
  const u64 record_bytes = file_.size() - records_begin_;
  const perf_data::FileEnding end = perf_data::file_ending(events_, record_bytes, facts_of(ending, machine, arguments));
  file_.append(end.tail);
  file_.replace_beginning(file_.error().has_value() ? perf_data::header_without_tail(events_, record_bytes)
                                                    : end.header);
}

}  // namespace wperf::measure
