// SPDX-License-Identifier: BSD-3-Clause
// A gzip file as bytes (RFC 1952): its members, one after the other, unpacked in pieces. For profiles that programs
// keep packed.
#pragma once
#include "ground/packing/zip_file.h"

namespace wperf::packing {

bool has_gzip_look(Bytes file);

// Profiles and texts become this many times smaller at most; a file of a few bytes may always expand to kLeast.
constexpr u64 most_of_packed(u64 packed_bytes) {
  constexpr u64 kRatio = 256, kLeast = u64{64} << 20;
  return packed_bytes > kLeast / kRatio ? packed_bytes * kRatio : kLeast;
}

// At most `limit` bytes come out. The bytes before damage were given out; bytes after the last member that are not a
// member are skipped.
Unpacked unpack_gzip(Bytes file, u64 limit, const TakePiece& take);

}  // namespace wperf::packing
