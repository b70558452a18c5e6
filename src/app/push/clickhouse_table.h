// SPDX-License-Identifier: BSD-3-Clause
// The table of ClickHouse that keeps the profiles of a fleet: its statements, its versions, and requests to its server.
// docs/design/push.md describes it.
#pragma once
#include <string>
#include <string_view>

#include "app/push/server.h"
#include "ground/diag/result.h"
#include "ground/os/http.h"

namespace wperf::push {

inline constexpr std::string_view kFleetTable = "wperf_samples";
inline constexpr std::string_view kInsertPath = "/?query=INSERT%20INTO%20wperf_samples%20FORMAT%20JSONEachRow";

// True for build, host and service_name: they are columns.
bool is_label_column(std::string_view label);
// A text as SQL spells it.
std::string in_sql(std::string_view text);

// The database is the path of the server's address.
std::string clickhouse_request_url(std::string_view server_url, std::string_view path);

// The body of the answer to one statement. For an error, `outcome` says what it means for profiles.
diag::Result<os::HttpAnswer> ask_clickhouse(const Server& server, const std::string& sql, const os::HttpLimits& limits,
                                            Outcome& outcome);

// Makes the table if it is missing, and brings an older one to this version. A newer one is refused.
Verdict prepare_table(const Server& server);
// Refused if its version is another one; nothing is changed.
diag::Result<void> check_table(const Server& server);

}  // namespace wperf::push
