// SPDX-License-Identifier: BSD-3-Clause
// Start, end and identity of the process.
#include <array>

#include "sim/windows/win32_call.h"
#include "sim/windows/win32_surface.h"

namespace wperf::sim {
namespace {

constexpr u64 kCurrentProcess = ~0ull;
constexpr u64 kCurrentThread = ~0ull - 1;

u64 thread_return(Win32Call& call) {
  return call.end_thread(call.argument32(0));
}

u64 next_start(Win32Call& call) {
  ProcessState& state = call.state;
  if (state.starting_entry && call.argument32(0) == 0) {
    call.crash("the entry point of " + state.loaded.images[state.starting_image].module.name +
               " returned FALSE: the DLL refuses to be loaded");
    state.exit_code = kStatusDllInitFailed;
    return 0;
  }
  go_to_next_start(state);
  return state.current->registers.x[0];
}

u64 callback_return(Win32Call& call) {
  return call.program_returned();
}

u64 exit_process(Win32Call& call) {
  return call.end(call.argument32(0));
}

u64 terminate_process(Win32Call& call) {
  if (call.argument(0) != kCurrentProcess && call.argument(0) != 0) return call.fail(kErrorInvalidHandle);
  return call.end(call.argument32(1));
}

u64 give_up(Win32Call& call) {
  call.crash("the program aborted itself");
  call.state.exit_code = 0xc0000409;  // the exit code of abort() and __fastfail
  return 0;
}

u64 debug_break(Win32Call& call) {
  call.crash("breakpoint, but there is no debugger");
  call.state.exit_code = 0x80000003;
  return 0;
}

u64 current_process(Win32Call&) {
  return kCurrentProcess;
}
u64 current_thread(Win32Call&) {
  return kCurrentThread;
}
u64 current_process_id(Win32Call& call) {
  return call.state.process_id;
}
u64 current_thread_id(Win32Call& call) {
  return call.state.current->id;
}
u64 current_processor(Win32Call& call) {
  return call.state.current->processor;
}

u64 get_command_line_a(Win32Call& call) {
  return call.state.command_line_a;
}
u64 get_command_line_w(Win32Call& call) {
  return call.state.command_line_w;
}
u64 get_environment_strings(Win32Call& call) {
  return call.state.environment_w;
}
u64 environment_variable(Win32Call& call) {
  return call.fail(kErrorEnvironmentVariableNotFound);
}
u64 succeed(Win32Call&) {
  return 1;
}
u64 answer_zero(Win32Call&) {
  return 0;
}

u64 startup_info(Win32Call& call) {
  std::array<u8, 104> info{};
  info[0] = info.size();
  (void)call.write(call.argument(0), info.data(), info.size());
  return 0;
}

u64 system_info(Win32Call& call) {
  struct SystemInfo {
    u16 architecture, reserved;
    u32 page_size;
    u64 lowest, highest, active_mask;
    u32 processors, type, granularity;
    u16 level, revision;
  };
  static_assert(sizeof(SystemInfo) == 48);
  constexpr u16 kArm64 = 12;
  const u32 count = call.state.processor_count;
  const SystemInfo info = {kArm64,
                           0,
                           static_cast<u32>(kPageSize),
                           0x10000,
                           0x7ffffffeffff,
                           count >= 64 ? ~0ull : (1ull << count) - 1,
                           count,
                           0,
                           0x10000,
                           0,
                           0};
  (void)call.write_value(call.argument(0), info);
  return 0;
}

u64 processor_feature(Win32Call& call) {
  for (u32 feature : kProcessorFeatures) {
    if (feature == call.argument32(0)) return 1;
  }
  return 0;
}

u64 last_error(Win32Call& call) {
  return call.last_error();
}

u64 set_last_error(Win32Call& call) {
  call.set_last_error(call.argument32(0));
  return 0;
}

constexpr Win32Function kStart[] = {
    {"RtlUserThreadStart", kNtDll, thread_return},
    {"LdrInitializeThunk", kNtDll, next_start},
    {"KiUserCallbackDispatcher", kNtDll, callback_return},
};

constexpr Win32Function kProcess[] = {
    {"ExitProcess", kKernelDll, exit_process},
    {"RtlExitUserProcess", kNtDll, exit_process},
    {"TerminateProcess", kKernelDll, terminate_process},
    {"NtTerminateProcess", kNtDll, terminate_process},
    {"RaiseFailFastException", kKernelDll, give_up},
    {"FatalExit", kKernelDll, give_up},
    {"UnhandledExceptionFilter", kKernelDll, give_up},
    {"DebugBreak", kKernelDll, debug_break},
    {"SetUnhandledExceptionFilter", kKernelDll, answer_zero},
    {"SetErrorMode", kKernelDll, answer_zero},
    {"GetCurrentProcess", kKernelDll, current_process},
    {"GetCurrentThread", kKernelDll, current_thread},
    {"GetCurrentProcessId", kKernelDll, current_process_id},
    {"GetCurrentThreadId", kKernelDll, current_thread_id},
    {"GetCurrentProcessorNumber", kKernelDll, current_processor},
    {"NtGetCurrentProcessorNumber", kNtDll, current_processor},
    {"SetThreadPriority", kKernelDll, succeed},
    {"SetPriorityClass", kKernelDll, succeed},
    {"GetCommandLineA", kKernelDll, get_command_line_a},
    {"GetCommandLineW", kKernelDll, get_command_line_w},
    {"GetEnvironmentStringsW", kKernelDll, get_environment_strings},
    {"FreeEnvironmentStringsW", kKernelDll, succeed},
    {"GetEnvironmentVariableA", kKernelDll, environment_variable},
    {"GetEnvironmentVariableW", kKernelDll, environment_variable},
    {"GetStartupInfoA", kKernelDll, startup_info},
    {"GetStartupInfoW", kKernelDll, startup_info},
    {"GetSystemInfo", kKernelDll, system_info},
    {"GetNativeSystemInfo", kKernelDll, system_info},
    {"IsProcessorFeaturePresent", kKernelDll, processor_feature},
    {"IsDebuggerPresent", kKernelDll, answer_zero},
    {"GetLastError", kKernelDll, last_error},
    {"SetLastError", kKernelDll, set_last_error},
    {"RtlGetLastWin32Error", kNtDll, last_error},
    {"RtlSetLastWin32Error", kNtDll, set_last_error},
};

}  // namespace

std::span<const Win32Function> start_functions() {
  return kStart;
}
std::span<const Win32Function> process_functions() {
  return kProcess;
}

}  // namespace wperf::sim
