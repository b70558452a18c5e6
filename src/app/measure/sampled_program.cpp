// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/sampled_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/ascii.h"
#include "ground/text/base_name.h"
#include "ground/text/parts.h"
#include "model/request/measurement.h"

namespace wperf::measure {
namespace {

constexpr size_t kFewPrograms = 16;  // with several hundred programs, as on Windows, a list would be useless

// Finds the running program that the user gave to `sample`.
diag::Result<u32> find_running(device::Programs& programs, const std::string& image_name) {
  std::vector<std::string> running;
  for (const readings::Process& process : programs.processes()) {
    if (!process.running || process.modules.empty()) continue;
    const std::string& name = process.modules.front().name;
    // Looking a process up by number loads the list of all its modules.
    if (equal_ignoring_case(name, text::base_name(image_name)) && programs.process(process.pid).running)
      return process.pid;
    running.push_back(name);
  }
  const bool few = !running.empty() && running.size() <= kFewPrograms;
  return diag::usage_error(
      fmt::format("no program named '{}' is running", text::base_name(image_name)),
      few ? fmt::format("running: {}", text::joined(running, ", ")) : "start it with `wperf record`");
}

// Is a missing program no error? WindowsPerf samples the core whatever program runs there, and its scripts rely on
// this.
bool goes_without_program(const MeasureOptions& options, const OpenedMachine& machine) {
  return options.wanted.command == request::Command::sample && machine.capabilities.kernel == nullptr &&
         !options.needs_program;
}

}  // namespace

diag::Result<SampledProgram> start_or_find(const MeasureOptions& options, u32 core, OpenedMachine& machine,
                                           SpawnedProgram& spawned, diag::Console& console) {
  const request::Measurement& wanted = options.wanted;
  const request::SampleTarget target = request::sample_target(wanted);
  SampledProgram sampled{.pid = 0,
                         .image_name = std::string(text::base_name(target.image_name)),
                         .pe_file = target.pe_file,
                         .pdb_file = target.pdb_file};
  if (wanted.process.has_value()) {
    WPERF_CHECK_OK(spawned.follow(*wanted.process));
    sampled.pid = spawned.pid();
    for (const readings::Process& process : machine.device->programs().processes()) {
      if (process.pid == sampled.pid && !process.modules.empty()) sampled.image_name = process.modules.front().name;
    }
    return sampled;
  }
  const bool of_machine = machine.capabilities.kernel != nullptr || wanted.sampling.whole_machine;
  if (of_machine && target.image_name.empty()) return sampled;  // any program is sampled
  const bool starts = wanted.command == request::Command::record || wanted.command == request::Command::top;
  if (starts && wanted.program.has_value()) {
    WPERF_CHECK_OK(spawned.start(options, core));
    sampled.pid = spawned.pid();
    WPERF_CHECK_OK(let_start_up(wanted, machine, spawned.pid()));
    return sampled;
  }
  auto found = find_running(machine.device->programs(), target.image_name);
  if (found.has_value()) {
    sampled.pid = found.value();
  } else if (goes_without_program(options, machine)) {
    console.warn("warning: " + found.error().text + "; code on the core is shown as unknown");
    console.warn("hint: " + found.error().hint);
  } else {
    return std::move(found).error();
  }
  return sampled;
}

const readings::Process* find_process(const std::vector<readings::Process>& processes, u32 pid) {
  for (const readings::Process& process : processes) {
    if (process.pid == pid) return &process;
  }
  return nullptr;
}

answers::SampleTarget target_of(const SampledProgram& program, const readings::Process* process,
                                const std::vector<modules::LoadedModule>& loaded) {
  answers::SampleTarget target;
  target.image_name = program.image_name;
  target.process = program.pid;
  target.pe_file = program.pe_file;
  target.pdb_file = program.pdb_file;
  if (process == nullptr || process->modules.empty()) return target;
  for (size_t i = 0; i < process->modules.size(); ++i) {
    target.modules.push_back(modules::module_of(process->modules[i], loaded[i]));
  }
  target.modules.front().main = true;
  const readings::Module& main = process->modules.front();
  u32 entry_rva = 0;
  if (loaded.front().symbols.has_value() && loaded.front().symbols->image() != nullptr) {
    entry_rva = loaded.front().symbols->image()->entry_rva();
  }
  target.base_address = main.base + entry_rva;
  target.runtime_delta = main.base - target.modules.front().image_base;
  return target;
}

answers::SampleTarget target_before(device::Programs& programs, const SampledProgram& program,
                                    const modules::SymbolOptions& options) {
  const std::vector<readings::Process> processes = programs.processes();
  const readings::Process* process = find_process(processes, program.pid);
  if (process == nullptr) return target_of(program, nullptr, {});
  return target_of(program, process, modules::load_modules(process->modules, options));
}

}  // namespace wperf::measure
