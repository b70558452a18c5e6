// SPDX-License-Identifier: BSD-3-Clause
// Reads zip and gzip files from bytes in memory: lists the files of a zip file, and unpacks each file, or the members
// of a gzip file, in pieces. For traces and profiles that tools keep packed.
#pragma once
#include <string>
#include <vector>

#include "ground/bytes/bytes.h"
#include "ground/diag/result.h"
#include "ground/packing/deflate.h"

namespace wperf::packing {

using Bytes = bytes::Span;

struct ZipEntry {
  std::string name;  // with folders, as in the archive
  u64 size = 0;      // unpacked
  u32 checksum = 0;
  u16 method = 0;
  bool is_encrypted = false;
  Bytes packed;
  bool is_stored() const { return method == 0 && !is_encrypted; }
};

enum class Unpacked : u8 {
  all,
  stopped,    // the receiver of the pieces asked to stop
  damaged,    // the pieces before the damage were delivered
  not_sound,  // all pieces were delivered, but the checksum is wrong
  too_large,  // more than allowed; the bytes before were delivered
  not_read,   // encrypted, or packed with another method
};

// Reads stored and deflated files, including those with 64-bit sizes.
class ZipFile {
 public:
  static bool has_signature(Bytes file);
  // Returns an error if the list of files makes no sense, or if files in it share bytes.
  static diag::Result<ZipFile> open(Bytes file);

  const std::vector<ZipEntry>& entries() const { return entries_; }
  static Unpacked unpack(const ZipEntry& entry, const TakePiece& take);

 private:
  std::vector<ZipEntry> entries_;
};

// Gzip files (RFC 1952): their members are unpacked one after the other, in pieces.
bool has_gzip_signature(Bytes file);

// Profiles and texts never shrink by more than this factor. A file of a few bytes may always expand to kLeast.
constexpr u64 most_of_packed(u64 packed_bytes) {
  constexpr u64 kRatio = 256, kLeast = u64{64} << 20;
  return packed_bytes > kLeast / kRatio ? packed_bytes * kRatio : kLeast;
}

// Unpacks at most `limit` bytes. The bytes before damage are given to `take`, too. Other bytes after the last member
// are skipped.
Unpacked unpack_gzip(Bytes file, u64 limit, const TakePiece& take);

}  // namespace wperf::packing
