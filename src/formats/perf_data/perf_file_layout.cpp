// SPDX-License-Identifier: BSD-3-Clause
#include "formats/perf_data/perf_file_layout.h"

#include <algorithm>
#include <array>

#include "formats/perf_data/byte_writing.h"
#include "formats/perf_data/format.h"
#include "formats/perf_data/record_stacks.h"
#include "formats/perf_data/run_facts.h"

namespace wperf::perf_data {
namespace {

using perf_data::Feature;

constexpr usize kHeaderSize = 104, kWrittenSectionSize = 16, kSmallestAttributes = 64, kSizeOfAttributes = 4;
constexpr usize kBuildIdRoom = 20;

// All entries in the section of events have the same length, so all attributes get the size of the longest. The added
// bytes are zero, which is equivalent to missing fields.
std::string attributes_of_size(const WrittenEvent& event, usize size) {
  std::string bytes = event.attributes;
  bytes.resize(size, '\0');
  std::string size_field;
  put(size_field, static_cast<u32>(size));
  bytes.replace(kSizeOfAttributes, size_field.size(), size_field);
  return bytes;
}

usize size_of_attributes(std::span<const WrittenEvent> events) {
  usize size = kSmallestAttributes;
  for (const WrittenEvent& event : events) size = std::max(size, event.attributes.size());
  return round_up(size, 8);
}

using FeatureBits = std::array<u64, perf_data::kFeatureBits / 64>;

struct FeatureSections {
  std::array<std::string, perf_data::kFeatureBits> bytes;  // empty: the section is absent
  std::string& operator[](Feature feature) { return bytes[static_cast<usize>(feature)]; }
  FeatureBits bits() const;
};

FeatureBits FeatureSections::bits() const {
  FeatureBits bits{};
  for (usize number = 0; number < bytes.size(); ++number) {
    if (!bytes[number].empty()) bits[number / 64] |= u64{1} << (number % 64);
  }
  return bits;
}

// First a table with the position of each section, then the sections. `at`: the position of the table in the file.
std::string tail_bytes(const FeatureSections& sections, u64 at) {
  for (const std::string& section : sections.bytes) at += section.empty() ? 0 : kWrittenSectionSize;
  std::string tail;
  for (const std::string& section : sections.bytes) {
    if (section.empty()) continue;
    put(tail, at);
    put(tail, u64{section.size()});
    at += section.size();
  }
  for (const std::string& section : sections.bytes) tail += section;
  return tail;
}

std::string header_bytes(std::span<const WrittenEvent> events, u64 record_bytes, const FeatureBits& features) {
  u64 id_bytes = 0;
  for (const WrittenEvent& event : events) id_bytes += event.ids.size() * sizeof(u64);
  const u64 entry_size = size_of_attributes(events) + kWrittenSectionSize;
  const u64 table_at = kHeaderSize + id_bytes, table_size = entry_size * events.size();
  std::string header = "PERFILE2";
  for (const u64 field : {u64{kHeaderSize}, entry_size, table_at, table_size, table_at + table_size, record_bytes,
                          u64{0}, u64{0}, features[0], features[1], features[2], features[3]}) {
    put(header, field);
  }
  return header;
}

// perf reserves a multiple of 64 bytes for each text, and stores that size instead of the length.
void put_text(std::string& out, std::string_view text) {
  constexpr usize kTextUnit = 64;
  const usize room = round_up(text.size() + 1, kTextUnit);
  put(out, static_cast<u32>(room));
  put_padded(out, text, room);
}

void write_text(FeatureSections& sections, Feature feature, std::string_view text) {
  if (!text.empty()) put_text(sections[feature], text);
}

void write_machine(FeatureSections& sections, const RecordingFacts& facts) {
  write_text(sections, Feature::host_name, facts.host_name);
  write_text(sections, Feature::os_release, facts.os_release);
  write_text(sections, Feature::perf_version, facts.version);
  write_text(sections, Feature::architecture, facts.architecture);
  write_text(sections, Feature::cpu_description, facts.cpu_description);
  write_text(sections, Feature::cpu_id, facts.cpu_id);
  if (facts.cores_available != 0) {
    put(sections[Feature::cpu_count], facts.cores_available);
    put(sections[Feature::cpu_count], facts.cores_online);
  }
  if (facts.memory_bytes != 0) put(sections[Feature::total_memory], facts.memory_bytes / 1024);
  if (!facts.units.empty()) {
    std::string& section = sections[Feature::pmu_mappings];
    put(section, static_cast<u32>(facts.units.size()));
    for (const auto& [type, name] : facts.units) {
      put(section, type);
      put_text(section, name);
    }
  }
  if (facts.core_units.size() > 1) {  // with only one kind, perf writes no such section
    std::string& section = sections[Feature::hybrid_topology];
    put(section, static_cast<u32>(facts.core_units.size()));
    for (const auto& [name, cores] : facts.core_units) {
      put_text(section, name);
      put_text(section, cores);
    }
  }
}

void write_recording(FeatureSections& sections, const RecordingFacts& facts) {
  if (!facts.command_line.empty()) {
    std::string& section = sections[Feature::command_line];
    put(section, static_cast<u32>(facts.command_line.size()));
    for (const std::string& word : facts.command_line) put_text(section, word);
  }
  if (facts.last_sample_ns != 0) {
    put(sections[Feature::sample_time], facts.first_sample_ns);
    put(sections[Feature::sample_time], facts.last_sample_ns);
  }
  if (facts.moment_unix_ns != 0) {
    constexpr u32 kVersion = 1, kMonotonic = 1;
    std::string& section = sections[Feature::clock_data];
    put(section, kVersion);
    put(section, kMonotonic);
    put(section, facts.moment_unix_ns);
    put(section, facts.moment_ns);
  }
  sections[Feature::auxtrace_index] = facts.auxtrace_index;
  sections[Feature::tracing_data] = facts.tracing_data;
  sections.bytes[perf_data::kRunFactsFeature] = facts.run;
  sections.bytes[perf_data::kJitCodeFeature] = facts.jit_code;
  sections.bytes[perf_data::kRecordStacksFeature] = facts.record_stacks;
  sections.bytes[perf_data::kPdbNamesFeature] = facts.pdb_names;
}

void write_event_descriptions(FeatureSections& sections, std::span<const WrittenEvent> events) {
  if (events.empty()) return;
  std::string& section = sections[Feature::event_descriptions];
  const usize size = size_of_attributes(events);
  put(section, static_cast<u32>(events.size()));
  put(section, static_cast<u32>(size));
  for (const WrittenEvent& event : events) {
    section += attributes_of_size(event, size);
    put(section, static_cast<u32>(event.ids.size()));
    put_text(section, event.name);
    for (const u64 id : event.ids) put(section, id);
  }
}

void write_build_ids(FeatureSections& sections, std::span<const WrittenBuildId> build_ids) {
  std::string& section = sections[Feature::build_ids];
  for (const WrittenBuildId& one : build_ids) {
    const usize id_size = std::min(one.id.size(), kBuildIdRoom);
    std::string body;
    put(body, one.pid);
    put_padded(body, std::string_view(one.id).substr(0, id_size), kBuildIdRoom);
    put(body, static_cast<u32>(id_size));  // one byte, and three unused ones
    put_cut_text(body, one.path);
    // perf leaves the type in the headers of these records zero.
    put_record(
        section, 0,
        static_cast<u16>((one.kernel ? perf_data::kKernelMode : perf_data::kUserMode) | perf_data::kMiscBuildIdSize),
        body);
  }
}

}  // namespace

std::string file_beginning(std::span<const WrittenEvent> events) {
  std::string out = header_bytes(events, 0, {});
  u64 ids_at = out.size();
  for (const WrittenEvent& event : events) {
    for (const u64 id : event.ids) put(out, id);
  }
  const usize size = size_of_attributes(events);
  for (const WrittenEvent& event : events) {
    const u64 id_bytes = event.ids.size() * sizeof(u64);
    out += attributes_of_size(event, size);
    put(out, ids_at);
    put(out, id_bytes);
    ids_at += id_bytes;
  }
  return out;
}

std::string header_without_tail(std::span<const WrittenEvent> events, u64 record_bytes) {
  return header_bytes(events, record_bytes, {});
}

FileEnding file_ending(std::span<const WrittenEvent> events, u64 record_bytes, const RecordingFacts& facts) {
  FeatureSections sections;
  write_machine(sections, facts);
  write_recording(sections, facts);
  write_event_descriptions(sections, events);
  write_build_ids(sections, facts.build_ids);
  return {.header = header_bytes(events, record_bytes, sections.bits()),
          .tail = tail_bytes(sections, file_beginning(events).size() + record_bytes)};
}

FactsEnding facts_ending(u64 records_end, const RecordingFacts& facts) {
  FeatureSections sections;
  write_machine(sections, facts);
  write_recording(sections, facts);
  write_build_ids(sections, facts.build_ids);
  FactsEnding ending;
  for (const u64 bits : sections.bits()) put(ending.feature_bits, bits);
  ending.tail = tail_bytes(sections, records_end);
  return ending;
}

}  // namespace wperf::perf_data
