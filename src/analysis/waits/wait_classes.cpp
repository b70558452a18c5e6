// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/waits/wait_classes.h"

#include <algorithm>
#include <string>

#include "analysis/waits/generated/functions.h"
#include "base/ascii.h"
#include "model/stacks/python_modules.h"

namespace wperf::waits {
namespace {

static_assert(std::is_sorted(std::begin(kFunctions), std::end(kFunctions),
                             [](const KnownFunction& a, const KnownFunction& b) { return a.name < b.name; }),
              "binary search needs sorted rows");

bool is_page_fault(std::string_view name) {
  return name == "exc_page_fault" || name == "asm_exc_page_fault" || name == "do_user_addr_fault" ||
         name == "handle_mm_fault" || name == "do_page_fault" || name == "do_mem_abort" || name == "MmAccessFault" ||
         name == "KiPageFault";
}

bool is_clone(std::string_view name) {
  while (name.starts_with('_')) name.remove_prefix(1);
  return name == "clone3" || name == "clone";
}

}  // namespace

WaitClass class_of_function(std::string_view name) {
  // glibc adds versions: "pthread_cond_wait@@GLIBC_2.3.2"; compilers add suffixes: "folio_wait_bit_common.constprop.0".
  name = name.substr(0, name.find_first_of("@."));
  while (name.starts_with('_')) name.remove_prefix(1);
  // glibc's internal system calls: "__GI___libc_read", "__libc_pause".
  for (const std::string_view own : {"GI___libc_", "libc_"}) {
    if (name.starts_with(own)) name.remove_prefix(own.size());
  }
  const KnownFunction* const found =
      std::lower_bound(std::begin(kFunctions), std::end(kFunctions), name,
                       [](const KnownFunction& known, std::string_view wanted) { return known.name < wanted; });
  return found != std::end(kFunctions) && found->name == name ? found->wait : WaitClass::unexplained;
}

bool is_futex_call(std::string_view name) {
  static constexpr std::string_view kKnown[] = {
      "do_futex",      "__x64_sys_futex",       "__arm64_sys_futex",    "__do_sys_futex",        "__se_sys_futex",
      "futex_wait",    "__futex_wait",          "futex_wait_queue_me",  "futex_wait_queue",      "futex_lock_pi",
      "futex_do_wait", "futex_wait_requeue_pi", "__x64_sys_futex_wait", "__arm64_sys_futex_wait"};
  return std::find(std::begin(kKnown), std::end(kKnown), name.substr(0, name.find('.'))) != std::end(kKnown);
}

bool waits_by_futex(std::string_view name) {
  if (is_inner_wake(name)) return true;
  static constexpr std::string_view kKnown[] = {"pthread_mutex_lock",
                                                "pthread_mutex_timedlock",
                                                "pthread_mutex_clocklock",
                                                "pthread_cond_wait",
                                                "pthread_cond_timedwait",
                                                "pthread_cond_clockwait",
                                                "pthread_rwlock_rdlock",
                                                "pthread_rwlock_wrlock",
                                                "pthread_barrier_wait",
                                                "sem_wait",
                                                "sem_timedwait"};
  name = name.substr(0, name.find_first_of("@."));
  while (name.starts_with('_')) name.remove_prefix(1);
  if (name.starts_with("GI_")) name.remove_prefix(3);
  while (name.starts_with('_')) name.remove_prefix(1);
  return std::find(std::begin(kKnown), std::end(kKnown), name) != std::end(kKnown);
}

bool is_inner_wake(std::string_view name) {
  while (name.starts_with('_')) name.remove_prefix(1);
  if (name.starts_with("GI_")) name.remove_prefix(3);
  while (name.starts_with('_')) name.remove_prefix(1);
  return name.starts_with("lll_") || name.starts_with("futex_");
}

bool is_timer_interrupt(std::string_view name) {
  static constexpr std::string_view kKnown[] = {"hrtimer_wakeup",     "process_timeout",           "it_real_fn",
                                                "posix_timer_fn",     "timerfd_tmrproc",           "KiTimerWaitTest",
                                                "KiTimerExpiration",  "KiProcessExpiredTimerList", "KiExpireTimerTable",
                                                "KiTimer2Expiration", "ExpTimerDpcRoutine"};
  return std::find(std::begin(kKnown), std::end(kKnown), name.substr(0, name.find('.'))) != std::end(kKnown);
}

bool is_signal_wake(std::string_view name) {
  name = name.substr(0, name.find('.'));
  return name == "complete_signal" || name == "signal_wake_up_state" || name == "zap_other_threads";
}

bool reports_child(std::string_view name) {
  return name.starts_with("do_notify_parent");
}

bool waits_for_object(std::string_view name) {
  static constexpr std::string_view kKnown[] = {"NtWaitForSingleObject", "NtWaitForMultipleObjects",
                                                "NtSignalAndWaitForSingleObject"};
  return std::ranges::find(kKnown, name) != std::end(kKnown);
}

WaitClass class_of_ending(std::string_view name) {
  if (name == "NtTerminateThread") return WaitClass::thread_end;
  return name == "NtTerminateProcess" ? WaitClass::process_end : WaitClass::unexplained;
}

bool is_library_module(std::string_view name) {
  static constexpr std::string_view kBeginnings[] = {
      "libc.so",  "libc-",  "libpthread", "ld-linux",  "ld-musl",    "libstdc++", "libc++",   "libgcc_s",
      "libm.so",  "librt.", "linux-vdso", "[vdso]",    "[vsyscall]", "ntdll",     "kernel32", "kernelbase",
      "ucrtbase", "msvcrt", "msvcp",      "vcruntime", "win32u",     "wow64",     "api-ms-"};
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) { return ascii_lower(c); });
  return std::any_of(std::begin(kBeginnings), std::end(kBeginnings),
                     [&](std::string_view one) { return lower.starts_with(one); });
}

