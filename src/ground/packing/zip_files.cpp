// SPDX-License-Identifier: BSD-3-Clause
#include "ground/packing/zip_files.h"

#include <algorithm>
#include <optional>

#include "ground/packing/deflate.h"

namespace wperf::packing {
namespace {

using bytes::Reader;

constexpr u32 kLocalMark = 0x04034b50, kListMark = 0x02014b50, kEndMark = 0x06054b50;
constexpr u32 kWideEndMark = 0x06064b50, kWideLocatorMark = 0x07064b50;
constexpr usize kEndSize = 22, kWideLocatorSize = 20, kMostComment = 0xffff;
constexpr u16 kZipStored = 0, kZipDeflated = 8;
constexpr u32 kNotHere = ~u32{0};  // in a 32-bit field: the 64-bit value is stored elsewhere

diag::Error damaged_zip(std::string_view what) {
  return {.text = "damaged zip file: " + std::string(what), .hint = {}, .code = diag::ExitCode::damaged_input};
}

// The place of the list of files.
struct ListPlace {
  u64 offset = 0, size = 0;
};

std::optional<u64> find_end(Bytes file) {
  if (file.size() < kEndSize) return std::nullopt;
  const u64 last = file.size() - kEndSize;
  const u64 first = last > kMostComment ? last - kMostComment : 0;
  for (u64 at = last + 1; at-- > first;) {
    Reader in(file.subspan(at));
    if (in.take<u32>() != kEndMark) continue;
    in.skip(16);
    if (in.take<u16>() <= in.left()) return at;
  }
  return std::nullopt;
}

// The same for a zip file that needs 64-bit offsets.
diag::Result<ListPlace> wide_place(Bytes file, u64 end) {
  if (end < kWideLocatorSize) return damaged_zip("its end record does not locate its list of files");
  Reader locator(file.subspan(end - kWideLocatorSize));
  if (locator.take<u32>() != kWideLocatorMark) return damaged_zip("its end record does not locate its list of files");
  locator.skip(4);
  const u64 at = locator.take<u64>();
  if (at >= file.size()) return damaged_zip("its list of files is not where its end record says");
  Reader in(file.subspan(at));
  if (in.take<u32>() != kWideEndMark) return damaged_zip("its list of files is not where its end record says");
  in.skip(36);  // size of this record, versions, disk numbers, entries on this disk and in total
  ListPlace place;
  place.size = in.take<u64>();
  place.offset = in.take<u64>();
  if (!in.sound()) return damaged_zip("its end record is cut off");
  return place;
}

diag::Result<ListPlace> list_place(Bytes file) {
  const std::optional<u64> end = find_end(file);
  if (!end.has_value()) return damaged_zip("it has no list of files; was it copied completely?");
  Reader in(file.subspan(*end + 4));
  const u16 disk = in.take<u16>();
  in.skip(4);
  const u16 entries = in.take<u16>();
  ListPlace place;
  place.size = in.take<u32>();
  place.offset = in.take<u32>();
  if (disk != 0 && disk != 0xffff) {
    return diag::Error{.text = "this is the last part of a split zip file", .hint = "join the parts first"};
  }
  if (entries == 0xffff || place.size == kNotHere || place.offset == kNotHere) {
    WPERF_TRY(place, wide_place(file, *end));
  }
  if (place.offset > file.size() || place.size > file.size() - place.offset) {
    return damaged_zip("its list of files is not where its end record says");
  }
  return place;
}

// Numbers that do not fit into the entry's 32-bit fields are in its extra data, in this order. Numbers that fit are not
// in it.
bool take_wide_numbers(Bytes extra, u64& size, u64& packed, u64& offset) {
  constexpr u16 kWide = 1;
  if (size != kNotHere && packed != kNotHere && offset != kNotHere) return true;
  Reader in(extra);
  while (in.left() >= 4) {
    const u16 kind = in.take<u16>(), length = in.take<u16>();
    Reader field(in.bytes(length));
    if (!in.sound()) return false;
    if (kind != kWide) continue;
    for (u64* const number : {&size, &packed, &offset}) {
      if (*number == kNotHere) *number = field.take<u64>();
    }
    return field.sound();
  }
  return false;
}

// Reads the entry that begins at the position of `in`.
diag::Result<ZipEntry> take_entry(Bytes file, Reader& in) {
  constexpr u16 kEncrypted = 1;
  ZipEntry entry;
  if (in.take<u32>() != kListMark) return damaged_zip("its list of files ends early");
  in.skip(4);
  entry.is_encrypted = (in.take<u16>() & kEncrypted) != 0;
  entry.method = in.take<u16>();
  in.skip(4);
  entry.checksum = in.take<u32>();
  u64 packed = in.take<u32>();
  entry.size = in.take<u32>();
  const u16 name = in.take<u16>(), extra = in.take<u16>(), comment = in.take<u16>();
  in.skip(8);
  u64 offset = in.take<u32>();
  const Bytes name_bytes = in.bytes(name), extra_bytes = in.bytes(extra);
  in.skip(comment);
  if (!in.sound()) return damaged_zip("its list of files is cut off");
  entry.name.assign(reinterpret_cast<const char*>(name_bytes.data()), name_bytes.size());
  if (!take_wide_numbers(extra_bytes, entry.size, packed, offset)) return damaged_zip("sizes of a file are missing");
  if (offset > file.size()) return damaged_zip("a file in it starts after the end of the zip file");
  Reader local(file.subspan(offset));
  if (local.take<u32>() != kLocalMark) return damaged_zip("a file in it is not where the list says");
  local.skip(22);
  const u16 local_name = local.take<u16>(), local_extra = local.take<u16>();
  local.skip(local_name + u64{local_extra});
  entry.packed = local.bytes(packed);
  if (!local.sound()) return damaged_zip("a file in it extends past the end of the zip file");
  return entry;
}

// If many entries shared the same bytes, a small file could unpack to any size.
bool share_bytes(const std::vector<ZipEntry>& entries) {
  std::vector<Bytes> parts;
  for (const ZipEntry& entry : entries) {
    if (!entry.packed.empty()) parts.push_back(entry.packed);
  }
  std::sort(parts.begin(), parts.end(), [](Bytes a, Bytes b) { return a.data() < b.data(); });
  for (usize i = 1; i < parts.size(); ++i) {
    if (parts[i].data() < parts[i - 1].data() + parts[i - 1].size()) return true;
  }
  return false;
}

}  // namespace

bool ZipFile::has_signature(Bytes file) {
  Reader in(file);
  return in.take<u32>() == kLocalMark && in.sound();
}

diag::Result<ZipFile> ZipFile::open(Bytes file) {
  WPERF_TRY(const ListPlace place, list_place(file));
  ZipFile zip;
  Reader in(file.subspan(place.offset, place.size));
  while (in.left() != 0) {
    WPERF_TRY(ZipEntry entry, take_entry(file, in));
    zip.entries_.push_back(std::move(entry));
  }
  if (share_bytes(zip.entries_)) return damaged_zip("files in it overlap");
  return zip;
}

Unpacked ZipFile::unpack(const ZipEntry& entry, const TakePiece& take) {
  if (entry.is_encrypted || (entry.method != kZipStored && entry.method != kZipDeflated)) return Unpacked::not_read;
  u32 checksum = 0;
  u64 size = 0;
  bool stopped = false;
  const TakePiece take_counted = [&](Bytes piece) {
    checksum = checksum_of(piece, checksum);
    size += piece.size();
    stopped = !take(piece);
    return !stopped;
  };
  bool sound = true;
  if (entry.method == kZipStored) {
    static_cast<void>(take_counted(entry.packed));
  } else {
    sound = inflate(entry.packed, entry.size, take_counted);
  }
  if (stopped) return Unpacked::stopped;
  if (!sound || size != entry.size) return Unpacked::damaged;
  return checksum == entry.checksum ? Unpacked::all : Unpacked::not_sound;
}

namespace {

using bytes::Reader;

constexpr u16 kMark = 0x8b1f;
constexpr u8 kDeflate = 8;
constexpr u8 kHasHeaderSum = 2, kHasExtra = 4, kHasName = 8, kHasComment = 16;

bool begins_member(Bytes bytes) {
  Reader in(bytes);
  return in.take<u16>() == kMark && in.take<u8>() == kDeflate && in.sound();
}

void skip_text(Reader& in) {
  while (in.sound() && in.take<u8>() != 0) {
  }
}

// The header's length; 0 if it is truncated.
usize header_size(Bytes member) {
  Reader in(member);
  in.skip(3);
  const u8 flags = in.take<u8>();
  in.skip(6);  // time, flags of the packer, operating system
  if ((flags & kHasExtra) != 0) in.skip(in.take<u16>());
  if ((flags & kHasName) != 0) skip_text(in);
  if ((flags & kHasComment) != 0) skip_text(in);
  if ((flags & kHasHeaderSum) != 0) in.skip(2);
  return in.sound() ? member.size() - in.left() : 0;
}

}  // namespace

bool has_gzip_signature(Bytes file) {
  return begins_member(file);
}

Unpacked unpack_gzip(Bytes file, u64 limit, const TakePiece& take) {
  for (Bytes rest = file; begins_member(rest);) {
    const usize header = header_size(rest);
    if (header == 0) return Unpacked::damaged;
    rest = rest.subspan(header);
    u32 checksum = 0;
    u64 size = 0;
    bool stopped = false;
    usize used = 0;
    const bool sound = inflate(
        rest, limit,
        [&](Bytes piece) {
          checksum = checksum_of(piece, checksum);
          size += piece.size();
          stopped = !take(piece);
          return !stopped;
        },
        &used);
    if (stopped) return Unpacked::stopped;
    if (!sound) return size == limit ? Unpacked::too_large : Unpacked::damaged;
    limit -= std::min(limit, size);
    Reader end(rest.subspan(used));
    const u32 recorded_checksum = end.take<u32>(), recorded_size = end.take<u32>();
    if (!end.sound()) return Unpacked::damaged;
    if (recorded_checksum != checksum || recorded_size != static_cast<u32>(size)) return Unpacked::not_sound;
    rest = rest.last(end.left());
  }
  return Unpacked::all;
}

}  // namespace wperf::packing
