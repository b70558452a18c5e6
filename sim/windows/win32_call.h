// SPDX-License-Identifier: BSD-3-Clause
// One call of a Windows function by a simulated program: its arguments, the process it may change, its end. Every
// handler of the Win32 surface takes one. A wrong pointer ends the program, not the simulator.
#pragma once
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/ints.h"
#include "sim/windows/process_state.h"

namespace wperf::sim {

// Windows error codes that programs look at.
inline constexpr u32 kErrorInvalidHandle = 6, kErrorNotEnoughMemory = 8, kErrorInvalidParameter = 87,
                     kErrorInsufficientBuffer = 122, kErrorModNotFound = 126, kErrorProcNotFound = 127,
                     kErrorEnvironmentVariableNotFound = 203, kErrorInvalidAddress = 487, kErrorNotSupported = 50,
                     kErrorNoMoreItems = 259;

class Win32Call {
 public:
  Win32Call(ProcessState& process_state, std::string_view function, u64 virtual_now_ns)
      : state(process_state), now_ns(virtual_now_ns), function_(function) {}

  u64 argument(u32 index) const;  // arguments from the ninth on are on the stack; 0 if the stack cannot be read
  u32 argument32(u32 index) const { return static_cast<u32>(argument(index)); }

  // Memory of the program. On failure the program has crashed and the handler returns.
  [[nodiscard]] bool read(u64 address, void* out, u64 size);
  [[nodiscard]] bool write(u64 address, const void* in, u64 size);
  template <class T>
  [[nodiscard]] bool write_value(u64 address, const T& value) {
    return write(address, &value, sizeof value);
  }
  template <class T>
  [[nodiscard]] bool read_value(u64 address, T& value) {
    return read(address, &value, sizeof value);
  }
  [[nodiscard]] bool read_name(u64 address, bool wide, std::string& out);
  // Zero-terminated, as UTF-16 when wide; capacity in characters. Returns false on a crash.
  [[nodiscard]] bool write_name(u64 address, bool wide, std::string_view text);

  void set_last_error(u32 error);
  u32 last_error() const;
  u64 fail(u32 error, u64 result = 0);  // sets the last error and returns `result`
  u64 crash(const std::string& why);    // "HeapFree: …" ; returns 0
  u64 end(u32 exit_code);

  // The calling thread ends; with the last one, the process does.
  u64 end_thread(u32 exit_code);
  // The thread makes its call again when it is woken. A handler then returns the first argument of the call.
  u64 repeat_after(u64 ns);
  u64 wait_for_lock(u64 address);
  void wake_for_lock(u64 address);
  bool is_alone() const;  // whether no other thread lives

  // Calls a function of the program. The result of `then` becomes the answer to the call that the program made. The
  // handler returns the result of this function.
  u64 call_program(u64 function, std::initializer_list<u64> arguments, GuestCallback::Then then);
  u64 program_returned();            // the handler of that function's return
  void forget_callbacks(u64 stack);  // forgets functions whose frames are below `stack`, because longjmp left them

  CallOutcome outcome() const { return outcome_; }

  ProcessState& state;
  const u64 now_ns;

 private:
  std::string_view function_;
  CallOutcome outcome_ = CallOutcome::resume;
};

bool is_thread_handle(const ProcessState& state, u64 handle);  // win32_thread_life.cpp

std::string hex(u64 value);  // "0x1f"

}  // namespace wperf::sim
