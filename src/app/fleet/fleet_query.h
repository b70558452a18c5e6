// SPDX-License-Identifier: BSD-3-Clause
// The SQL statements that request the profiles of an address from ClickHouse, which adds them up. Pure.
#pragma once
#include <string>

#include "model/request/fleet_address.h"

namespace wperf::fleet {

// Rows of profiles::FleetHost.
std::string hosts_query(const request::FleetAddress& address);
// The samples and weights of each stack, by event and thread, and by host if requested. A profile that was stored twice
// counts once.
std::string counts_query(const request::FleetAddress& address, bool by_host);
// The frames of each stack.
std::string stacks_query(const request::FleetAddress& address);
// The values of the address's first label in all profiles, each with the number of profiles and the newest time;
// without a label, the builds.
std::string values_query(const request::FleetAddress& address);

}  // namespace wperf::fleet
