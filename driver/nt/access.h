// SPDX-License-Identifier: BSD-3-Clause
// Who may open the driver, as what, and whose processes are his. The INF's security descriptor asks first; this check
// also holds where the driver runs without it. IRQL PASSIVE_LEVEL.
#pragma once
#include "base/ints.h"
#include "driver/core/core.h"
#include "driver/nt/nt.h"

namespace wperf::driver {

// The user a token stands for, and with which trust. Made by user_of, owns memory until released.
struct User {
  TOKEN_USER* token_user = nullptr;
  TOKEN_GROUPS* groups = nullptr;  // of an account that services share alone: their logons tell them apart
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

// Of the process that began at `start`: the same user, no more trusted than he is (an elevated process is not the
// unelevated user's), and for an account that services share the same logon. False too if that process is gone, whoever
// has its number now.
bool is_process_of(const User& user, u32 process, u64 start);

}  // namespace wperf::driver
