// SPDX-License-Identifier: BSD-3-Clause
// Sends a typed request to the driver. Fills in the header, uses one buffer for request and answer as the kernel does,
// checks the size of the answer, and turns a refusal into a sentence for the user.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "abi/wire.h"
#include "ground/diag/result.h"
#include "machine/device/driver_machine.h"

namespace wperf::wperf_driver {

diag::Error error_of_status(WperfStatus status, u32 code);

namespace driver_call_detail {
diag::Result<void> exchange(device::DriverTransport& transport, u32 code, std::span<std::byte> buffer, size_t input,
                            size_t answer);
template <typename Request>
std::vector<std::byte> bytes_of(const Request& request, size_t room = sizeof(Request)) {
  std::vector<std::byte> buffer(room);
  std::memcpy(buffer.data(), &request, sizeof request);
  return buffer;
}
}  // namespace driver_call_detail

template <typename Request>
Request make_request() {
  static_assert(std::is_trivially_copyable_v<Request>);
  Request request{};
  request.header = {.size = sizeof(Request), .version = WPERF_WIRE_VERSION};
  return request;
}

inline void set_cores(const std::vector<u32>& cores, u64 (&mask)[WPERF_MAX_CORES / 64]) {
  for (const u32 core : cores) {
    if (core < WPERF_MAX_CORES) mask[core / 64] |= u64{1} << (core % 64);
  }
}

// A request without an answer.
template <typename Request>
diag::Result<void> call_driver(device::DriverTransport& transport, u32 code, const Request& request) {
  auto buffer = driver_call_detail::bytes_of(request);
  return driver_call_detail::exchange(transport, code, buffer, sizeof(Request), 0);
}

// For a request that may fail: the caller checks the status.
template <typename Request>
diag::Result<WperfStatus> try_driver(device::DriverTransport& transport, u32 code, const Request& request) {
  auto buffer = driver_call_detail::bytes_of(request);
  WPERF_TRY(const device::DriverAnswer answer, transport.control(code, buffer, sizeof(Request)));
  return answer.first;
}

// For an answer that is too large for the stack.
template <typename Reply, typename Request>
diag::Result<std::unique_ptr<Reply>> ask_driver_for_much(device::DriverTransport& transport, u32 code,
                                                         const Request& request) {
  static_assert(std::is_trivially_copyable_v<Reply> && sizeof(Request) <= sizeof(Reply));
  auto reply = std::make_unique<Reply>();
  std::memcpy(reply.get(), &request, sizeof request);
  const auto buffer = std::as_writable_bytes(std::span(reply.get(), 1));
  WPERF_CHECK_OK(driver_call_detail::exchange(transport, code, buffer, sizeof(Request), sizeof(Reply)));
  return reply;
}

template <typename Reply, typename Request>
diag::Result<Reply> ask_driver(device::DriverTransport& transport, u32 code, const Request& request) {
  static_assert(std::is_trivially_copyable_v<Reply>);
  auto buffer = driver_call_detail::bytes_of(request, std::max(sizeof(Request), sizeof(Reply)));
  WPERF_CHECK_OK(driver_call_detail::exchange(transport, code, buffer, sizeof(Request), sizeof(Reply)));
  Reply reply;
  std::memcpy(&reply, buffer.data(), sizeof reply);
  return reply;
}

}  // namespace wperf::wperf_driver
