// SPDX-License-Identifier: BSD-3-Clause
// Security identifiers, tokens and access checks.
#pragma once
#include "driver/nt/nt.h"
#include "tests/nthost/kernel/process_object.h"

namespace wperf::nthost {

u32 sid_size(const void* sid);
void make_token(Token& token, const Person& person);
inline constexpr u8 kEveryoneSid[12] = {1, 1, 0, 0, 0, 0, 0, 1};
bool is_in(const Token& token, const void* sid);  // as its user or an enabled group, including Everyone

// The rights of `desired` (MAXIMUM_ALLOWED is not offered) that a self-relative descriptor's DACL grants, as documented
// for AccessCheck: entries apply in order, a denial ends the check, no DACL grants all rights, and an empty DACL grants
// no rights.
bool is_granted(const void* descriptor, const Token& token, ACCESS_MASK desired, const GENERIC_MAPPING& mapping,
                ACCESS_MASK* granted);

}  // namespace wperf::nthost
