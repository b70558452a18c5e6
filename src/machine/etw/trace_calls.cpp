// SPDX-License-Identifier: BSD-3-Clause
#include "machine/etw/trace_calls.h"

#include <fmt/format.h>

#include <algorithm>

namespace wperf::etw {

diag::Error refusal(WindowsError error, std::string_view doing) {
  const auto made = [&](std::string text, std::string hint) {
    return diag::Error{.text = std::move(text), .hint = std::move(hint), .code = diag::ExitCode::no_device};
  };
  switch (error) {
    case kAccessDenied:
    case kPrivilegeNotHeld:
      return made(fmt::format("this user is not allowed to {}", doing),
                  "start wperf from an elevated prompt (Run as administrator)");
    case kNoSystemResources:
      if (doing != kStartSession) {
        return made(fmt::format("Windows cannot {}: too many events at once", doing), "choose fewer events with -e");
      }
      return made(fmt::format("Windows cannot {}: all its trace sessions are in use", doing),
                  "list them with `logman query -ets`; end one you do not need with `logman stop NAME -ets`");
    case kDiskFull:
      return made(fmt::format("Windows cannot {}: the disk is full", doing), "write to another disk: -o D:\\x.etl");
    case kBusy:
      return made(fmt::format("Windows cannot {}: another session uses the counters", doing),
                  "end the other profiler, or sample the timer by leaving out -e");
    case kNotSupported:
      return made(fmt::format("this Windows cannot {}: it is too old or has no counters", doing),
                  "sample the timer by leaving out -e");
    default:
      return made(fmt::format("Windows refuses to {} (error {})", doing, error), "");
  }
}

diag::Result<void> checked(WindowsError error, std::string_view doing) {
  if (error != kNoError) return refusal(error, doing);
  return {};
}

diag::Result<std::vector<ProfileSource>> list_sources(TraceApi& api) {
  constexpr usize kFirst = 4096, kMost = 1 << 20;
  Bytes bytes;
  u32 returned = 0;
  WindowsError error = kMoreData;
  for (usize size = kFirst; size <= kMost && (error == kMoreData || error == kBadLength); size *= 4) {
    bytes.assign(size, std::byte{});
    error = api.query(0, TraceClass::source_list, bytes, returned);
  }
  WPERF_CHECK_OK(checked(error, "list the sources of samples"));
  return source_list(std::span(bytes).first(std::min<usize>(returned, bytes.size())));
}

u32 most_counters(TraceApi& api) {
  Bytes bytes(sizeof(u32));
  u32 returned = 0;
  if (api.query(0, TraceClass::most_counters, bytes, returned) != kNoError || returned != bytes.size()) return 0;
  return number_at<u32>(bytes, 0);
}

std::optional<SourceInterval> interval_now(TraceApi& api, u32 source) {
  Bytes bytes = interval_bytes({source, 0});
  u32 returned = 0;
  if (api.query(0, TraceClass::sampling_interval, bytes, returned) != kNoError) return std::nullopt;
  return interval_of(std::span(bytes).first(std::min<usize>(returned, bytes.size())));
}

}  // namespace wperf::etw
