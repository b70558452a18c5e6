// SPDX-License-Identifier: BSD-3-Clause
// Classifies waits by the function that waits. Pure.
#pragma once
#include <array>
#include <string_view>

#include "base/ints.h"

namespace wperf::waits {

// In the order of the tables' columns.
enum class WaitClass : u8 {
  lock,
  gil,
  io,
  paging,
  timer,
  message,
  idle_pool,
  thread_end,   // for another thread's end
  process_end,  // for another process's end
  other,
  unexplained
};
inline constexpr usize kWaitClasses = 11;
inline constexpr std::array<std::string_view, kWaitClasses> kWaitClassNames = {
    "lock",      "GIL",        "I/O",         "paging", "timer",      "message",
    "idle pool", "thread end", "process end", "other",  "unexplained"};
constexpr std::string_view name_of(WaitClass wait) {
  return kWaitClassNames[static_cast<usize>(wait)];
}

// The class of one function; unexplained if the function does not wait.
WaitClass class_of_function(std::string_view name);

// Is this a kernel function in which threads wait for a word of their memory? The address of the word is the first
// argument of the system call.
bool is_futex_call(std::string_view name);
// Does this C library function wait only with such a system call?
bool waits_by_futex(std::string_view name);

// Is it a library's internal function that wakes threads, called by known functions such as pthread_mutex_unlock?
bool is_inner_wake(std::string_view name);
// Does a timer end the waits in this kernel function?
bool is_timer_interrupt(std::string_view name);
// Does this kernel function wake a thread because of a signal?
bool is_signal_wake(std::string_view name);
// Does this kernel function report the end of a child process, also by a signal?
bool reports_child(std::string_view name);

// Does this function of Windows wait for an object, which may be a thread or a process?
bool waits_for_object(std::string_view name);
// thread_end or process_end if this Windows function ends a thread or a process and so wakes the threads that wait for
// it; otherwise unexplained.
WaitClass class_of_ending(std::string_view name);

// Is it a module of the system or of the C and C++ libraries, which programs call to wait?
bool is_library_module(std::string_view name);
// Is it code of these libraries that was inlined or linked into the program's own module?
bool is_library_function(std::string_view name);
// The class of a KWAIT_REASON of Windows, used if no function determines the class.
WaitClass class_of_reason(u8 reason);
// Microsoft's name of the reason; empty if unknown.
std::string_view reason_name(u8 reason);

// Classifies a stack: call take() for each function, innermost first, then get().
class StackClass {
 public:
  void take(std::string_view function, bool is_kernel);
  // A page fault decides the class, whichever function touched the page. Otherwise the program's function counts before
  // the kernel's function, because it is more specific.
  WaitClass get() const;

 private:
  WaitClass of_program_ = WaitClass::unexplained, of_kernel_ = WaitClass::unexplained;
  bool is_fault_ = false, has_frames_ = false, has_program_frames_ = false;
};

// Finds out whether a stack that seems to wait for a lock waits for the lock of a Python interpreter (GIL) or in
// time.sleep(). Takes the program's functions, innermost first.
class PythonWait {
 public:
  // `function`: empty if the function has no name.
  void take(std::string_view function, std::string_view module);
  // gil or timer; unexplained if neither.
  WaitClass kind() const { return kind_; }

 private:
  enum class State : u8 { in_library, in_unnamed_function, decided };
  State state_ = State::in_library;
  bool for_condition_ = false;  // the library's functions wait for a condition variable
  WaitClass kind_ = WaitClass::unexplained;
};

}  // namespace wperf::waits
