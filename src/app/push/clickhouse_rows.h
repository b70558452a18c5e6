// SPDX-License-Identifier: BSD-3-Clause
// Writes a profile as rows of a ClickHouse table, one for each stack of an event and thread, as JSON with one row on
// each line. clickhouse_table.h has the table. Pure.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "app/push/upload.h"

namespace wperf::push {

// The rows without the profile's ID, which is computed from them.
std::string clickhouse_rows(const stacks::StackProfile& profile, const std::vector<request::PushLabel>& labels,
                            const ProfileTime& time);

// Divides the rows into requests of limited size. All rows have the same ID and different numbers, so rows that arrive
// twice count once.
std::vector<Upload> clickhouse_uploads(std::string_view rows);

}  // namespace wperf::push
