// SPDX-License-Identifier: BSD-3-Clause
// A zip file as bytes: its list of files, and each of them unpacked in pieces. Stored and deflated ones are read, with
// 64-bit sizes too. Opens no files. Called by recording, for traces that tools keep in zip files.
#pragma once
#include <string>
#include <vector>

#include "ground/bytes/bytes.h"
#include "ground/diag/result.h"
#include "ground/packing/inflate.h"

namespace wperf::packing {

using Bytes = bytes::Span;

struct ZipEntry {
  std::string name;  // with folders, as it stands there
  u64 size = 0;      // unpacked
  u32 checksum = 0;
  u16 method = 0;
  bool is_encrypted = false;
  Bytes packed;
  bool is_stored() const { return method == 0 && !is_encrypted; }
};

enum class Unpacked : u8 {
  all,
  stopped,    // by who took the pieces
  damaged,    // what was before was given
  not_sound,  // all was given, but it has another checksum
  too_large,  // more than it may be; what was before was given
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
