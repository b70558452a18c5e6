// SPDX-License-Identifier: BSD-3-Clause
#include "formats/perf_data/event_table.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace wperf::perf_data {
namespace {

constexpr usize kAbsent = ~usize{0};

usize sample_id_word_of(const EventAttributes& attributes) {
  if (attributes.has(kSampleIdentifier)) return 0;
  if (!attributes.has(kSampleId)) return kAbsent;
  const u64 before = attributes.sample_type & (kSampleIp | kSampleTid | kSampleTime | kSampleAddress);
  return static_cast<usize>(std::popcount(before));
}

usize trailer_id_word_of(const EventAttributes& attributes) {
  if (attributes.has(kSampleIdentifier)) return 0;
  if (!attributes.has(kSampleId)) return kAbsent;
  return static_cast<usize>(std::popcount(attributes.sample_type & (kSampleStreamId | kSampleCpu)));
}

auto layout(const EventAttributes& attributes) {
  return std::make_tuple(attributes.sample_type, attributes.read_format, attributes.sample_id_all(),
                         attributes.branch_sample_type & (kBranchHardwareIndex | kBranchCounters),
                         attributes.user_registers, attributes.interrupt_registers);
}

void read_identity(Bytes trailer, u64 sample_type, Identity& out) {
  Reader reader(trailer);
  out.fields = sample_type & kIdentityFields;
  if (out.has(kSampleTid)) {
    out.pid = reader.take<u32>();
    out.tid = reader.take<u32>();
  }
  if (out.has(kSampleTime)) out.time = reader.word();
  if (out.has(kSampleId)) out.id = reader.word();
  if (out.has(kSampleStreamId)) out.stream_id = reader.word();
  if (out.has(kSampleCpu)) {
    out.cpu = reader.take<u32>();
    reader.skip(4);
  }
  if (out.has(kSampleIdentifier)) out.id = reader.word();
}

}  // namespace

EventTable::EventTable(std::vector<Event> events) : events_(std::move(events)) {
  if (events_.empty()) return;
  const EventAttributes& first = events_.front().attributes;
  sample_id_word_ = sample_id_word_of(first);
  trailer_id_word_ = trailer_id_word_of(first);
  for (u32 index = 0; index < events_.size(); ++index) {
    const EventAttributes& attributes = events_[index].attributes;
    if (sample_id_word_of(attributes) != sample_id_word_) sample_id_word_ = kNowhere;
    if (trailer_id_word_of(attributes) != trailer_id_word_) trailer_id_word_ = kNowhere;
    same_layout_ = same_layout_ && layout(attributes) == layout(first);
    for (const u64 id : events_[index].ids) by_id_.emplace_back(id, index);
  }
  std::sort(by_id_.begin(), by_id_.end());
}

u32 EventTable::index_of(u64 id) const {
  const auto at = std::lower_bound(by_id_.begin(), by_id_.end(), std::pair{id, u32{0}});
  return at != by_id_.end() && at->first == id ? at->second : kNoEvent;
}

u32 EventTable::sample_event(Bytes body, u64& id) const {
  if (events_.size() == 1) return 0;
  if (sample_id_word_ == kNowhere) return kNoEvent;
  id = Words(body)[sample_id_word_];
  return index_of(id);
}

EventTable::Found EventTable::read(const Record& record, Sample& out) const {
  if (events_.empty()) return Found::unknown_event;
  // If all events have the same layout, each sample overwrites the same fields, so the fields need not be cleared.
  // Clearing them would be the main cost.
  if (!same_layout_) out = Sample{};
  u64 id = 0;
  out.event = sample_event(record.body, id);
  out.misc = record.misc;
  if (out.event == kNoEvent && !same_layout_) return Found::unknown_event;
  const Event& event = events_[out.event == kNoEvent ? 0 : out.event];
  // Only events with a variable period have it in each sample.
  out.period = event.attributes.by_frequency() ? 0 : event.attributes.period_or_frequency;
  return read_sample(record.body, event.attributes, out) ? Found::yes : Found::damaged;
}

const EventAttributes* EventTable::sample_attributes(const Record& record) const {
  if (events_.empty()) return nullptr;
  u64 id = 0;
  const u32 event = same_layout_ ? 0 : sample_event(record.body, id);
  return event != kNoEvent ? &events_[event].attributes : nullptr;
}

std::optional<u64> EventTable::sample_time(const Record& record) const {
  const EventAttributes* const attributes = sample_attributes(record);
  if (attributes == nullptr || !attributes->has(kSampleTime)) return {};
  const u64 before = attributes->sample_type & (kSampleIdentifier | kSampleIp | kSampleTid);
  const auto word = static_cast<usize>(std::popcount(before));
  const Words words(record.body);
  return word < words.size() ? std::optional(words[word]) : std::nullopt;
}

std::optional<SampleOwner> EventTable::sample_owner(const Record& record) const {
  const EventAttributes* const attributes = sample_attributes(record);
  const std::optional<u64> time = sample_time(record);
  if (!time.has_value() || !attributes->has(kSampleTid)) return {};
  const auto word = static_cast<usize>(std::popcount(attributes->sample_type & (kSampleIdentifier | kSampleIp)));
  const u64 thread = Words(record.body)[word];
  return SampleOwner{static_cast<u32>(thread), static_cast<u32>(thread >> 32), *time};
}

bool EventTable::split_trailer(const Record& record, Bytes& fields, Identity& identity) const {
  fields = record.body;
  if (events_.empty()) return true;
  u32 event = 0;
  // Records made by perf itself have the id zero, which belongs to no event; they have the layout of the first event.
  if (!same_layout_ && trailer_id_word_ != kNowhere) {
    const Words words(record.body.last(record.body.size() - record.body.size() % sizeof(u64)));
    if (words.size() <= trailer_id_word_) return false;
    event = index_of(words[words.size() - 1 - trailer_id_word_]);
    if (event == kNoEvent) event = 0;
  }
  const EventAttributes& attributes = events_[event].attributes;
  const usize size = attributes.trailer_size();
  if (size > record.body.size()) return false;
  fields = record.body.first(record.body.size() - size);
  if (size != 0) read_identity(record.body.last(size), attributes.sample_type, identity);
  return true;
}

}  // namespace wperf::perf_data
