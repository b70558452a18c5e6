// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/pdb/contents.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>

#include "code/symbols/pdb/pdb_format.h"

namespace wperf::symbols::pdb {
namespace {

// A set of small numbers: the number of words, then the words.
struct BitVector {
  bytes::Table<u32> words;
  u64 end;  // the beginning of the next part
};

std::optional<BitVector> read_bit_vector(bytes::View bytes, u64 at) {
  u32 word_count = 0;
  if (!bytes.load(at, word_count)) return std::nullopt;
  const u64 size = u64{word_count} * sizeof(u32);
  if (!bytes.holds(at + sizeof(u32), size)) return std::nullopt;
  return BitVector{bytes::Table<u32>(bytes.slice(at + sizeof(u32), size)), at + sizeof(u32) + size};
}

}  // namespace

std::optional<code::PdbId> parse_pdb_id(bytes::View info_stream) {
  InfoHeader header;
  if (!info_stream.load(0, header) || header.version < kInfoVersionWithGuid) return std::nullopt;
  code::PdbId id;
  id.guid.data1 = header.guid_data1;
  id.guid.data2 = header.guid_data2;
  id.guid.data3 = header.guid_data3;
  std::memcpy(id.guid.data4, header.guid_data4, sizeof id.guid.data4);
  id.age = header.age;
  return id;
}

// The header is followed by the texts of the names and a hash table: its size, its capacity, a set of present buckets,
// a set of deleted buckets, and for each present one {position of the name, number of the stream}.
std::optional<u32> find_named_stream(bytes::View info_stream, std::string_view name) {
  u32 texts_size = 0;
  if (!info_stream.load(sizeof(InfoHeader), texts_size)) return std::nullopt;
  const u64 texts_at = sizeof(InfoHeader) + sizeof(u32);
  const bytes::View texts = info_stream.slice(texts_at, texts_size);
  const u64 table_at = texts_at + texts_size;
  const auto present = read_bit_vector(info_stream, table_at + 2 * sizeof(u32));
  if (!present.has_value()) return std::nullopt;
  const auto deleted = read_bit_vector(info_stream, present->end);
  if (!deleted.has_value()) return std::nullopt;
  struct Entry {
    u32 name;
    u32 stream;
  };
  const bytes::Table<Entry> entries(info_stream.from(deleted->end));
  u64 entry_count = 0;
  for (u64 i = 0; i < present->words.size(); ++i) {
    entry_count += static_cast<u64>(std::popcount(present->words.at(i)));
  }
  for (u64 i = 0; i < entry_count && i < entries.size(); ++i) {
    const Entry entry = entries.at(i);
    if (texts.text(entry.name) == name) return entry.stream;
  }
  return std::nullopt;
}

bytes::View parse_names(bytes::View names_stream) {
  NamesHeader header;
  if (!names_stream.load(0, header) || header.signature != kNamesSignature) return {};
  return names_stream.slice(sizeof(NamesHeader), header.size);
}

std::optional<Dbi> Dbi::parse(bytes::View stream) {
  Dbi dbi;
  if (!stream.load(0, dbi.header_) || dbi.header_.signature != ~u32{0}) return std::nullopt;
  const DbiHeader& header = dbi.header_;
  u64 at = sizeof(DbiHeader);
  const auto next = [&](u32 size) {
    const bytes::View part = stream.slice(at, size);
    at += size;
    return part;
  };
  dbi.compilands_ = next(header.modules_size);
  dbi.contributions_ = next(header.contributions_size);
  next(header.section_map_size);
  next(header.file_info_size);
  next(header.type_servers_size);
  next(header.edit_and_continue_size);
  dbi.debug_headers_ = bytes::Table<u16>(next(header.debug_headers_size));
  return dbi;
}

std::vector<Compiland> Dbi::compilands(Damage& damage) const {
  std::vector<Compiland> result;
  std::vector<bool> is_taken(kNoStream);
  if (compilands_.size() < header_.modules_size) ++damage.streams;
  u64 at = 0;
  ModuleHeader module;
  while (compilands_.load(at, module)) {
    const auto name = compilands_.text(at + sizeof(ModuleHeader));
    const u64 object_at = at + sizeof(ModuleHeader) + (name.has_value() ? name->size() + 1 : 0);
    const auto object = compilands_.text(object_at);
    if (!name.has_value() || !object.has_value()) {
      ++damage.streams;
      break;
    }
    // If several compilands claim a stream, it is read only for the first of them. Otherwise a small file could require
    // much memory.
    u32 stream = module.stream;
    if (stream < kNoStream) {
      if (is_taken[stream]) {
        ++damage.streams;
        stream = kNoStream;
      } else {
        is_taken[stream] = true;
      }
    }
    result.push_back({*name, stream, module.symbols_size, module.c11_size, module.c13_size});
    at = (object_at + object->size() + 1 + 3) / 4 * 4;
  }
  return result;
}

u32 Dbi::debug_stream(DebugHeader place) const {
  const u64 index = static_cast<u64>(place);
  return index < debug_headers_.size() ? debug_headers_.at(index) : kNoStream;
}

namespace {

// There may be empty pieces between an address and the piece that contains it.
constexpr u32 kMostEmptyPieces = 64;

template <typename Piece>
bool is_before(const Piece& a, const Piece& b) {
  return std::tie(a.section, a.offset) < std::tie(b.section, b.offset);
}

}  // namespace

Contributions::Contributions(bytes::View substream) {
  u32 version = 0;
  if (!substream.load(0, version)) return;
  has_wide_ = version == kContributions2;
  if (version == kContributions1) narrow_ = bytes::Table<Contribution>(substream.from(sizeof(u32)));
  if (version == kContributions2) wide_ = bytes::Table<Contribution2>(substream.from(sizeof(u32)));
}

Contributions::Piece Contributions::piece(u64 index) const {
  if (!sorted_.empty()) return sorted_[index];
  const Contribution contribution = has_wide_ ? wide_.at(index).first : narrow_.at(index);
  return {contribution.section, contribution.module, contribution.offset, contribution.size};
}

std::optional<u32> Contributions::compiland_at(AddressMap::Place place) {
  const auto is_inside = [&](const Piece& one) {
    return one.section == place.section && one.offset <= place.offset && place.offset - one.offset < one.size;
  };
  if (is_inside(last_)) return last_.compiland;
  for (u32 attempt = 0; attempt < 2; ++attempt) {
    u64 low = 0;
    u64 high = count();
    while (low < high) {
      const u64 middle = low + (high - low) / 2;
      if (is_before(Piece{place.section, 0, place.offset, 0}, piece(middle))) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    for (u32 step = 0; step < kMostEmptyPieces && low > 0; ++step, --low) {
      const Piece found = piece(low - 1);
      if (is_inside(found)) {
        last_ = found;
        return found.compiland;
      }
      if (found.section != place.section || found.size != 0) break;
    }
    if (order_is_known_ || ensure_order()) break;
  }
  return std::nullopt;
}

// Sorts the contributions once if they are not in order. Returns true if they were in order.
bool Contributions::ensure_order() {
  order_is_known_ = true;
  bool sorted = true;
  for (u64 i = 1; i < count() && sorted; ++i) {
    sorted = !is_before(piece(i), piece(i - 1));
  }
  if (sorted) return true;
  std::vector<Piece> pieces;
  pieces.reserve(count());
  for (u64 i = 0; i < count(); ++i) {
    pieces.push_back(piece(i));
  }
  std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
    return std::tie(a.section, a.offset, a.size, a.compiland) < std::tie(b.section, b.offset, b.size, b.compiland);
  });
  sorted_ = std::move(pieces);
  return false;
}

}  // namespace wperf::symbols::pdb
