// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/pdb/info_stream.h"

#include <bit>
#include <cstring>

#include "code/symbols/pdb/pdb_format.h"

namespace wperf::symbols::pdb {
namespace {

// A set of small numbers: a count of words, then the words.
struct BitVector {
  bytes::Table<u32> words;
  u64 end;  // where the next part begins
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

// After the header: the names' texts, then a hash table written bucket by bucket: its size, its capacity, which buckets
// are present, which were deleted, and for each present one {where the name is, number of the stream}.
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

}  // namespace wperf::symbols::pdb
