// SPDX-License-Identifier: BSD-3-Clause
#include "machine/wperf_driver/driver_handle_win.h"

#include <windows.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "abi/device_interface.h"
#include "ground/os/machine_facts.h"
#include "ground/os/process.h"
#include "ground/os/wide_text_win.h"
#include "machine/windows/driver_facts.h"
#include "machine/windows/on_windows_win.h"
#include "machine/windows/setup_api_win.h"
#include "machine/windows/windows_error.h"
#include "machine/wperf_driver/driver_device.h"

namespace wperf::wperf_driver {
namespace {

constexpr DWORD kPatienceMs = 2'000;  // how long to wait for a hanging request after Ctrl-C

HANDLE open_path(const std::wstring& path) {
  return CreateFileW(path.c_str(), GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr,
                     OPEN_EXISTING, FILE_FLAG_OVERLAPPED, nullptr);
}

bool nothing_there(DWORD error) {
  return error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND || error == ERROR_BAD_PATHNAME ||
         error == ERROR_INVALID_NAME;
}

// Returns true if the request has ended. Before Ctrl-C a request may take any time.
bool wait_for_end(HANDLE ended) {
  const HANDLE waited[] = {ended, os::interrupt_event()};
  const DWORD count = waited[1] != nullptr ? 2 : 1;
  const DWORD which = WaitForMultipleObjects(count, waited, FALSE, INFINITE);
  if (which != WAIT_OBJECT_0 + 1) return which == WAIT_OBJECT_0;
  return WaitForSingleObject(ended, kPatienceMs) == WAIT_OBJECT_0;
}

}  // namespace

// Memory that the system may write to while a request is pending.
struct DriverHandle::Flight {
  OVERLAPPED overlapped{};
  HANDLE ended = CreateEventW(nullptr, TRUE, FALSE, nullptr);
  std::vector<std::byte> buffer;
  Flight() = default;
  Flight(const Flight&) = delete;
  Flight& operator=(const Flight&) = delete;
  ~Flight() {
    if (ended != nullptr) CloseHandle(ended);
  }
};

DriverHandle::DriverHandle(void* handle) : handle_(handle) {}

DriverHandle::DriverHandle(DriverHandle&& other) noexcept
    : handle_(std::exchange(other.handle_, INVALID_HANDLE_VALUE)),
      flight_(std::move(other.flight_)),
      instance_id_(std::move(other.instance_id_)),
      hardware_ids_(std::move(other.hardware_ids_)) {}

DriverHandle::~DriverHandle() {
  if (handle_ != INVALID_HANDLE_VALUE) CloseHandle(handle_);
}

bool DriverHandle::is_there() {
  if (windows::find_driver_interface().has_value()) return true;
  const DriverHandle driver(open_path(os::wide_of(WPERF_DEVICE_PATH)));
  return driver.handle_ != INVALID_HANDLE_VALUE || !nothing_there(GetLastError());
}

diag::Result<DriverHandle> DriverHandle::open() {
  const auto found = windows::find_driver_interface();
  const std::wstring path = found.has_value() ? found->path : os::wide_of(WPERF_DEVICE_PATH);
  DriverHandle driver(open_path(path));
  if (driver.handle_ == INVALID_HANDLE_VALUE) {
    const DWORD error = GetLastError();
    if (!found.has_value() && nothing_there(error)) return windows::no_driver_error(!windows::other_drivers().empty());
    return windows::open_error(error, os::system_error_text(error));
  }
  driver.instance_id_ = found.has_value() ? found->instance_id : WPERF_DEVICE_PATH;
  driver.hardware_ids_ = found.has_value() ? found->hardware_ids : "";
  return driver;
}

unsigned long DriverHandle::finish(Flight& flight, unsigned long& returned) {
  if (!wait_for_end(flight.ended)) {
    CancelIoEx(handle_, &flight.overlapped);
    if (WaitForSingleObject(flight.ended, kPatienceMs) != WAIT_OBJECT_0) {
      // The driver still uses this memory, so it is never freed.
      static_cast<void>(flight_.release());
      return ERROR_OPERATION_ABORTED;
    }
  }
  return GetOverlappedResult(handle_, &flight.overlapped, &returned, FALSE) != 0 ? ERROR_SUCCESS : GetLastError();
}

diag::Result<device::DriverAnswer> DriverHandle::control(u32 code, std::span<std::byte> buffer, size_t input) {
  if (flight_ == nullptr) flight_ = std::make_unique<Flight>();
  Flight& flight = *flight_;
  flight.overlapped = {};
  flight.overlapped.hEvent = flight.ended;
  flight.buffer.assign(buffer.begin(), buffer.end());
  std::byte* const bytes = flight.buffer.data();
  DWORD returned = 0;
  const BOOL done = DeviceIoControl(handle_, code, bytes, static_cast<DWORD>(input), bytes,
                                    static_cast<DWORD>(flight.buffer.size()), &returned, &flight.overlapped);
  DWORD error = done != 0 ? ERROR_SUCCESS : GetLastError();
  if (error == ERROR_IO_PENDING) error = finish(flight, returned);
  if (error == ERROR_SUCCESS) {
    const size_t size = std::min<size_t>(returned, buffer.size());
    std::memcpy(buffer.data(), bytes, size);
    return device::DriverAnswer{WPERF_OK, size};
  }
  if (const auto status = windows::status_of_windows_error(error); status.has_value())
    return device::DriverAnswer{*status, size_t{0}};
  return windows::request_error(error, os::system_error_text(error));
}

// Windows with wperf-driver.sys.

namespace {

class WindowsMachine final : public windows::OnWindows<device::DriverMachine> {
 public:
  explicit WindowsMachine(DriverHandle driver) : driver_(std::move(driver)) {}

  diag::Result<device::DriverAnswer> control(u32 code, std::span<std::byte> buffer, size_t input) override {
    return driver_.control(code, buffer, input);
  }
  device::DeviceIdentity identity() override {
    return {.instance_id = driver_.instance_id(), .hardware_ids = driver_.hardware_ids()};
  }
  std::string model() override {
    const auto windows = os::windows_facts();
    return windows.has_value() ? windows->model : std::string();
  }

 private:
  DriverHandle driver_;
};

}  // namespace

diag::Result<std::unique_ptr<device::DriverMachine>> open_windows_machine() {
  WPERF_TRY(DriverHandle driver, DriverHandle::open());
  return std::unique_ptr<device::DriverMachine>(std::make_unique<WindowsMachine>(std::move(driver)));
}

}  // namespace wperf::wperf_driver
