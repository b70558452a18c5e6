// SPDX-License-Identifier: BSD-3-Clause
// The constants of the cycle model. Cycles are kept in fixed point so that a run is the same on every host.
#pragma once
#include "base/ints.h"

namespace wperf::sim {

inline constexpr u32 kCycleBits = 16;
inline constexpr u64 kOneCycle = u64{1} << kCycleBits;

// Waits in cycles, in addition to the time of an access that hits in every cache. They are similar to the values that
// Arm publishes for a Neoverse N1 (L2 11, L3 about 30, DRAM about 150 cycles load to use, 11 to refill the pipe after a
// mispredict).
inline constexpr u32 kMispredictWait = 11;
// Cores that count slots issue micro-ops of the wrong path for a part of that time. Then they refill the pipe, which is
// a stall of the frontend. Arm's formulas for some cores count one of these cycles as such a stall, and the others as
// stalls of the backend.
inline constexpr u32 kRecoveryWait = 4, kFrontendRecovery = 1;
inline constexpr u32 kWrongPathCycles = kMispredictWait - kRecoveryWait;
inline constexpr u32 kIsbWait = 11;
inline constexpr u32 kDsbWait = 16;
inline constexpr u32 kIntegerDivideWait = 6;
inline constexpr u32 kFloatDivideWait = 8;
inline constexpr u32 kL2Wait = 8;
inline constexpr u32 kL3Wait = 28;
inline constexpr u32 kDramWait = 150;
inline constexpr u32 kPeerCoreWait = 45;      // from the cache of another core of the cluster
inline constexpr u32 kPeerClusterWait = 110;  // from another cluster
inline constexpr u32 kOwnershipWait = 28;     // until the other caches have given up a line that this core also has
inline constexpr u32 kL2TlbWait = 5;
inline constexpr u32 kWalkWait = 30;

// The share of a data wait that the core hides with other work. A line next to one that missed recently is already
// being fetched (hardware prefetch). A store waits in the store buffer.
inline constexpr u32 kSequentialShare = 8;  // the core waits for one eighth
inline constexpr u32 kStoreShare = 4;

// Latencies for a profiler in addition to the waits: from dispatch to issue, and from issue to the data of a load that
// hits L1.
inline constexpr u32 kIssueLatency = 4;
inline constexpr u32 kLoadToUse = 4;

}  // namespace wperf::sim
