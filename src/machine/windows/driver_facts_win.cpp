// SPDX-License-Identifier: BSD-3-Clause
#include <windows.h>

#include <memory>

#include "abi/device_interface.h"
#include "ground/os/file_signature_win.h"
#include "ground/os/files.h"
#include "ground/os/wide_text_win.h"
#include "machine/windows/driver_facts.h"
#include "machine/windows/setup_api_win.h"

namespace wperf::windows {
namespace {

struct ServiceCloser {
  void operator()(SC_HANDLE handle) const { CloseServiceHandle(handle); }
};
using OwnedService = std::unique_ptr<std::remove_pointer_t<SC_HANDLE>, ServiceCloser>;

std::wstring windows_folder() {
  wchar_t folder[MAX_PATH] = {};
  return GetSystemWindowsDirectoryW(folder, MAX_PATH) != 0 ? folder : L"";
}

// Converts the path of a kernel service from the kernel's form to the form that programs use.
std::wstring user_path(std::wstring path) {
  constexpr std::wstring_view kRoot = L"\\SystemRoot\\";
  if (path.starts_with(L"\\??\\")) return path.substr(4);
  if (_wcsnicmp(path.c_str(), kRoot.data(), kRoot.size()) == 0) return windows_folder() + path.substr(kRoot.size() - 1);
  const bool absolute = path.size() > 1 && path[1] == L':';
  return absolute || path.empty() ? path : windows_folder() + L"\\" + path;
}

std::string file_of(SC_HANDLE service) {
  DWORD size = 0;
  QueryServiceConfigW(service, nullptr, 0, &size);
  const auto room = std::make_unique<u64[]>(size / 8 + 1);
  auto* const config = reinterpret_cast<QUERY_SERVICE_CONFIGW*>(room.get());
  if (QueryServiceConfigW(service, config, size, &size) == 0 || config->lpBinaryPathName == nullptr) return {};
  return os::utf8_of(user_path(config->lpBinaryPathName));
}

void look_at_service(DriverFacts& facts) {
  const OwnedService manager(OpenSCManagerW(nullptr, nullptr, SC_MANAGER_CONNECT));
  if (manager == nullptr) return;
  const OwnedService service(OpenServiceW(manager.get(), os::wide_of(WPERF_SERVICE_NAME).c_str(),
                                          SERVICE_QUERY_STATUS | SERVICE_QUERY_CONFIG));
  if (service == nullptr) return;
  facts.service_installed = true;
  SERVICE_STATUS status{};
  if (QueryServiceStatus(service.get(), &status) != 0) {
    facts.running = status.dwCurrentState == SERVICE_RUNNING;
    const DWORD error = status.dwWin32ExitCode;
    if (error != ERROR_SUCCESS && error != ERROR_SERVICE_NEVER_STARTED) {
      facts.last_error = error;
      facts.error_text = os::system_error_text(error);
    }
  }
  facts.file = file_of(service.get());
}

}  // namespace

std::string file_of_service(const char* name) {
  const OwnedService manager(OpenSCManagerW(nullptr, nullptr, SC_MANAGER_CONNECT));
  if (manager == nullptr) return {};
  const OwnedService service(OpenServiceW(manager.get(), os::wide_of(name).c_str(), SERVICE_QUERY_CONFIG));
  return service != nullptr ? file_of(service.get()) : std::string();
}

std::optional<DriverFacts> driver_facts() {
  DriverFacts facts;
  look_at_service(facts);
  facts.device_problem = driver_device_problem();
  facts.others = other_drivers();
  facts.file_exists = !facts.file.empty() && os::file_exists(facts.file);
  if (!facts.file_exists) return facts;
  if (const auto signature = os::signature_of(facts.file); signature.has_value()) {
    facts.signature_known = true;
    facts.file_signed = signature->signed_at_all;
    facts.signature_trusted = signature->trusted;
    facts.signer = signature->signer;
    facts.signature_error = signature->error;
  }
  return facts;
}

}  // namespace wperf::windows
