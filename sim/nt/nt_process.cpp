// SPDX-License-Identifier: BSD-3-Clause
#include "sim/nt/nt_process.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/nt/services.h"
#include "sim/nt/state.h"
#include "sim/nt/wide_strings.h"

namespace wperf::sim::nt {
namespace {

class NtProcess final : public Program {
 public:
  NtProcess(u64 seed, std::shared_ptr<System> system, std::shared_ptr<FileSystem> files)
      : state_(seed, std::move(system), std::move(files)) {}

  State& state() { return state_; }

  AddressSpace& space() override { return state_.space; }
  ThreadState& thread(u32 id) override { return find(id).registers; }
  std::vector<u32> threads() const override {
    std::vector<u32> ids;
    for (const auto& thread : state_.threads) ids.push_back(thread->id);
    return ids;
  }
  const std::vector<Module>& modules() const override { return state_.modules; }
  u32 processor(u32 id) const override { return find(id).processor; }
  u32 exit_code() const override { return state_.exit_code; }
  std::string crash_text() const override { return state_.crash_text; }
  bool lacked() const override { return state_.lacked; }
  bool is_starting() const override { return state_.is_starting; }
  bool has_ended(u32 id) const override { return find(id).ended; }

  CallOutcome kernel_call(u32 id, u32 immediate, u64 now_ns) override;
  bool goes_on_after(u32 id, const Stop& stop) override;
  bool interrupt(u64 now_ns) override { return send_console_event(state_, ConsoleEvent::interrupt, now_ns); }
  bool wakes(u32 id, u64 now_ns) override;
  void ended(u32 exit_code, u64 now_ns) override;

  u64 sleep_until_ns(u32 id) const override {
    const Thread& thread = find(id);
    if (thread.ended || thread.suspended != 0) return kNever;
    return thread.wait.kind != Wait::Kind::none ? thread.wait.wake_ns : thread.ready_ns;
  }
  WaitsFor waits_for(u32 id) const override {
    const Thread& thread = find(id);
    if (thread.suspended != 0) return WaitsFor::resumption;
    switch (thread.wait.kind) {
      case Wait::Kind::alert:
      case Wait::Kind::meeting:
        return WaitsFor::lock;
      case Wait::Kind::objects:
      case Wait::Kind::packets:
        return WaitsFor::threads;
      case Wait::Kind::host:
        if (thread.wait.locks != nullptr) return WaitsFor::lock;
        return thread.wait.pipe != nullptr ? WaitsFor::threads : WaitsFor::host;
      default:
        return WaitsFor::time;
    }
  }

 private:
  Thread& find(u32 id) const {
    Thread* const thread = find_thread(state_, id);
    return thread != nullptr ? *thread : *state_.threads.front();
  }
  CallOutcome end();
  bool handle_stack_overflow(Thread& thread, u64 address);
  bool answer_register_read(Thread& thread);