bool is_library_function(std::string_view name) {
  for (const std::string_view one : {"std::", "__gthread", "__gnu_cxx::", "_Mtx", "_Cnd"}) {
    if (name.starts_with(one)) return true;
  }
  return is_inner_wake(name) || class_of_function(name) != WaitClass::unexplained;
}

WaitClass class_of_reason(u8 reason) {
  switch (reason) {
    case 1:   // FreePage
    case 2:   // PageIn
    case 8:   // WrFreePage
    case 9:   // WrPageIn
    case 18:  // WrVirtualMemory
    case 19:  // WrPageOut
    case 39:  // WrPhysicalFault
      return WaitClass::paging;
    case 4:   // DelayExecution
    case 11:  // WrDelayExecution
      return WaitClass::timer;
    case 15:  // WrQueue
      return WaitClass::idle_pool;
    case 16:  // WrLpcReceive
    case 17:  // WrLpcReply
      return WaitClass::message;
    case 21:  // WrKeyedEvent
    case 27:  // WrResource
    case 28:  // WrPushLock
    case 29:  // WrMutex
    case 34:  // WrFastMutex
    case 35:  // WrGuardedMutex
    case 36:  // WrRundown
    case 37:  // WrAlertByThreadId
      return WaitClass::lock;
    default:
      return WaitClass::unexplained;
  }
}

