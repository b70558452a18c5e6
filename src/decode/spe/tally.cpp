// SPDX-License-Identifier: BSD-3-Clause
#include "decode/spe/tally.h"

#include <algorithm>

#include "decode/spe/event_names.h"
#include "decode/spe/latency.h"
#include "decode/spe/packets.h"

namespace wperf::decode::spe {

namespace {

// The second half of every key says that it is one, and whose address the first half is. Below follow
//   events     operation << 20 | events
//   owners     the same; the first half is core << 32 | thread
//   accesses   store, source
//   latencies  store, bucket << 32, source
//   branches   conditional, indirect, target
constexpr u64 kUsed = u64{1} << 63, kKernel = u64{1} << 62, kOther = u64{1} << 61;
constexpr u64 kStore = u64{1} << 60, kConditional = u64{1} << 60, kIndirect = u64{1} << 59;
constexpr u32 kOperationShift = 20, kBucketShift = 32;
constexpr u64 kEventBits = (u64{1} << kOperationShift) - 1;
constexpr u64 kLow56 = (u64{1} << 56) - 1, kUpperHalf = u64{1} << 56;

static_assert(kOperationNameCount <= 16);

u64 site_key(const Origin& origin, const Record& record) {
  return kUsed | (record.exception_level() != 0 ? kKernel : 0) | (origin.other_process ? kOther : 0);
}

Site site_of(u64 pc, u64 second) {
  return {.pc = pc, .kernel = (second & kKernel) != 0, .other_process = (second & kOther) != 0};
}

u64 packed_target(u64 address) {
  return (address & kLow56) | (address >> 56 != 0 ? kUpperHalf : 0);
}

u64 unpacked_target(u64 second) {
  return (second & kLow56) | ((second & kUpperHalf) != 0 ? ~kLow56 : 0);
}

OperationName operation_of(u64 second) {
  return static_cast<OperationName>(second >> kOperationShift & 0xf);
}

bool has_event(const Record& record, u32 bit) {
  return (record.events() >> bit & 1) != 0;
}

bool is_peer(const DataSource* source) {
  if (source == nullptr) return false;
  switch (source->level) {
    case DataLevel::peer_core:
    case DataLevel::peer_cluster:
    case DataLevel::remote:
      return true;
    default:
      return source->modified;
  }
}

// At most this many hits: half of the table, or more where many are equal.
template <class Value, class Hits>
u64 median_hits(const FlatTable<Value>& table, Hits&& hits_of) {
  std::vector<u64> hits;
  hits.reserve(table.size());
  table.for_each([&](const auto& slot) { hits.push_back(hits_of(slot.value)); });
  const auto middle = hits.begin() + static_cast<std::ptrdiff_t>(hits.size() / 2);
  std::nth_element(hits.begin(), middle, hits.end());
  return *middle;
}

}  // namespace

u32 thread_of(const Origin& origin, const Record& record) {
  if (origin.thread != kThreadOfRecord) return origin.thread;
  // Kernels that run at EL2 write the thread there and leave the other empty.
  if (record.has(Field::context_el1) && record.context_el1() != 0) return record.context_el1();
  if (record.has(Field::context_el2)) return record.context_el2();
  return record.has(Field::context_el1) ? 0 : kNoThread;
}

const DataSourceFamily* SourceCode::family() const {
  const u32 number = given() ? code_ >> 16 : 0;
  return number != 0 && number <= data_source_families().size() ? &data_source_families()[number - 1] : nullptr;
}

const DataSource* SourceCode::source() const {
  const DataSourceFamily* const known = family();
  return known != nullptr ? known->find(value()) : nullptr;
}

void DataCounts::add(const DataCounts& other) {
  hits += other.hits;
  stores += other.stores;
  refills += other.refills;
  walks += other.walks;
  peer += other.peer;
  latency += other.latency;
  timed += other.timed;
}

void Tally::set_data_sources(u32 core, const DataSourceFamily* family) {
  if (family == nullptr) {
    if (core < families_.size()) families_[core] = 0;
    return;
  }
  if (core >= families_.size()) families_.resize(usize{core} + 1);
  families_[core] = static_cast<u32>(family - data_source_families().data()) + 1;
}

SourceCode Tally::source_of(u32 core, const Record& record) const {
  if (!record.has(Field::data_source)) return {};
  return SourceCode(core < families_.size() ? families_[core] : 0, record.data_source());
}

void Tally::add(const Origin& origin, const Record& record) {
  ++records_;
  damaged_ += record.damaged ? 1 : 0;
  const u64 kind =
      static_cast<u64>(operation_name(record)) << kOperationShift | (contract_events(record.events()) & kEventBits);
  events_.add(record.pc(), site_key(origin, record) | kind);
  const u32 thread = thread_of(origin, record);
  add_owner(kUsed | kind, origin.core, thread, 1);
  if (!options_.memory || !record.has(Field::operation)) return;
  const u64 operation_class = record.raw(Field::operation) >> 8;
  if (operation_class == kClassMemory) add_memory(origin, thread, record);
  if (operation_class == kClassBranch) add_branch(origin, record);
}

void Tally::add_owner(u64 key, u32 core, u32 thread, u64 hits) {
  const u64 first = u64{core} << 32 | thread;
  if (owners_.size() < options_.most_owners) {
    owners_.at(first, key) += hits;
  } else if (u64* const known = owners_.find_value(first, key); known != nullptr) {
    *known += hits;
  } else {
    owners_.at(u64{core} << 32 | kNoThread, key) += hits;
  }
}

void Tally::add_memory(const Origin& origin, u32 thread, const Record& record) {
  const SourceCode source = source_of(origin.core, record);
  const bool store = (record.raw(Field::operation) & 1) != 0;
  const bool timed = record.has(Field::total_latency);
  const u64 key = site_key(origin, record) | (store ? kStore : 0) | source.code();
  DataCounts counts{.hits = 1,
                    .stores = store ? u64{1} : 0,
                    .refills = has_event(record, kEventL1dRefill) ? u64{1} : 0,
                    .walks = has_event(record, kEventTlbWalk) ? u64{1} : 0,
                    .latency = record.total_latency(),
                    .timed = timed ? u64{1} : 0};
  Access& access = accesses_.at(record.pc(), key);
  ++access.hits;
  access.timed += counts.timed;
  access.latency += counts.latency;
  access.issue += record.issue_latency();
  access.translation += record.translation_latency();
  access.refills += counts.refills;
  access.walks += counts.walks;
  access.llc_misses += has_event(record, kEventLlcMiss) ? 1 : 0;
  access.remote += has_event(record, kEventRemoteAccess) ? 1 : 0;
  access.saturated += record.total_latency() == kSaturatedLatency ? 1 : 0;
  access.longest = std::max<u64>(access.longest, record.total_latency());
  if (timed) latencies_.add(record.pc(), key | u64{latency_bucket(record.total_latency())} << kBucketShift);
  if (!record.has(Field::data_virtual)) return;

  const bool from_peer = is_peer(source.source()) || has_event(record, kEventModified);
  counts.peer = from_peer ? 1 : 0;
  const u64 address = record.data_virtual();
  const u64 whose = kUsed | (origin.other_process ? kOther : 0);
  pages_.at(address & ~(kPageBytes - 1), whose).add(counts);
  if (pages_.size() > options_.most_pages) shrink_pages();
  Line& line = lines_.at(address & ~(kLineBytes - 1), whose);
  line.counts.add(counts);
  add_place(line, {.site = site_of(record.pc(), key),
                   .thread = thread,
                   .offset = static_cast<u32>(address & (kLineBytes - 1)),
                   .counts = counts});
  if (lines_.size() > options_.most_lines) shrink_lines();
}

void Tally::add_place(Line& line, const LinePlace& place) {
  for (LinePlace& known : line.places) {
    if (known.site == place.site && known.thread == place.thread && known.offset == place.offset) {
      known.counts.add(place.counts);
      return;
    }
  }
  if (line.places.size() < options_.most_places) {
    line.places.push_back(place);
  } else {
    line.without_place += place.counts.hits;
  }
}

void Tally::add_branch(const Origin& origin, const Record& record) {
  const u64 payload = record.raw(Field::operation);
  const u64 key = site_key(origin, record) | ((payload & 1) != 0 ? kConditional : 0) |
                  ((payload & 2) != 0 ? kIndirect : 0) | packed_target(record.branch_target());
  Branch& branch = branches_.at(record.pc(), key);
  ++branch.hits;
  branch.mispredicted += has_event(record, kEventMispredicted) ? 1 : 0;
  branch.not_taken += has_event(record, kEventNotTaken) ? 1 : 0;
}

void Tally::shrink_lines() {
  const u64 most = median_hits(lines_, [](const Line& line) { return line.counts.hits; });
  lines_.retain([&](const FlatTable<Line>::Slot& slot) {
    const bool kept = slot.value.counts.hits > most;
    if (!kept) forgotten_lines_ += slot.value.counts.hits;
    return kept;
  });
}

void Tally::shrink_pages() {
  const u64 most = median_hits(pages_, [](const DataCounts& counts) { return counts.hits; });
  pages_.retain([&](const FlatTable<DataCounts>::Slot& slot) {
    const bool kept = slot.value.hits > most;
    if (!kept) forgotten_pages_ += slot.value.hits;
    return kept;
  });
}

void Tally::merge(const Tally& other) {
  records_ += other.records_;
  damaged_ += other.damaged_;
  forgotten_lines_ += other.forgotten_lines_;
  forgotten_pages_ += other.forgotten_pages_;
  other.events_.table().for_each([&](const auto& slot) { events_.add(slot.first, slot.second, slot.value); });
  other.owners_.for_each([&](const auto& slot) {
    add_owner(slot.second, static_cast<u32>(slot.first >> 32), static_cast<u32>(slot.first), slot.value);
  });
  other.latencies_.table().for_each([&](const auto& slot) { latencies_.add(slot.first, slot.second, slot.value); });
  other.accesses_.for_each([&](const auto& slot) {
    Access& mine = accesses_.at(slot.first, slot.second);
    const Access& its = slot.value;
    mine.hits += its.hits;
    mine.timed += its.timed;
    mine.latency += its.latency;
    mine.issue += its.issue;
    mine.translation += its.translation;
    mine.refills += its.refills;
    mine.walks += its.walks;
    mine.llc_misses += its.llc_misses;
    mine.remote += its.remote;
    mine.saturated += its.saturated;
    mine.longest = std::max(mine.longest, its.longest);
  });
  other.branches_.for_each([&](const auto& slot) {
    Branch& mine = branches_.at(slot.first, slot.second);
    mine.hits += slot.value.hits;
    mine.mispredicted += slot.value.mispredicted;
    mine.not_taken += slot.value.not_taken;
  });
  other.pages_.for_each([&](const auto& slot) { pages_.at(slot.first, slot.second).add(slot.value); });
  if (pages_.size() > options_.most_pages) shrink_pages();
  other.lines_.for_each([&](const auto& slot) {
    Line& mine = lines_.at(slot.first, slot.second);
    mine.counts.add(slot.value.counts);
    mine.without_place += slot.value.without_place;
    for (const LinePlace& place : slot.value.places) add_place(mine, place);
  });
  if (lines_.size() > options_.most_lines) shrink_lines();
}

usize Tally::bytes() const {
  return events_.table().bytes() + owners_.bytes() + latencies_.table().bytes() + accesses_.bytes() +
         branches_.bytes() + pages_.bytes() + lines_.bytes();
}

std::vector<EventHits> Tally::events() const {
  std::vector<EventHits> rows;
  rows.reserve(events_.table().size());
  events_.table().for_each([&](const auto& slot) {
    rows.push_back({.site = site_of(slot.first, slot.second),
                    .operation = operation_of(slot.second),
                    .events = slot.second & kEventBits,
                    .hits = slot.value});
  });
  return rows;
}

std::vector<OwnerHits> Tally::owners() const {
  std::vector<OwnerHits> rows;
  rows.reserve(owners_.size());
  owners_.for_each([&](const auto& slot) {
    rows.push_back({.operation = operation_of(slot.second),
                    .events = slot.second & kEventBits,
                    .core = static_cast<u32>(slot.first >> 32),
                    .thread = static_cast<u32>(slot.first),
                    .hits = slot.value});
  });
  return rows;
}

std::vector<AccessHits> Tally::accesses() const {
  std::vector<AccessHits> rows;
  rows.reserve(accesses_.size());
  accesses_.for_each([&](const auto& slot) {
    const Access& access = slot.value;
    rows.push_back({.site = site_of(slot.first, slot.second),
                    .store = (slot.second & kStore) != 0,
                    .source = SourceCode(static_cast<u32>(slot.second)),
                    .hits = access.hits,
                    .timed = access.timed,
                    .latency = access.latency,
                    .issue = access.issue,
                    .translation = access.translation,
                    .refills = access.refills,
                    .walks = access.walks,
                    .llc_misses = access.llc_misses,
                    .remote = access.remote,
                    .saturated = access.saturated,
                    .longest = static_cast<u32>(access.longest)});
  });
  return rows;
}

std::vector<LatencyHits> Tally::latencies() const {
  std::vector<LatencyHits> rows;
  rows.reserve(latencies_.table().size());
  latencies_.table().for_each([&](const auto& slot) {
    rows.push_back({.site = site_of(slot.first, slot.second),
                    .store = (slot.second & kStore) != 0,
                    .source = SourceCode(static_cast<u32>(slot.second)),
                    .bucket = static_cast<u32>(slot.second >> kBucketShift & 0xff),
                    .hits = slot.value});
  });
  return rows;
}

std::vector<BranchHits> Tally::branches() const {
  std::vector<BranchHits> rows;
  rows.reserve(branches_.size());
  branches_.for_each([&](const auto& slot) {
    rows.push_back({.site = site_of(slot.first, slot.second),
                    .target = unpacked_target(slot.second),
                    .conditional = (slot.second & kConditional) != 0,
                    .indirect = (slot.second & kIndirect) != 0,
                    .hits = slot.value.hits,
                    .mispredicted = slot.value.mispredicted,
                    .not_taken = slot.value.not_taken});
  });
  return rows;
}

std::vector<PageHits> Tally::pages() const {
  std::vector<PageHits> rows;
  rows.reserve(pages_.size());
  pages_.for_each([&](const auto& slot) {
    rows.push_back({.address = slot.first, .other_process = (slot.second & kOther) != 0, .counts = slot.value});
  });
  return rows;
}

std::vector<LineHits> Tally::lines() const {
  std::vector<LineHits> rows;
  rows.reserve(lines_.size());
  lines_.for_each([&](const auto& slot) {
    rows.push_back({.address = slot.first,
                    .other_process = (slot.second & kOther) != 0,
                    .counts = slot.value.counts,
                    .places = slot.value.places,
                    .without_place = slot.value.without_place});
  });
  return rows;
}

}  // namespace wperf::decode::spe
