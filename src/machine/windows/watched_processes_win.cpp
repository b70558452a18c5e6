// SPDX-License-Identifier: BSD-3-Clause
#include "machine/windows/watched_processes_win.h"

#include <fmt/format.h>
#include <windows.h>
// Comes after windows.h, which it needs.
#include <psapi.h>
#include <winternl.h>

#include <algorithm>

#include "ground/os/handles_win.h"
#include "ground/os/system_library_win.h"
#include "ground/os/wide_text_win.h"
#include "ground/text/base_name.h"
#include "machine/plan/plan.h"
#include "machine/windows/processor_place.h"

namespace wperf::windows {
namespace {

constexpr size_t kLongestPath = 32'768;
constexpr u64 kImageBaseInPeb = 0x10;  // ImageBaseAddress in a 64-bit process

std::string image_path(HANDLE process) {
  std::wstring path(kLongestPath, L'\0');
  DWORD length = static_cast<DWORD>(path.size());
  if (QueryFullProcessImageNameW(process, 0, path.data(), &length) == 0) return {};
  return os::utf8_of({path.data(), length});
}

bool read(HANDLE process, u64 address, void* to, size_t size) {
  SIZE_T done = 0;
  return ReadProcessMemory(process, reinterpret_cast<const void*>(address), to, size, &done) != 0 && done == size;
}

// The address of the image before the process runs its first instruction; the list of modules is created later.
u64 image_base(HANDLE process) {
  static const os::SystemLibrary ntdll(L"ntdll.dll");
  decltype(&NtQueryInformationProcess) query = nullptr;
  if (!ntdll.bind("NtQueryInformationProcess", query)) return 0;
  PROCESS_BASIC_INFORMATION basic{};
  if (query(process, ProcessBasicInformation, &basic, sizeof basic, nullptr) < 0) return 0;
  u64 base = 0;
  if (basic.PebBaseAddress == nullptr) return 0;
  return read(process, reinterpret_cast<u64>(basic.PebBaseAddress) + kImageBaseInPeb, &base, sizeof base) ? base : 0;
}

readings::Module module_of(HANDLE process, HMODULE handle) {
  readings::Module module;
  MODULEINFO info{};
  if (K32GetModuleInformation(process, handle, &info, sizeof info) == 0) return module;
  std::wstring path(kLongestPath, L'\0');
  const DWORD length = K32GetModuleFileNameExW(process, handle, path.data(), static_cast<DWORD>(path.size()));
  module.path = os::utf8_of({path.data(), length});
  module.name = text::base_name(module.path);
  module.base = reinterpret_cast<u64>(info.lpBaseOfDll);
  module.size = info.SizeOfImage;
  module.entry = reinterpret_cast<u64>(info.EntryPoint);
  return module;
}

}  // namespace

void HandleCloser::operator()(void* handle) const {
  CloseHandle(handle);
}

WatchedProcess::WatchedProcess(u32 pid, OwnedHandle handle) : handle_(std::move(handle)) {
  known_.pid = pid;
  known_.running = true;
  if (handle_ != nullptr) look_at_image();
}

device::ProcessState WatchedProcess::state() const {
  if (handle_ == nullptr) return {};
  DWORD code = 0;
  if (WaitForSingleObject(handle_.get(), 0) == WAIT_TIMEOUT) return {.running = true, .exit_code = 0};
  GetExitCodeProcess(handle_.get(), &code);
  FILETIME created{}, ended{}, kernel{}, user{};
  const bool has_times = GetProcessTimes(handle_.get(), &created, &ended, &kernel, &user) != 0;
  return {.running = false,
          .exit_code = code,
          .has_times = has_times,
          .user_ns = os::nanoseconds_of(user),
          .system_ns = os::nanoseconds_of(kernel)};
}

void WatchedProcess::look_at_image() {
  known_.image = image_path(handle_.get());
  readings::Module image{
      .name = std::string(text::base_name(known_.image)), .path = known_.image, .base = 0, .size = 0, .entry = 0};
  if (const u64 base = image_base(handle_.get()); base != 0) {
    IMAGE_DOS_HEADER dos{};
    IMAGE_NT_HEADERS64 headers{};
    if (read(handle_.get(), base, &dos, sizeof dos) && dos.e_magic == IMAGE_DOS_SIGNATURE &&
        read(handle_.get(), base + static_cast<u32>(dos.e_lfanew), &headers, sizeof headers) &&
        headers.Signature == IMAGE_NT_SIGNATURE) {
      image.base = base;
      image.size = headers.OptionalHeader.SizeOfImage;
      image.entry = base + headers.OptionalHeader.AddressOfEntryPoint;
    }
  }
  known_.modules.push_back(std::move(image));
}

void WatchedProcess::look_at_modules() {
  if (handle_ == nullptr || !state().running) return;
  std::vector<HMODULE> loaded(256);
  DWORD needed = 0;
  while (true) {
    const DWORD room = static_cast<DWORD>(loaded.size() * sizeof(HMODULE));
    if (K32EnumProcessModulesEx(handle_.get(), loaded.data(), room, &needed, LIST_MODULES_ALL) == 0) return;
    if (needed <= room) break;
    loaded.resize(needed / sizeof(HMODULE));
  }
  loaded.resize(needed / sizeof(HMODULE));
  for (const HMODULE handle : loaded) {
    const u64 base = reinterpret_cast<u64>(handle);
    const auto same = [base](const readings::Module& module) { return module.base == base; };
    if (std::any_of(known_.modules.begin(), known_.modules.end(), same)) continue;
    readings::Module module = module_of(handle_.get(), handle);
    if (module.size == 0) continue;  // the module has been unloaded
    if (known_.modules.front().base == 0 && module.path == known_.image) {
      known_.modules.front() = std::move(module);
      continue;
    }
    // The previous module at this address was unloaded.
    const u64 end = module.base + module.size;
    std::erase_if(known_.modules, [&](const readings::Module& old) {
      return old.base != 0 && old.base < end && module.base < old.base + old.size;
    });
    known_.modules.push_back(std::move(module));
  }
}

const readings::Process& WatchedProcess::description() {
  look_at_modules();
  const device::ProcessState now = state();
  known_.running = now.running;
  known_.exit_code = now.exit_code;
  return known_;
}

namespace {

// Contract 5.7.
diag::Error spawn_error(DWORD error, const std::string& command_line) {
  return {.text = fmt::format("CreateProcess failed (0x{:x}).\nCreateProcess failed", error),
          .hint = command_line + ": " + os::system_error_text(error),
          .verbatim = true};
}

diag::Error pin_error(u32 core) {
  return {.text = fmt::format("CreateProcess failed: the program cannot be bound to core {}: {}", core,
                              os::system_error_text(GetLastError())),
          .hint = "wperf doctor lists the cores"};
}

std::optional<ProcessorPlace> place_of(u32 core) {
  std::vector<u32> sizes;
  const WORD groups = GetActiveProcessorGroupCount();
  for (WORD group = 0; group < groups; ++group) sizes.push_back(GetActiveProcessorCount(group));
  return place_of_core(core, sizes);
}

// Applies to all threads, including future ones. With one group of processors, the process's own mask is used. With
// several groups, a process may use more than one group, so its job confines it.
bool confine(const SpawnedProcess& spawned, const ProcessorPlace& place) {
  GROUP_AFFINITY affinity{};
  affinity.Group = place.group;
  affinity.Mask = static_cast<KAFFINITY>(place.mask);
  if (GetActiveProcessorGroupCount() > 1 &&
      SetInformationJobObject(spawned.job.get(), JobObjectGroupInformationEx, &affinity, sizeof affinity) == 0) {
    return false;
  }
  if (SetThreadGroupAffinity(spawned.thread.get(), &affinity, nullptr) == 0) return false;
  return GetActiveProcessorGroupCount() > 1 ||
         SetProcessAffinityMask(spawned.process.get(), static_cast<DWORD_PTR>(place.mask)) != 0;
}

OwnedHandle make_job() {
  OwnedHandle job(CreateJobObjectW(nullptr, nullptr));
  if (job == nullptr) return job;
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
  SetInformationJobObject(job.get(), JobObjectExtendedLimitInformation, &limits, sizeof limits);
  return job;
}

}  // namespace

diag::Result<SpawnedProcess> spawn_suspended(const std::string& command_line, u32 core) {
  const bool anywhere = core == plan::kAnyCore;
  const auto place = anywhere ? std::nullopt : place_of(core);
  if (!anywhere && !place.has_value()) {
    SetLastError(ERROR_INVALID_PARAMETER);
    return pin_error(core);
  }
  SpawnedProcess spawned;
  spawned.job = make_job();
  STARTUPINFOW startup{};
  startup.cb = sizeof startup;
  PROCESS_INFORMATION made{};
  std::wstring line = os::wide_of(command_line);  // CreateProcess may change it
  if (CreateProcessW(nullptr, line.data(), nullptr, nullptr, FALSE, CREATE_SUSPENDED | CREATE_NEW_CONSOLE, nullptr,
                     nullptr, &startup, &made) == 0) {
    return spawn_error(GetLastError(), command_line);
  }
  spawned.pid = made.dwProcessId;
  spawned.process.reset(made.hProcess);
  spawned.thread.reset(made.hThread);
  // Done before the program runs, so that no child escapes. A program that cannot be put into the job is still ended in
  // the usual way.
  if (spawned.job != nullptr) AssignProcessToJobObject(spawned.job.get(), spawned.process.get());
  if (place.has_value() && !confine(spawned, *place)) {
    const diag::Error error = pin_error(core);
    TerminateProcess(spawned.process.get(), 1);
    return error;
  }
  return spawned;
}

}  // namespace wperf::windows
