// SPDX-License-Identifier: BSD-3-Clause
// A zip file as bytes: its list of files, and each of them unpacked in pieces. Stored and deflated ones are read, with
// 64-bit sizes too. Opens no files. For traces that tools keep in zip files.
#pragma once
#include <string>
#include <vector>

#include "ground/bytes/bytes.h"
#include "ground/diag/result.h"
#include "ground/packing/inflate.h"

namespace wperf::packing {

using Bytes = bytes::Span;

struct ZipEntry {
  std::string name;  // with folders, as in the list
  u64 size = 0;      // unpacked
  u32 checksum = 0;
  u16 method = 0;
  bool is_encrypted = false;
  Bytes packed;
  bool is_stored() const { return method == 0 && !is_encrypted; }
};

enum class Unpacked : u8 {
  all,
  stopped,    // the receiver of the pieces stopped the reading
  damaged,    // the pieces before the damage were given
  not_sound,  // all pieces were given, but the checksum is wrong
  too_large,  // more than allowed; the bytes before were given out
  not_read,   // encrypted, or packed otherwise
};

class ZipFile {
 public:
  static bool has_its_look(Bytes file);
  // An error where the list of files does not make sense, or files in it share bytes.
  static diag::Result<ZipFile> open(Bytes file);

  const std::vector<ZipEntry>& entries() const { return entries_; }
  static Unpacked unpack(const ZipEntry& entry, const TakePiece& take);

 private:
  std::vector<ZipEntry> entries_;
};

}  // namespace wperf::packing
