// SPDX-License-Identifier: BSD-3-Clause
#include <windows.h>
// Comes after windows.h, which it needs.
#include <psapi.h>

#include <atomic>
#include <cerrno>
#include <filesystem>

#include "ground/os/files.h"
#include "ground/os/handles_win.h"
#include "ground/os/process.h"
#include "ground/os/system_library_win.h"
#include "ground/os/wide_text_win.h"

namespace wperf::os {
namespace {

constexpr DWORD kTimeToFinishMs = 30'000;  // the system kills the process earlier, some 5 s after the console is closed

std::atomic<int> interrupts_seen{0};
std::atomic<bool> is_released{false};
HANDLE interrupt_handle = nullptr;

// Runs in a thread that the system creates for it.
BOOL WINAPI on_console_event(DWORD event) {
  const bool first = interrupts_seen.fetch_add(1) == 0;
  SetEvent(interrupt_handle);
  if (event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT) {
    return first && !is_released.load() ? TRUE : FALSE;  // if FALSE, the default handler ends the process
  }
  Sleep(kTimeToFinishMs);  // console closed, log-off: the process lives only until this handler returns
  return TRUE;
}

}  // namespace

std::vector<std::string> program_arguments(int, char**) {
  std::vector<std::string> words = split_command_line(utf8_of(GetCommandLineW()));
  if (!words.empty()) words.erase(words.begin());
  return words;
}

void hold_standard_streams() {}  // on Windows a new file never gets the number of a closed stream

std::optional<std::string> environment(const char* name) {
  const std::wstring wide_name = wide_of(name);
  std::wstring value(256, L'\0');
  while (true) {
    SetLastError(ERROR_SUCCESS);
    const DWORD length = GetEnvironmentVariableW(wide_name.c_str(), value.data(), static_cast<DWORD>(value.size()));
    if (length == 0 && GetLastError() == ERROR_ENVVAR_NOT_FOUND) return std::nullopt;
    if (length < value.size()) return utf8_of({value.data(), length});
    value.resize(length);
  }
}

std::string program_folder() {
  HMODULE file = nullptr;
  if (GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                         reinterpret_cast<LPCWSTR>(&on_console_event), &file) == 0) {
    return {};
  }
  std::wstring path(MAX_PATH, L'\0');
  while (true) {
    const DWORD length = GetModuleFileNameW(file, path.data(), static_cast<DWORD>(path.size()));
    if (length == 0) return {};
    if (length < path.size()) return utf8_of(std::filesystem::path(path.c_str()).parent_path().wstring());
    path.resize(path.size() * 2);
  }
}

std::string companion_file(const std::string& folder, const std::string& name) {
  return join_path(folder, name);
}

unsigned process_number() {
  return GetCurrentProcessId();
}

std::string symbol_cache_folder() {
  const auto local = environment("LOCALAPPDATA");
  return local.has_value() ? *local + "\\wperf\\symbols" : std::string();
}

void catch_interrupt() {
  if (interrupt_handle == nullptr) interrupt_handle = CreateEventW(nullptr, TRUE, FALSE, nullptr);
  SetConsoleCtrlHandler(on_console_event, TRUE);
}

void release_interrupt() {
  is_released.store(true);
}

void outlive_readers() {}  // Windows does not end the process for a failed write

bool is_reader_gone(int error) {
  return error == EPIPE;
}

bool interrupted() {
  return interrupts_seen.load() > 0;
}

bool take_interrupt() {
  return interrupts_seen.exchange(0) > 0;
}

void* interrupt_event() {
  return interrupt_handle;
}

ProcessCost process_cost() {
  ProcessCost cost;
  FILETIME created{}, ended{}, kernel{}, user{};
  if (GetProcessTimes(GetCurrentProcess(), &created, &ended, &kernel, &user) != 0) {
    cost.cpu_ns = nanoseconds_of(kernel) + nanoseconds_of(user);
  }
  // Exists since Windows 7, under different names in psapi.h.
  BOOL(WINAPI * memory_of)(HANDLE, PROCESS_MEMORY_COUNTERS*, DWORD) = nullptr;
  PROCESS_MEMORY_COUNTERS memory{};
  if (SystemLibrary(L"kernel32.dll").bind("K32GetProcessMemoryInfo", memory_of) &&
      memory_of(GetCurrentProcess(), &memory, sizeof memory) != 0) {
    cost.resident_bytes = memory.WorkingSetSize;
    cost.most_bytes = memory.PeakWorkingSetSize;
  }
  return cost;
}

bool copy_own_memory(const void* from, std::span<std::byte> to) {
  SIZE_T copied = 0;
  return to.empty() ||
         (ReadProcessMemory(GetCurrentProcess(), from, to.data(), to.size(), &copied) != 0 && copied == to.size());
}

std::span<const std::byte> vdso_image() {
  return {};
}

}  // namespace wperf::os
