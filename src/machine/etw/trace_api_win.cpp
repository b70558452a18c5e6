// SPDX-License-Identifier: BSD-3-Clause
// Windows' own tracing. The functions are loaded for the first session.
#include <aclapi.h>
#include <sddl.h>
#include <windows.h>

#include <algorithm>
#include <charconv>

#include "ground/os/files.h"
#include "ground/os/machine_facts.h"
#include "ground/os/process.h"
#include "ground/os/system_library_win.h"
#include "ground/os/wide_text_win.h"
#include "machine/etw/etw_device.h"
#include "machine/etw/trace_requests.h"
#include "machine/windows/windows_programs_win.h"

namespace wperf::etw {
namespace {

using etw::WindowsError;

constexpr ULONG kPerformanceTraceInformation = 31;  // for NtSetSystemInformation
constexpr ULONG kMostSessions = 64;

struct Functions {
  ULONG(WINAPI* start)(u64*, const wchar_t*, void*) = nullptr;
  ULONG(WINAPI* control)(u64, const wchar_t*, void*, ULONG) = nullptr;
  ULONG(WINAPI* set)(u64, ULONG, const void*, ULONG) = nullptr;
  ULONG(WINAPI* query)(u64, ULONG, void*, ULONG, ULONG*) = nullptr;
  ULONG(WINAPI* query_all)(void**, ULONG, ULONG*) = nullptr;
  LONG(NTAPI* set_system)(ULONG, void*, ULONG) = nullptr;
};

// The released program uses Windows' own library.
std::wstring library(const wchar_t* name) {
#ifdef WPERF_TRACING_STAND_IN
  const std::string stand_in = os::join_path(os::program_folder(), WPERF_TRACING_STAND_IN);
  if (os::file_exists(stand_in)) return os::wide_of(stand_in);
#endif
  return name;
}

const Functions& functions() {
  static const Functions bound = [] {
    const os::SystemLibrary advapi(library(L"advapi32.dll").c_str()), ntdll(library(L"ntdll.dll").c_str());
    Functions made;
    static_cast<void>(advapi.bind("StartTraceW", made.start));
    static_cast<void>(advapi.bind("ControlTraceW", made.control));
    static_cast<void>(advapi.bind("TraceSetInformation", made.set));
    static_cast<void>(advapi.bind("TraceQueryInformation", made.query));
    static_cast<void>(advapi.bind("QueryAllTracesW", made.query_all));
    static_cast<void>(ntdll.bind("NtSetSystemInformation", made.set_system));
    return made;
  }();
  return bound;
}

// Anyone could create a mutex of this name first and hold it, so it counts only if administrators own it.
windows::OwnedHandle mutex_of_administrators(const wchar_t* name) {
  PSECURITY_DESCRIPTOR wanted = nullptr;
  if (ConvertStringSecurityDescriptorToSecurityDescriptorW(L"O:BAD:P(A;;GA;;;BA)(A;;GA;;;SY)", SDDL_REVISION_1, &wanted,
                                                           nullptr) == FALSE) {
    return {};
  }
  SECURITY_ATTRIBUTES attributes{sizeof(SECURITY_ATTRIBUTES), wanted, FALSE};
  windows::OwnedHandle mutex;
  mutex.reset(CreateMutexW(&attributes, FALSE, name));
  const bool existed = GetLastError() == ERROR_ALREADY_EXISTS;
  LocalFree(wanted);
  if (mutex == nullptr || !existed) return mutex;
  PSID owner = nullptr;
  PSECURITY_DESCRIPTOR found = nullptr;
  if (GetSecurityInfo(mutex.get(), SE_KERNEL_OBJECT, OWNER_SECURITY_INFORMATION, &owner, nullptr, nullptr, nullptr,
                      &found) != ERROR_SUCCESS) {
    return {};
  }
  if (IsWellKnownSid(owner, WinBuiltinAdministratorsSid) == FALSE) mutex.reset();
  LocalFree(found);
  return mutex;
}

std::wstring wide(const std::u16string& text) {
  static_assert(sizeof(wchar_t) == sizeof(char16_t));
  return {text.begin(), text.end()};
}

// The MIDR of an Arm core; 0 for other cores.
u64 midr_of(u32 core) {
  const std::wstring key = L"HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\" + std::to_wstring(core);
  u64 midr = 0;
  DWORD size = sizeof midr;
  if (RegGetValueW(HKEY_LOCAL_MACHINE, key.c_str(), L"CP 4000", RRF_RT_REG_QWORD, nullptr, &midr, &size) != 0) return 0;
  return midr;
}

class WindowsTracing final : public etw::TraceApi {
 public:
  HostFacts machine() override {
    if (machine_.has_value()) return *machine_;
    machine_.emplace();
    const auto facts = os::windows_facts();
    if (facts.has_value()) {
      const std::string& version = facts->version;
      const usize dot = version.rfind('.');
      if (dot != std::string::npos)
        std::from_chars(version.data() + dot + 1, version.data() + version.size(), machine_->build);
      machine_->elevated = facts->administrator;
      machine_->hypervisor = os::is_virtual_machine(facts->model);
    }
    const DWORD cores = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
    for (u32 core = 0; core < cores; ++core) machine_->core_midr.push_back(midr_of(core));
    return *machine_;
  }

