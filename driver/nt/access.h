// SPDX-License-Identifier: BSD-3-Clause
// Decides which users may open the driver, with which rights, and which processes belong to a user. The INF's security
// descriptor asks first; this check also holds where the driver runs without it. IRQL PASSIVE_LEVEL.
#pragma once
#include "base/ints.h"
#include "driver/core/core.h"
#include "driver/nt/nt.h"

namespace wperf::driver {

// The user of a token, and the user's level of trust. Made by user_of, owns memory until released.
struct User {
  TOKEN_USER* token_user = nullptr;
  TOKEN_GROUPS* groups = nullptr;  // only for an account that services share: their logons tell them apart
  u32 integrity = 0;
};

struct Requester {
  Rights rights;
  User user;
};

// From a create request. Allowed in are SYSTEM, administrators and members of Performance Log Users; requests of the
// kernel itself are. On success the user is the caller's to release.
[[nodiscard]] NTSTATUS admit(const IO_SECURITY_CONTEXT& context, KPROCESSOR_MODE mode, Requester* requester);
void release_user(User& user);

// Is the process that began at `start` one of the user's? It is if it has the same user and no more trust (an elevated
// process does not belong to the unelevated user), and for an account that services share, the same logon. Returns
// false also if that process is gone, even if another process has its number now.
bool is_process_of(const User& user, u32 process, u64 start);

}  // namespace wperf::driver
