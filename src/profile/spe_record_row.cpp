// SPDX-License-Identifier: BSD-3-Clause
#include "profile/spe_record_row.h"

#include "decode/spe/event_names.h"
#include "decode/spe/operation_name.h"

namespace wperf::profile {

using decode::spe::Field;
using decode::spe::Record;

namespace {

// An address of code has its upper eight bits equal: one of them may say whose it is.
u64 key_of_place(u64 address, bool kernel) {
  constexpr u64 kOneBit = u64{1} << 63;
  return (address & ~kOneBit) | (kernel ? kOneBit : 0);
}

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

SpeRecordNames::SpeRecordNames(const SpeProfile& profile) : profile_(profile) {
  for (u32 symbol = 0; symbol < profile.samples.symbols.size(); ++symbol) {
    symbols_.push_back(bare_name(profile.samples.symbols[symbol]));
  }
  names_.reserve(profile.places.size());
  for (const CodePlace& place : profile.places) {
    if (!names_.empty()) places_.at(key_of_place(place.address, place.kernel));
    names_.push_back({.symbol = place.symbol, .module = place.module});
  }
}

void SpeRecordNames::set_data_sources(u32 core, const decode::spe::DataSourceFamily* family) {
  if (core >= families_.size()) families_.resize(usize{core} + 1);
  families_[core] = family;
}

// The first place of a profile stands for all others.
const SpeRecordNames::Name* SpeRecordNames::name_of(const decode::spe::Origin& origin, const Record& record) const {
  if (names_.empty()) return nullptr;
  if (origin.other_process) return &names_.front();
  const u32 number = places_.find(key_of_place(record.pc(), record.exception_level() != 0));
  return &names_[number == decode::spe::NumberTable::kNone ? 0 : number + 1];
}

std::string_view SpeRecordNamer::source_text(u32 core, u64 source) {
  constexpr u32 kBits = 16;
  const auto spell = [&] { return decode::spe::data_source_name(names_.family_of(core), source); };
  if (source >> kBits == 0) return source_texts_.of(u64{core} << kBits | source, spell);
  odd_source_ = spell();
  return odd_source_;
}

SpeRecordRow& SpeRecordNamer::row(const decode::spe::Origin& origin, const Record& record) {
  row_ = SpeRecordRow{};
  row_.time = number_of(record, Field::timestamp, record.timestamp());
  row_.core = origin.core;
  row_.thread = context_of(origin, record);
  row_.pc = number_of(record, Field::pc, record.pc());
  row_.exception_level = record.exception_level();
  if (const SpeRecordNames::Name* const name = names_.name_of(origin, record); name != nullptr) {
    row_.function = names_.symbols_[name->symbol];
    if (name->module != kNone) row_.module = names_.profile_.samples.target.modules[name->module].name;
  }
  row_.operation = decode::spe::text_of(decode::spe::operation_name(record));
  row_.events = events_texts_.of(record.events(), [&] { return names_of(record.events()); });
  row_.total_latency = number_of(record, Field::total_latency, record.total_latency());
  row_.issue_latency = number_of(record, Field::issue_latency, record.issue_latency());
  row_.translation_latency = number_of(record, Field::translation_latency, record.translation_latency());
  row_.data_virtual = number_of(record, Field::data_virtual, record.data_virtual());
  row_.data_physical = number_of(record, Field::data_physical, record.data_physical());
  row_.target = number_of(record, Field::branch_target, record.branch_target());
  if (record.has(Field::data_source)) row_.source = source_text(origin.core, record.data_source());
  row_.damaged = record.damaged;
  return row_;
}

}  // namespace wperf::profile
