// SPDX-License-Identifier: BSD-3-Clause
// The C interface of the simulator: one WperfSim is one client of a machine's driver. All of them share the machine.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "sim/machine/machine_options.h"
#include "sim/machine/simulated_driver.h"
#include "sim/machine/simulated_machine.h"
#include "sim/machine_api.h"

namespace {

struct SimulatedSystem {
  wperf::sim::Machine machine;
  wperf::sim::SimulatedDriver driver;

  explicit SimulatedSystem(const wperf::sim::MachineOptions& options)
      : machine(options, wperf::sim::make_real_parts(options)), driver(machine) {}
};

}  // namespace

struct WperfSim {
  std::shared_ptr<SimulatedSystem> system;
  wperf::sim::DriverClient driver;
  std::vector<wperf::u32> held;  // spawned programs that do not execute yet

  WperfSim(std::shared_ptr<SimulatedSystem> shared, std::unique_ptr<wperf::sim::LockFile> lock_file)
      : system(std::move(shared)), driver(system->driver, std::move(lock_file)) {}
  wperf::sim::Machine& machine() { return system->machine; }
};

namespace {

using wperf::sim::LockFile;
using wperf::sim::LockFileError;
using wperf::sim::MachineError;
using wperf::sim::MachineOptions;
using wperf::sim::OptionError;

void set_error(WperfSimError* out, const std::string& text, const std::string& hint) {
  if (out == nullptr) return;
  std::snprintf(out->text, sizeof out->text, "%s", text.c_str());
  std::snprintf(out->hint, sizeof out->hint, "%s", hint.c_str());
}

std::unique_ptr<WperfSim> make_client(std::shared_ptr<SimulatedSystem> system, WperfSimError* error) {
  LockFileError lock_error;
  std::unique_ptr<LockFile> lock_file = LockFile::open(system->machine.options().instance, lock_error);
  set_error(error, lock_error.text, lock_error.hint);
  return lock_file ? std::make_unique<WperfSim>(std::move(system), std::move(lock_file)) : nullptr;
}

WperfSim* open_sim(const char* text, WperfSimError* error) {
  set_error(error, {}, {});
  const char* instance = std::getenv("WPERF_SIM_INSTANCE");
  OptionError option_error;
  const MachineOptions options =
      parse_options(text == nullptr ? "" : text, instance == nullptr ? "" : instance, option_error);
  if (!option_error.text.empty()) {
    set_error(error, option_error.text, option_error.hint);
    return nullptr;
  }
  std::unique_ptr<WperfSim> sim = make_client(std::make_shared<SimulatedSystem>(options), error);
  if (!sim) return nullptr;
  for (const auto& run : options.programs) {
    MachineError run_error;
    const wperf::u32 pid = sim->machine().spawn({run.image, run.arguments, run.core}, run_error);
    if (pid == 0) {
      set_error(error, run_error.text, run_error.hint);
      return nullptr;
    }
    sim->machine().resume(pid);
  }
  return sim.release();
}

WperfSim* join_sim(WperfSim* sim, WperfSimError* error) {
  return make_client(sim->system, error).release();
}

void close_sim(WperfSim* sim) {
  delete sim;
}

WperfStatus control(WperfSim* sim, wperf_u32 code, void* buffer, wperf_u32 input, wperf_u32 capacity,
                    wperf_u32* returned) {
  return sim->driver.control(code, buffer, input, capacity, returned);
}

wperf_u32 spawn(WperfSim* sim, const WperfSimProgram* program, WperfSimError* error) {
  wperf::sim::ProgramRequest program_request{program->image_path, program->argument_line, program->core,
                                             program->affinity, nullptr};
  if (program->streams != nullptr)
    program_request.streams = std::make_shared<wperf::sim::StandardStreams>(
        std::to_array({program->streams[0], program->streams[1], program->streams[2]}));
  MachineError machine_error;
  const wperf_u32 pid = sim->machine().spawn(program_request, machine_error);
  set_error(error, machine_error.text, machine_error.hint);
  if (pid != 0) sim->held.push_back(pid);
  return pid;
}

WperfSimProcess status_of(const wperf::sim::ProgramStatus& status) {
  return {status.pid, status.running ? 1u : 0u, status.exit_code, status.core, status.user_ns, status.system_ns};
}

wperf_u32 process(WperfSim* sim, wperf_u32 pid, WperfSimProcess* out) {
  const wperf::sim::ProgramStatus* status = sim->machine().find(pid);
  if (status == nullptr) return 0;
  *out = status_of(*status);
  return 1;
}

void kill_process(WperfSim* sim, wperf_u32 pid) {
  sim->machine().kill(pid);
}

wperf_u32 interrupt(WperfSim* sim, wperf_u32 pid) {
  return sim->machine().interrupt(pid) ? 1 : 0;
}

void crashed(WperfSim* sim, wperf_u32 pid, WperfSimError* out) {
  const wperf::sim::ProgramDetails* details = sim->machine().details(pid);
  set_error(out, details == nullptr ? "" : details->crashed.text, details == nullptr ? "" : details->crashed.hint);
}

void wait_sim(WperfSim* sim, wperf_u64 duration_ns, wperf_u32 until_pid, WperfSimError* error) {
  for (const wperf::u32 pid : sim->held) sim->machine().resume(pid);
  sim->held.clear();
  MachineError machine_error;
  sim->machine().wait(duration_ns, until_pid, machine_error);
  set_error(error, machine_error.text, machine_error.hint);
}

wperf_u64 now_ns(WperfSim* sim) {
  return sim->machine().now_ns();
}

const char* model(WperfSim* sim) {
  const bool real = sim->machine().options().kind == wperf::sim::MachineKind::real;
  return real ? "wperf Simulator" : "QEMU QEMU Virtual Machine";
}

wperf_u32 dmc_channels(WperfSim* sim, wperf_u64* bases, wperf_u64* sizes, wperf_u32 capacity) {
  wperf_u32 count = 0;
  for (const wperf::sim::DmcRange& range : sim->system->driver.hal().dmc_ranges()) {
    if (count < capacity) {
      bases[count] = range.base;
      sizes[count] = range.size;
    }
    ++count;
  }
  return count;
}

wperf_u32 programs(WperfSim* sim, WperfSimProcess* out, wperf_u32 capacity) {
  const std::vector<wperf::u32> known = sim->machine().programs();
  for (wperf_u32 i = 0; i < capacity && i < known.size(); ++i) out[i] = status_of(*sim->machine().find(known[i]));
  return static_cast<wperf_u32>(known.size());
}

template <size_t Size>
void copy_text(char (&to)[Size], const std::string& from) {
  to[from.copy(to, Size - 1)] = '\0';
}

wperf_u32 modules(WperfSim* sim, wperf_u32 pid, WperfSimModule* out, wperf_u32 capacity) {
  const wperf::sim::ProgramDetails* details = sim->machine().details(pid);
  if (details == nullptr) return 0;
  for (wperf_u32 i = 0; i < capacity && i < details->modules.size(); ++i) {
    const wperf::sim::Module& module = details->modules[i];
    copy_text(out[i].name, module.name);
    copy_text(out[i].path, module.path);
    out[i].base = module.base;
    out[i].size = module.size;
    out[i].entry = module.entry;
  }
  return static_cast<wperf_u32>(details->modules.size());
}

wperf_u32 threads(WperfSim* sim, wperf_u32 pid, wperf_u32* ids, wperf_u32 capacity) {
  const wperf::sim::ProgramDetails* details = sim->machine().details(pid);
  if (details == nullptr) return 0;
  for (wperf_u32 i = 0; i < capacity && i < details->threads.size(); ++i) ids[i] = details->threads[i];
  return static_cast<wperf_u32>(details->threads.size());
}

void watch_schedule(WperfSim* sim, const wperf_u16* events, wperf_u32 count) {
  sim->machine().watch_schedule({events, count});
}

void unwatch_schedule(WperfSim* sim) {
  sim->machine().unwatch_schedule();
}

wperf_u32 take_schedule(WperfSim* sim, WperfSimScheduleEvent* out, wperf_u32 capacity) {
  if (capacity == 0) return static_cast<wperf_u32>(sim->machine().schedule_notes());
  const std::vector<WperfSimScheduleEvent> taken = sim->machine().take_schedule(capacity);
  std::copy(taken.begin(), taken.end(), out);
  return static_cast<wperf_u32>(taken.size());
}

void visit_cores(WperfSim* sim, wperf_u32 process, wperf_u32 thread) {
  sim->machine().visit_cores(process, thread);
}

wperf_u32 schedule_truth(WperfSim* sim, WperfSimThreadTruth* out, wperf_u32 capacity) {
  const std::vector<WperfSimThreadTruth> truth = sim->machine().schedule_truth();
  std::copy_n(truth.begin(), std::min<size_t>(capacity, truth.size()), out);
  return static_cast<wperf_u32>(truth.size());
}

void watch_samples(WperfSim* sim, WperfSimWatcher watcher, void* context) {
  sim->system->driver.hal().watch_samples(watcher, context);
}

wperf_u32 read_memory(WperfSim* sim, wperf_u32 pid, wperf_u64 address, void* to, wperf_u64 size) {
  return sim->machine().read_memory(pid, address, to, size) ? 1 : 0;
}

constexpr WperfSimApi kApi = {
    .version = WPERF_SIM_API_VERSION,
    .open = open_sim,
    .join = join_sim,
    .close = close_sim,
    .control = control,
    .spawn = spawn,
    .process = process,
    .kill = kill_process,
    .interrupt = interrupt,
    .crashed = crashed,
    .wait = wait_sim,
    .now_ns = now_ns,
    .dmc_channels = dmc_channels,
    .model = model,
    .programs = programs,
    .modules = modules,
    .threads = threads,
    .watch_schedule = watch_schedule,
    .unwatch_schedule = unwatch_schedule,
    .take_schedule = take_schedule,
    .visit_cores = visit_cores,
    .schedule_truth = schedule_truth,
    .watch_samples = watch_samples,
    .read_memory = read_memory,
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const WperfSimApi* wperf_sim_api(void) {
  return &kApi;
}
