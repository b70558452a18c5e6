// SPDX-License-Identifier: BSD-3-Clause
// Counting without a driver: Windows reads the counters whenever a core switches, into a trace without a name. The
// difference between two switches belongs to the thread that ran.
#pragma once
#include <memory>

#include "machine/device/device.h"
#include "machine/etw/trace_session.h"

namespace wperf::etw {

// `sources`: that Windows has.
diag::Result<std::unique_ptr<device::CountSession>> open_trace_count(etw::TraceApi& api, device::Programs& programs,
                                                                     const plan::CountPlan& plan,
                                                                     std::span<const etw::ProfileSource> sources,
                                                                     bool force);

}  // namespace wperf::etw
