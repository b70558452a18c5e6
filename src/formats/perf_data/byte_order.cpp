// SPDX-License-Identifier: BSD-3-Clause
#include "formats/perf_data/byte_order.h"

#include <algorithm>
#include <bit>

#include "formats/perf_data/record_search.h"
#include "formats/perf_data/swapped_records.h"

namespace wperf::perf_data {
namespace {

struct Header {
  u32 type = 0;
  u16 misc = 0, size = 0;
};

// Near the end of the bytes, returns a header whose size is too small.
Header header_at(Bytes data, u64 at) {
  if (at > data.size() || data.size() - at < kRecordHeader) return {};
  Reader reader(data.subspan(static_cast<usize>(at)));
  Header header;
  header.type = std::byteswap(reader.take<u32>());
  header.misc = std::byteswap(reader.take<u16>());
  header.size = std::byteswap(reader.take<u16>());
  return header;
}

bool may_be_record(Bytes data, u64 at) {
  const Header header = header_at(data, at);
  return may_be_header(u64{header.size} << 48 | header.type, data.size() - at);
}

// The end of the record, including the data that belongs to it; 0 if it does not fit.
u64 end_of_record(Bytes data, u64 at) {
  const Header header = header_at(data, at);
  if (header.size < kRecordHeader || header.size > data.size() - at) return 0;
  Reader body(data.subspan(static_cast<usize>(at + kRecordHeader), header.size - kRecordHeader));
  u64 payload = 0;
  if (header.type == static_cast<u32>(RecordType::auxtrace)) payload = std::byteswap(body.word());
  if (header.type == static_cast<u32>(RecordType::header_tracing_data)) payload = std::byteswap(body.take<u32>());
  const u64 end = at + header.size;
  return payload > data.size() - end ? 0 : end + payload;
}

class Walk {
 public:
  Walk(Bytes data, RecordSwapper& swapper, RecordPlaces places) : data_(data), swapper_(swapper), places_(places) {}

  u64 find(u64 at);  // see find_record
  // The end of the record at `at` (equal to `at` if there is no record), and the beginning of the next one.
  struct Step {
    u64 end = 0, next = 0;
  };
  Step step(u64 at);

 private:
  u64 end_of_run(u64 at, UnknownTypes unknown);
  Record turned(u64 at);  // valid until the next call

  Bytes data_;
  RecordSwapper& swapper_;
  RecordPlaces places_;
  u64 trusted_ = 0;  // all records before this position were checked already
  std::vector<std::byte> copy_;
};

Record Walk::turned(u64 at) {
  const Header header = header_at(data_, at);
  const Bytes bytes = data_.subspan(static_cast<usize>(at), header.size);
  copy_.assign(bytes.begin(), bytes.end());
  swapper_.swap_copy(copy_);
  return {.type = header.type,
          .misc = header.misc,
          .file_offset = 0,
          .body = Bytes(copy_).subspan(kRecordHeader),
          .payload = {}};
}

u64 Walk::end_of_run(u64 at, UnknownTypes unknown) {
  ValidRun run(swapper_.events(), unknown);
  while (at < data_.size() && !run.is_enough()) {
    const u64 end = end_of_record(data_, at);
    if (end == 0 || !run.add(turned(at))) return kNoRun;
    at = end;
  }
  return at;
}

u64 Walk::find(u64 at) {
  const u64 step = places_ == RecordPlaces::anywhere ? 1 : kRecordStep;
  for (; at < data_.size() && data_.size() - at >= kRecordHeader; at += step) {
    if (may_be_record(data_, at) && end_of_run(at, UnknownTypes::refuse) != kNoRun) return at;
  }
  return data_.size();
}

Walk::Step Walk::step(u64 at) {
  const u64 end = end_of_record(data_, at);
  const bool is_whole = end != 0;
  const Header header = header_at(data_, at);
  const bool holds_packed = is_whole && is_packed(static_cast<RecordType>(header.type));
  if (holds_packed) places_ = RecordPlaces::anywhere;
  if (is_whole && end < trusted_) return {end, end};
  const bool is_sound_here =
      is_whole && (header.size - kRecordHeader <= kLongRecord || is_sound(turned(at), swapper_.events()));
  if (is_sound_here && (end == data_.size() || may_be_record(data_, end))) return {end, end};
  trusted_ = is_sound_here ? end_of_run(end, UnknownTypes::pass) : kNoRun;
  if (trusted_ != kNoRun) return {end, end};  // a run of unknown types
  const u64 next = find(holds_packed ? end : at + kRecordHeader);
  if (next == data_.size()) return {is_whole ? end : at, next};
  trusted_ = end_of_run(next, UnknownTypes::refuse);
  return {is_sound_here && next >= end ? end : at, next};
}

}  // namespace

void swap_records(std::span<std::byte> records, RecordSwapper& swapper, RecordPlaces places) {
  Walk walk(records, swapper, places);
  for (u64 at = 0; at < records.size();) {
    const auto [end, next] = walk.step(at);
    // If the end of the file cuts a record, the existing part is swapped.
    const bool is_cut = end == at && next == records.size();
    if (end != at || is_cut) swapper.swap_next(records.subspan(static_cast<usize>(at)));
    if (!is_cut)
      std::fill(records.begin() + static_cast<std::ptrdiff_t>(end), records.begin() + static_cast<std::ptrdiff_t>(next),
                std::byte{0});
    at = next;
  }
}

u64 find_swapped_record(Bytes data, u64 at, RecordSwapper& swapper, RecordPlaces places) {
  return Walk(data, swapper, places).find(at);
}

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

// The bits are stored in 64-bit words; 32-bit machines store them in 32-bit words. Every finished file has a host name;
// the position of its bit shows which word size was used.
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
    if (id_bytes > file.size()) break;  // otherwise overlapping sections could cost as much as the file for each event
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
  // The magic of the first version is a text and has no byte order, but the size of its header has one.
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
  // Sections overlap only in a damaged file. Then the same bytes are swapped twice, which makes no sense but does no
  // harm.
  const u64 data_size = data.size == 0 ? file.size() : data.size;  // unfinished file: everything up to the end
  RecordSwapper records{EventTable(swap_events(file, events, entry_size))};
  const bool is_packed = has_bit(bits, Feature::compressed);
  swap_records(part_of(file, {data.offset, data_size}), records,
               is_packed ? RecordPlaces::anywhere : RecordPlaces::by_words);
  if (data.size != 0 && data.offset <= file.size() && data.size <= file.size() - data.offset) {
    swap_features(file, data.offset + data.size, bits);
  }
  return copy;
}

