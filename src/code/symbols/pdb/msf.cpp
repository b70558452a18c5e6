// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/pdb/msf.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "code/symbols/pdb/pdb_format.h"

namespace wperf::symbols::pdb {
namespace {

constexpr u32 kLeastBlock = 512;
constexpr u32 kGreatestBlock = 32768;
constexpr u64 kDirectoryMapAt = 52;    // position in the superblock
constexpr u32 kMostStreams = 0x10000;  // stream numbers have 16 bits

diag::Error damaged(const char* text) {
  return {.text = text, .hint = {}, .code = diag::ExitCode::damaged_input};
}

bool starts_with(bytes::View file, std::string_view text) {
  return file.holds(0, text.size()) && std::memcmp(file.data(), text.data(), text.size()) == 0;
}

// Recognises other formats that are also called PDB.
diag::Error not_msf(bytes::View file) {
  if (starts_with(file, "BSJB")) return damaged("This is a portable PDB of .NET, which has no native code in it.");
  if (starts_with(file, "Microsoft MSFZ")) return damaged("This PDB is compressed (MSFZ), which wperf cannot read.");
  if (starts_with(file, "Microsoft C/C++ program database 2.00")) {
    return damaged("This PDB is from a compiler older than Visual C++ 7, which wperf cannot read.");
  }
  return damaged("This is not a PDB.");
}

u64 blocks_for(u64 size, u32 block_size) {
  return (size + block_size - 1) / block_size;
}

}  // namespace

diag::Result<MsfFile> MsfFile::open(std::span<const std::byte> file) {
  MsfFile msf;
  msf.file_ = bytes::View(file);
  SuperBlock super;
  if (!starts_with(msf.file_, std::string_view(kMsfMagic, sizeof kMsfMagic))) return not_msf(msf.file_);
  if (!msf.file_.load(0, super)) return damaged("The PDB ends within its first block.");
  if (!std::has_single_bit(super.block_size) || super.block_size < kLeastBlock || super.block_size > kGreatestBlock) {
    return damaged("The PDB has an invalid block size.");
  }
  msf.block_size_ = super.block_size;
  WPERF_CHECK_OK(msf.read_directory(super.directory_size));
  return msf;
}

diag::Result<void> MsfFile::read_directory(u32 directory_size) {
  const u64 directory_blocks = blocks_for(directory_size, block_size_);
  const u64 map_blocks = blocks_for(directory_blocks * sizeof(u32), block_size_);
  bytes::View map;
  const bytes::Table<u32> map_list(file_.slice(0, block_size_).slice(kDirectoryMapAt, map_blocks * sizeof(u32)));
  if (!assemble(map_list, directory_blocks * sizeof(u32), map) ||
      !assemble(bytes::Table<u32>(map), directory_size, directory_)) {
    return damaged("The directory of the PDB is outside the file.");
  }
  u32 stream_count = 0;
  if (!directory_.load(0, stream_count) || !directory_.holds(sizeof(u32), u64{stream_count} * sizeof(u32))) {
    return damaged("The directory of the PDB is cut short.");
  }
  const bytes::Table<u32> sizes(directory_.slice(sizeof(u32), u64{stream_count} * sizeof(u32)));
  u64 blocks_at = sizeof(u32) + u64{stream_count} * sizeof(u32);
  streams_.resize(std::min(stream_count, kMostStreams));
  for (u32 i = 0; i < streams_.size(); ++i) {
    const u32 size = sizes.at(i);
    streams_[i].size = size == kDeletedStream ? 0 : size;
    streams_[i].blocks_at = blocks_at;
    blocks_at += blocks_for(streams_[i].size, block_size_) * sizeof(u32);
  }
  return {};
}

bytes::View MsfFile::stream(u32 index, Damage& damage) {
  if (index >= streams_.size()) return {};
  Stream& stream = streams_[index];
  if (!stream.is_assembled) {
    stream.is_assembled = true;
    const u64 list_size = blocks_for(stream.size, block_size_) * sizeof(u32);
    if (!assemble(bytes::Table<u32>(directory_.slice(stream.blocks_at, list_size)), stream.size, stream.bytes)) {
      ++damage.streams;
    }
  }
  return stream.bytes;
}

bool MsfFile::assemble(const bytes::Table<u32>& blocks, u64 size, bytes::View& out) {
  const u64 count = blocks_for(size, block_size_);
  if (count == 0) return true;
  if (blocks.size() < count || size > file_.size() - assembled_) return false;
  assembled_ += size;
  bool in_a_row = true;
  u64 left = size;
  for (u64 i = 0; i < count; ++i) {
    const u64 part = std::min<u64>(left, block_size_);
    if (!file_.holds(u64{blocks.at(i)} * block_size_, part)) return false;
    in_a_row = in_a_row && blocks.at(i) == blocks.at(0) + i;
    left -= part;
  }
  if (in_a_row) {
    out = file_.slice(u64{blocks.at(0)} * block_size_, size);
    return true;
  }
  auto copy = std::make_unique_for_overwrite<std::byte[]>(size);
  for (u64 i = 0; i < count; ++i) {
    const bytes::View block =
        file_.slice(u64{blocks.at(i)} * block_size_, std::min<u64>(size - i * block_size_, block_size_));
    std::memcpy(copy.get() + i * block_size_, block.data(), block.size());
  }
  out = bytes::View({copy.get(), size});
  copies_.push_back(std::move(copy));
  return true;
}

}  // namespace wperf::symbols::pdb
