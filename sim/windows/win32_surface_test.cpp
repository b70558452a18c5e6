// SPDX-License-Identifier: BSD-3-Clause
#include "sim/windows/win32_surface.h"

#include <set>

#include "sim/windows/fake_program.h"

namespace wperf::sim {
namespace {

TEST(Win32Surface, every_function_has_one_number) {
  std::set<std::pair<u8, std::string_view>> seen;
  for (u32 number = 0; number < win32_function_count(); ++number) {
    const Win32Function* const function = win32_function(number);
    ASSERT_NE(function, nullptr);
    for (u8 dll : {kKernelDll, kNtDll, kCrtDll}) {
      if ((function->dlls & dll) == 0) continue;
      EXPECT_TRUE(seen.insert({dll, function->name}).second) << function->name << " is there twice";
      EXPECT_EQ(find_win32_function(dll, function->name), number);
    }
  }
  EXPECT_EQ(win32_function(win32_function_count()), nullptr);
  EXPECT_EQ(find_win32_function(kNtDll, "RtlUserThreadStart"), kThreadReturnNumber);
  EXPECT_EQ(find_win32_function(kNtDll, "LdrInitializeThunk"), kNextStartNumber);
  EXPECT_EQ(find_win32_function(kCrtDll, "HeapAlloc"), std::nullopt);
  EXPECT_LT(win32_function_count(), 65536u);
}

TEST(Win32Surface, knows_the_dlls_of_windows) {
  EXPECT_EQ(system_dlls_named("KERNEL32.dll"), kKernelDll);
  EXPECT_EQ(system_dlls_named("kernelbase"), kKernelDll);
  EXPECT_EQ(system_dlls_named("api-ms-win-core-heap-l1-1-0.dll"), kKernelDll);
  EXPECT_EQ(system_dlls_named("NTDLL.DLL"), kNtDll);
  EXPECT_EQ(system_dlls_named("api-ms-win-crt-string-l1-1-0.dll"), kCrtDll);
  EXPECT_EQ(system_dlls_named("USER32.dll"), 0);
}

TEST(Win32Process, ends) {
  FakeProgram program;
  program.call("ExitProcess", {7});
  EXPECT_EQ(program.outcome, CallOutcome::ended);
  EXPECT_EQ(program.process->exit_code(), 7u);
  program.call("RtlUserThreadStart", {0xffffffff00000003});
  EXPECT_EQ(program.outcome, CallOutcome::ended);
  EXPECT_EQ(program.process->exit_code(), 3u);
  program.call("TerminateProcess", {~0ull, 9});
  EXPECT_EQ(program.process->exit_code(), 9u);
  program.call("NtTerminateProcess", {0x1234, 1});
  EXPECT_EQ(program.outcome, CallOutcome::resume);
  EXPECT_EQ(program.last_error(), 6u);
}

TEST(Win32Process, crashes_with_a_reason) {
  FakeProgram program;
  program.process->thread().x[30] = program.process->modules()[0].base + 0x1234;
  program.call("RaiseException", {0xe06d7363});
  EXPECT_EQ(program.outcome, CallOutcome::crashed);
  EXPECT_EQ(program.process->exit_code(), 0xe06d7363u);
  EXPECT_EQ(program.process->crash_text(), "RaiseException, called from steady.exe+0x1234: exception 0xe06d7363");
  EXPECT_EQ(program.process->kernel_call(60000, 0), CallOutcome::crashed);
  EXPECT_NE(program.process->crash_text().find("svc #60000"), std::string::npos);
}

TEST(Win32Process, a_fault_names_place_and_stack) {
  FakeProgram program;
  const u64 teb = program.process->thread().x[18];
  Stop stop;
  stop.reason = StopReason::fault;
  stop.fault_address = program.get<u64>(teb + 0x10) - 16;
  stop.text = "write of unmapped address";
  program.process->thread().pc = program.process->modules()[0].base + 0x1000;
  EXPECT_FALSE(program.process->goes_on_after(stop));
  EXPECT_EQ(program.process->crash_text(),
            "write of unmapped address at steady.exe+0x1000 (the program ran out of stack)");
  EXPECT_EQ(program.process->exit_code(), 0xc00000fdu);
}

TEST(Win32Process, ends_with_the_status_of_what_went_wrong) {
  struct Case {
    FaultKind kind;
    u32 number;
    u32 status;
  };
  for (const Case& one :
       {Case{FaultKind::memory, 0, 0xc0000005u}, Case{FaultKind::instruction, 0, 0xc000001du},
        Case{FaultKind::breakpoint, 0xf000, 0x80000003u}, Case{FaultKind::breakpoint, 1, 0x80000003u},
        Case{FaultKind::breakpoint, 0xf003, 0xc0000409u}, Case{FaultKind::breakpoint, 0xf004, 0xc0000094u}}) {
    FakeProgram program;
    Stop stop;
    stop.reason = StopReason::fault;
    stop.fault_kind = one.kind;
    stop.immediate = one.number;
    EXPECT_FALSE(program.process->goes_on_after(stop));
    EXPECT_EQ(program.process->exit_code(), one.status);
  }
}

TEST(Win32Process, knows_its_command_line_and_machine) {
  FakeProgram program("steady.exe \"a b\" 3");
  EXPECT_EQ(program.text_at(program.call("GetCommandLineA")), "steady.exe \"a b\" 3");
  const u64 wide = program.call("GetCommandLineW");
  EXPECT_EQ(program.get<u16>(wide), 's');
  EXPECT_EQ(program.get<u16>(wide + 12), '.');
  FakeProgram other("steady.exe \xc3\xa4\xf0\x9f\x98\x80");  // U+00E4, U+1F600
  const u64 text = other.call("GetCommandLineW") + 22;
  EXPECT_EQ(other.get<u16>(text), 0xe4);
  EXPECT_EQ(other.get<u16>(text + 2), 0xd83d);
  EXPECT_EQ(other.get<u16>(text + 4), 0xde00);
  EXPECT_EQ(other.get<u16>(text + 6), 0);
  program.process->set_processor(5, 8);
  program.process->set_ids(44, 48);
  EXPECT_EQ(program.call("GetCurrentProcessorNumber"), 5u);
  EXPECT_EQ(program.call("GetCurrentProcessId"), 44u);
  EXPECT_EQ(program.call("GetCurrentThreadId"), 48u);
  program.call("GetSystemInfo", {FakeProgram::kBuffer});
  EXPECT_EQ(program.get<u16>(FakeProgram::kBuffer), 12u);
  EXPECT_EQ(program.get<u32>(FakeProgram::kBuffer + 32), 8u);
  EXPECT_EQ(program.call("SetThreadAffinityMask", {~1ull, 4}), 1u << 5);
  EXPECT_EQ(program.call("SetThreadAffinityMask", {~1ull, 0x100}), 0u);
  EXPECT_EQ(program.call("IsDebuggerPresent"), 0u);
  program.call("GetStartupInfoW", {FakeProgram::kBuffer});
  EXPECT_EQ(program.get<u32>(FakeProgram::kBuffer), 104u);
  EXPECT_EQ(program.call("GetEnvironmentVariableW", {0, 0, 0}), 0u);
  EXPECT_EQ(program.last_error(), 203u);
}

TEST(Win32Module, finds_modules_and_functions) {
  FakeProgram program("googolplex.exe", "googolplex.exe");
  const auto& modules = program.process->modules();
  EXPECT_EQ(program.call("GetModuleHandleW", {0}), modules[0].base);
  EXPECT_EQ(program.call("GetModuleHandleA", {program.put("BIGNUM")}), modules[1].base);
  const u64 kernel = program.call("GetModuleHandleW", {program.put_wide("kernel32.dll")});
  ASSERT_NE(kernel, 0u);
  EXPECT_EQ(program.call("GetModuleHandleA", {program.put("C:\\Windows\\System32\\KernelBase.dll")}), kernel);
  const u64 stub = program.call("GetProcAddress", {kernel, program.put("HeapAlloc")});
  ASSERT_NE(stub, 0u);
  const u32 number = find_win32_function(kKernelDll, "HeapAlloc").value_or(0);
  EXPECT_EQ(program.get<u32>(stub), 0xd4000001 | number << 5);
  EXPECT_EQ(program.get<u32>(stub + 4), 0xd65f03c0u);
  EXPECT_NE(program.call("GetProcAddress", {modules[1].base, program.put("big_scale")}), 0u);
  EXPECT_EQ(program.call("GetProcAddress", {modules[1].base, program.put("nothing")}), 0u);
  EXPECT_EQ(program.last_error(), 127u);
  EXPECT_EQ(program.call("LoadLibraryA", {program.put("user32.dll")}), 0u);
  EXPECT_EQ(program.last_error(), 126u);
  EXPECT_EQ(program.call("GetModuleHandleExW", {4, modules[1].base + 0x1000, FakeProgram::kBuffer}), 1u);
  EXPECT_EQ(program.get<u64>(FakeProgram::kBuffer), modules[1].base);
  EXPECT_EQ(program.call("GetModuleFileNameA", {0, FakeProgram::kBuffer, 100}), 17u);
  EXPECT_EQ(program.text_at(FakeProgram::kBuffer), "C:\\googolplex.exe");
  EXPECT_EQ(program.call("GetModuleFileNameA", {0, FakeProgram::kBuffer, 5}), 5u);
  EXPECT_EQ(program.text_at(FakeProgram::kBuffer), "C:\\g");
}

TEST(Win32Heap, gives_grows_and_takes_back) {
  FakeProgram program;
  const u64 heap = program.call("GetProcessHeap");
  const u64 first = program.call("HeapAlloc", {heap, 8, 100});
  const u64 second = program.call("HeapAlloc", {heap, 0, 100});
  EXPECT_EQ(first % 16, 0u);
  EXPECT_GE(second - first, 100u);
  EXPECT_EQ(program.call("HeapSize", {heap, 0, first}), 100u);
  program.put("kept across the move", first);
  const u64 moved = program.call("HeapReAlloc", {heap, 8, first, 5000});
  EXPECT_EQ(program.text_at(moved), "kept across the move");
  EXPECT_EQ(program.get<u64>(moved + 4992), 0u);
  EXPECT_EQ(program.call("HeapFree", {heap, 0, second}), 1u);
  EXPECT_EQ(program.call("HeapAlloc", {heap, 0, 200}), first);  // both freed neighbours, joined
  const u64 large = program.call("HeapAlloc", {heap, 0, 3 << 20});
  program.put("end", large + (3 << 20) - 4);
  EXPECT_EQ(program.call("HeapFree", {heap, 0, large}), 1u);
  EXPECT_EQ(program.call("HeapAlloc", {heap, 0, ~0ull}), 0u);
  EXPECT_EQ(program.outcome, CallOutcome::resume);
  EXPECT_EQ(program.call("HeapFree", {heap, 0, 0}), 1u);
}

TEST(Win32Heap, misuse_ends_the_program) {
  FakeProgram program;
  const u64 heap = program.call("GetProcessHeap");
  const u64 block = program.call("HeapAlloc", {heap, 0, 10});
  program.call("HeapFree", {heap, 0, block + 1});
  EXPECT_EQ(program.outcome, CallOutcome::crashed);
  EXPECT_NE(program.process->crash_text().find("is not a block of this heap"), std::string::npos);
  program.call("HeapAlloc", {0x1234, 0, 10});
  EXPECT_EQ(program.outcome, CallOutcome::crashed);
  program.call("HeapReAlloc", {heap, 0, 0xdead, 10});
  EXPECT_EQ(program.outcome, CallOutcome::crashed);
}

TEST(Win32Heap, survives_having_its_memory_pulled_away) {
  FakeProgram program;
  const u64 heap = program.call("GetProcessHeap");
  const u64 block = program.call("HeapAlloc", {heap, 0, 64});
  program.call("VirtualFree", {block & ~0xffffull, 0, 0x8000});
  program.call("HeapAlloc", {heap, 8, 64});
  EXPECT_EQ(program.outcome, CallOutcome::crashed);
  const u64 other = program.call("HeapCreate", {0, 0, 0});
  ASSERT_NE(other, 0u);
  EXPECT_NE(program.call("HeapAlloc", {other, 8, 64}), 0u);
  EXPECT_EQ(program.call("HeapDestroy", {other}), 1u);
  EXPECT_EQ(program.call("HeapDestroy", {heap}), 0u);
}

TEST(Win32Heap, crt_names_mean_the_same_heap) {
  FakeProgram program;
  const u64 block = program.call("calloc", {3, 5});
  EXPECT_EQ(program.call("HeapSize", {program.call("GetProcessHeap"), 0, block}), 15u);
  EXPECT_EQ(program.call("calloc", {1ull << 40, 1ull << 40}), 0u);
  program.call("free", {program.call("realloc", {block, 100})});
  EXPECT_EQ(program.outcome, CallOutcome::resume);
}

TEST(Win32Virtual, reserves_commits_and_releases) {
  FakeProgram program;
  const u64 base = program.call("VirtualAlloc", {0, 0x100000, 0x2000, 4});
  ASSERT_NE(base, 0u);
  EXPECT_EQ(base % 0x10000, 0u);
  EXPECT_TRUE(program.process->space().view(base, 1).empty());
  EXPECT_EQ(program.call("VirtualAlloc", {base + 0x5000, 0x1800, 0x1000, 4}), base + 0x5000);
  program.put("x", base + 0x6fff - 1);
  EXPECT_TRUE(program.process->space().view(base + 0x7000, 1).empty());
  EXPECT_EQ(program.call("VirtualAlloc", {base, 0x10000, 0x1000, 4}), base);  // around existing pages
  EXPECT_EQ(program.get<char>(base + 0x6fff - 1), 'x');
  EXPECT_EQ(program.call("VirtualAlloc", {base, 0x1000, 0x2000, 4}), 0u);  // taken
  EXPECT_EQ(program.last_error(), 487u);
  EXPECT_EQ(program.call("VirtualFree", {base + 0x6000, 0x1000, 0x4000}), 1u);
  EXPECT_TRUE(program.process->space().view(base + 0x6000, 1).empty());
  EXPECT_EQ(program.call("VirtualFree", {base + 0x1000, 0, 0x8000}), 0u);
  EXPECT_EQ(program.call("VirtualFree", {base, 0, 0x8000}), 1u);
  EXPECT_TRUE(program.process->space().view(base, 1).empty());
  EXPECT_EQ(program.call("VirtualAlloc", {0, 0x1000, 0x3000, 4}), base);  // the first gap
  EXPECT_EQ(program.call("VirtualAlloc", {0, 1ull << 60, 0x3000, 4}), 0u);
  EXPECT_EQ(program.call("VirtualAlloc", {0, 0x1000, 0x3000, 0x123}), 0u);
  EXPECT_EQ(program.last_error(), 87u);
}

TEST(Win32Virtual, protects_single_pages) {
  FakeProgram program;
  const u64 base = program.call("VirtualAlloc", {0, 0x4000, 0x3000, 4});
  program.put("stays", base + 0x1ffd);
  EXPECT_EQ(program.call("VirtualProtect", {base + 0x1000, 1, 2, FakeProgram::kBuffer}), 1u);
  EXPECT_EQ(program.get<u32>(FakeProgram::kBuffer), 4u);
  EXPECT_EQ(program.text_at(base + 0x1ffd), "stays");
  EXPECT_EQ(program.call("VirtualQuery", {base + 0x1234, FakeProgram::kBuffer, 48}), 48u);
  EXPECT_EQ(program.get<u64>(FakeProgram::kBuffer), base + 0x1000);
  EXPECT_EQ(program.get<u64>(FakeProgram::kBuffer + 24), 0x1000u);
  EXPECT_EQ(program.get<u32>(FakeProgram::kBuffer + 36), 2u);
  // A Windows function may not write there either.
  program.call("QueryPerformanceCounter", {base + 0x1000});
  EXPECT_EQ(program.outcome, CallOutcome::crashed);
  EXPECT_EQ(program.call("VirtualProtect", {base + 0x3000, 0x2000, 2, FakeProgram::kBuffer}), 0u);
  EXPECT_EQ(program.call("VirtualProtect", {FakeProgram::kUnmapped, 1, 2, FakeProgram::kBuffer}), 0u);
}

TEST(Win32Thread, slots_hold_values) {
  FakeProgram program;
  const u64 index = program.call("TlsAlloc");
  EXPECT_EQ(program.call("TlsGetValue", {index}), 0u);
  EXPECT_EQ(program.call("TlsSetValue", {index, 77}), 1u);
  EXPECT_EQ(program.call("TlsGetValue", {index}), 77u);
  EXPECT_EQ(program.get<u64>(program.process->thread().x[18] + 0x1480 + index * 8), 77u);
  EXPECT_EQ(program.call("TlsFree", {index}), 1u);
  EXPECT_EQ(program.call("TlsFree", {index}), 0u);
  EXPECT_EQ(program.call("TlsSetValue", {5000, 1}), 0u);
  for (u32 count = 0; count < 64; ++count) program.call("TlsAlloc");
  EXPECT_EQ(program.call("TlsAlloc"), 0xffffffffu);
  const u64 fiber = program.call("FlsAlloc", {0});
  EXPECT_EQ(program.call("FlsSetValue", {fiber, 5}), 1u);
  EXPECT_EQ(program.call("FlsGetValue", {fiber}), 5u);
  EXPECT_EQ(program.call("FlsGetValue", {fiber + 1}), 0u);
}

TEST(Win32Thread, locks_nest_or_get_stuck) {
  FakeProgram program;
  const u64 lock = FakeProgram::kBuffer;
  EXPECT_EQ(program.call("InitializeCriticalSectionEx", {lock, 4000, 0}), 1u);
  program.call("EnterCriticalSection", {lock});
  program.call("EnterCriticalSection", {lock});
  program.call("LeaveCriticalSection", {lock});
  program.call("LeaveCriticalSection", {lock});
  EXPECT_EQ(program.outcome, CallOutcome::resume);
  program.call("LeaveCriticalSection", {lock});
  EXPECT_EQ(program.outcome, CallOutcome::crashed);
  const u64 slim = FakeProgram::kBuffer + 64;
  program.call("InitializeSRWLock", {slim});
  program.call("AcquireSRWLockShared", {slim});
  program.call("AcquireSRWLockShared", {slim});
  EXPECT_EQ(program.call("TryAcquireSRWLockExclusive", {slim}), 0u);
  program.call("ReleaseSRWLockShared", {slim});
  program.call("ReleaseSRWLockShared", {slim});
  EXPECT_EQ(program.call("TryAcquireSRWLockExclusive", {slim}), 1u);
  EXPECT_EQ(program.outcome, CallOutcome::resume);
  program.call("AcquireSRWLockExclusive", {slim});
  EXPECT_EQ(program.outcome, CallOutcome::crashed);
}

TEST(Win32Time, is_virtual) {
  FakeProgram program;
  program.now_ns = 1'234'567'890;
  program.call("QueryPerformanceCounter", {FakeProgram::kBuffer});
  EXPECT_EQ(program.get<u64>(FakeProgram::kBuffer), 12'345'678u);
  program.call("QueryPerformanceFrequency", {FakeProgram::kBuffer});
  EXPECT_EQ(program.get<u64>(FakeProgram::kBuffer), 10'000'000u);
  EXPECT_EQ(program.call("GetTickCount64"), 1232u);
  program.call("GetSystemTimePreciseAsFileTime", {FakeProgram::kBuffer});
  EXPECT_EQ(program.get<u64>(FakeProgram::kBuffer), 133'801'632'000'000'000u + 12'345'678u);
  program.call("Sleep", {5});
  EXPECT_EQ(program.process->sleep_until_ns(), 1'239'567'890u);
  program.call("Sleep", {0xffffffff});
  EXPECT_EQ(program.process->sleep_until_ns(), ~0ull);
}

TEST(Win32Console, keeps_what_is_written) {
  FakeProgram program;
  const u64 out = program.call("GetStdHandle", {0xfffffff5});
  EXPECT_EQ(program.call("WriteFile", {out, program.put("hello "), 6, FakeProgram::kBuffer + 100, 0}), 1u);
  EXPECT_EQ(program.get<u32>(FakeProgram::kBuffer + 100), 6u);
  EXPECT_EQ(program.call("WriteConsoleW", {out, program.put_wide("wide"), 4, 0, 0}), 1u);
  program.call("puts", {program.put("!")});
  EXPECT_EQ(program.process->console_output(), "hello wide!\n");
  EXPECT_EQ(program.call("WriteFile", {1234, FakeProgram::kBuffer, 1, 0, 0}), 0u);
  EXPECT_EQ(program.last_error(), 6u);
  for (u32 count = 0; count < 40; ++count) program.call("WriteFile", {out, FakeProgram::kBuffer, 4096, 0, 0});
  EXPECT_EQ(program.process->console_output().size(), 64u << 10);
  program.call("WriteFile", {out, FakeProgram::kUnmapped, 10, 0, 0});
  EXPECT_EQ(program.outcome, CallOutcome::crashed);
}

TEST(Win32Crt, does_what_the_c_functions_do) {
  FakeProgram program;
  const u64 text = program.put("abcdef");
  EXPECT_EQ(program.call("strlen", {text}), 6u);
  EXPECT_EQ(program.call("memmove", {text + 2, text, 4}), text + 2);
  EXPECT_EQ(program.text_at(text), "ababcd");
  EXPECT_EQ(program.call("strchr", {text, 'b'}), text + 1);
  EXPECT_EQ(program.call("strrchr", {text, 'b'}), text + 3);
  EXPECT_EQ(program.call("strchr", {text, 'z'}), 0u);
  EXPECT_EQ(static_cast<u32>(program.call("memcmp", {text, text + 2, 3})), 0xffffffffu - 0u);
  EXPECT_EQ(program.call("strncmp", {text, text + 2, 2}), 0u);
  EXPECT_EQ(program.call("atoi", {program.put("  -42x")}), static_cast<u64>(-42));
  // Copies across the border of two pages, between ranges that overlap almost completely.
  const u64 long_text = program.call("malloc", {300'000});
  program.call("memset", {long_text, 'y', 300'000});
  program.call("memmove", {long_text + 1, long_text, 299'000});
  EXPECT_EQ(program.get<char>(long_text + 298'999), 'y');
  program.call("memcpy", {FakeProgram::kUnmapped, text, 4});
  EXPECT_EQ(program.outcome, CallOutcome::crashed);
  program.call("strlen", {FakeProgram::kUnmapped});
  EXPECT_EQ(program.outcome, CallOutcome::crashed);
}

TEST(Win32Text, converts_ascii) {
  FakeProgram program;
  const u64 wide = FakeProgram::kBuffer + 0x800;
  EXPECT_EQ(program.call("MultiByteToWideChar", {65001, 0, program.put("text"), 0xffffffff, wide, 10}), 5u);
  EXPECT_EQ(program.call("lstrlenW", {wide}), 4u);
  EXPECT_EQ(program.call("WideCharToMultiByte", {65001, 0, wide, 4, 0, 0, 0, 0}), 4u);
  EXPECT_EQ(program.call("WideCharToMultiByte", {65001, 0, wide, 4, FakeProgram::kBuffer, 3, 0, 0}), 0u);
  EXPECT_EQ(program.last_error(), 122u);
}

// Calls every function with invalid values in every register: the program may crash, the simulator may not.
TEST(Win32Surface, survives_any_argument) {
  const u64 rubbish[] = {0,
                         1,
                         0xffffffff,
                         ~0ull,
                         ~0ull - 8,
                         0x7fffffffffffffff,
                         FakeProgram::kUnmapped,
                         FakeProgram::kBuffer + 2 * kPageSize - 3};
  for (u32 number = 0; number < win32_function_count(); ++number) {
    FakeProgram program;
    for (u64 value : rubbish) {
      for (u32 index = 0; index < 8; ++index) program.process->thread().x[index] = value;
      const CallOutcome outcome = program.process->kernel_call(number, 1000);
      EXPECT_EQ(outcome == CallOutcome::crashed, !program.process->crash_text().empty()) << number;
      if (outcome != CallOutcome::resume) {
        program = FakeProgram();
      }
    }
  }
}

}  // namespace
}  // namespace wperf::sim
