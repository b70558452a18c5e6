// SPDX-License-Identifier: BSD-3-Clause
// Programs that the driver measures. Each runs in a separate thread on a chosen core.
#pragma once
#include "base/ints.h"

namespace wperf::nthost {

struct Process;
struct Workload;

// Calls function(argument) at EL1, PASSIVE_LEVEL, in the system's process.
Workload* start_kernel_work(u32 cpu, u64 (*function)(u64 argument), u64 argument);

// Starts at `entry` at EL0 in `process`. x0 = argument. As after a call, the stack has 64 KB below sp and 64 KB above
// it. x30 = a page whose code ends the work. The program returns, or executes svc #0; its x0 is the result. Any other
// exception in the program fails the scenario. `thread` is the id of its thread from the first instruction on (for the
// server, the id of the sending thread), or 0 for any id.
Workload* start_user_work(u32 cpu, Process& process, u64 entry, u64 argument, u32 thread = 0);

// The initial sp of a program that is started while no other program exists. Its stack is as large above sp as below;
// the thread's block has these limits.
inline constexpr u64 kUserStack = 64 * 1024;
inline constexpr u64 kFirstStack = 0x0000'7ffe'0000'0000 + kUserStack;

// Instructions that EL0 executes in addition to the program's own: the svc to which the program returns (0 if it
// executes svc itself).
constexpr u64 kInstructionsOfReturn = 1;

bool has_ended(const Workload& work);
u64 way_back(const Workload& work);   // the address to which the program at EL0 returns
u32 thread_id(const Workload& work);  // as PsGetCurrentThreadId returns it
u64 finish(Workload* work);           // waits for its end; returns x0 of the program
// Ends the work. A program at EL0 ends at once; work at EL1 cannot be stopped, so this waits for it. Returns when it
// has ended.
void stop(Workload* work);

}  // namespace wperf::nthost
