// SPDX-License-Identifier: BSD-3-Clause
// The ClickHouse table with the profiles of a fleet: its statements, its versions, and requests to its server.
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

// True for build, host and service_name, which are columns.
bool is_label_column(std::string_view label);
// Returns the text as an SQL literal.
std::string in_sql(std::string_view text);

// The path in the server's address is the database.
std::string clickhouse_request_url(std::string_view server_url, std::string_view path);

// Sends one statement and returns the body of the answer. In case of an error, `outcome` is set to what it means for
// profiles.
diag::Result<os::HttpAnswer> ask_clickhouse(const Server& server, const std::string& sql, const os::HttpLimits& limits,
                                            Outcome& outcome);

// Creates the table if it is missing, and upgrades an older version. Refuses a newer version.
UploadResult prepare_table(const Server& server);
// Refuses a table of another version; changes nothing.
diag::Result<void> check_table(const Server& server);

}  // namespace wperf::push
