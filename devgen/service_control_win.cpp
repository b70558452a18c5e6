// SPDX-License-Identifier: BSD-3-Clause
// Controls the driver's service, with the service control manager.
#include <windows.h>

#include "abi/device_interface.h"
#include "devgen/windows_machine.h"
#include "ground/os/wide_text_win.h"

namespace wperf::devgen {
namespace {

constexpr int kStopTries = 50;
constexpr DWORD kStopPauseMs = 100;

class ServiceHandle {
 public:
  explicit ServiceHandle(SC_HANDLE handle) : handle_(handle), error_(handle == nullptr ? GetLastError() : 0) {}
  ~ServiceHandle() {
    if (handle_ != nullptr) CloseServiceHandle(handle_);
  }
  ServiceHandle(const ServiceHandle&) = delete;
  ServiceHandle& operator=(const ServiceHandle&) = delete;
  SC_HANDLE get() const { return handle_; }
  Win32Error error() const { return error_; }

 private:
  SC_HANDLE handle_;
  Win32Error error_;
};

std::wstring service_name() {
  return os::wide_of(WPERF_SERVICE_NAME);
}

std::wstring service_key() {
  return L"SYSTEM\\CurrentControlSet\\Services\\" + service_name();
}

DWORD number_in_registry(const std::wstring& key, const wchar_t* name) {
  DWORD value = 0;
  DWORD size = sizeof value;
  RegGetValueW(HKEY_LOCAL_MACHINE, key.c_str(), name, RRF_RT_REG_DWORD, nullptr, &value, &size);
  return value;
}

// Converts the paths of services (\??\C:\…, \SystemRoot\…, and paths from the Windows folder) to paths that a program
// can open.
std::string plain_path(std::wstring path) {
  wchar_t windows[MAX_PATH] = {};
  GetWindowsDirectoryW(windows, MAX_PATH);
  const std::wstring root = L"\\SystemRoot\\";
  if (path.rfind(L"\\??\\", 0) == 0) {
    path.erase(0, 4);
  } else if (_wcsnicmp(path.c_str(), root.c_str(), root.size()) == 0) {
    path = std::wstring(windows) + L"\\" + path.substr(root.size());
  } else if (!path.empty() && path.find(L':') == std::wstring::npos) {
    path = std::wstring(windows) + L"\\" + path;
  }
  return os::utf8_of(path);
}

template <typename Work>
Win32Error with_service(DWORD rights, Work work) {
  const ServiceHandle control(OpenSCManagerW(nullptr, nullptr, SC_MANAGER_CONNECT));
  if (control.get() == nullptr) return control.error();
  const ServiceHandle service(OpenServiceW(control.get(), service_name().c_str(), rights));
  if (service.get() == nullptr) return service.error();
  return work(service.get()) ? 0 : GetLastError();
}

}  // namespace

ServiceFacts WindowsMachine::service() {
  ServiceFacts facts;
  SERVICE_STATUS status = {};
  const Win32Error error = with_service(SERVICE_QUERY_STATUS | SERVICE_QUERY_CONFIG, [&](SC_HANDLE service) {
    alignas(QUERY_SERVICE_CONFIGW) BYTE buffer[8192];
    auto* const config = reinterpret_cast<QUERY_SERVICE_CONFIGW*>(buffer);
    DWORD needed = 0;
    if (QueryServiceConfigW(service, config, sizeof buffer, &needed) && config->lpBinaryPathName != nullptr) {
      facts.image_path = plain_path(config->lpBinaryPathName);
    }
    return QueryServiceStatus(service, &status);
  });
  if (error == ERROR_SERVICE_DOES_NOT_EXIST) return facts;
  facts.state = ServiceState::other;
  if (error == 0 && status.dwCurrentState == SERVICE_RUNNING) facts.state = ServiceState::running;
  if (error == 0 && status.dwCurrentState == SERVICE_STOPPED) facts.state = ServiceState::stopped;
  facts.marked_for_deletion =
      error == ERROR_SERVICE_MARKED_FOR_DELETE || number_in_registry(service_key(), L"DeleteFlag") != 0;
  facts.plug_and_play = number_in_registry(service_key() + L"\\Parameters", L"PnP") == 1;
  return facts;
}

Win32Error WindowsMachine::create_plain_service(const std::string& image_path) {
  const ServiceHandle control(OpenSCManagerW(nullptr, nullptr, SC_MANAGER_CONNECT | SC_MANAGER_CREATE_SERVICE));
  if (control.get() == nullptr) return control.error();
  // The service is started by hand: a driver that starts with Windows and fails could keep Windows from starting.
  const ServiceHandle service(
      CreateServiceW(control.get(), service_name().c_str(), os::wide_of(WPERF_SERVICE_TITLE).c_str(),
                     SERVICE_ALL_ACCESS, SERVICE_KERNEL_DRIVER, SERVICE_DEMAND_START, SERVICE_ERROR_NORMAL,
                     os::wide_of(image_path).c_str(), nullptr, nullptr, nullptr, nullptr, nullptr));
  if (service.get() == nullptr) return service.error();
  // Values left by a device's service of the same name would make the driver wait for a device.
  RegDeleteKeyValueW(HKEY_LOCAL_MACHINE, (service_key() + L"\\Parameters").c_str(), L"PnP");
  return 0;
}

Win32Error WindowsMachine::start_service() {
  return with_service(SERVICE_START, [](SC_HANDLE service) { return StartServiceW(service, 0, nullptr); });
}

Win32Error WindowsMachine::stop_service() {
  return with_service(SERVICE_STOP | SERVICE_QUERY_STATUS, [](SC_HANDLE service) {
    SERVICE_STATUS status = {};
    if (!ControlService(service, SERVICE_CONTROL_STOP, &status)) return FALSE;
    for (int tries = 0; tries < kStopTries; ++tries) {
      if (!QueryServiceStatus(service, &status)) return FALSE;
      if (status.dwCurrentState == SERVICE_STOPPED) return TRUE;
      Sleep(kStopPauseMs);
    }
    SetLastError(ERROR_SHARING_VIOLATION);  // a program still has the driver open
    return FALSE;
  });
}

Win32Error WindowsMachine::delete_service() {
  return with_service(DELETE, [](SC_HANDLE service) { return DeleteService(service); });
}

}  // namespace wperf::devgen
