// SPDX-License-Identifier: BSD-3-Clause
// The protocol between a bridge driver in Wine and the NT host in QEMU over one TCP connection (the emulated UART).
// Both sides include this header; it needs only the wire's integers. All integers are little-endian.
//
// The bridge sends a Frame and `input` bytes, in one send(); the host answers it with an Answer and `returned` bytes
// before it reads the next frame. So all clients together have one request at a time. A frame that the host cannot
// parse ends the host, because later bytes cannot be trusted.
#pragma once
#include "abi/int_types.h"

namespace wperf::nthost {

inline constexpr wperf_u32 kFrameMagic = 0x54484e57;  // "WNHT"
inline constexpr wperf_u32 kProtocolVersion = 1;
inline constexpr wperf_u32 kMaxPayload = 1u << 20;  // payload of a frame and of an answer

enum FrameKind : wperf_u32 {
  kHello = 1,     // → HelloReply. May be sent at any time; a new peer learns that the host is up
  kOpen = 2,      // IRP_MJ_CREATE for a new file of `client`, by `process` with `rights`
  kControl = 3,   // IRP_MJ_DEVICE_CONTROL `code`: payload = input buffer, `capacity` = output buffer length
  kCleanup = 4,   // IRP_MJ_CLEANUP; at most once per client
  kClose = 5,     // IRP_MJ_CLOSE; afterwards `client` is forgotten. The host does not add a missing cleanup
  kRun = 6,       // payload RunRequest + code: starts a program in `process`, answers at once
  kRunState = 7,  // payload RunName → RunState
  kStopRun = 8,   // payload RunName → RunState; stops it if it still runs, and forgets it
  kShutdown = 9,  // close open files, unload the driver, check for leaks, end QEMU (exit status 0 = no errors)
};

enum FrameRights : wperf_u32 {
  kRightsNone = 0,     // may not even open the device
  kRightsLogUser = 1,  // member of S-1-5-32-559
  kRightsAdministrator = 2,
};

struct Frame {
  wperf_u32 magic;
  wperf_u32 kind;
  wperf_u32 client;    // chosen by the bridge at kOpen: not 0, not in use. 0 if no file is meant
  wperf_u32 code;      // kControl: the I/O control code
  wperf_u32 process;   // kOpen, kRun, kRunState, kStopRun: process id as Wine knows it, not 0
  wperf_u32 input;     // bytes that follow
  wperf_u32 capacity;  // bytes the answer may have
  wperf_u32 rights;    // kOpen: FrameRights of the process; kRun: the owner of the process if it is not known yet
};
static_assert(sizeof(Frame) == 32);

struct Answer {
  // NTSTATUS of the request, or the reason why the host refused it (kBadFrameArgument, kNoSuchClient, …)
  wperf_u32 status;
  wperf_u32 returned;  // bytes of the answer; 0 unless status is a success
  wperf_u32 sent;      // bytes that follow; the rest of `returned` are zeros. Answers are mostly zeros, and the line is
                       // slow
  wperf_u32 reserved;
};
static_assert(sizeof(Answer) == 16);

// NTSTATUS values that come from the host itself.
inline constexpr wperf_u32 kDone = 0;
inline constexpr wperf_u32 kNotKnownKind = 0xC0000002;      // STATUS_NOT_IMPLEMENTED
inline constexpr wperf_u32 kNoSuchClient = 0xC0000008;      // STATUS_INVALID_HANDLE
inline constexpr wperf_u32 kBadFrameArgument = 0xC000000D;  // STATUS_INVALID_PARAMETER
inline constexpr wperf_u32 kNoRoom = 0xC000009A;  // STATUS_INSUFFICIENT_RESOURCES: clients, memory, cpu in use

struct HelloReply {
  wperf_u32 version;    // kProtocolVersion
  wperf_u32 cpu_count;  // programs run on cpu 1..cpu_count-1; cpu 0 serves
};
static_assert(sizeof(HelloReply) == 8);

// Runs a piece of ARM64 code at EL0, at the address for which it was linked. The code is mapped readable and executable
// at `base`, in whole pages. It is entered at base + entry_offset with `argument` in x0, a stack of 64 KB in sp and a
// return address in x30. It may use all general registers, but no floating point, no system calls, and no memory other
// than the stack and its own pages. It ends by returning (its x0 is RunState::result), by a fault, or by kStopRun. One
// program per cpu.
struct RunRequest {
  wperf_u64 base;  // multiple of 4096, 0x10000 <= base < 2^47
  wperf_u64 entry_offset;
  wperf_u64 argument;
  wperf_u32 cpu;        // 1..cpu_count-1
  wperf_u32 thread;     // thread id of the samples
  wperf_u32 code_size;  // bytes of code that follow, at most 256 KB
  wperf_u32 reserved;
};
static_assert(sizeof(RunRequest) == 40);

struct RunName {
  wperf_u32 cpu;
};

enum RunCondition : wperf_u32 { kNotRun = 0, kRunning = 1, kReturned = 2, kFaulted = 3, kStopped = 4 };

struct RunState {
  wperf_u32 condition;
  wperf_u32 reserved;
  wperf_u64 result;  // kReturned: x0. (x0 = ~0 is taken for kFaulted; the host's console describes the fault)
};
static_assert(sizeof(RunState) == 16);

}  // namespace wperf::nthost