std::string_view reason_name(u8 reason) {
  static constexpr std::string_view kNames[] = {"Executive",        "FreePage",          "PageIn",
                                                "PoolAllocation",   "DelayExecution",    "Suspended",
                                                "UserRequest",      "WrExecutive",       "WrFreePage",
                                                "WrPageIn",         "WrPoolAllocation",  "WrDelayExecution",
                                                "WrSuspended",      "WrUserRequest",     "WrEventPair",
                                                "WrQueue",          "WrLpcReceive",      "WrLpcReply",
                                                "WrVirtualMemory",  "WrPageOut",         "WrRendezvous",
                                                "WrKeyedEvent",     "WrTerminated",      "WrProcessInSwap",
                                                "WrCpuRateControl", "WrCalloutStack",    "WrKernel",
                                                "WrResource",       "WrPushLock",        "WrMutex",
                                                "WrQuantumEnd",     "WrDispatchInt",     "WrPreempted",
                                                "WrYieldExecution", "WrFastMutex",       "WrGuardedMutex",
                                                "WrRundown",        "WrAlertByThreadId", "WrDeferredPreempt",
                                                "WrPhysicalFault"};
  return reason < std::size(kNames) ? kNames[reason] : std::string_view();
}

void StackClass::take(std::string_view function, bool is_kernel) {
  has_frames_ = true;
  // posix_spawn() waits in clone3() until its child runs the program. Other threads have clone3() only as their
  // outermost function.
  if (!is_kernel && !has_program_frames_ && is_clone(function)) of_program_ = WaitClass::other;
  has_program_frames_ = has_program_frames_ || !is_kernel;
  is_fault_ = is_fault_ || (is_kernel && is_page_fault(function));
  WaitClass& known = is_kernel ? of_kernel_ : of_program_;
  if (known != WaitClass::unexplained && known != WaitClass::lock) return;
  const WaitClass wait = class_of_function(function);
  // pthread_join() waits in a function of the C library that is used for waits of any kind.
  if (known == WaitClass::unexplained || (wait == WaitClass::thread_end && !is_kernel)) known = wait;
}

WaitClass StackClass::get() const {
  if (is_fault_) return WaitClass::paging;
  // read() may read a pipe and so wait for another thread. Only the kernel functions show this.
  if (of_program_ == WaitClass::io && of_kernel_ != WaitClass::unexplained) return of_kernel_;
  if (of_program_ != WaitClass::unexplained) return of_program_;
  if (of_kernel_ != WaitClass::unexplained) return of_kernel_;
  return has_frames_ ? WaitClass::other : WaitClass::unexplained;
}

// CPython's functions that wait for the GIL. In many builds, static functions have no names. Then one of these
// functions, or the interpreter's function (since 3.14, _Py_HandlePending), calls the function without a name. On
// Windows, time.sleep() waits for an object.
void PythonWait::take(std::string_view function, std::string_view module) {
  static constexpr std::string_view kOfLock[] = {"take_gil",
                                                 "drop_gil",
                                                 "PyEval_RestoreThread",
                                                 "PyEval_SaveThread",
                                                 "PyEval_AcquireThread",
                                                 "PyEval_ReleaseThread",
                                                 "PyGILState_Ensure",
                                                 "_PyThreadState_Attach"};
  if (state_ == State::decided) return;
  if (state_ == State::in_library && is_library_module(module)) {
    for_condition_ = for_condition_ || function.find("cond_timedwait") != function.npos ||
                     function.starts_with("SleepConditionVariable");
    return;
  }
  const bool is_inside = stacks::is_python_interpreter(module);
  if (function.empty() && is_inside) {
    state_ = State::in_unnamed_function;
    return;
  }
  const bool calls_unnamed = state_ == State::in_unnamed_function;
  const bool interprets =
      function == "_PyEval_EvalFrameDefault" || function == "_Py_HandlePending" || stacks::is_python_file(module);
  // A parked thread waits for a semaphore, and then for the GIL.
  const bool was_parked = for_condition_ && function == "_PyParkingLot_Park";
  if (std::ranges::find(kOfLock, function) != std::end(kOfLock) || (calls_unnamed && (interprets || was_parked))) {
    kind_ = WaitClass::gil;
  } else if (is_inside && (function == "time_sleep" || function == "pysleep")) {
    kind_ = WaitClass::timer;
  }
  state_ = State::decided;
}

}  // namespace wperf::waits
