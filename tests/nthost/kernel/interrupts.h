// SPDX-License-Identifier: BSD-3-Clause
// Handles each interrupt at its level. machine/vectors_taken.cpp calls it; hal_calls.cpp sets the profile handler.
#pragma once
#include "tests/nthost/kernel/cpu.h"

namespace wperf::nthost {

void interrupt_arrived(Frame& frame);

using ProfileHandler = void (*)(KTRAP_FRAME* frame);
void set_profile_handler(ProfileHandler handler);
ProfileHandler profile_handler();
u64 profile_interrupts_without_handler();
void rearm_heartbeat();  // for this core, from set_heartbeat

}  // namespace wperf::nthost