  WindowsError enable_privilege() override {
    HANDLE token = nullptr;
    if (OpenProcessToken(GetCurrentProcess(), TOKEN_ADJUST_PRIVILEGES | TOKEN_QUERY, &token) == 0)
      return GetLastError();
    const windows::OwnedHandle owned(token);
    TOKEN_PRIVILEGES wanted{};
    wanted.PrivilegeCount = 1;
    wanted.Privileges[0].Attributes = SE_PRIVILEGE_ENABLED;
    if (LookupPrivilegeValueW(nullptr, L"SeSystemProfilePrivilege", &wanted.Privileges[0].Luid) == 0)
      return GetLastError();
    if (AdjustTokenPrivileges(token, FALSE, &wanted, 0, nullptr, nullptr) == 0) return GetLastError();
    return GetLastError();  // ERROR_NOT_ALL_ASSIGNED although the call succeeded
  }

  WindowsError start(u64& session, const std::u16string& name, std::span<std::byte> properties) override {
    if (functions().start == nullptr) return ERROR_NOT_SUPPORTED;
    return functions().start(&session, wide(name).c_str(), properties.data());
  }
  WindowsError control(u64 session, const std::u16string& name, std::span<std::byte> properties,
                       etw::ControlCode code) override {
    if (functions().control == nullptr) return ERROR_NOT_SUPPORTED;
    const std::wstring text = wide(name);
    return functions().control(session, session != 0 ? nullptr : text.c_str(), properties.data(),
                               static_cast<ULONG>(code));
  }
  WindowsError set(u64 session, etw::TraceClass what, std::span<const std::byte> information) override {
    if (functions().set == nullptr) return ERROR_NOT_SUPPORTED;
    return functions().set(session, static_cast<ULONG>(what), information.data(),
                           static_cast<ULONG>(information.size()));
  }
  WindowsError query(u64 session, etw::TraceClass what, std::span<std::byte> information, u32& returned) override {
    if (functions().query == nullptr) return ERROR_NOT_SUPPORTED;
    ULONG size = 0;
    const WindowsError error = functions().query(session, static_cast<ULONG>(what), information.data(),
                                                 static_cast<ULONG>(information.size()), &size);
    returned = size;
    return error;
  }
  u32 set_performance(std::span<std::byte> information) override {
    constexpr u32 kStatusNotSupported = 0xc00000bb;
    if (functions().set_system == nullptr) return kStatusNotSupported;
    return static_cast<u32>(functions().set_system(kPerformanceTraceInformation, information.data(),
                                                   static_cast<ULONG>(information.size())));
  }

  std::vector<std::u16string> sessions() override {
    std::vector<std::u16string> names;
    if (functions().query_all == nullptr) return names;
    std::vector<etw::Bytes> rooms(kMostSessions, etw::properties_bytes({}));
    std::vector<void*> pointers;
    for (etw::Bytes& room : rooms) pointers.push_back(room.data());
    ULONG count = 0;
    if (functions().query_all(pointers.data(), kMostSessions, &count) != ERROR_SUCCESS) return names;
    for (ULONG i = 0; i < std::min(count, kMostSessions); ++i) {
      const u32 at = etw::number_at<u32>(rooms[i], etw::kLoggerNameAt);
      std::u16string name;
      for (usize unit = at; etw::number_at<char16_t>(rooms[i], unit) != 0; unit += sizeof(char16_t)) {
        name += etw::number_at<char16_t>(rooms[i], unit);
      }
      names.push_back(std::move(name));
    }
    return names;
  }

