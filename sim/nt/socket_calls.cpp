// SPDX-License-Identifier: BSD-3-Clause
// Sockets of a machine without a network: a program can make them and set their modes, as libraries do when they are
// loaded. Calls that need an address fail as on a machine without a network.
#include "sim/nt/services.h"
#include "sim/nt/wide_strings.h"

namespace wperf::sim::nt {

// "\Device\Afd", with or without a path after it.
bool names_sockets(std::string_view name) {
  constexpr std::string_view kDevice = "\\device\\afd";
  return same_ignoring_case(name.substr(0, kDevice.size()), kDevice) &&
         (name.size() == kDevice.size() || name[kDevice.size()] == '\\');
}

// arguments: handle, event, APC routine, its context, I/O status, code, input, its size, output, its size
u64 control_socket(Call& call, File& file) {
  // These codes were found in the requests of ws2_32. It answers some of them itself and only reports their ends.
  constexpr u32 kMake = 0x120320, kBlockingMode = 0x120344, kEnd = 0x120348;
  Status status = kNetworkUnreachable;
  switch (call.argument32(5)) {
    case kMake:
    case kBlockingMode:
      status = kSuccess;
      break;
    case kEnd:
      if (!call.get(call.argument(6), status)) return 0;
      break;
    default:
      break;
  }
  return complete_io(call, file, status, 0);
}

}  // namespace wperf::sim::nt
