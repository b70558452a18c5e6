// SPDX-License-Identifier: BSD-3-Clause
#include "formats/perf_data/swapped_records.h"

#include <bit>

namespace wperf::perf_data {
namespace {

u64 reversed_bits(u64 bits) {
  u64 reversed = 0;
  for (u32 i = 0; i < 64; ++i) reversed |= ((bits >> i) & 1) << (63 - i);
  return reversed;
}

// In the other byte order bit fields begin at the most significant bit, in the native one at the least significant bit.
// A field wider than one bit keeps the order of bits within it.
u64 with_field(u64 bits, u64 original, u32 at, u32 width) {
  const u64 mask = ((u64{1} << width) - 1) << at;
  const u64 value = (original >> (64 - at - width)) << at;
  return (bits & ~mask) | (value & mask);
}

u64 native_attribute_flags(u64 flags) {
  constexpr u32 kPrecision = 15;
  return with_field(reversed_bits(flags), flags, kPrecision, 2);
}

u64 native_branch_flags(u64 flags) {
  u64 bits = reversed_bits(flags);
  bits = with_field(bits, flags, 4, 16);  // cycles
  bits = with_field(bits, flags, 20, 4);  // type
  bits = with_field(bits, flags, 24, 2);  // speculation
  bits = with_field(bits, flags, 26, 4);  // more types
  return with_field(bits, flags, 30, 3);  // privilege
}

// Numbers in the kernel's records before the trailer. Names and code after them are bytes.
std::string_view kernel_fields(RecordType type) {
  switch (type) {
    case RecordType::mmap:
      return "hhwww";
    case RecordType::comm:
    case RecordType::itrace_start:
    case RecordType::switch_cpu_wide:
      return "hh";
    case RecordType::lost:
      return "ww";
    case RecordType::lost_samples:
    case RecordType::cgroup:
    case RecordType::aux_output_hw_id:
      return "w";
    case RecordType::fork:
    case RecordType::exit:
      return "hhhhw";
    case RecordType::throttle:
    case RecordType::unthrottle:
    case RecordType::aux:
      return "www";
    case RecordType::read:
    case RecordType::namespaces:
      return "hhW";
    case RecordType::ksymbol:
      return "whqq";
    case RecordType::bpf_event:
      return "qqh";
    case RecordType::text_poke:
      return "wqq";
    case RecordType::callchain_deferred:
      return "W";
    default:
      return {};
  }
}

std::string_view user_fields(RecordType type) {
  switch (type) {
    case RecordType::header_event_type:
      return "w";
    case RecordType::header_tracing_data:
    case RecordType::header_build_id:
      return "h";
    case RecordType::id_index:
    case RecordType::stat_config:
    case RecordType::stat_round:
      return "W";
    case RecordType::auxtrace_info:
      return "hhW";
    case RecordType::auxtrace:
      return "wwwhhhh";
    case RecordType::auxtrace_error:
      return "hhhhhhww";
    case RecordType::stat:
      return "whhwww";
    case RecordType::event_update:
      return "ww";
    case RecordType::time_conv:
      return "wwwww";
    case RecordType::compressed2:
      return "w";
    default:
      return {};
  }
}

void swap_thread_map(FieldSwapper& fields) {
  constexpr usize kNameRoom = 16;
  fields.word();
  while (fields.left() != 0) {
    fields.word();
    fields.skip(kNameRoom);
  }
}

void swap_cpu_map(FieldSwapper& fields) {
  constexpr u16 kMask = 1, kRange = 2;
  const u16 kind = fields.take<u16>();
  if (kind == kRange) return fields.fields("bbqq");
  fields.take<u16>();
  if (kind != kMask) {
    while (fields.left() >= 2) fields.take<u16>();
    return;
  }
  const u16 unit = fields.take<u16>();
  if (unit == 8) {
    fields.skip(2);
    return fields.fields("W");
  }
  while (fields.left() >= 4) fields.take<u32>();
}

// An event from a pipe, with its ids.
void swap_event(std::span<std::byte> body) {
  swap_attributes(body);
  EventAttributes attributes;
  if (!read_event_attributes(body, attributes) || attributes.size > body.size()) return;
  FieldSwapper(body.subspan(attributes.size)).fields("W");
}

void swap_counters(FieldSwapper& fields, u64 format) {
  const u64 first = fields.word();
  if ((format & kReadEnabled) != 0) fields.word();
  if ((format & kReadRunning) != 0) fields.word();
  const u64 of_each = ((format & kReadId) != 0 ? 1u : 0u) + ((format & kReadLost) != 0 ? 1u : 0u);
  if ((format & kReadGroup) == 0) return fields.words(of_each);
  for (u64 i = 0; i < first && fields.left() != 0; ++i) fields.words(1 + of_each);
}

void swap_branches(FieldSwapper& fields, u64 branch_sample_type) {
  const u64 count = fields.word();
  if ((branch_sample_type & kBranchHardwareIndex) != 0 && (count != 0 || fields.left() != 0)) fields.word();
  for (u64 i = 0; i < count && fields.left() != 0; ++i) {
    fields.words(2);
    const std::span<std::byte> flags = fields.skip(sizeof(u64));
    if (flags.size() < sizeof(u64)) return;
    FieldSwapper::put(flags, native_branch_flags(FieldSwapper(flags).word()));
  }
  if ((branch_sample_type & kBranchCounters) != 0) fields.words(count);
}

void swap_registers(FieldSwapper& fields, u64 mask) {
  if (fields.word() != 0) fields.words(static_cast<u64>(std::popcount(mask)));
}

void swap_sample_context(FieldSwapper& fields, const EventAttributes& attributes) {
  if (attributes.has(kSampleRead)) swap_counters(fields, attributes.read_format);
  if (attributes.has(kSampleCallchain)) fields.words(fields.word());
  if (attributes.has(kSampleRaw)) {
    const u32 size = fields.take<u32>();
    fields.skip(u64{size} + ((0 - (u64{size} + sizeof size)) & 7));
  }
  if (attributes.has(kSampleBranchStack)) swap_branches(fields, attributes.branch_sample_type);
  if (attributes.has(kSampleUserRegisters)) swap_registers(fields, attributes.user_registers);
  if (!attributes.has(kSampleUserStack)) return;
  const u64 size = fields.word();
  if (size == 0) return;
  fields.skip(size);
  fields.word();
}

// The parts of a weight are one number of four bytes and two numbers of two bytes. Swapped separately and in reverse
// order, they form one native word.
void swap_weight(FieldSwapper& fields, bool in_parts) {
  const std::span<std::byte> place = fields.skip(sizeof(u64));
  if (place.size() < sizeof(u64)) return;
  const u64 word = FieldSwapper(place).word();
  if (in_parts) FieldSwapper::put(place, (word >> 32) | ((word >> 16 & 0xffff) << 32) | (word << 48));
}

void swap_memory_access(FieldSwapper& fields, const EventAttributes& attributes) {
  if (attributes.has(kSampleWeight | kSampleWeightParts)) swap_weight(fields, attributes.has(kSampleWeightParts));
  if (attributes.has(kSampleDataSource)) fields.word();
  if (attributes.has(kSampleTransaction)) fields.word();
  if (attributes.has(kSampleInterruptRegisters)) swap_registers(fields, attributes.interrupt_registers);
  for (const u64 field : {kSamplePhysicalAddress, kSampleCgroup, kSampleDataPageSize, kSampleCodePageSize}) {
    if (attributes.has(field)) fields.word();
  }
  if (attributes.has(kSampleAux)) fields.word();
}

}  // namespace

void swap_attributes(std::span<std::byte> bytes) {
  FieldSwapper fields(bytes);
  fields.take<u32>();
  const u32 size = fields.take<u32>();
  if (size >= kRecordHeader && size < bytes.size()) {  // ids may follow
    fields = FieldSwapper(bytes.subspan(kRecordHeader, size - kRecordHeader));
  }
  fields.fields("wwww");
  const std::span<std::byte> flags = fields.skip(sizeof(u64));
  if (flags.size() < sizeof(u64)) return;
  FieldSwapper::put(flags, native_attribute_flags(FieldSwapper(flags).word()));
  fields.fields("hhwwwwhhwhqqhhww");
}

usize RecordSwapper::swap_next(std::span<std::byte> rest) {
  FieldSwapper header(rest);
  if (header.left() < kRecordHeader) return 0;
  const u32 type = header.take<u32>();
  const u16 misc = header.take<u16>(), size = header.take<u16>();
  if (size < kRecordHeader || size > rest.size()) return 0;
  const std::span<std::byte> body = rest.subspan(kRecordHeader, size - kRecordHeader);
  if (type < kFirstUserType) events();
  swap_body(type, misc, body);
  if (type == static_cast<u32>(RecordType::header_attr)) learn_event(body);
  u64 payload = 0;  // the payload is not swapped
  if (type == static_cast<u32>(RecordType::auxtrace)) payload = Reader(body).word();
  if (type == static_cast<u32>(RecordType::header_tracing_data)) payload = Reader(body).take<u32>();
  return payload > rest.size() - size ? rest.size() : size + static_cast<usize>(payload);
}

void RecordSwapper::swap_copy(std::span<std::byte> record) const {
  FieldSwapper header(record);
  const u32 type = header.take<u32>();
  const u16 misc = header.take<u16>();
  header.take<u16>();
  swap_body(type, misc, header.skip(header.left()));
}

void RecordSwapper::swap_body(u32 type, u16 misc, std::span<std::byte> body) const {
  const auto kind = static_cast<RecordType>(type);
  FieldSwapper fields(body);
  if (type < kFirstUserType)
    return kind == RecordType::sample ? swap_sample(body) : swap_kernel_record(type, misc, body);
  if (kind == RecordType::thread_map) return swap_thread_map(fields);
  if (kind == RecordType::cpu_map) return swap_cpu_map(fields);
  if (kind == RecordType::header_attr) return swap_event(body);
  if (kind == RecordType::header_feature) {
    const u64 feature = fields.word();
    return feature < kFeatureBits ? swap_feature(static_cast<Feature>(feature), fields.skip(fields.left())) : void();
  }
  fields.fields(user_fields(kind));
}

// The body is in native order from here on.
void RecordSwapper::learn_event(Bytes body) {
  Event event;
  if (!read_event_attributes(body, event.attributes) || event.attributes.size > body.size()) return;
  const Words words{body.subspan(event.attributes.size)};
  for (usize i = 0; i < words.size(); ++i) event.ids.push_back(words[i]);
  learnt_.push_back(std::move(event));
  is_complete_ = false;
}

// First called for the first kernel record, which follows all events.
const EventTable& RecordSwapper::events() {
  if (!is_complete_) events_ = EventTable(learnt_);
  is_complete_ = true;
  return events_;
}

// `body` is still in its original order; the id is read without swapping the body.
const EventAttributes* RecordSwapper::attributes_of(std::span<std::byte> body, usize id_word) const {
  if (events_.all().empty()) return nullptr;
  u32 event = 0;
  if (!events_.same_layout()) {
    const Words words{Bytes(body)};
    if (id_word >= words.size()) return nullptr;
    event = events_.index_of(std::byteswap(words[id_word]));
  }
  return event == kNoEvent ? nullptr : &events_.all()[event].attributes;
}

void RecordSwapper::swap_sample(std::span<std::byte> body) const {
  const EventAttributes* attributes = attributes_of(body, events_.sample_id_word());
  if (attributes == nullptr) return;
  FieldSwapper fields(body);
  if (attributes->has(kSampleIdentifier)) fields.word();
  if (attributes->has(kSampleIp)) fields.word();
  if (attributes->has(kSampleTid)) fields.fields("hh");
  for (const u64 field : {kSampleTime, kSampleAddress, kSampleId, kSampleStreamId}) {
    if (attributes->has(field)) fields.word();
  }
  if (attributes->has(kSampleCpu)) fields.fields("hh");
  if (attributes->has(kSamplePeriod)) fields.word();
  swap_sample_context(fields, *attributes);
  swap_memory_access(fields, *attributes);
}

void RecordSwapper::swap_kernel_record(u32 type, u16 misc, std::span<std::byte> body) const {
  usize trailer = 0;
  u64 sample_type = 0;
  if (const EventAttributes* const first = events_.all().empty() ? nullptr : &events_.all().front().attributes) {
    const usize words = body.size() / sizeof(u64), behind = events_.trailer_id_word();
    const EventAttributes* const own =
        // otherwise the first event's layout applies
        behind < words ? attributes_of(body, words - 1 - behind) : nullptr;
    const EventAttributes& attributes = own != nullptr ? *own : *first;
    sample_type = attributes.sample_type;
    trailer = attributes.trailer_size();
  }
  if (trailer > body.size()) return;
  swap_trailer(body.last(trailer), sample_type);
  FieldSwapper fields(body.first(body.size() - trailer));
  if (static_cast<RecordType>(type) != RecordType::mmap2)
    return fields.fields(kernel_fields(static_cast<RecordType>(type)));
  fields.fields("hhwww");
  if ((misc & kMiscMmapBuildId) != 0) {
    fields.skip(24);
  } else {
    fields.fields("hhww");
  }
  fields.fields("hh");
}

void RecordSwapper::swap_trailer(std::span<std::byte> trailer, u64 sample_type) const {
  FieldSwapper fields(trailer);
  const auto has = [&](u64 field) { return (sample_type & field) != 0; };
  if (has(kSampleTid)) fields.fields("hh");
  for (const u64 field : {kSampleTime, kSampleId, kSampleStreamId}) {
    if (has(field)) fields.word();
  }
  if (has(kSampleCpu)) fields.fields("hh");
  if (has(kSampleIdentifier)) fields.word();
}

}  // namespace wperf::perf_data
