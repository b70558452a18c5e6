// SPDX-License-Identifier: BSD-3-Clause
// The internal state of a simulated process. Process (process.h) is its public interface; the win32_*.cpp files change
// it through Win32Call.
#pragma once
#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/windows/crt_state.h"
#include "sim/windows/guest_files.h"
#include "sim/windows/guest_handles.h"
#include "sim/windows/guest_memory.h"
#include "sim/windows/heap.h"
#include "sim/windows/loader.h"
#include "sim/windows/simulated_process.h"
#include "sim/windows/system_dlls.h"
#include "sim/windows/virtual_memory.h"

namespace wperf::sim {

inline constexpr usize kFiberSlots = 128;

class Win32Call;

// A function of the program that Windows called: the return address of the program's call to Windows, and the work to
// be done before that return.
struct GuestCallback {
  using Then = std::function<u64(Win32Call&)>;
  u64 return_address = 0, stack = 0;
  Then then;
};

// One thread of the process. When it is woken, it checks again whether its wait is over.
struct GuestThread {
  ThreadState registers;
  u32 id = 0;
  u64 teb = 0;
  u64 stack_base = 0, stack_limit = 0;  // base is the high end
  u32 processor = 0;                    // the core on which it runs
  u64 affinity = 1;                     // the cores on which it may run
  u64 sleep_until_ns = 0;
  u32 suspended = 0;
  bool ended = false;
  u32 exit_code = 0;
  bool waits = false;                           // waits for other threads; its call is made again when one of them ends
  u64 wait_end_ns = 0;                          // the time when it gives up waiting
  u64 wanted_lock = 0;                          // address of the lock it waits for
  u64 condition = 0;                            // the address at which it waits to be woken, or was woken
  u64 condition_ticket = 0;                     // the thread that waits longest has the smallest ticket; 0 if woken
  bool condition_timed_out = false;             // the wait has timed out, and the thread now waits only for the lock
  std::array<u64, kFiberSlots> fiber_values{};  // FlsAlloc
  std::vector<GuestCallback> callbacks;         // innermost last
};

// A DLL's entry point or TLS callback still to be called before the program's entry point.
struct PendingStart {
  u64 address = 0;
  u64 module_base = 0;
  usize image = 0;
  bool is_entry = false;  // its result decides whether the process may start
};

// Teb and Peb offsets are those of 64-bit Windows.
struct ProcessState {
  explicit ProcessState(u64 random_seed) : memory(space), virtual_memory(space, random_seed), seed(random_seed) {
    threads.push_back(std::make_unique<GuestThread>());
    current = threads.front().get();
  }

  AddressSpace space;
  GuestMemory memory;
  VirtualMemory virtual_memory;
  u64 seed;
  std::vector<std::unique_ptr<GuestThread>> threads;  // all there ever were, the program's first one first
  GuestThread* current;                               // the thread whose call is being answered
  SystemDlls system;
  LoadedImages loaded;
  std::vector<Module> modules;
  std::deque<PendingStart> starts;
  bool starting_entry = false;  // the DLL entry point that runs now may refuse
  usize starting_image = 0;

  u64 peb = 0;
  u32 process_id = 0;
  u32 processor_count = 1;
  u64 command_line_a = 0, command_line_w = 0, environment_w = 0;
  std::string command_line;

  std::unordered_map<u64, Heap> heaps;  // by handle
  u64 process_heap = 0;
  std::array<bool, 64> tls_used{};
  std::array<bool, kFiberSlots> fiber_used{};

  u32 exit_code = 0;
  std::string crash_text;
  std::string console;  // the first kConsoleKept bytes written
  u64 console_bytes = 0;
  u64 condition_tickets = 0;
  u64 chances = 0;  // the number of random values taken
  std::shared_ptr<StandardStreams> streams;
  u64 input_read = 0;  // position in its standard input
  GuestFiles files;
  GuestHandles handles;
  CrtState crt;
};

// PF_ARM_VFP_32_REGISTERS, NEON, FASTFAIL, ARM V8, V8 CRYPTO, V8 CRC32, V8.1 ATOMIC
inline constexpr std::array<u32, 7> kProcessorFeatures = {18, 19, 23, 29, 30, 31, 34};
inline constexpr usize kConsoleKept = 64 << 10;
inline constexpr u64 kTebLastError = 0x68;
inline constexpr u64 kTebTlsSlots = 0x1480;
inline constexpr u32 kStatusAccessViolation = 0xc0000005;
inline constexpr u32 kStatusBreakpoint = 0x80000003;
inline constexpr u32 kStatusIllegalInstruction = 0xc000001d;
inline constexpr u32 kStatusIntegerDivideByZero = 0xc0000094;
inline constexpr u32 kStatusStackOverflow = 0xc00000fd;
inline constexpr u32 kStatusStackBufferOverrun = 0xc0000409;  // __fastfail also ends with it
inline constexpr u32 kStatusAssertionFailure = 0xc0000420;
inline constexpr u32 kStatusDllInitFailed = 0xc0000142;

struct Process::State : ProcessState {
  using ProcessState::ProcessState;
};

// Sets up stack, TEB, PEB, command line, static TLS and the first registers. Called once, after the images are loaded.
[[nodiscard]] bool prepare_start(ProcessState& state, LoadError& error);
// Points the thread at the next pending DLL start, or at the program's entry point after all have run.
void go_to_next_start(ProcessState& state);
// Static thread-local storage for the thread; returns false if memory is short.
[[nodiscard]] bool map_static_tls(ProcessState& state, GuestThread& thread);
std::string describe_address(const ProcessState& state, u64 address);  // "bignum.dll+0x1010"

}  // namespace wperf::sim
