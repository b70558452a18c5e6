// SPDX-License-Identifier: BSD-3-Clause
// A file of the spool as bytes: a few lines that say where the parcel goes, an empty one, the body. Pure; the token is
// not in it. docs/design/push.md has the form. Called by spool.cpp.
#pragma once
#include <string>
#include <string_view>

#include "app/push/parcel.h"
#include "ground/diag/result.h"

namespace wperf::push {

struct SpoolEntry {
  std::string server;  // its address
  std::string tenant;  // empty: none
  std::string name;    // of what is in it, for people
  Parcel parcel;
};

std::string entry_bytes(const SpoolEntry& entry);
// Damage of any kind is an error.
diag::Result<SpoolEntry> read_entry(std::string_view bytes);

}  // namespace wperf::push
