// SPDX-License-Identifier: BSD-3-Clause
// A profile (.wprp) with which Microsoft's recorder, wpr.exe, records the same as a session of wperf, for machines
// where only programs signed by Microsoft may run. Pure.
#pragma once
#include <span>
#include <string>

#include "machine/etw/trace_session.h"

namespace wperf::etw {

// `sources`: the sources of this Windows. `midr`: identity of the cores, needed for events that are added as sources.
std::string recording_profile(const SessionPlan& plan, std::span<const ProfileSource> sources, u64 midr);

}  // namespace wperf::etw
