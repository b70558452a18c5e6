// SPDX-License-Identifier: BSD-3-Clause
// Every request of the wire: its code, the size of its input and of its answer.
#pragma once
#include "abi/wire.h"
#include "base/ints.h"

namespace wperf::nthost {

struct RequestShape {
  u32 code, input, output;
};

inline constexpr RequestShape kRequestShapes[] = {
    {WPERF_CODE_VERSION, sizeof(WperfPlainRequest), sizeof(WperfVersionReply)},
    {WPERF_CODE_LOCK, sizeof(WperfLockRequest), 0},
    {WPERF_CODE_INTERRUPT, sizeof(WperfPlainRequest), sizeof(WperfInterruptReply)},
    {WPERF_CODE_HARDWARE, sizeof(WperfPlainRequest), sizeof(WperfHardwareReply)},
    {WPERF_CODE_CORE, sizeof(WperfCoreRequest), sizeof(WperfCoreReply)},
    {WPERF_CODE_DMC_SETUP, sizeof(WperfDmcSetupRequest), 0},
    {WPERF_CODE_DSU_SETUP, sizeof(WperfDsuSetupRequest), 0},
    {WPERF_CODE_COUNT_CONFIGURE, sizeof(WperfCountRequest), 0},
    {WPERF_CODE_COUNT_START, sizeof(WperfPlainRequest), 0},
    {WPERF_CODE_COUNT_STOP, sizeof(WperfPlainRequest), 0},
    {WPERF_CODE_COUNT_READ, sizeof(WperfCountReadRequest), sizeof(WperfCountReply)},
    {WPERF_CODE_SAMPLE_CONFIGURE, sizeof(WperfSampleRequest), 0},
    {WPERF_CODE_SAMPLE_START, sizeof(WperfPlainRequest), 0},
    {WPERF_CODE_SAMPLE_STOP, sizeof(WperfPlainRequest), 0},
    {WPERF_CODE_SAMPLE_DRAIN, sizeof(WperfDrainRequest), sizeof(WperfDrainReply)},
    {WPERF_CODE_SAMPLE_STACK_DRAIN, sizeof(WperfDrainRequest), sizeof(WperfStackDrainReply)},
    {WPERF_CODE_SPE_CONFIGURE, sizeof(WperfSpeRequest), 0},
    {WPERF_CODE_SPE_START, sizeof(WperfPlainRequest), 0},
    {WPERF_CODE_SPE_STOP, sizeof(WperfPlainRequest), 0},
    {WPERF_CODE_SPE_DRAIN, sizeof(WperfDrainRequest), sizeof(WperfSpeDrainReply)},
    {WPERF_CODE_SPE_CORE, sizeof(WperfCoreRequest), sizeof(WperfSpeCoreReply)},
};

}  // namespace wperf::nthost