  u32 own_process() override { return GetCurrentProcessId(); }
  // Windows immediately moves a thread away from a core that it may not use. Because of its high priority, the thread
  // also runs there immediately.
  void visit_cores() override {
    const HANDLE self = GetCurrentThread();
    const int priority = GetThreadPriority(self);
    GROUP_AFFINITY before{};
    if (GetThreadGroupAffinity(self, &before) == 0) return;
    SetThreadPriority(self, THREAD_PRIORITY_TIME_CRITICAL);
    for (WORD group = 0; group < GetActiveProcessorGroupCount(); ++group) {
      for (DWORD core = 0; core < GetActiveProcessorCount(group); ++core) {
        GROUP_AFFINITY there{};
        there.Mask = KAFFINITY{1} << core;
        there.Group = group;
        SetThreadGroupAffinity(self, &there, nullptr);
      }
    }
    SetThreadGroupAffinity(self, &before, nullptr);
    if (priority != THREAD_PRIORITY_ERROR_RETURN) SetThreadPriority(self, priority);
  }
  // A process that cannot be opened is assumed to run.
  bool process_runs(u32 process) override {
    const windows::OwnedHandle handle(OpenProcess(SYNCHRONIZE, FALSE, process));
    if (handle == nullptr) return GetLastError() == ERROR_ACCESS_DENIED;
    return WaitForSingleObject(handle.get(), 0) == WAIT_TIMEOUT;
  }

  std::optional<std::string> kept(const std::string& name) override {
    std::vector<wchar_t> text(kLongestText);
    auto size = static_cast<DWORD>(text.size() * sizeof(wchar_t));
    if (RegGetValueW(HKEY_LOCAL_MACHINE, kKeptKey, os::wide_of(name).c_str(), RRF_RT_REG_SZ, nullptr, text.data(),
                     &size) != ERROR_SUCCESS) {
      return std::nullopt;
    }
    return os::utf8_of(text.data());
  }
  std::vector<std::string> kept_names() override {
    std::vector<std::string> names;
    HKEY key = nullptr;
    if (RegOpenKeyExW(HKEY_LOCAL_MACHINE, kKeptKey, 0, KEY_QUERY_VALUE, &key) != ERROR_SUCCESS) return names;
    for (DWORD i = 0;; ++i) {
      wchar_t name[256] = {};
      DWORD size = 256;
      if (RegEnumValueW(key, i, name, &size, nullptr, nullptr, nullptr, nullptr) != ERROR_SUCCESS) break;
      names.push_back(os::utf8_of(name));
    }
    RegCloseKey(key);
    return names;
  }
  void keep(const std::string& name, const std::string& text) override {
    HKEY key = nullptr;
    if (RegCreateKeyExW(HKEY_LOCAL_MACHINE, kKeptKey, 0, nullptr, REG_OPTION_VOLATILE, KEY_SET_VALUE, nullptr, &key,
                        nullptr) != ERROR_SUCCESS) {
      return;
    }
    const std::wstring wide_text = os::wide_of(text);
    RegSetValueExW(key, os::wide_of(name).c_str(), 0, REG_SZ, reinterpret_cast<const BYTE*>(wide_text.c_str()),
                   static_cast<DWORD>((wide_text.size() + 1) * sizeof(wchar_t)));
    RegCloseKey(key);
  }
  void forget(const std::string& name) override {
    RegDeleteKeyValueW(HKEY_LOCAL_MACHINE, kKeptKey, os::wide_of(name).c_str());
  }
  // Gives up if another process holds the mutex longer than any wperf should.
  void begin_changes() override {
    constexpr DWORD kLongestMs = 5000;
    changes_ = mutex_of_administrators(L"Global\\wperf changes of tracing");
    if (changes_ != nullptr) holds_ = WaitForSingleObject(changes_.get(), kLongestMs) != WAIT_TIMEOUT;
  }
  void end_changes() override {
    if (std::exchange(holds_, false)) ReleaseMutex(changes_.get());
    changes_.reset();
  }
  u64 free_bytes(const std::string& file) override { return os::free_bytes(file); }
  u64 file_bytes(const std::string& file) override { return os::file_size(file); }

  std::vector<Volume> volumes() override {
    std::vector<Volume> volumes;
    for (wchar_t letter = L'A'; letter <= L'Z'; ++letter) {
      const wchar_t drive[] = {letter, L':', L'\0'};
      wchar_t device[MAX_PATH + 1] = {};
      if (QueryDosDeviceW(drive, device, MAX_PATH) == 0) continue;
      volumes.push_back({os::utf8_of(device), os::utf8_of(drive)});
    }
    return volumes;
  }

 private:
  static constexpr const wchar_t* kKeptKey = L"SOFTWARE\\wperf tracing until Windows starts anew";
  static constexpr usize kLongestText = 2048;

  std::optional<HostFacts> machine_;
  windows::OwnedHandle changes_;
  bool holds_ = false;
};

class Windows final : public TracingMachine {
 public:
  etw::TraceApi& tracing() override { return tracing_; }
  device::Programs& programs() override { return programs_; }

 private:
  WindowsTracing tracing_;
  windows::WindowsPrograms programs_;
};

}  // namespace

std::unique_ptr<TracingMachine> open_windows_tracing() {
  return std::make_unique<Windows>();
}

}  // namespace wperf::etw
