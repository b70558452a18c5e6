// SPDX-License-Identifier: BSD-3-Clause
// A profile in the bytes that a kind of server takes.
#pragma once
#include <vector>

#include "app/push/parcel.h"
#include "views/exports/exported_profile.h"

namespace wperf::push {

// When it was, by the clock on the wall.
struct ProfileTime {
  u64 begin_unix_ns = 0, end_unix_ns = 0;
};

// `labels` are written into OTLP's message, which has a place for them.
PackedProfile packed_profile(exports::Source source, request::PushTarget target,
                             const std::vector<request::PushLabel>& labels, const ProfileTime& time);

// The subject of the profile if the user names none: the program with the most samples.
std::string program_of(const stacks::StackProfile& profile);

}  // namespace wperf::push
