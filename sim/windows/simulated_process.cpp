// SPDX-License-Identifier: BSD-3-Clause
#include "sim/windows/simulated_process.h"

#include <filesystem>

#include "sim/windows/process_state.h"
#include "sim/windows/win32_call.h"
#include "sim/windows/win32_surface.h"

namespace wperf::sim {
namespace {

constexpr usize kLongestCommandLine = 32766;

GuestThread& find_thread(const ProcessState& state, u32 id) {
  for (const auto& thread : state.threads)
    if (thread->id == id) return *thread;
  return *state.threads.front();
}

void list_modules(ProcessState& state) {
  for (const LoadedImage& image : state.loaded.images) state.modules.push_back(image.module);
  for (const SystemImage& image : state.system.images()) {
    state.modules.push_back({std::string(system_dll_file(image.dll)), "", image.base, image.size, 0});
  }
}

}  // namespace

Process::Process() = default;
Process::~Process() = default;

std::unique_ptr<Process> Process::load(const std::string& image_path, const std::string& command_line, u64 seed,
                                       LoadError& error) {
  ImageFile file;
  if (!read_image_file(image_path, file, error)) return nullptr;
  FolderSource beside(std::filesystem::path(image_path).parent_path().string());
  return load(file, beside, command_line, seed, error);
}

std::unique_ptr<Process> Process::load(const ImageFile& program, ImageSource& source, const std::string& command_line,
                                       u64 seed, LoadError& error) {
  error.text.clear();
  if (command_line.size() > kLongestCommandLine || command_line.find('\0') != std::string::npos) {
    error.text = "the command line of " + program.name + " is longer than Windows allows";
    return nullptr;
  }
  std::unique_ptr<Process> process(new Process());
  process->state_ = std::make_unique<State>(seed);
  State& state = *process->state_;
  state.command_line = command_line;
  if (!state.system.map(state.space, seed)) {
    error.text = "not enough address space for the DLLs of Windows";
    return nullptr;
  }
  if (!load_images(state.space, program, source, state.system, seed, state.loaded, error)) return nullptr;
  list_modules(state);
  if (!prepare_start(state, error)) return nullptr;
  constexpr u32 kFirstId = 1000;
  process->set_ids(kFirstId, kFirstId + 4);
  process->set_processor(0, 1);
  return process;
}

AddressSpace& Process::space() {
  return state_->space;
}
ThreadState& Process::thread() {
  return state_->threads.front()->registers;
}
ThreadState& Process::thread(u32 id) {
  return find_thread(*state_, id).registers;
}
u64 Process::sleep_until_ns(u32 id) const {
  return find_thread(*state_, id).sleep_until_ns;
}
WaitsFor Process::waits_for(u32 id) const {
  const GuestThread& thread = find_thread(*state_, id);
  if (thread.suspended != 0) return WaitsFor::resumption;
  if (thread.wanted_lock != 0 || thread.condition != 0) return WaitsFor::lock;
  return thread.waits ? WaitsFor::threads : WaitsFor::time;
}
u32 Process::processor(u32 id) const {
  return find_thread(*state_, id).processor;
}
std::vector<u32> Process::thread_ids() const {
  std::vector<u32> ids;
  for (const auto& thread : state_->threads) ids.push_back(thread->id);
  return ids;
}
const std::vector<Module>& Process::modules() const {
  return state_->modules;
}
u64 Process::sleep_until_ns() const {
  return state_->threads.front()->sleep_until_ns;
}
u32 Process::exit_code() const {
  return state_->exit_code;
}
const std::string& Process::crash_text() const {
  return state_->crash_text;
}
const std::string& Process::console_output() const {
  return state_->console;
}

bool Process::set_surroundings(const Surroundings& surroundings, LoadError& error) {
  state_->streams = surroundings.streams;
  if (surroundings.folder.empty() || state_->files.allow(surroundings.folder, surroundings.writes)) return true;
  error.text = "the folder " + surroundings.folder + " of the option 'folder=' cannot be opened";
  return false;
}

void Process::set_ids(u32 process_id, u32 thread_id) {
  state_->process_id = process_id;
  state_->current->id = thread_id;
  const u64 ids[2] = {process_id, thread_id};
  state_->space.write(state_->current->teb + 0x40, ids, sizeof ids);
}

void Process::set_processor(u32 core, u32 core_count) {
  state_->current->processor = core;
  state_->processor_count = core_count;
  state_->current->affinity = u64{1} << (core & 63);
  state_->space.write(state_->peb + 0xb8, &core_count, sizeof core_count);
}

bool Process::enters_kernel(u32 immediate) {
  return wperf::sim::enters_kernel(immediate);
}

CallOutcome Process::kernel_call(u32 immediate, u64 now_ns) {
  return kernel_call(state_->threads.front()->id, immediate, now_ns);
}

CallOutcome Process::kernel_call(u32 id, u32 immediate, u64 now_ns) {
  state_->current = &find_thread(*state_, id);
  const Win32Function* const function = win32_function(immediate);
  if (function == nullptr) {
    state_->exit_code = 0xc000001c;  // STATUS_INVALID_SYSTEM_SERVICE
    state_->crash_text = "svc #" + std::to_string(immediate) + " at " +
                         describe_address(*state_, state_->current->registers.pc - 4) + " is not a function of Windows";
    return CallOutcome::crashed;
  }
  Win32Call call(*state_, function->name, now_ns);
  ThreadState& registers = state_->current->registers;
  registers.x[0] = function->handler(call);
  return call.outcome();
}

namespace {

// The exception that Windows makes of a fault. Compilers give some numbers of BRK a meaning.
u32 status_of(const Stop& stop) {
  constexpr u32 kBrkAssertion = 0xf001, kBrkFastFail = 0xf003, kBrkDivideByZero = 0xf004;
  if (stop.fault_kind == FaultKind::memory) return kStatusAccessViolation;
  if (stop.fault_kind == FaultKind::instruction) return kStatusIllegalInstruction;
  switch (stop.immediate) {
    case kBrkAssertion:
      return kStatusAssertionFailure;
    case kBrkFastFail:
      return kStatusStackBufferOverrun;
    case kBrkDivideByZero:
      return kStatusIntegerDivideByZero;
    default:
      return kStatusBreakpoint;
  }
}

// Programs made by Microsoft's compiler read CurrentEL to find out whether they are a driver, and catch the exception.
bool answer_level(ProcessState& state) {
  constexpr u32 kReadLevel = 0xd5384240, kRegister = 0x1f;
  ThreadState& registers = state.current->registers;
  u32 instruction = 0;
  if (!state.space.read(registers.pc, &instruction, sizeof instruction)) return false;
  if ((instruction & ~kRegister) != kReadLevel) return false;
  if ((instruction & kRegister) != kRegister) registers.x[instruction & kRegister] = 0;
  registers.pc += sizeof instruction;
  return true;
}

}  // namespace

bool Process::goes_on_after(const Stop& stop, u32 id) {
  if (id != 0) state_->current = &find_thread(*state_, id);
  if (stop.fault_kind == FaultKind::instruction && answer_level(*state_)) return true;
  const bool overflow = stop.fault_kind == FaultKind::memory && stop.fault_address < state_->current->stack_limit &&
                        state_->current->stack_limit - stop.fault_address <= kPageSize;
  state_->exit_code = overflow ? kStatusStackOverflow : status_of(stop);
  state_->crash_text = stop.text + " at " + describe_address(*state_, state_->current->registers.pc) +
                       (overflow ? " (the program ran out of stack)" : "");
  return false;
}

std::string describe_address(const ProcessState& state, u64 address) {
  for (const Module& module : state.modules) {
    if (address - module.base < module.size) return module.name + "+" + hex(address - module.base);
  }
  return hex(address);
}

}  // namespace wperf::sim
