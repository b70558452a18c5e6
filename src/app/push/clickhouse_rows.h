// SPDX-License-Identifier: BSD-3-Clause
// A profile as rows of a table of ClickHouse, a row for each stack of an event and a thread: JSON, a line for each.
// Pure. clickhouse_table.h has the table.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "app/push/parcel.h"

namespace wperf::push {

// The rows without the ID of the profile, which is made of them.
std::string clickhouse_rows(const stacks::StackProfile& profile, const std::vector<request::PushLabel>& labels,
                            const ProfileTime& time);

// Requests of limited size. All have the same ID, and each row has its number, so rows that arrive twice count once.
std::vector<Parcel> clickhouse_parcels(std::string_view rows);

}  // namespace wperf::push
