// SPDX-License-Identifier: BSD-3-Clause
#include "profile/spe_record_row.h"

#include "decode/spe/event_names.h"
#include "decode/spe/operation_name.h"

namespace wperf::profile {

using decode::spe::Field;
using decode::spe::Record;

namespace {

// More are not kept: a damaged file may hold any number of them.
constexpr usize kMostEventTexts = 4096;

RecordNumber number_of(const Record& record, Field field, u64 value) {
  return {.value = value, .given = record.has(field)};
}

RecordNumber context_of(const decode::spe::Origin& origin, const Record& record) {
  const u32 thread = decode::spe::thread_of(origin, record);
  return {.value = thread, .given = thread != decode::spe::kNoThread};
}

std::string names_of(u64 events) {
  std::string text;
  for (const decode::spe::EventName& event : decode::spe::event_names()) {
    if ((events >> event.bit & 1) == 0) continue;
    if (!text.empty()) text += '+';
    text += event.name;
    events &= ~(u64{1} << event.bit);
  }
  for (u32 bit = 0; events != 0; ++bit, events >>= 1) {
    if ((events & 1) == 0) continue;
    if (!text.empty()) text += '+';
    text += "event-" + std::to_string(bit);
  }
  return text;
}

}  // namespace

SpeRecordNamer::SpeRecordNamer(const SpeProfile& profile) : profile_(profile) {
  for (u32 symbol = 0; symbol < profile.samples.symbols.size(); ++symbol) {
    symbols_.push_back(std::string(bare_name(profile.samples.symbols[symbol])));
  }
}

void SpeRecordNamer::set_data_sources(u32 core, const decode::spe::DataSourceFamily* family) {
  if (core >= families_.size()) families_.resize(usize{core} + 1);
  families_[core] = family;
}

const std::string& SpeRecordNamer::events_text(u64 events) {
  if (events_texts_.size() >= kMostEventTexts && !events_texts_.contains(events)) events_texts_.clear();
  const auto [entry, is_new] = events_texts_.try_emplace(events);
  if (is_new) entry->second = names_of(events);
  return entry->second;
}

const SpeRecordRow& SpeRecordNamer::row(const decode::spe::Origin& origin, const Record& record) {
  row_ = SpeRecordRow{};
  row_.time = number_of(record, Field::timestamp, record.timestamp());
  row_.core = origin.core;
  row_.thread = context_of(origin, record);
  row_.pc = number_of(record, Field::pc, record.pc());
  row_.exception_level = record.exception_level();
  const CodePlace* place =
      origin.other_process ? nullptr : find_place(profile_, record.pc(), record.exception_level() != 0);
  if (place == nullptr && !profile_.places.empty()) place = &profile_.places.front();
  if (place != nullptr) {
    row_.function = symbols_[place->symbol];
    if (place->module != kNone) row_.module = profile_.samples.target.modules[place->module].name;
  }
  row_.operation = decode::spe::text_of(decode::spe::operation_name(record));
  row_.events = events_text(record.events());
  row_.total_latency = number_of(record, Field::total_latency, record.total_latency());
  row_.issue_latency = number_of(record, Field::issue_latency, record.issue_latency());
  row_.translation_latency = number_of(record, Field::translation_latency, record.translation_latency());
  row_.data_virtual = number_of(record, Field::data_virtual, record.data_virtual());
  row_.data_physical = number_of(record, Field::data_physical, record.data_physical());
  row_.target = number_of(record, Field::branch_target, record.branch_target());
  if (record.has(Field::data_source)) {
    source_ = decode::spe::data_source_name(origin.core < families_.size() ? families_[origin.core] : nullptr,
                                            record.data_source());
    row_.source = source_;
  }
  row_.damaged = record.damaged;
  return row_;
}

}  // namespace wperf::profile
