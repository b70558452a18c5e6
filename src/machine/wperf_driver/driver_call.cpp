// SPDX-License-Identifier: BSD-3-Clause
#include "machine/wperf_driver/driver_call.h"

#include <fmt/format.h>

namespace wperf::wperf_driver {

diag::Error error_of_status(WperfStatus status, u32 code) {
  switch (status) {
    case WPERF_LOCK_BUSY:
      return diag::contract_error(
          "warning: other WindowsPerf process acquired the wperf-driver.\n"
          "note: use --force-lock to force driver to give lock to current `wperf` process.\n"
          "Operation cancelled!");
    case WPERF_LOCK_LOST:
      return diag::contract_error(
          "warning: other WindowsPerf process hijacked (forced lock) the wperf-driver, see --force-lock.\n"
          "Operation terminated, your data was lost!");
    case WPERF_NO_COUNTERS:
      return diag::contract_error(
          "warning: not enough resources available to execute the request.\n"
          "Operation cancelled!");
    case WPERF_BAD_VERSION:
      return {.text = "the installed driver uses another protocol version than this wperf",
              .hint = "install the driver that came with this wperf"};
    case WPERF_ACCESS_DENIED:
      return {.text = "the driver refused the request because of missing rights", .hint = "run wperf as administrator"};
    case WPERF_NOT_SUPPORTED:
      return {.text = "the hardware does not support the request", .hint = "wperf doctor shows what it supports"};
    case WPERF_NO_INTERRUPT:
      return {.text = "Windows does not give the driver the counters' interrupt, which sampling needs",
              .hint =
                  "end other profilers that use counters; if the driver was removed or updated since Windows started, "
                  "restart Windows; counting works without the interrupt"};
    case WPERF_PROFILING_BUSY:
      return {.text = "another program uses the SPE of a chosen core",
              .hint = "end the other profiler, or choose other cores with -c or --cores"};
    default:
      return {.text = fmt::format("the driver refused request {:#x} with status {}", code, status), .hint = {}};
  }
}

diag::Result<void> driver_call_detail::exchange(device::DriverTransport& transport, u32 code,
                                                std::span<std::byte> buffer, size_t input, size_t answer) {
  WPERF_TRY(const device::DriverAnswer answered, transport.control(code, buffer, input));
  const auto [status, returned] = answered;
  if (status != WPERF_OK) return error_of_status(status, code);
  if (returned < answer) {
    return diag::Error{
        .text = fmt::format("the driver answered request {:#x} with {} bytes instead of {}", code, returned, answer),
        .hint = {}};
  }
  return {};
}

}  // namespace wperf::wperf_driver
