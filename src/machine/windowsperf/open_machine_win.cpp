// SPDX-License-Identifier: BSD-3-Clause
// Windows with Arm's wperf-driver.sys: its device interface, the version of its file, the MIDRs of the cores.
#include <windows.h>

#include <cstring>
#include <utility>

#include "abi/device_interface.h"
#include "ground/os/wide_text_win.h"
#include "machine/windows/driver_facts.h"
#include "machine/windows/on_windows_win.h"
#include "machine/windows/setup_api_win.h"
#include "machine/windows/windows_error.h"
#include "machine/windowsperf/windowsperf_machine.h"

namespace wperf::windowsperf {
namespace {

constexpr u32 kMostAskedCores = 256;
// In the version resource, the fixed part follows three words and "VS_VERSION_INFO" with its zero, padded to four
// bytes.
constexpr size_t kFixedInfoOffset = 40;

class DriverFile {
 public:
  explicit DriverFile(const std::string& path)
      : module_(LoadLibraryExW(os::wide_of(path).c_str(), nullptr,
                               LOAD_LIBRARY_AS_DATAFILE | LOAD_LIBRARY_AS_IMAGE_RESOURCE)) {}
  ~DriverFile() {
    if (module_ != nullptr) FreeLibrary(module_);
  }
  DriverFile(const DriverFile&) = delete;
  DriverFile& operator=(const DriverFile&) = delete;

  std::optional<FileVersion> version() const {
    if (module_ == nullptr) return {};
    HRSRC const found = FindResourceW(module_, MAKEINTRESOURCEW(VS_VERSION_INFO), MAKEINTRESOURCEW(16));  // RT_VERSION
    if (found == nullptr || SizeofResource(module_, found) < kFixedInfoOffset + sizeof(VS_FIXEDFILEINFO)) return {};
    const void* const bytes = LockResource(LoadResource(module_, found));
    if (bytes == nullptr) return {};
    VS_FIXEDFILEINFO info;
    std::memcpy(&info, static_cast<const char*>(bytes) + kFixedInfoOffset, sizeof info);
    if (info.dwSignature != VS_FFI_SIGNATURE) return {};
    return FileVersion{.major = HIWORD(info.dwProductVersionMS),
                       .minor = LOWORD(info.dwProductVersionMS),
                       .patch = HIWORD(info.dwProductVersionLS)};
  }

 private:
  HMODULE module_;
};

class NativeWindowsPerfMachine final : public windows::OnWindows<WindowsPerfMachine> {
 public:
  NativeWindowsPerfMachine(windows::OwnedHandle handle, windows::PresentInterface found)
      : handle_(std::move(handle)), found_(std::move(found)) {}

  diag::Result<Answer> control(u32 code, std::span<const std::byte> input, std::span<std::byte> output) override {
    DWORD returned = 0;
    const BOOL done =
        DeviceIoControl(handle_.get(), code, const_cast<std::byte*>(input.data()), static_cast<DWORD>(input.size()),
                        output.data(), static_cast<DWORD>(output.size()), &returned, nullptr);
    return Answer{.error = done != 0 ? 0 : GetLastError(), .bytes = returned};
  }
  std::optional<FileVersion> file_version() override {
    return DriverFile(windows::file_of_service(WINDOWSPERF_SERVICE_NAME)).version();
  }
  std::vector<u64> core_midrs() override;
  void pause(u64 nanoseconds) override { Sleep(static_cast<DWORD>(nanoseconds / 1'000'000 + 1)); }
  device::DeviceIdentity identity() override {
    return {.instance_id = found_.instance_id, .hardware_ids = found_.hardware_ids};
  }

 private:
  windows::OwnedHandle handle_;
  windows::PresentInterface found_;
};

// The registry has a core's identification registers under their encodings: MIDR_EL1 is 3 0 0 0 0, so 4000.
std::vector<u64> NativeWindowsPerfMachine::core_midrs() {
  std::vector<u64> midrs;
  while (midrs.size() < kMostAskedCores) {
    const std::wstring key = L"HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\" + std::to_wstring(midrs.size());
    u64 midr = 0;
    DWORD size = sizeof midr;
    if (RegGetValueW(HKEY_LOCAL_MACHINE, key.c_str(), L"CP 4000", RRF_RT_REG_QWORD, nullptr, &midr, &size) !=
        ERROR_SUCCESS) {
      break;
    }
    midrs.push_back(midr);
  }
  return midrs;
}

diag::Error not_installed() {
  return {.text = "Arm's driver (WindowsPerf) is not installed, or its device is disabled",
          .hint = "install WindowsPerf 3.8.0, or use wperf's own driver: --device driver",
          .code = diag::ExitCode::no_device};
}

}  // namespace

diag::Result<std::unique_ptr<WindowsPerfMachine>> open_windowsperf_machine() {
  auto found = windows::find_windowsperf_interface();
  if (!found.has_value()) return not_installed();
  void* const opened = CreateFileW(found->path.c_str(), GENERIC_READ | GENERIC_WRITE,
                                   FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr, OPEN_EXISTING, 0, nullptr);
  if (opened == INVALID_HANDLE_VALUE) {
    const DWORD error = GetLastError();
    return diag::Error{.text = "cannot open Arm's driver (WindowsPerf): " + os::system_error_text(error),
                       .hint = "`wperf doctor` shows more",
                       .code = diag::ExitCode::no_device,
                       .system_error = windows::nearest_errno(error)};
  }
  return std::unique_ptr<WindowsPerfMachine>(
      std::make_unique<NativeWindowsPerfMachine>(windows::OwnedHandle(opened), std::move(*found)));
}

}  // namespace wperf::windowsperf
