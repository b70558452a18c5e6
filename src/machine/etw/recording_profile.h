// SPDX-License-Identifier: BSD-3-Clause
// A profile (.wprp) by which Microsoft's own recorder, wpr.exe, records what a session of ours would: for machines
// where only programs signed by Microsoft may run. Pure. Called by etw_device.
#pragma once
#include <span>
#include <string>

#include "machine/etw/trace_session.h"

namespace wperf::etw {

// `sources`: those that Windows has; `midr`: of the cores, for events that are added as sources.
std::string recording_profile(const SessionPlan& plan, std::span<const ProfileSource> sources, u64 midr);

}  // namespace wperf::etw
