// SPDX-License-Identifier: BSD-3-Clause
// Single requests to Windows' tracing. Each refusal becomes an error that names the refused request and the remedy.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "ground/diag/result.h"
#include "machine/etw/trace_api.h"
#include "machine/etw/trace_requests.h"

namespace wperf::etw {

inline constexpr std::string_view kStartSession = "start a trace session";

// `doing`: what was refused, as in "start a trace session".
diag::Error refusal(WindowsError error, std::string_view doing);
// No error if `error` is kNoError.
diag::Result<void> checked(WindowsError error, std::string_view doing);

// The sources that Windows has, including added ones.
diag::Result<std::vector<ProfileSource>> list_sources(TraceApi& api);

// How many sources can be counted at once; 0 if Windows does not report it.
u32 most_counters(TraceApi& api);

// The current interval of a source; nullopt if Windows does not report it.
std::optional<SourceInterval> interval_now(TraceApi& api, u32 source);

}  // namespace wperf::etw
