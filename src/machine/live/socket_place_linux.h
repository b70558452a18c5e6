// SPDX-License-Identifier: BSD-3-Clause
// The socket of this user's machine (one for each WPERF_SIM_INSTANCE), and messages that can carry file descriptors.
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "ground/diag/result.h"
#include "ground/os/descriptor_linux.h"

namespace wperf::live {

using os::Descriptor;

// The path of the machine's file with this extension: ".socket", or ".lock", which is locked while a machine is on.
diag::Result<std::string> path_of_machine(std::string_view extension);
// Returns a closed descriptor if no machine listens there.
diag::Result<Descriptor> connect_to_machine();
// Called only by the machine that holds the lock; replaces the socket that an earlier machine left.
diag::Result<Descriptor> listen_as_machine();

// Sends as many of these bytes as there is room for, with descriptors attached to the first byte. Returns the number of
// bytes, or -1.
long send_some(int socket, std::string_view bytes, const std::vector<int>& descriptors);
// Receives the bytes that have arrived, at most `room`. Returns the number of bytes; 0 if the other side is gone; -1
// for an error.
long receive_some(int socket, char* bytes, unsigned long room, std::vector<Descriptor>& descriptors);

}  // namespace wperf::live
