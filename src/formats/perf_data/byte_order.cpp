// SPDX-License-Identifier: BSD-3-Clause
#include "formats/perf_data/byte_order.h"

#include <algorithm>

#include "formats/perf_data/field_swapper.h"
#include "formats/perf_data/swapped_walk.h"

namespace wperf::perf_data {
namespace {

constexpr usize kMagicSize = 8, kPipeHeaderBytes = 16, kFileHeaderSize = 104, kSectionSize = 16;
constexpr std::string_view kMagic = "PERFILE2", kSwappedMagic = "2ELIFREP", kFirstMagic = "PERFFILE";

std::string_view magic_of(Bytes file) {
  const Bytes head = slice(file, 0, kMagicSize);
  return {reinterpret_cast<const char*>(head.data()), head.size()};
}

struct Section {
  u64 offset = 0, size = 0;
};

std::span<std::byte> part_of(std::span<std::byte> file, const Section& section) {
  if (section.offset >= file.size()) return {};
  const auto rest = file.subspan(static_cast<usize>(section.offset));
  return rest.first(static_cast<usize>(std::min<u64>(section.size, rest.size())));
}

// The bits are stored in 64-bit words, by 32-bit machines in 32-bit words. Every finished file of perf has a host name,
// whose bit shows which.
void swap_feature_bits(std::span<std::byte> bits) {
  FieldSwapper(bits).fields("wwww");
  constexpr u64 kHostName = u64{1} << static_cast<u32>(Feature::host_name);
  const u64 first = Reader(bits).word();
  if ((first & kHostName) != 0 || ((first >> 32) & kHostName) == 0) return;
  for (usize at = 0; at < bits.size(); at += sizeof(u64)) {
    const u64 word = Reader(Bytes(bits).subspan(at)).word();
    FieldSwapper::put(bits.subspan(at), (word << 32) | (word >> 32));
  }
}

bool has_bit(Bytes bits, Feature feature) {
  const auto number = static_cast<u32>(feature);
  return ((Words(bits)[number / 64] >> (number % 64)) & 1) != 0;
}

std::vector<Event> swap_events(std::span<std::byte> file, const Section& table, u64 entry_size) {
  std::vector<Event> events;
  std::span<std::byte> rest = part_of(file, table);
  u64 id_bytes = 0;
  for (; entry_size >= kSmallestAttributes + kSectionSize && rest.size() >= entry_size;
       rest = rest.subspan(static_cast<usize>(entry_size))) {
    const std::span<std::byte> entry = rest.first(static_cast<usize>(entry_size));
    const std::span<std::byte> attributes = entry.first(entry.size() - kSectionSize);
    swap_attributes(attributes);
    FieldSwapper place(entry.last(kSectionSize));
    const Section ids{place.word(), place.word()};
    const std::span<std::byte> words = part_of(file, ids);
    id_bytes += words.size();
    if (id_bytes > file.size()) break;  // sections that overlap would cost a file's size for each event
    FieldSwapper(words).fields("W");
    Event& event = events.emplace_back();
    if (!read_event_attributes(attributes, event.attributes)) event.attributes = {};
    const Words known{Bytes(words)};
    for (usize i = 0; i < known.size(); ++i) event.ids.push_back(known[i]);
  }
  return events;
}

void swap_features(std::span<std::byte> file, u64 table, Bytes bits) {
  FieldSwapper sections(part_of(file, {table, kFeatureBits * kSectionSize}));
  u64 swapped = 0;
  for (u32 number = 0; number < kFeatureBits; ++number) {
    if (!has_bit(bits, static_cast<Feature>(number)) || sections.left() < kSectionSize) continue;
    const Section section{sections.word(), sections.word()};
    const std::span<std::byte> bytes = part_of(file, section);
    swapped += bytes.size();
    if (swapped > file.size()) return;
    swap_feature(static_cast<Feature>(number), bytes);
  }
}

}  // namespace

bool is_of_other_byte_order(Bytes file) {
  if (magic_of(file) == kSwappedMagic) return true;
  // The first version's magic is a text without a byte order; the size of its header has one.
  if (magic_of(file) != kFirstMagic) return false;
  Reader reader(file);
  reader.skip(kMagicSize);
  const u64 size = reader.word();
  return reader.sound() && size > ~u64{0} >> 32;
}

std::vector<std::byte> in_native_order(Bytes original) {
  std::vector<std::byte> copy(original.begin(), original.end());
  const std::span<std::byte> file(copy);
  std::transform(kMagic.begin(), kMagic.begin() + static_cast<std::ptrdiff_t>(std::min(kMagic.size(), file.size())),
                 file.begin(), [](char c) { return static_cast<std::byte>(c); });
  FieldSwapper header(file.subspan(std::min(kMagicSize, file.size())));
  const u64 header_size = header.word();
  if (header_size == kPipeHeaderBytes) {
    RecordSwapper swapper;
    swap_records(file.subspan(kPipeHeaderBytes), swapper, RecordPlaces::by_words);
    return copy;
  }
  const u64 entry_size = header.word();
  const Section events{header.word(), header.word()}, data{header.word(), header.word()};
  header.fields("ww");
  const bool has_features = header_size >= kFileHeaderSize && header.left() >= kFeatureBits / 8;
  const std::span<std::byte> bits = has_features ? header.skip(kFeatureBits / 8) : std::span<std::byte>();
  if (has_features) swap_feature_bits(bits);
  // The sections overlap in no sound file; in another one the same bytes are turned around twice, and make no sense.
  const u64 data_size = data.size == 0 ? file.size() : data.size;  // not finished: everything up to the end
  RecordSwapper records{EventTable(swap_events(file, events, entry_size))};
  const bool is_packed = has_bit(bits, Feature::compressed);
  swap_records(part_of(file, {data.offset, data_size}), records,
               is_packed ? RecordPlaces::anywhere : RecordPlaces::by_words);
  if (data.size != 0 && data.offset <= file.size() && data.size <= file.size() - data.offset) {
    swap_features(file, data.offset + data.size, bits);
  }
  return copy;
}

}  // namespace wperf::perf_data
