// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/waits/wait_classes.h"

#include <gtest/gtest.h>

namespace wperf::waits {
namespace {

struct Frame {
  std::string_view name;
  bool kernel;
};

WaitClass of(std::initializer_list<Frame> inside_out) {
  StackClass stack;
  for (const Frame& frame : inside_out) stack.take(frame.name, frame.kernel);
  return stack.get();
}

TEST(WaitClasses, NamesAreKnownWithWhatCompilersAndLibrariesAddToThem) {
  EXPECT_EQ(class_of_function("pthread_mutex_lock@@GLIBC_2.2.5"), WaitClass::lock);
  EXPECT_EQ(class_of_function("__GI___lll_lock_wait"), WaitClass::unexplained);
  EXPECT_EQ(class_of_function("__lll_lock_wait"), WaitClass::lock);
  EXPECT_EQ(class_of_function("folio_wait_bit_common.constprop.0"), WaitClass::io);
  EXPECT_EQ(class_of_function("NtDelayExecution"), WaitClass::timer);
  EXPECT_EQ(class_of_function("NtLockFile"), WaitClass::lock);
  EXPECT_EQ(class_of_function("__libc_pause"), WaitClass::message);
  EXPECT_EQ(class_of_function("__GI___libc_read"), WaitClass::io);
  EXPECT_EQ(class_of_function("main"), WaitClass::unexplained);
  EXPECT_EQ(class_of_function(""), WaitClass::unexplained);
}

TEST(WaitClasses, TheInnermostFunctionOfTheProgramDecides) {
  EXPECT_EQ(of({{"schedule", true}, {"futex_wait", true}, {"pthread_cond_wait", false}, {"poll", false}}),
            WaitClass::lock);
  EXPECT_EQ(of({{"schedule", true}, {"do_nanosleep", true}, {"work", false}}), WaitClass::timer);
  EXPECT_EQ(of({{"schedule", true}, {"work", false}}), WaitClass::other);
  EXPECT_EQ(of({}), WaitClass::unexplained);
}

TEST(WaitClasses, EndsOfThreadsAndProcessesAreNoLocks) {
  EXPECT_EQ(of({{"futex_do_wait", true}, {"__futex_abstimed_wait_cancelable64", false}, {"pthread_join", false}}),
            WaitClass::thread_end);
  EXPECT_EQ(of({{"futex_do_wait", true}, {"__pthread_clockjoin_ex", false}, {"main", false}}), WaitClass::thread_end);
  EXPECT_EQ(of({{"NtWaitForSingleObject", false}, {"WaitForSingleObjectEx", false}, {"_Thrd_join", false}}),
            WaitClass::thread_end);
  EXPECT_EQ(of({{"do_wait", true}, {"wait4", false}}), WaitClass::process_end);
  EXPECT_EQ(of({{"do_wait", true}}), WaitClass::process_end);
  EXPECT_EQ(of({{"futex_wait", true}, {"pthread_mutex_lock", false}, {"work", false}}), WaitClass::lock);
}

struct ModuleFrame {
  std::string_view name, module;
};

bool waits_for_gil(std::initializer_list<ModuleFrame> inside_out) {
  PythonWait lock;
  for (const ModuleFrame& frame : inside_out) lock.take(frame.name, frame.module);
  return lock.kind() == WaitClass::gil;
}

TEST(PythonWait, IsForTheInterpretersLock) {
  const ModuleFrame wait = {"pthread_cond_timedwait", "libc.so.6"};
  EXPECT_TRUE(waits_for_gil({wait, {"take_gil", "libpython3.13.so.1.0"}, {"_PyThreadState_Attach", ""}}));
  EXPECT_TRUE(waits_for_gil({{"SleepConditionVariableSRW", "KERNELBASE.dll"}, {"take_gil", "python313.dll"}}));
  EXPECT_TRUE(waits_for_gil({wait, {"", "python3.11"}, {"PyEval_RestoreThread", "python3.11"}}));
  EXPECT_TRUE(waits_for_gil({wait, {"", "python3.11"}, {"_PyEval_EvalFrameDefault", "python3.11"}}));
  EXPECT_TRUE(waits_for_gil({wait, {"", "python3.11"}, {"", "python3.11"}, {"work", "app.py"}}));
  EXPECT_TRUE(waits_for_gil({wait, {"", "python3.14"}, {"", "python3.14"}, {"_Py_HandlePending", "python3.14"}}));
  EXPECT_TRUE(waits_for_gil({wait, {"", "python3.15"}, {"_PyParkingLot_Park", "python3.15"}}));
}

TEST(PythonWait, IsForATimerInSleep) {
  PythonWait sleep, other;
  sleep.take("WaitForSingleObject", "KERNELBASE.dll");
  sleep.take("time_sleep", "python313.dll");
  sleep.take("take_gil", "python313.dll");
  EXPECT_EQ(sleep.kind(), WaitClass::timer);
  other.take("time_sleep", "clock.dll");
  EXPECT_EQ(other.kind(), WaitClass::unexplained) << "a function of another program";
}

TEST(PythonWait, IsNotForTheLockOfAnExtension) {
  const ModuleFrame wait = {"pthread_cond_timedwait", "libc.so.6"};
  EXPECT_FALSE(waits_for_gil({}));
  EXPECT_FALSE(waits_for_gil({wait}));
  EXPECT_FALSE(waits_for_gil({wait, {"", "_extension.so"}, {"_PyEval_EvalFrameDefault", "python3.11"}}));
  EXPECT_FALSE(waits_for_gil({wait, {"", "python3.11"}, {"", "_extension.so"}, {"work", "app.py"}}));
  EXPECT_FALSE(waits_for_gil({wait, {"PyThread_acquire_lock_timed", "python3.11"}, {"take_gil", "python3.11"}}));
  EXPECT_FALSE(waits_for_gil({wait, {"_PyEval_EvalFrameDefault", "python3.11"}}));
  EXPECT_FALSE(
      waits_for_gil({{"sem_clockwait", "libc.so.6"}, {"", "python3.15"}, {"_PyParkingLot_Park", "python3.15"}}));
}

TEST(WaitClasses, TheKernelKnowsWhatIsRead) {
  EXPECT_EQ(of({{"schedule", true}, {"anon_pipe_read", true}, {"vfs_read", true}, {"read", false}}),
            WaitClass::message);
  EXPECT_EQ(of({{"io_schedule", true}, {"filemap_read", true}, {"read", false}}), WaitClass::io);
}

TEST(WaitClasses, AWaitForTheProgramOfAChildIsForNoLock) {
  for (const char* function : {"__vfork", "clone3", "posix_spawn"}) {
    EXPECT_EQ(of({{"schedule", true}, {"wait_for_completion", true}, {"kernel_clone", true}, {function, false}}),
              WaitClass::other)
        << function;
  }
  EXPECT_EQ(of({{"futex_wait", true}, {"pthread_mutex_lock", false}, {"work", false}, {"clone3", false}}),
            WaitClass::lock)
      << "where the thread began";
  EXPECT_EQ(of({{"futex_wait", true}, {"work", false}, {"clone3", false}}), WaitClass::lock);
}

// Windows waits for files with the same functions as for locks.
TEST(WaitClasses, WindowsFileWaitIsIoNotLock) {
  EXPECT_EQ(of({{"KeWaitForSingleObject", true},
                {"IopSynchronousServiceTail", true},
                {"NtReadFile", true},
                {"ReadFile", false}}),
            WaitClass::io);
  EXPECT_EQ(of({{"KeWaitForSingleObject", true}, {"NtWaitForSingleObject", true}}), WaitClass::lock);
}

TEST(WaitClasses, PageFaultWaitIsPaging) {
  EXPECT_EQ(of({{"io_schedule", true}, {"handle_mm_fault", true}, {"asm_exc_page_fault", true}, {"read", false}}),
            WaitClass::paging);
}

TEST(WaitClasses, ReasonsOfWindows) {
  EXPECT_EQ(class_of_reason(37), WaitClass::lock);
  EXPECT_EQ(class_of_reason(15), WaitClass::idle_pool);
  EXPECT_EQ(class_of_reason(21), WaitClass::lock);
  EXPECT_EQ(class_of_reason(22), WaitClass::unexplained) << "of a thread that has ended";
  EXPECT_EQ(reason_name(21), "WrKeyedEvent");
  EXPECT_EQ(reason_name(39), "WrPhysicalFault");
  EXPECT_EQ(reason_name(40), "");
  EXPECT_EQ(class_of_reason(39), WaitClass::paging);
  EXPECT_EQ(class_of_reason(6), WaitClass::unexplained) << "UserRequest says nothing";
}

TEST(WaitClasses, WhereAWordOfMemoryIsWaitedFor) {
  for (const char* name : {"__x64_sys_futex", "__arm64_sys_futex", "do_futex", "futex_wait.constprop.0"}) {
    EXPECT_TRUE(is_futex_call(name)) << name;
  }
  // 32-bit programs have arguments in other registers; for a list of words, the first argument is not the address of a
  // word.
  for (const char* name : {"__ia32_compat_sys_futex", "__x64_sys_futex_waitv", "schedule", "pipe_read"}) {
    EXPECT_FALSE(is_futex_call(name)) << name;
  }
  for (const char* name : {"pthread_mutex_lock@@GLIBC_2.2.5", "__GI___pthread_mutex_lock", "__lll_lock_wait",
                           "__pthread_cond_wait", "__futex_abstimed_wait_common64"}) {
    EXPECT_TRUE(waits_by_futex(name)) << name;
  }
  for (const char* name : {"read", "pthread_mutex_unlock", "clock_nanosleep", ""}) {
    EXPECT_FALSE(waits_by_futex(name)) << name;
  }
}

TEST(WaitClasses, WhatIsTheProgramsOwn) {
  for (const char* name : {"libc.so.6", "libc-2.31.so", "ld-linux-aarch64.so.1", "libstdc++.so.6.0.30", "ntdll.dll",
                           "KERNELBASE.dll", "MSVCP140.dll"}) {
    EXPECT_TRUE(is_library_module(name)) << name;
  }
  for (const char* name : {"libcurl.so.4", "threads.exe", "ld", "libcrypto.so.3", ""}) {
    EXPECT_FALSE(is_library_module(name)) << name;
  }
  EXPECT_TRUE(is_library_function("std::mutex::lock"));
  EXPECT_TRUE(is_library_function("__pthread_mutex_lock"));
  EXPECT_FALSE(is_library_function("Cache::lock"));
}

TEST(WaitClasses, InnerWakeFunctionsAndTimerInterrupts) {
  EXPECT_TRUE(is_inner_wake("__GI___lll_lock_wake"));
  EXPECT_TRUE(is_inner_wake("futex_wake"));
  EXPECT_FALSE(is_inner_wake("pthread_mutex_unlock@@GLIBC_2.2.5"));
  EXPECT_TRUE(is_timer_interrupt("hrtimer_wakeup"));
  EXPECT_TRUE(is_timer_interrupt("process_timeout.constprop.0"));
  EXPECT_FALSE(is_timer_interrupt("try_to_wake_up"));
  EXPECT_TRUE(is_signal_wake("complete_signal"));
  EXPECT_TRUE(is_signal_wake("signal_wake_up_state.part.0"));
  EXPECT_FALSE(is_signal_wake("signalfd_notify"));
  EXPECT_TRUE(reports_child("do_notify_parent_cldstop"));
}

}  // namespace
}  // namespace wperf::waits
