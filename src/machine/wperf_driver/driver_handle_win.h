// SPDX-License-Identifier: BSD-3-Clause
// The opened wperf-driver.sys, by its device interface or, if it runs as a plain service, by its name.
#pragma once
#include <memory>
#include <string>

#include "machine/device/driver_machine.h"

namespace wperf::wperf_driver {

class DriverHandle {
 public:
  static diag::Result<DriverHandle> open();
  // Does it exist, even if this user may not open it?
  static bool is_there();
  DriverHandle(DriverHandle&& other) noexcept;
  DriverHandle& operator=(DriverHandle&&) = delete;
  ~DriverHandle();

  // See DriverTransport::control(). After Ctrl-C, a hanging request is cancelled after a moment.
  diag::Result<device::DriverAnswer> control(u32 code, std::span<std::byte> buffer, size_t input);
  const std::string& instance_id() const { return instance_id_; }
  const std::string& hardware_ids() const { return hardware_ids_; }

 private:
  struct Flight;
  explicit DriverHandle(void* handle);
  // The Windows error of the pending request, 0 for success. `returned`: number of bytes in the answer.
  unsigned long finish(Flight& flight, unsigned long& returned);

  void* handle_;
  std::unique_ptr<Flight> flight_;  // used again for every request
  std::string instance_id_, hardware_ids_;
};

}  // namespace wperf::wperf_driver