namespace {

void swap_text(FieldSwapper& fields) {
  fields.skip(fields.take<u32>());
}

void swap_event_descriptions(FieldSwapper& fields) {
  u32 left = fields.take<u32>();
  const u32 size = fields.take<u32>();
  for (; left != 0 && fields.left() != 0; --left) {
    swap_attributes(fields.skip(size));
    const u32 ids = fields.take<u32>();
    swap_text(fields);
    fields.words(ids);
  }
}

// The headers of these records have no type.
void swap_build_ids(FieldSwapper& fields) {
  while (fields.left() >= kRecordHeader) {
    fields.fields("hq");
    const u16 size = fields.take<u16>();
    if (size < kRecordHeader) return;
    FieldSwapper(fields.skip(size - kRecordHeader)).take<u32>();
  }
}

// A list of items, each a text with numbers before and after it.
void swap_text_list(FieldSwapper& fields, std::string_view before, std::string_view behind) {
  for (u32 left = fields.take<u32>(); left != 0 && fields.left() != 0; --left) {
    fields.fields(before);
    swap_text(fields);
    fields.fields(behind);
  }
}

void swap_pairs_of_texts(FieldSwapper& fields) {
  for (u32 left = fields.take<u32>(); left != 0 && fields.left() != 0; --left) {
    swap_text(fields);
    swap_text(fields);
  }
}

}  // namespace

void swap_feature(Feature feature, std::span<std::byte> bytes) {
  FieldSwapper fields(bytes);
  switch (feature) {
    case Feature::host_name:
    case Feature::os_release:
    case Feature::perf_version:
    case Feature::architecture:
    case Feature::cpu_description:
    case Feature::cpu_id:
      return swap_text(fields);
    case Feature::build_ids:
      return swap_build_ids(fields);
    case Feature::cpu_count:
      return fields.fields("hh");
    case Feature::command_line:
      return swap_text_list(fields, {}, {});
    case Feature::event_descriptions:
      return swap_event_descriptions(fields);
    case Feature::pmu_mappings:
      return swap_text_list(fields, "h", {});
    case Feature::hybrid_topology:
      return swap_pairs_of_texts(fields);
    case Feature::group_descriptions:
      return swap_text_list(fields, {}, "hh");
    case Feature::total_memory:
    case Feature::sample_time:
    case Feature::clock_id:
    case Feature::auxtrace_index:
      return fields.fields("W");
    case Feature::clock_data:
      return fields.fields("hhww");
    case Feature::compressed:
      return fields.fields("hhhhh");
    default:
      return;
  }
}

}  // namespace wperf::perf_data
