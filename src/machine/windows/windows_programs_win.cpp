// SPDX-License-Identifier: BSD-3-Clause
#include "machine/windows/windows_programs_win.h"

#include <windows.h>
// Comes after windows.h, which it needs.
#include <tlhelp32.h>

#include <algorithm>

#include "ground/os/process.h"
#include "ground/os/wide_text_win.h"
#include "machine/windows/watched_processes_win.h"

#ifndef CREATE_WAITABLE_TIMER_HIGH_RESOLUTION
#define CREATE_WAITABLE_TIMER_HIGH_RESOLUTION 0x2
#endif

namespace wperf::windows {
namespace {

constexpr u64 kNanosecondsPerSecond = 1'000'000'000;
constexpr u64 kNanosecondsPerTick = 100;  // the unit of timers
// A new process is loading its modules; even one that exists only for some milliseconds must be seen.
constexpr u64 kYoungNs = 300'000'000;
constexpr u64 kYoungLookNs = 2'000'000;
constexpr u64 kOldLookNs = 1'000'000'000;
constexpr DWORD kRights = SYNCHRONIZE | PROCESS_QUERY_LIMITED_INFORMATION | PROCESS_VM_READ | PROCESS_QUERY_INFORMATION;
constexpr DWORD kFewRights = SYNCHRONIZE | PROCESS_QUERY_LIMITED_INFORMATION;

OwnedHandle open_process(u32 pid) {
  OwnedHandle handle(OpenProcess(kRights, FALSE, pid));
  if (handle == nullptr) handle.reset(OpenProcess(kFewRights, FALSE, pid));
  return handle;
}

OwnedHandle make_timer() {
  OwnedHandle timer(CreateWaitableTimerExW(nullptr, nullptr, CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, TIMER_ALL_ACCESS));
  // Windows 10 before version 1803 has no timers of high resolution.
  if (timer == nullptr) timer.reset(CreateWaitableTimerW(nullptr, FALSE, nullptr));
  return timer;
}

}  // namespace

WindowsPrograms::WindowsPrograms() : timer_(make_timer()) {
  LARGE_INTEGER frequency;
  QueryPerformanceFrequency(&frequency);
  frequency_ = static_cast<u64>(frequency.QuadPart);
}

// The driver uses the same clock.
u64 WindowsPrograms::now_ns() {
  LARGE_INTEGER counter;
  QueryPerformanceCounter(&counter);
  const u64 count = static_cast<u64>(counter.QuadPart);
  return count / frequency_ * kNanosecondsPerSecond + count % frequency_ * kNanosecondsPerSecond / frequency_;
}

diag::Result<u32> WindowsPrograms::spawn(const std::string&, const std::string& command_line, u32 core) {
  WPERF_TRY(SpawnedProcess spawned, spawn_suspended(command_line, core));
  const u32 pid = spawned.pid;
  watched_.insert_or_assign(pid, Watched{.process = WatchedProcess(pid, std::move(spawned.process)),
                                         .job = std::move(spawned.job),
                                         .suspended = std::move(spawned.thread)});
  return pid;
}

void WindowsPrograms::kill(u32 pid) {
  const auto found = watched_.find(pid);
  if (found == watched_.end() || !found->second.spawned) return;
  Watched& watched = found->second;
  watched.process.look_at_modules();
  if (watched.job != nullptr) TerminateJobObject(watched.job.get(), 1);
  TerminateProcess(watched.process.handle(), 1);  // in case the job does not contain it
}

WindowsPrograms::Watched& WindowsPrograms::watch(u32 pid) {
  const auto found = watched_.find(pid);
  if (found != watched_.end()) return found->second;
  const u64 now = now_ns();
  Watched watched{.process = WatchedProcess(pid, open_process(pid)),
                  .job = {},
                  .suspended = {},
                  .spawned = false,
                  .started_ns = now,
                  .looked_ns = now};
  watched.process.look_at_modules();
  return watched_.emplace(pid, std::move(watched)).first->second;
}

void WindowsPrograms::resume(u64 now) {
  for (auto& [pid, watched] : watched_) {
    if (watched.suspended == nullptr) continue;
    ResumeThread(watched.suspended.get());
    watched.suspended.reset();
    watched.started_ns = now;
  }
}

u64 WindowsPrograms::next_look(u64 now) const {
  u64 next = now + kOldLookNs;
  for (const auto& [pid, watched] : watched_) {
    const u64 period = watched.spawned && now - watched.started_ns < kYoungNs ? kYoungLookNs : kOldLookNs;
    if (watched.process.state().running) next = std::min(next, std::max(now, watched.looked_ns + period));
  }
  return next;
}

void WindowsPrograms::look_at_modules(u64 now) {
  for (auto& [pid, watched] : watched_) {
    const u64 period = watched.spawned && now - watched.started_ns < kYoungNs ? kYoungLookNs : kOldLookNs;
    if (now < watched.looked_ns + period) continue;
    watched.process.look_at_modules();
    watched.looked_ns = now;
  }
}

bool WindowsPrograms::sleep(u64 nanoseconds, void* process) {
  LARGE_INTEGER due;
  due.QuadPart = -static_cast<long long>((nanoseconds + kNanosecondsPerTick - 1) / kNanosecondsPerTick);
  if (SetWaitableTimer(timer_.get(), &due, 0, nullptr, nullptr, FALSE) == 0) {
    Sleep(static_cast<DWORD>(nanoseconds / 1'000'000 + 1));
    return true;
  }
  HANDLE waited[3] = {timer_.get()};
  DWORD count = 1;
  if (process != nullptr) waited[count++] = process;
  // Ctrl-C ends a running wait, but not a wait that begins after Ctrl-C.
  if (os::interrupt_event() != nullptr && !os::interrupted()) waited[count++] = os::interrupt_event();
  return WaitForMultipleObjects(count, waited, FALSE, INFINITE) == WAIT_OBJECT_0;
}

diag::Result<void> WindowsPrograms::wait(u64 nanoseconds, u32 until_pid) {
  u64 now = now_ns();
  const u64 end = now + nanoseconds;
  void* const process = until_pid != 0 ? watch(until_pid).process.handle() : nullptr;
  resume(now);
  while (now < end) {
    look_at_modules(now);
    const u64 until = std::min(end, next_look(now));
    if (!sleep(until > now ? until - now : 1, process)) break;
    now = now_ns();
  }
  return {};
}

std::vector<readings::Process> WindowsPrograms::processes() {
  std::vector<readings::Process> processes;
  for (auto& [pid, watched] : watched_) processes.push_back(watched.process.description());
  void* const taken = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
  if (taken == INVALID_HANDLE_VALUE) return processes;
  const OwnedHandle snapshot(taken);
  PROCESSENTRY32W entry{};
  entry.dwSize = sizeof entry;
  for (BOOL more = Process32FirstW(snapshot.get(), &entry); more != 0; more = Process32NextW(snapshot.get(), &entry)) {
    const u32 pid = entry.th32ProcessID;
    if (const auto found = watched_.find(pid); found != watched_.end()) continue;
    const std::string name = os::utf8_of(entry.szExeFile);
    processes.push_back({.pid = pid,
                         .image = name,
                         .core = 0,
                         .running = true,
                         .exit_code = 0,
                         .modules = {{.name = name, .path = {}, .base = 0, .size = 0, .entry = 0}},
                         .threads = {}});
  }
  return processes;
}

}  // namespace wperf::windows
