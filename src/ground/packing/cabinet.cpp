// SPDX-License-Identifier: BSD-3-Clause
#include "ground/packing/cabinet.h"

#include <cstring>

#include "ground/bytes/bytes.h"
#include "ground/packing/deflate.h"

namespace wperf::packing {
namespace {

// Layout: header | reserved fields | names of neighbours | folders | … files | … blocks of each folder
struct Header {
  u32 signature, reserved_1, size, reserved_2, files_at, reserved_3;
  u8 minor_version, major_version;
  u16 folder_count, file_count, flags, set_id, index;
};
enum Flags : u16 { kHasPrevious = 1, kHasNext = 2, kHasReserve = 4 };

struct Reserve {
  u16 header_bytes;
  u8 folder_bytes, block_bytes;
};

struct Folder {
  u32 blocks_at;
  u16 block_count, compression;
};
enum Compression : u16 { kStored = 0, kMsZip = 1, kQuantum = 2, kLzx = 3 };

struct File {
  u32 size, folder_offset;
  u16 folder, date, time, attributes;
};

struct Block {
  u32 checksum;
  u16 stored_bytes, bytes;
};

constexpr u16 kLargestBlock = 32768;

diag::Error damaged_cabinet(const char* what) {
  return {.text = what, .hint = {}, .code = diag::ExitCode::damaged_input};
}

// Combines 32-bit words by exclusive or; the last one to three bytes are taken highest byte first.
u32 checksum(bytes::Span bytes, u32 seed) {
  u32 sum = seed;
  usize at = 0;
  for (; at + 4 <= bytes.size(); at += 4) {
    u32 word = 0;
    std::memcpy(&word, bytes.data() + at, 4);
    sum ^= word;
  }
  u32 rest = 0;
  for (; at < bytes.size(); ++at) rest = rest << 8 | std::to_integer<u32>(bytes[at]);
  return sum ^ rest;
}

bool append_block(bytes::Span stored, u32 bytes, Compression compression, std::vector<std::byte>& out) {
  const usize target = out.size() + bytes;
  if (compression == kStored) {
    if (stored.size() != bytes) return false;
    out.insert(out.end(), stored.begin(), stored.end());
    return true;
  }
  // "CK", followed by one DEFLATE stream that may refer back to the previous blocks.
  const bool marked = stored.size() >= 2 && stored[0] == std::byte{'C'} && stored[1] == std::byte{'K'};
  return marked && packing::inflate(stored.subspan(2), out, target) && out.size() == target;
}

// Unpacks the first `wanted` bytes of the folder.
diag::Result<std::vector<std::byte>> read_folder(bytes::Span cabinet, const Folder& folder, u8 block_reserve,
                                                 u64 wanted) {
  const auto compression = static_cast<Compression>(folder.compression & 15);
  if (compression == kLzx) return damaged_cabinet("the cabinet is compressed with LZX, which is not supported");
  if (compression != kStored && compression != kMsZip) {
    return damaged_cabinet("the cabinet is compressed with an unsupported method");
  }
  std::vector<std::byte> out;
  bytes::Reader reader(bytes::from(cabinet, folder.blocks_at));
  for (u32 i = 0; i < folder.block_count && out.size() < wanted; ++i) {
    const auto block = reader.take<Block>();
    const bytes::Span reserved = reader.bytes(block_reserve), stored = reader.bytes(block.stored_bytes);
    if (!reader.sound()) return damaged_cabinet("the cabinet is truncated");
    // 0 bytes means that the block continues in another cabinet.
    if (block.bytes == 0 || block.bytes > kLargestBlock)
      return damaged_cabinet("the cabinet has a block of a wrong size");
    const u32 sizes = u32{block.stored_bytes} | u32{block.bytes} << 16;
    if (block.checksum != 0 && block.checksum != (checksum(stored, sizes) ^ checksum(reserved, 0))) {
      return damaged_cabinet("a checksum of the cabinet is wrong");
    }
    if (!append_block(stored, block.bytes, compression, out))
      return damaged_cabinet("the data in the cabinet are damaged");
  }
  if (out.size() < wanted) return damaged_cabinet("the cabinet ends before the file in it does");
  return out;
}

}  // namespace

diag::Result<std::vector<std::byte>> decompress_cabinet(std::span<const std::byte> cabinet, u64 limit) {
  constexpr u32 kSignature = 0x4643534d;  // MSCF
  bytes::Reader reader(cabinet);
  const auto header = reader.take<Header>();
  if (!reader.sound() || header.signature != kSignature) return damaged_cabinet("not a cabinet");
  Reserve reserve{};
  if ((header.flags & kHasReserve) != 0) {
    reserve = reader.take<Reserve>();
    reader.skip(reserve.header_bytes);
  }
  // The name and the disk of the previous cabinet, then the name and the disk of the next one.
  constexpr u64 kLongestName = 256;
  for (const Flags flag : {kHasPrevious, kHasPrevious, kHasNext, kHasNext}) {
    if ((header.flags & flag) != 0) reader.text(kLongestName);
  }
  File file{};
  if (!reader.sound() || !bytes::read_at(cabinet, header.files_at, file))
    return damaged_cabinet("the cabinet is truncated");
  if (header.file_count == 0) return damaged_cabinet("the cabinet is empty");
  if (file.folder >= header.folder_count) return damaged_cabinet("the file continues in another cabinet");
  const u64 wanted = u64{file.folder_offset} + file.size;
  if (wanted > limit) return damaged_cabinet("the file in the cabinet is too large");

  Folder folder{};
  for (u32 i = 0; i <= file.folder; ++i) {
    folder = reader.take<Folder>();
    reader.skip(reserve.folder_bytes);
  }
  if (!reader.sound()) return damaged_cabinet("the cabinet is truncated");
  WPERF_TRY(std::vector<std::byte> out, read_folder(cabinet, folder, reserve.block_bytes, wanted));
  out.resize(static_cast<usize>(wanted));
  out.erase(out.begin(), out.begin() + file.folder_offset);
  return out;
}

}  // namespace wperf::packing
