// SPDX-License-Identifier: BSD-3-Clause
#include <windows.h>
#include <winternl.h>

#include "ground/os/machine_facts.h"
#include "ground/os/system_library_win.h"
#include "ground/os/wide_text_win.h"

namespace wperf::os {
namespace {

// For NtQuerySystemInformation, as documented by Microsoft.
constexpr int kSystemCodeIntegrityInformation = 103;
struct CodeIntegrity {
  ULONG length;
  ULONG options;
};
constexpr ULONG kTestSigning = 0x02;
constexpr ULONG kMemoryIntegrity = 0x400;

constexpr USHORT kMachineArm64 = 0xAA64;
constexpr USHORT kMachineX64 = 0x8664;

std::string machine_name(USHORT machine) {
  if (machine == kMachineArm64) return "ARM64";
  return machine == kMachineX64 ? "x64" : "";
}

std::string version_text() {
  static const SystemLibrary ntdll(L"ntdll.dll");
  // other functions report the version of Windows that the program was built for
  LONG(WINAPI * get_version)(OSVERSIONINFOW*) = nullptr;
  OSVERSIONINFOW version{};
  version.dwOSVersionInfoSize = sizeof version;
  if (!ntdll.bind("RtlGetVersion", get_version) || get_version(&version) < 0) return {};
  return std::to_string(version.dwMajorVersion) + "." + std::to_string(version.dwMinorVersion) + "." +
         std::to_string(version.dwBuildNumber);
}

std::string native_machine() {
  static const SystemLibrary kernel(L"kernel32.dll");
  BOOL(WINAPI * is_wow64)(HANDLE, USHORT*, USHORT*) = nullptr;
  USHORT process = 0, native = 0;
  if (kernel.bind("IsWow64Process2", is_wow64) && is_wow64(GetCurrentProcess(), &process, &native) != 0) {
    return machine_name(native);
  }
  return {};
}

std::string registry_text(const wchar_t* key, const wchar_t* value) {
  wchar_t text[256];
  DWORD size = sizeof text;
  if (RegGetValueW(HKEY_LOCAL_MACHINE, key, value, RRF_RT_REG_SZ, nullptr, text, &size) != ERROR_SUCCESS) return {};
  return utf8_of(text);
}

std::string computer_model() {
  constexpr const wchar_t* kKey = L"HARDWARE\\DESCRIPTION\\System\\BIOS";
  const std::string maker = registry_text(kKey, L"SystemManufacturer");
  const std::string product = registry_text(kKey, L"SystemProductName");
  return maker.empty() || product.empty() ? maker + product : maker + " " + product;
}

std::optional<bool> secure_boot() {
  DWORD on = 0, size = sizeof on;
  if (RegGetValueW(HKEY_LOCAL_MACHINE, L"SYSTEM\\CurrentControlSet\\Control\\SecureBoot\\State",
                   L"UEFISecureBootEnabled", RRF_RT_REG_DWORD, nullptr, &on, &size) != ERROR_SUCCESS) {
    return std::nullopt;
  }
  return on != 0;
}

void read_code_integrity(WindowsFacts& facts) {
  static const SystemLibrary ntdll(L"ntdll.dll");
  LONG(WINAPI * query)(int, void*, ULONG, ULONG*) = nullptr;
  CodeIntegrity integrity{.length = sizeof(CodeIntegrity), .options = 0};
  if (!ntdll.bind("NtQuerySystemInformation", query)) return;
  if (query(kSystemCodeIntegrityInformation, &integrity, sizeof integrity, nullptr) < 0) return;
  facts.test_signing = (integrity.options & kTestSigning) != 0;
  facts.memory_integrity = (integrity.options & kMemoryIntegrity) != 0;
}

// Also false if the group can only deny access, as for an administrator before the elevation prompt.
bool is_member(WELL_KNOWN_SID_TYPE group) {
  BYTE sid[SECURITY_MAX_SID_SIZE];
  DWORD size = sizeof sid;
  BOOL member = FALSE;
  return CreateWellKnownSid(group, nullptr, sid, &size) != 0 && CheckTokenMembership(nullptr, sid, &member) != 0 &&
         member != FALSE;
}

bool holds_back_rights() {
  HANDLE token = nullptr;
  if (OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token) == 0) return false;
  TOKEN_ELEVATION_TYPE elevation = TokenElevationTypeDefault;
  DWORD size = 0;
  const bool known = GetTokenInformation(token, TokenElevationType, &elevation, sizeof elevation, &size) != 0;
  CloseHandle(token);
  return known && elevation == TokenElevationTypeLimited;
}

}  // namespace

std::optional<WindowsFacts> windows_facts() {
  WindowsFacts facts;
  facts.version = version_text();
  facts.machine = native_machine();
#ifdef __aarch64__
  facts.program = "ARM64";
#else
  facts.program = "x64";
#endif
  facts.model = computer_model();
  facts.secure_boot = secure_boot();
  read_code_integrity(facts);
  facts.administrator = is_member(WinBuiltinAdministratorsSid);
  facts.could_be_administrator = !facts.administrator && holds_back_rights();
  facts.performance_log_user = is_member(WinBuiltinPerfLoggingUsersSid);
  return facts;
}

std::string host_name() {
  wchar_t name[256];
  DWORD length = static_cast<DWORD>(std::size(name));
  if (GetComputerNameExW(ComputerNameDnsHostname, name, &length) == 0) return {};
  return utf8_of(std::wstring(name, length));
}

}  // namespace wperf::os
