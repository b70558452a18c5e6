// SPDX-License-Identifier: BSD-3-Clause
// Decides which users may open the driver, with which rights, and which processes belong to a user. Windows first
// checks the INF's security descriptor; this check also applies if the driver runs without that descriptor. IRQL
// PASSIVE_LEVEL.
#pragma once
#include "base/ints.h"
#include "driver/core/core.h"
#include "driver/nt/nt.h"

namespace wperf::driver {

// The user of a token, and the user's level of trust. Made by user_of; owns memory until released.
struct User {
  TOKEN_USER* token_user = nullptr;
  TOKEN_GROUPS* groups = nullptr;  // only for an account that several services share, to distinguish their logons
  u32 integrity = 0;
};

struct Requester {
  Rights rights;
  User user;
};

// Checks a create request. SYSTEM, administrators, members of Performance Log Users and requests of the kernel itself
// are admitted. On success the caller must release the user.
[[nodiscard]] NTSTATUS admit(const IO_SECURITY_CONTEXT& context, KPROCESSOR_MODE mode, Requester* requester);
void release_user(User& user);

// Whether the process that began at `start` belongs to the user. It must have the same user and no higher level of
// trust, so an elevated process does not belong to the unelevated user. For an account that several services share, it
// must also have the same logon. Also returns false if that process has ended, even if another process has its number
// now.
bool is_process_of(const User& user, u32 process, u64 start);

}  // namespace wperf::driver
