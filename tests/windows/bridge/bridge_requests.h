// SPDX-License-Identifier: BSD-3-Clause
// Requests of tests/windows/remote that only the bridge driver handles: they run ARM64 code on the emulated machine.
// The bridge passes every other request to wperf-driver.sys unread.
#pragma once
#include "abi/int_types.h"

namespace wperf::bridge {

// CTL_CODE(0x8001, 0x900 + n, METHOD_BUFFERED, FILE_READ_DATA | FILE_WRITE_DATA)
constexpr wperf_u32 bridge_code(wperf_u32 n) {
  return (0x8001u << 16) | (3u << 14) | ((0x900u + n) << 2);
}

// Input and output are the same as for the frame of the same name in tests/nthost/server/protocol.h. The process is
// always the caller's own; the field is ignored. A program ends with the handle that started it.
inline constexpr wperf_u32 kBridgeRun = bridge_code(0);
inline constexpr wperf_u32 kBridgeRunState = bridge_code(1);
inline constexpr wperf_u32 kBridgeStopRun = bridge_code(2);

}  // namespace wperf::bridge
