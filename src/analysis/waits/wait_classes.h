// SPDX-License-Identifier: BSD-3-Clause
// The purpose of a wait, from the function that waits. Pure.
#pragma once
#include <array>
#include <string_view>

#include "base/ints.h"

namespace wperf::waits {

// In the order of the tables' columns.
enum class WaitClass : u8 { lock, gil, io, paging, timer, message, idle_pool, other, unexplained };
inline constexpr usize kWaitClasses = 9;
inline constexpr std::array<std::string_view, kWaitClasses> kWaitClassNames = {
    "lock", "GIL", "I/O", "paging", "timer", "message", "idle pool", "other", "unexplained"};
constexpr std::string_view name_of(WaitClass wait) {
  return kWaitClassNames[static_cast<usize>(wait)];
}

// The class of one function: unexplained if the function does not wait.
WaitClass class_of_function(std::string_view name);

// Is this a function of the kernel in which Linux lets threads wait for a word of their memory, whose address is the
// first argument of the system call?
bool is_futex_call(std::string_view name);
// Does this function of the C library wait only in that way?
bool waits_by_futex(std::string_view name);

// Is it an internal function with which a library wakes threads, called by known functions such as
// pthread_mutex_unlock?
bool is_inner_wake(std::string_view name);
// Does a clock end waits in this function of the kernel?
bool is_timer_interrupt(std::string_view name);

// Is it a module of the system or of the C and C++ libraries, through which programs wait?
bool is_library_module(std::string_view name);
// Code of these libraries in the program's own module: inlined, or linked in.
bool is_library_function(std::string_view name);
// By Windows' KWAIT_REASON, if no function decides.
WaitClass class_of_reason(u8 reason);
// Microsoft's word for it; empty if unknown.
std::string_view reason_name(u8 reason);

// A stack is passed from the innermost function outwards: take() each function, then read the class.
class StackClass {
 public:
  void take(std::string_view function, bool is_kernel);
  // A page fault counts whichever function touched the page; otherwise the program's own function is more informative
  // than the kernel's.
  WaitClass get() const;

 private:
  WaitClass of_program_ = WaitClass::unexplained, of_kernel_ = WaitClass::unexplained;
  bool is_fault_ = false, has_frames_ = false;
};

// Does a stack that waits for a lock wait for that of an interpreter of Python, the GIL? It is passed from the
// innermost function of the program outwards.
class PythonLock {
 public:
  // `function`: empty without a name.
  void take(std::string_view function, std::string_view module);
  bool is_waited_for() const { return state_ == State::yes; }

 private:
  enum class State : u8 { in_library, in_unnamed_function, no, yes };
  State state_ = State::in_library;
};

}  // namespace wperf::waits
