// SPDX-License-Identifier: BSD-3-Clause
// A file of the spool as bytes: a few lines with the destination of the parcel, an empty one, the body. Pure; the token
// is not in it. docs/design/push.md has the form.
#pragma once
#include <string>
#include <string_view>

#include "app/push/parcel.h"
#include "ground/diag/result.h"

namespace wperf::push {

struct SpoolEntry {
  std::string server;  // its address
  std::string tenant;  // empty: none
  std::string name;    // a name of the contents, for people
  Parcel parcel;
};

std::string entry_bytes(const SpoolEntry& entry);
// Damage of any kind is an error.
diag::Result<SpoolEntry> read_entry(std::string_view bytes);

}  // namespace wperf::push
