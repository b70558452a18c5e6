// SPDX-License-Identifier: BSD-3-Clause
// Where the machine of this user, and of WPERF_SIM_INSTANCE, listens. Descriptors with the right to send others along.
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "ground/diag/result.h"
#include "ground/os/descriptor_linux.h"

namespace wperf::live {

using os::Descriptor;

// The path of its file with this extension: ".socket", or ".lock", which is locked while a machine is up.
diag::Result<std::string> path_of_machine(std::string_view extension);
// Not open if no machine listens there.
diag::Result<Descriptor> connect_to_machine();
// Only the machine that holds the lock calls this: it replaces what an earlier one left.
diag::Result<Descriptor> listen_as_machine();

// Sends these bytes, as far as there is room, and descriptors with the first of them. Returns the number of bytes, or
// -1.
long send_some(int socket, std::string_view bytes, const std::vector<int>& descriptors);
// Receives what has come, at most as much as fits. Returns the number of bytes; 0: the other side is gone; -1.
long receive_some(int socket, char* bytes, unsigned long room, std::vector<Descriptor>& descriptors);

}  // namespace wperf::live
