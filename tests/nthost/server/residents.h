// SPDX-License-Identifier: BSD-3-Clause
// The processes that the host has while it serves a bridge, with the bridge's process ids, their open files, and the
// programs that run in them. A process exists as long as it has a file or a program.
#pragma once
#include "base/ints.h"
#include "tests/nthost/server/protocol.h"

namespace wperf::nthost {

struct File;

// Each function returns an NTSTATUS. If one fails, the state is unchanged.
u32 open_client(u32 client, u32 process, u32 rights);
File* file_of_client(u32 client);  // may be null
u32 close_client(u32 client);

u32 run_program(u32 process, u32 rights, const RunRequest& request, const void* code);
u32 state_of_program(u32 process, u32 cpu, RunState& state);
u32 stop_program(u32 process, u32 cpu, RunState& state);

void close_everything();

}  // namespace wperf::nthost
