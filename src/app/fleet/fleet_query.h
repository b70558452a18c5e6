// SPDX-License-Identifier: BSD-3-Clause
// The statements that ask ClickHouse for the profiles of an address. The database adds them up. Pure.
#pragma once
#include <string>

#include "model/request/fleet_address.h"

namespace wperf::fleet {

// Rows of profiles::FleetHost.
std::string hosts_query(const request::FleetAddress& address);
// The samples and weights of each stack, by event and thread, and by host if wanted. A profile that arrived twice
// counts once.
std::string counts_query(const request::FleetAddress& address, bool by_host);
// The frames of each stack.
std::string stacks_query(const request::FleetAddress& address);
// The values of the first label of the address in all profiles, with the number and the newest time of each; without a
// label, builds.
std::string values_query(const request::FleetAddress& address);

}  // namespace wperf::fleet
