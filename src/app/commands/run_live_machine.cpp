// SPDX-License-Identifier: BSD-3-Clause
// `machine`: a simulated machine that keeps running.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "app/commands/commands.h"
#include "app/output/outputs.h"
#include "ground/os/process.h"
#include "machine/live/live_machine.h"
#include "model/request/number.h"
#include "views/report/tool_reports.h"

namespace wperf::commands {
namespace {

constexpr int kInterruptedStatus = 130;

diag::Error wrong_use(std::string text) {
  return diag::usage_error(std::move(text),
                           "wperf machine start|stop|ps, wperf machine run -- PROGRAM, wperf machine kill PID");
}

diag::Result<std::unique_ptr<live::LiveMachine>> find_it() {
  WPERF_TRY(auto machine, live::find_machine());
  if (machine != nullptr) return machine;
  return diag::Error{.text = "no simulated machine is up",
                     .hint = "`wperf machine start` boots one",
                     .code = diag::ExitCode::no_device};
}

diag::Result<std::string> options_of(const std::string& device) {
  constexpr std::string_view kKind = "sim";
  if (device.empty() || device == kKind) return std::string();
  if (device.starts_with("sim:")) return device.substr(kKind.size() + 1);
  return wrong_use(fmt::format("'{}' is not a simulated machine", device));
}

diag::Result<int> start(const request::Request& request, diag::Console& console) {
  WPERF_TRY(const std::string options, options_of(request.device));
  WPERF_TRY(const auto machine, live::boot_machine(options));
  console.out(
      fmt::format("The simulated machine is up (process {}). `--device sim` refers to it until `wperf machine "
                  "stop`.\n`wperf machine run -- PROGRAM` starts a program on it.\n",
                  machine->process_of_machine()));
  return 0;
}

diag::Result<int> stop(const request::Request& /*request*/, diag::Console& console) {
  WPERF_TRY(const auto machine, find_it());
  const auto all = machine->processes();
  const auto running = std::count_if(all.begin(), all.end(), [](const readings::Process& one) { return one.running; });
  WPERF_CHECK_OK(machine->stop());
  console.out(running == 0 ? "The simulated machine has ended.\n"
                           : fmt::format("The simulated machine has ended, and with it {} program{}.\n", running,
                                         running == 1 ? "" : "s"));
  return 0;
}

diag::Result<int> show_processes(const request::Request& request, diag::Console& console) {
  WPERF_TRY(const auto machine, find_it());
  std::vector<answers::MachineProgram> programs;
  for (const readings::Process& process : machine->processes()) {
    const device::ProcessState state = machine->process(process.pid);
    programs.push_back({.pid = process.pid,
                        .image = process.image,
                        .core = process.core,
                        .threads = process.threads.size(),
                        .running = process.running,
                        .exit_code = process.exit_code,
                        .user_ns = state.user_ns,
                        .system_ns = state.system_ns});
  }
  const auto blocks = report::machine_programs_report(programs);
  WPERF_CHECK_OK(output::show(
      request.outputs, console, [&] { return report::blocks_text(blocks); },
      [&] { return report::versioned_blocks_json(blocks); }));
  return 0;
}

diag::Result<int> kill(const request::Request& request, diag::Console& console) {
  if (request.machine.words.empty()) return wrong_use("kill needs the number of a process");
  WPERF_TRY(const auto machine, find_it());
  for (const std::string& word : request.machine.words) {
    const auto pid = request::parse_decimal(word);
    if (!pid.has_value() || *pid > ~u32{0} || !machine->process(static_cast<u32>(*pid)).running) {
      return diag::usage_error(fmt::format("no process {} is running on the simulated machine", word),
                               "`wperf machine ps` lists them");
    }
    machine->kill(static_cast<u32>(*pid));
    console.out(fmt::format("Process {} has been ended.\n", word));
  }
  return 0;
}

// Ctrl-C is passed to the program, as on a Windows console; a program that cannot handle it ends.
diag::Result<int> wait_for(live::LiveMachine& machine, u32 pid) {
  constexpr u64 kStepNs = 1'000'000'000;
  device::ProcessState state;
  while ((state = machine.process(pid)).running) {
    if (os::take_interrupt() && !machine.interrupt(pid)) {
      machine.kill(pid);
      return kInterruptedStatus;
    }
    WPERF_CHECK_OK(machine.wait(kStepNs, pid));
  }
  WPERF_CHECK_OK(machine.wait(0, pid));  // returns an error if the program crashed, or if the machine has ended
  constexpr u32 kMostOfLinux = 0xff;
  return static_cast<int>(std::min(state.exit_code, kMostOfLinux));
}

diag::Result<int> run_program(const request::Request& request, diag::Console& console) {
  if (!request.program.has_value()) return wrong_use("run needs a program");
  const request::MachineWork& wanted = request.machine;
  const bool one_core = request.cores.size() == 1 && request.cores.front().first == request.cores.front().last;
  if (!request.cores.empty() && !one_core)
    return wrong_use("a program starts on one core; --affinity keeps it on several");
  wperf_driver::SimulatedProgram program{.image = request.program->path,
                                         .command_line = request.program->command_line,
                                         .core = request.cores.empty() ? 0 : request.cores.front().first,
                                         .affinity = wanted.affinity,
                                         .streams = {}};
  if (!request.cores.empty() && program.core < 64 && program.affinity == 0) program.affinity = u64{1} << program.core;
  if (request.cores.empty() && program.affinity != 0)
    program.core = static_cast<u32>(std::countr_zero(program.affinity));
  if (program.core < 64 && program.affinity != 0 && (program.affinity >> program.core & 1) == 0)
    return wrong_use(fmt::format("core {} is not in the mask of --affinity", program.core));
  if (!wanted.detached) program.streams = {0, 1, 2};
  WPERF_TRY(const auto machine, find_it());
  WPERF_TRY(const u32 pid, machine->run(program, wanted.detached));
  if (!wanted.detached) return wait_for(*machine, pid);
  console.out(fmt::format("Process {} runs on the simulated machine.\n", pid));
  return 0;
}

struct Action {
  std::string_view name;
  diag::Result<int> (*run)(const request::Request& request, diag::Console& console);
};

// Checks that the given words apply to the action.
diag::Result<void> check_words(const std::string& action, const request::Request& request) {
  if (action != "kill" && !request.machine.words.empty())
    return wrong_use(fmt::format("machine {} takes no '{}'", action, request.machine.words.front()));
  if (action != "run" && request.program.has_value())
    return wrong_use(fmt::format("machine {} starts no program", action));
  if (action != "ps" && (request.outputs.json || request.outputs.json_file.has_value()))
    return wrong_use(fmt::format("machine {} has no JSON; `wperf machine ps --json` lists the programs", action));
  if (action == "start") return {};
  WPERF_TRY(const std::string options, options_of(request.device));
  if (!options.empty()) return wrong_use("the options of the simulated machine are for `wperf machine start`");
  return {};
}
constexpr Action kActions[] = {
    {"start", start}, {"run", run_program}, {"ps", show_processes}, {"kill", kill}, {"stop", stop}};

}  // namespace

diag::Result<int> run_live_machine(const request::Request& request, diag::Console& console) {
  const std::string& wanted = request.machine.action;
  if (wanted.empty()) return wrong_use("machine needs a word: start, run, ps, kill or stop");
  for (const Action& action : kActions) {
    if (action.name != wanted) continue;
    WPERF_CHECK_OK(check_words(wanted, request));
    return action.run(request, console);
  }
  return wrong_use(fmt::format("machine has no command '{}'", wanted));
}

}  // namespace wperf::commands
