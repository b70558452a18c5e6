// SPDX-License-Identifier: BSD-3-Clause
// A gzip file as bytes (RFC 1952): its members, one behind the other, unpacked in pieces. Called by recording, for
// profiles that programs keep packed.
#pragma once
#include "import/zip/zip_file.h"

namespace wperf::zip {

bool has_gzip_look(Bytes file);

// At most `limit` bytes come out. What came before damage was given; bytes behind the last member that are none are
// passed over.
Unpacked unpack_gzip(Bytes file, u64 limit, const TakePiece& take);

}  // namespace wperf::zip