  State state_;
};

CallOutcome NtProcess::kernel_call(u32 id, u32 immediate, u64 now_ns) {
  Thread& thread = find(id);
  set_shared_time(state_, now_ns);
  if (immediate == kHostCall) {
    Call call(state_, thread, "a call of the host", now_ns);
    const u64 answer = answer_host_call(call);
    thread.registers.x[0] = call.failed() ? u64{kAccessViolation} : answer;
    return call.outcome();
  }
  if (immediate == kReturnFromEntry && state_.services.empty()) {
    state_.exit_code = static_cast<u32>(thread.registers.x[0]);
    thread.ended = true;
    return end();
  }
  const auto service = state_.services.find(immediate);
  if (service == state_.services.end() || service->second == nullptr) {
    const auto name = state_.service_names.find(immediate);
    state_.exit_code = 0xc000001c;  // STATUS_INVALID_SYSTEM_SERVICE
    state_.lacked = true;
    state_.crash_text = name == state_.service_names.end()
                            ? "svc #" + std::to_string(immediate) + " at " +
                                  describe_address(state_, thread.registers.pc - 4) + " is not a system call"
                            : name->second + ", called from " + describe_address(state_, thread.registers.x[30]) +
                                  ", is a system call that the simulated machine does not have";
    return CallOutcome::crashed;
  }
  Call call(state_, thread, service->second->name, now_ns);
  call.end_with(service->second->handler(call));
  report_changes(state_, now_ns);
  return call.outcome() == CallOutcome::ended ? end() : call.outcome();
}

// Returns the reason why the loader could not load a DLL.
std::string text_of_missing_dll(const State& state) {
  const std::string& name = state.missing_dll;
  const auto refused =
      std::ranges::find(state.refused_images, in_lower_case(name), &std::pair<std::string, std::string>::first);
  const std::string needed = state.dll_needed_by.empty() ? "" : " (" + state.dll_needed_by + " needs it)";
  if (refused != state.refused_images.end()) return name + " cannot be loaded" + needed + ": " + refused->second;
  return name + " is missing: it is neither in the program's folder nor among the DLLs of Windows" + needed;
}

// Whether a program that ended itself has crashed, or could not be started: if ntdll ended it, or if its exit code is
// an error of Windows. Other large numbers, such as -1, are usual exit codes.
bool has_failed(const State& state) {
  constexpr u32 kFacility = 0x0fffffff, kError = 0xc0000000, kInterrupted = 0xc000013a;  // by Ctrl-C
  if (state.exit_code == kInterrupted) return false;
  return state.is_unhandled || (state.exit_code & ~kFacility) == kError;
}

CallOutcome NtProcess::end() {
  constexpr u32 kDelayedDllNotFound = 0xc06d007e;
  if (!has_failed(state_)) return CallOutcome::ended;
  const bool lacks_dll = state_.exit_code == kDllNotFound || state_.exit_code == kInvalidImageFormat;
  if (lacks_dll && !state_.missing_dll.empty()) {
    state_.crash_text = text_of_missing_dll(state_);
    return CallOutcome::crashed;
  }
  std::string_view why = state_.last_exception;
  if (why.empty()) {
    why = state_.debug_text;
    while (why.ends_with('\n')) why.remove_suffix(1);
    why.remove_prefix(why.rfind('\n') + 1);  // npos + 1 is 0
  }
  state_.crash_text = "it ended with status " + hex(state_.exit_code) + (why.empty() ? "" : ": " + printable(why));
  if (state_.exit_code == kDelayedDllNotFound && !state_.refused_images.empty())
    state_.crash_text += "; " + state_.refused_images.back().second;
  return CallOutcome::crashed;
}

bool NtProcess::wakes(u32 id, u64 now_ns) {
  Thread& thread = find(id);
  if (thread.wait.kind == Wait::Kind::none) return true;
  set_shared_time(state_, now_ns);
  end_late_socket_calls(*state_.system, now_ns);
  if (thread.wait.kind == Wait::Kind::host) return call_again(state_, thread, now_ns);
  if (try_to_end_wait(state_, thread, now_ns)) return true;
  if (thread.wait.alertable) add_due_routines(state_, thread, now_ns);
  if (thread.wait.kind == Wait::Kind::none) return true;
  if (thread.wait.deadline_ns > now_ns) {
    set_wake_time(thread);
    return thread.wait.wake_ns <= now_ns;
  }
  end_wait(thread, thread.wait.kind == Wait::Kind::time ? kSuccess : kTimeout, now_ns);
  return true;
}

void NtProcess::ended(u32 exit_code, u64 now_ns) {
  for (const auto& thread : state_.threads) end_thread(state_, *thread, exit_code, now_ns);
  state_.process_object->exit_code = exit_code;
  state_.process_object->signalled = true;
  wake_waiters(*state_.system, *state_.process_object, now_ns);
  leave_jobs(state_, exit_code, now_ns);
  if (state_.input_mode_before && state_.streams) state_.streams->set_input_mode(*state_.input_mode_before);
  std::vector<ObjectPointer> jobs;
  state_.handles.for_each([&](Object& object) {
    if (object.kind == Object::Kind::job) jobs.push_back(static_cast<Job&>(object).shared_from_this());
  });
  state_.handles = {};
  for (ObjectPointer& job : jobs) (void)close_job(*state_.system, std::exchange(job, nullptr), state_.process_id);
  go_on_with_pipes(*state_.system, now_ns);
  go_on_with_sockets(*state_.system, now_ns);
  go_on_with_locks(*state_.system, now_ns);
  end_closed_watches(*state_.system, now_ns);
  report_changes(state_, now_ns);
}

// The exception code that Windows uses for a fault. Compilers use some BRK numbers for special exceptions.
u32 code_of(const Stop& stop) {
  constexpr u32 kBrkAssertion = 0xf001, kBrkDivideByZero = 0xf004;
  if (stop.fault_kind == FaultKind::memory) return kAccessViolation;
  if (stop.fault_kind == FaultKind::instruction) return kIllegalInstruction;
  if (stop.immediate == kBrkAssertion) return kAssertionFailure;
  return stop.immediate == kBrkDivideByZero ? kIntegerDivideByZero : kBreakpoint;
}

constexpr u64 kReads = 0, kWrites = 1, kExecutes = 8;

u64 access_of(const std::string& text) {
  if (text.starts_with("jump")) return kExecutes;
  return text.starts_with("write") ? kWrites : kReads;
}

// Programs built with Microsoft's compiler read CurrentEL to find out whether they run as a driver, and catch the
// exception.
bool NtProcess::answer_register_read(Thread& thread) {
  constexpr u32 kReadLevel = 0xd5384240, kRegister = 0x1f;
  ThreadState& registers = thread.registers;
  u32 instruction = 0;
  if (!state_.space.read(registers.pc, &instruction, sizeof instruction)) return false;
  if ((instruction & ~kRegister) != kReadLevel) return false;
  if ((instruction & kRegister) != kRegister) registers.x[instruction & kRegister] = 0;
  registers.pc += sizeof instruction;
  return true;
}

// The pages below the guard become usable, so that the handlers of the exception have a stack.
bool NtProcess::handle_stack_overflow(Thread& thread, u64 address) {
  const u64 lowest = thread.stack + kPageSize;
  if (address < lowest || address >= thread.stack_limit || thread.stack_limit == lowest) return false;
  u32 before = 0;
  if (state_.memory.protect(lowest, thread.stack_limit - lowest, kPageReadWrite, before) != kSuccess) return false;
  thread.stack_limit = lowest;
  state_.space.write(thread.teb + 0x10, &lowest, sizeof lowest);
  return true;
}

bool NtProcess::goes_on_after(u32 id, const Stop& stop) {
  constexpr u32 kBrkFailFast = 0xf003;
  Thread& thread = find(id);
  if (stop.fault_kind == FaultKind::instruction && answer_register_read(thread)) return true;
  Exception exception{code_of(stop), 0, thread.registers.pc, {}};
  const std::string where = stop.text + " at " + describe_address(state_, thread.registers.pc);
  if (stop.fault_kind == FaultKind::breakpoint && stop.immediate == kBrkFailFast) {
    state_.exit_code = kFailFast;
    state_.crash_text = "the program ended itself because of a fatal error (code " +
                        std::to_string(thread.registers.x[0]) + ") at " + describe_address(state_, thread.registers.pc);
    return false;
  }
  if (stop.fault_kind == FaultKind::memory) {
    if (commit_shared_page(state_, stop.fault_address)) return true;
    if (access_of(stop.text) == kWrites && state_.memory.note_write(stop.fault_address)) return true;
    if (handle_stack_overflow(thread, stop.fault_address)) {
      exception.code = kStackOverflow;
    } else if (state_.memory.hit_guard_page(stop.fault_address)) {
      exception.code = kGuardPage;
      exception.parameters = {access_of(stop.text), stop.fault_address};
    } else {
      exception.parameters = {access_of(stop.text), stop.fault_address};
    }
  }
  state_.last_exception = where;
  if (state_.exception_dispatcher != 0 && deliver(state_, thread, exception)) return true;
  state_.exit_code = exception.code;
  state_.crash_text = where + (state_.exception_dispatcher == 0 ? "" : " (the program ran out of stack)");
  return false;
}

}  // namespace

std::shared_ptr<System> make_system(ProgramHost* host, std::vector<ProcessorFacts> processors) {
  auto system = std::make_shared<System>();
  system->host = host;
  system->processors = std::move(processors);
  return system;
}

std::unique_ptr<Program> load_process(const ProcessOptions& options, LoadError& error) {
  auto files = options.inheritance != nullptr ? options.inheritance->files : std::make_shared<FileSystem>();
  auto process = std::make_unique<NtProcess>(options.seed, options.system, std::move(files));
  if (!load_program(process->state(), options, error)) return nullptr;
  return process;
}

}  // namespace wperf::sim::nt
