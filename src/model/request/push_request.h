// SPDX-License-Identifier: BSD-3-Clause
// Where `push` and `record --push` send profiles. Part of Request.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"
#include "ground/diag/result.h"

namespace wperf::request {

// --to: the server's interface.
enum class PushTarget : u8 { pyroscope, pyroscope_ingest, parca, otlp, clickhouse };
struct PushLabel {
  std::string name, value;
};

inline constexpr u64 kDefaultSpoolBytes = u64{64} << 20;
inline constexpr u64 kDefaultPushPeriodMs = 60'000;

struct Push {
  std::optional<std::string> url;  // from --url or --push
  PushTarget target = PushTarget::pyroscope;
  std::vector<PushLabel> labels;  // in the user's order; each name once
  std::optional<std::string> token_file, tenant;
  bool token_in_the_clear = false;   // the token may be sent over plain http to another machine
  std::optional<std::string> spool;  // a folder
  u64 spool_bytes = kDefaultSpoolBytes;
  u64 period_ms = kDefaultPushPeriodMs;  // for record --push; never 0
};

inline constexpr std::string_view kPushTargets =
    "pyroscope pyroscope-ingest parca otlp clickhouse";  // by value of PushTarget
diag::Result<PushTarget> parse_push_target(std::string_view name);
// Parses K=V. Names follow the rules of Prometheus: letters, digits and _, but no digit first.
diag::Result<PushLabel> parse_push_label(std::string_view text);
// Parses a number of bytes with the unit K, M or G (powers of 1024; default M); never 0.
diag::Result<u64> parse_byte_limit(std::string_view text, std::string_view option);

}  // namespace wperf::request
