// SPDX-License-Identifier: BSD-3-Clause
#include "formats/perf_data/field_swapper.h"
#include "formats/perf_data/swapped_records.h"

namespace wperf::perf_data {
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

// Records whose headers have no type here.
void swap_build_ids(FieldSwapper& fields) {
  while (fields.left() >= kRecordHeader) {
    fields.fields("hq");
    const u16 size = fields.take<u16>();
    if (size < kRecordHeader) return;
    FieldSwapper(fields.skip(size - kRecordHeader)).take<u32>();
  }
}

// A list whose items are a text with numbers before and after it.
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
