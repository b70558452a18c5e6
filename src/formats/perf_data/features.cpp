// SPDX-License-Identifier: BSD-3-Clause
#include "formats/perf_data/features.h"

#include <charconv>

namespace wperf::perf_data {
namespace {

// More than any machine has. Lists must ascend, so this limits the time and memory for a damaged list.
constexpr u32 kMostCores = 8192;

}  // namespace

std::vector<u32> parse_kernel_list(std::string_view text) {
  std::vector<u32> cores;
  const char* at = text.data();  // NOLINT(bugprone-suspicious-stringview-data-usage): `end` is its size
  const char* const end = at + text.size();
  for (u32 least = 0; at != end;) {
    u32 first = 0;
    auto read = std::from_chars(at, end, first);
    if (read.ec != std::errc{}) break;
    u32 last = first;
    if (read.ptr != end && *read.ptr == '-') read = std::from_chars(read.ptr + 1, end, last);
    if (read.ec != std::errc{} || first < least || last < first || last >= kMostCores) break;
    for (u32 core = first; core <= last; ++core) cores.push_back(core);
    least = last + 1;
    if (read.ptr == end || *read.ptr != ',') break;
    at = read.ptr + 1;
  }
  return cores;
}

namespace {

std::string_view read_text(Reader& reader) {
  return text_in(reader.bytes(reader.take<u32>()));
}

// A list that begins with its length. If its end is missing, returns the items that can be read.
template <class Item, class ReadItem>
std::vector<Item> read_list(Reader& reader, ReadItem read_item) {
  std::vector<Item> list;
  for (u32 left = reader.take<u32>(); left != 0; --left) {
    Item item = read_item(reader);
    if (!reader.sound()) break;
    list.push_back(item);
  }
  return list;
}

template <class T>
std::optional<T> if_sound(const Reader& reader, const T& value) {
  return reader.sound() ? std::optional(value) : std::nullopt;
}

}  // namespace

void Features::set(u32 feature, Bytes bytes) {
  if (feature < kFeatureBits) sections_[feature] = bytes;
}

std::vector<u32> Features::present() const {
  std::vector<u32> numbers;
  for (u32 number = 0; number < kFeatureBits; ++number) {
    if (sections_[number].data() != nullptr) numbers.push_back(number);
  }
  return numbers;
}

std::string_view Features::text(Feature feature) const {
  Reader reader(bytes(feature));
  return read_text(reader);
}

std::optional<CpuCount> Features::cpu_count() const {
  Reader reader(bytes(Feature::cpu_count));
  CpuCount count;
  count.available = reader.take<u32>();  // perf writes them in this order; its documentation has the opposite order
  count.online = reader.take<u32>();
  return if_sound(reader, count);
}

std::optional<u64> Features::total_memory() const {
  Reader reader(bytes(Feature::total_memory));
  const u64 kilobytes = reader.word();
  if (kilobytes > ~u64{0} / 1024) return std::nullopt;
  return if_sound(reader, kilobytes * 1024);
}

std::optional<SampleTime> Features::sample_time() const {
  Reader reader(bytes(Feature::sample_time));
  SampleTime time;
  time.first = reader.word();
  time.last = reader.word();
  return if_sound(reader, time);
}

std::optional<ClockData> Features::clock_data() const {
  Reader reader(bytes(Feature::clock_data));
  ClockData data;
  const u32 version = reader.take<u32>();
  data.clock_id = reader.take<u32>();
  data.wall_clock_ns = reader.word();
  data.clock_ns = reader.word();
  if (version != 1) return std::nullopt;
  return if_sound(reader, data);
}

std::optional<Compression> Features::compression() const {
  Reader reader(bytes(Feature::compressed));
  Compression compression;
  compression.version = reader.take<u32>();
  compression.type = reader.take<u32>();
  compression.level = reader.take<u32>();
  compression.ratio = reader.take<u32>();
  compression.buffer_size = reader.take<u32>();
  return if_sound(reader, compression);
}

std::vector<std::string_view> Features::command_line() const {
  Reader reader(bytes(Feature::command_line));
  return read_list<std::string_view>(reader, read_text);
}

std::vector<EventDescription> Features::event_descriptions() const {
  Reader reader(bytes(Feature::event_descriptions));
  std::vector<EventDescription> events;
  u32 left = reader.take<u32>();
  const u32 size = reader.take<u32>();
  for (; left != 0; --left) {
    EventDescription event;
    const bool has_attributes = read_event_attributes(reader.bytes(size), event.attributes);
    const u32 ids = reader.take<u32>();
    event.name = read_text(reader);
    event.ids = reader.words(ids);
    if (!has_attributes || !reader.sound()) break;
    events.push_back(event);
  }
  return events;
}

// The section has the form of a data section with records.
std::vector<BuildId> Features::build_ids() const {
  std::vector<BuildId> list;
  RecordStream stream(bytes(Feature::build_ids), 0);
  Record record;
  while (stream.next(record)) {
    BuildId one;
    if (read(record, one)) list.push_back(one);
  }
  return list;
}

std::vector<PmuMapping> Features::pmu_mappings() const {
  Reader reader(bytes(Feature::pmu_mappings));
  return read_list<PmuMapping>(reader, [](Reader& from) {
    PmuMapping mapping;
    mapping.type = from.take<u32>();
    mapping.name = read_text(from);
    return mapping;
  });
}

std::vector<CorePmu> Features::core_pmus() const {
  Reader reader(bytes(Feature::hybrid_topology));
  return read_list<CorePmu>(reader, [](Reader& from) {
    CorePmu pmu;
    pmu.name = read_text(from);
    pmu.cores = read_text(from);
    return pmu;
  });
}

std::vector<GroupDescription> Features::group_descriptions() const {
  Reader reader(bytes(Feature::group_descriptions));
  return read_list<GroupDescription>(reader, [](Reader& from) {
    GroupDescription group;
    group.name = read_text(from);
    group.leader = from.take<u32>();
    group.members = from.take<u32>();
    return group;
  });
}

std::vector<AuxTraceIndexEntry> Features::auxtrace_index() const {
  Reader reader(bytes(Feature::auxtrace_index));
  std::vector<AuxTraceIndexEntry> entries;
  const u64 count = reader.word();
  for (u64 i = 0; i < count; ++i) {
    AuxTraceIndexEntry entry;
    entry.file_offset = reader.word();
    entry.size = reader.word();
    if (!reader.sound()) break;
    entries.push_back(entry);
  }
  return entries;
}

}  // namespace wperf::perf_data
