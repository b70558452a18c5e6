// SPDX-License-Identifier: BSD-3-Clause
// A gzip file as bytes (RFC 1952): its members, one behind the other, unpacked in pieces. Called by recording, for
// profiles that programs keep packed.
#pragma once
#include "ground/packing/zip_file.h"

namespace wperf::packing {

bool has_gzip_look(Bytes file);

// Profiles and texts become this many times smaller at most; what a file of a few bytes may become is not asked.
constexpr u64 most_of_packed(u64 packed_bytes) {
  constexpr u64 kRatio = 256, kLeast = u64{64} << 20;
  return packed_bytes > kLeast / kRatio ? packed_bytes * kRatio : kLeast;
}

// At most `limit` bytes come out. What came before damage was given; bytes behind the last member that are none are
// passed over.
Unpacked unpack_gzip(Bytes file, u64 limit, const TakePiece& take);

}  // namespace wperf::packing
