// SPDX-License-Identifier: BSD-3-Clause
// The container of a PDB ("MSF"): a file of equal blocks that contains numbered streams. A stream of adjacent blocks is
// returned as a view of the file; any other one is copied on first use. The free block maps are ignored.
//
// superblock → directory map (block numbers) → directory → sizes and block numbers of all streams
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "code/symbols/pdb/pdb_file.h"
#include "ground/bytes/bytes.h"
#include "ground/diag/result.h"

namespace wperf::symbols::pdb {

class MsfFile {
 public:
  static diag::Result<MsfFile> open(std::span<const std::byte> file);

  u32 stream_count() const { return static_cast<u32>(streams_.size()); }
  // Empty if the stream does not exist, has no bytes, or is damaged. Each damage is counted once.
  bytes::View stream(u32 index, Damage& damage);

 private:
  struct Stream {
    u64 blocks_at = 0;  // position of its block numbers in the directory
    u32 size = 0;
    bool is_assembled = false;
    bytes::View bytes;
  };

  diag::Result<void> read_directory(u32 directory_size);
  bool assemble(const bytes::Table<u32>& blocks, u64 size, bytes::View& out);

  bytes::View file_;
  u32 block_size_ = 0;
  u64 assembled_ = 0;  // the bytes of all streams so far; limited to the size of the file, because a hostile directory
                       // may name a block a million times
  bytes::View directory_;
  std::vector<Stream> streams_;
  std::vector<std::unique_ptr<std::byte[]>> copies_;
};

}  // namespace wperf::symbols::pdb
