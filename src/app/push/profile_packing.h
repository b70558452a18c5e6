// SPDX-License-Identifier: BSD-3-Clause
// A profile in the bytes that a kind of server takes. Called by commands.
#pragma once
#include <vector>

#include "app/push/parcel.h"
#include "views/exports/exported_profile.h"

namespace wperf::push {

// When it was, by the clock on the wall.
struct ProfileTime {
  u64 begin_unix_ns = 0, end_unix_ns = 0;
};

// `labels` go into what holds its own, OTLP's message.
PackedProfile packed_profile(exports::Source source, request::PushTarget target,
                             const std::vector<request::PushLabel>& labels, const ProfileTime& time);

// What the profile is about, where nobody says: the program that most samples are of.
std::string program_of(const stacks::StackProfile& profile);

}  // namespace wperf::push
