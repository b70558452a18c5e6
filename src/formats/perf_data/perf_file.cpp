// SPDX-License-Identifier: BSD-3-Clause
#include "formats/perf_data/perf_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace wperf::perf_data {
namespace {

constexpr u64 kPipeHeaderSize = 16;

diag::Error bad_file(std::string text, std::string hint = {}) {
  return {.text = std::move(text), .hint = std::move(hint), .code = diag::ExitCode::damaged_input};
}

diag::Result<void> check_magic(Bytes file) {
  const Bytes head = slice(file, 0, 8);
  const std::string_view magic(reinterpret_cast<const char*>(head.data()), head.size());
  if (magic == "PERFILE2" || magic == "PERFFILE") return {};  // written by perf before 2013, with the same layout
  if (magic == "2ELIFREP") return bad_file("this perf.data file has the other byte order");
  return bad_file("not a recording: it starts neither like perf.data (PERFILE2) nor like a Windows trace");
}

}  // namespace

struct FileSection {
  u64 offset, size;
};

struct PerfFile::Header {
  u64 magic, size, attr_size;
  FileSection attrs, data, event_types;
  u64 features[kFeatureBits / 64];
};

diag::Result<PerfFile> PerfFile::open(Bytes file) {
  WPERF_CHECK_OK(check_magic(file));
  PerfFile perf_file;
  Reader reader(file);
  Header header{};
  reader.skip(8);
  header.size = reader.word();
  if (!reader.sound()) return bad_file("this perf.data file ends within its header");
  if (header.size == kPipeHeaderSize) {
    WPERF_CHECK_OK(perf_file.open_pipe(file));
    return perf_file;
  }
  Reader whole(file);
  header = whole.take<Header>();
  if (!whole.sound()) return bad_file("this perf.data file ends within its header");
  constexpr u64 kWithoutFeatures = sizeof header - sizeof header.features;  // as in the first version of the format
  if (header.size < kWithoutFeatures) {
    return bad_file(fmt::format("the header of this perf.data file gives its size as {} bytes; the minimum is {}",
                                header.size, kWithoutFeatures));
  }
  if (header.size < sizeof header) std::fill(std::begin(header.features), std::end(header.features), 0);
  WPERF_CHECK_OK(perf_file.open_sections(file, header));
  return perf_file;
}

diag::Result<void> PerfFile::open_sections(Bytes file, const Header& header) {
  if (header.data.offset > file.size()) {
    return bad_file(fmt::format("this perf.data file is truncated: its records start at byte {}, but it has {} bytes",
                                header.data.offset, file.size()));
  }
  data_offset_ = header.data.offset;
  // perf fills in the size at the end. If it is missing, the records still exist.
  is_unfinished_ = header.data.size == 0 && header.data.offset < file.size();
  data_ = slice(file, data_offset_, is_unfinished_ ? file.size() : header.data.size);
  is_cut_ = !is_unfinished_ && data_.size() < header.data.size;
  std::vector<Event> events;
  WPERF_CHECK_OK(open_events(file, header, events));
  if (!is_unfinished_ && !is_cut_) open_features(file, header);
  name_events(events);
  events_ = EventTable(std::move(events));
  return {};
}

diag::Result<void> PerfFile::open_events(Bytes file, const Header& header, std::vector<Event>& events) const {
  const u64 entry_size = header.attr_size;
  if (entry_size < kSmallestAttributes + sizeof(FileSection)) {
    return bad_file(fmt::format("this perf.data file gives the size of an event as {} bytes; the minimum is {}",
                                entry_size, kSmallestAttributes + sizeof(FileSection)));
  }
  const Bytes table = slice(file, header.attrs.offset, header.attrs.size);
  if (table.size() < header.attrs.size) return bad_file("this perf.data file is truncated within its list of events");
  u64 id_bytes = 0;
  for (u64 at = 0; table.size() - at >= entry_size; at += entry_size) {
    const Bytes entry = slice(table, at, entry_size);
    Event event;
    if (!read_event_attributes(entry.first(entry.size() - sizeof(FileSection)), event.attributes)) {
      return bad_file(fmt::format("event {} of this perf.data file is damaged", events.size()));
    }
    const auto section = Reader(entry.last(sizeof(FileSection))).take<FileSection>();
    const Words ids(slice(file, section.offset, section.size));
    // Sections may overlap, but together they must not exceed the size of the file.
    id_bytes += ids.size() * sizeof(u64);
    if (ids.size() != section.size / sizeof(u64) || id_bytes > file.size()) {
      return bad_file(fmt::format("the ids of event {} of this perf.data file are damaged", events.size()));
    }
    event.ids.reserve(ids.size());
    for (usize i = 0; i < ids.size(); ++i) event.ids.push_back(ids[i]);
    events.push_back(std::move(event));
  }
  return {};
}

// A table after the records has the position of each feature, ordered by the features' numbers.
void PerfFile::open_features(Bytes file, const Header& header) {
  const u64 table = data_offset_ + data_.size();
  Reader sections(slice(file, table, kFeatureBits * sizeof(FileSection)));
  for (u32 number = 0; number < kFeatureBits; ++number) {
    if (((header.features[number / 64] >> (number % 64)) & 1) == 0) continue;
    const auto section = sections.take<FileSection>();
    if (!sections.sound()) {
      is_cut_ = true;
      return;
    }
    if (section.offset > file.size() || section.size > file.size() - section.offset) {
      is_cut_ = true;
      continue;
    }
    features_.set(number, file.subspan(static_cast<usize>(section.offset), static_cast<usize>(section.size)));
  }
}

void PerfFile::name_events(std::vector<Event>& events) const {
  const std::vector<EventDescription> descriptions = features_.event_descriptions();
  if (descriptions.size() != events.size()) return;
  for (usize i = 0; i < events.size(); ++i) events[i].name = descriptions[i].name;
}

// In a file from a pipe, records before the first sample replace the header's contents.
diag::Result<void> PerfFile::open_pipe(Bytes file) {
  is_pipe_format_ = true;
  data_offset_ = kPipeHeaderSize;
  data_ = file.subspan(kPipeHeaderSize);
  std::vector<Event> events;
  RecordStream stream = records();
  Record record;
  while (stream.next(record) && record.kind() != RecordType::sample) {
    NewEvent event;
    FeatureRecord feature;
    if (record.kind() == RecordType::header_attr) {
      if (!read(record, event))
        return bad_file(fmt::format("event {} of this perf.data file is damaged", events.size()));
      Event& added = events.emplace_back();
      added.attributes = event.attributes;
      for (usize i = 0; i < event.ids.size(); ++i) added.ids.push_back(event.ids[i]);
    } else if (record.kind() == RecordType::header_feature && read(record, feature) && feature.feature < kFeatureBits) {
      features_.set(static_cast<u32>(feature.feature), feature.data);
    }
  }
  name_events(events);
  events_ = EventTable(std::move(events));
  return {};
}

}  // namespace wperf::perf_data
