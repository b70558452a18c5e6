// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/operations/spe_record_row.h"

#include <bit>
#include <unordered_map>

#include "formats/spe/contract_names.h"

namespace wperf::operations {

using spe::Field;
using spe::Record;

namespace {

RecordNumber number_of(const Record& record, Field field, u64 value) {
  return {.value = value, .given = record.has(field)};
}

RecordNumber context_of(const spe::Origin& origin, const Record& record) {
  const u32 thread = spe::thread_of(origin, record);
  return {.value = thread, .given = thread != spe::kNoThread};
}

constexpr u32 kBits = 64;

// Indexed by bit; empty if the bit has no name.
std::array<std::string_view, kBits> names_by_bit() {
  std::array<std::string_view, kBits> names{};
  for (const spe::EventName& event : spe::event_names()) names[event.bit] = event.name;
  return names;
}

void spell_events(u64 events, std::string& text) {
  static const std::array<std::string_view, kBits> kNames = names_by_bit();
  u64 nameless = 0;
  for (; events != 0; events &= events - 1) {
    const std::string_view name = kNames[static_cast<usize>(std::countr_zero(events))];
    if (name.empty()) {
      nameless |= events & (~events + 1);
      continue;
    }
    if (!text.empty()) text += '+';
    text += name;
  }
  for (; nameless != 0; nameless &= nameless - 1) {
    if (!text.empty()) text += '+';
    text += "event-" + std::to_string(std::countr_zero(nameless));
  }
}

}  // namespace

SpeRecordNames::SpeRecordNames(const SpeProfile& profile, RecordSpelling spelling)
    : profile_(profile), spelling_(spelling) {
  for (const stacks::StackFunction& function : profile.samples.functions) symbols_.push_back(function.name);
  names_.reserve(profile.places.size());
  for (const CodePlace& place : profile.places) {
    if (!names_.empty()) places_.at(key_of_place(place.address, place.kernel));
    names_.push_back({.symbol = place.symbol, .module = place.module});
  }
  if (spelling_.place != nullptr) spell_places();
}

// Composes the text of each function once, because separate texts for all addresses would not fit into the caches. The
// first place has no text, because it stands for all addresses of other processes.
void SpeRecordNames::spell_places() {
  SpeRecordRow row;
  std::unordered_map<u64, usize> spelled;  // the first place of each function in a module
  for (usize i = 1; i < names_.size() && texts_.size() < kMostTextBytes; ++i) {
    Name& name = names_[i];
    const auto [first, is_new] = spelled.try_emplace(u64{name.symbol} << 32 | name.module, i);
    if (is_new) {
      set_names(name, row);
      name.text_begin = static_cast<u32>(texts_.size());
      spelling_.place(row, texts_);
      name.text_size = static_cast<u32>(texts_.size()) - name.text_begin;
    } else {
      name.text_begin = names_[first->second].text_begin;
      name.text_size = names_[first->second].text_size;
    }
  }
}

void SpeRecordNames::set_names(const Name& name, SpeRecordRow& row) const {
  row.function = symbols_[name.symbol];
  row.module = name.module != answers::kNone ? std::string_view(profile_.run.target.modules[name.module].name)
                                             : std::string_view();
}

void SpeRecordNames::set_data_sources(u32 core, const spe::DataSourceFamily* family) {
  if (core >= families_.size()) families_.resize(usize{core} + 1);
  families_[core] = family;
}

// The first place of a profile stands for all other processes.
const SpeRecordNames::Name* SpeRecordNames::name_of(const spe::Origin& origin, const Record& record) const {
  if (names_.empty()) return nullptr;
  if (origin.other_process) return &names_.front();
  const u32 number = places_.find(key_of_place(record.pc(), record.exception_level() != 0));
  return &names_[number == spe::NumberTable::kNone ? 0 : number + 1];
}

void SpeRecordNamer::set_kind(const Record& record) {
  const spe::OperationName operation = spe::operation_name(record);
  const u64 events = record.events();
  const auto set_parts = [&] {
    row_.operation = spe::text_of(operation);
    row_.events = events_texts_.of(0, events, [&](std::string& text) { spell_events(events, text); });
  };
  if (names_.spelling_.kind == nullptr) return set_parts();
  row_.kind = kind_texts_.of(static_cast<u64>(operation), events, [&](std::string& text) {
    set_parts();
    names_.spelling_.kind(row_, text);
  });
}

SpeRecordRow& SpeRecordNamer::row_of(const spe::Origin& origin, const Record& record,
                                     const SpeRecordNames::Name* name) {
  row_.function = row_.module = row_.operation = row_.events = row_.place = row_.kind = row_.source = {};
  row_.time = number_of(record, Field::timestamp, record.timestamp());
  row_.core = origin.core;
  row_.thread = context_of(origin, record);
  row_.pc = number_of(record, Field::pc, record.pc());
  row_.exception_level = record.exception_level();
  if (name != nullptr) {
    row_.symbol = name->symbol;
    if (name->text_size != 0 && row_.pc.given) {
      row_.place = std::string_view(names_.texts_).substr(name->text_begin, name->text_size);
    } else {
      names_.set_names(*name, row_);
    }
  }
  set_kind(record);
  row_.total_latency = number_of(record, Field::total_latency, record.total_latency());
  row_.issue_latency = number_of(record, Field::issue_latency, record.issue_latency());
  row_.translation_latency = number_of(record, Field::translation_latency, record.translation_latency());
  row_.data_virtual = number_of(record, Field::data_virtual, record.data_virtual());
  row_.data_physical = number_of(record, Field::data_physical, record.data_physical());
  row_.target = number_of(record, Field::branch_target, record.branch_target());
  if (record.has(Field::data_source)) {
    const u64 source = record.data_source();
    row_.source = source_texts_.of(origin.core, source, [&](std::string& text) {
      text = spe::data_source_name(names_.family_of(origin.core), source);
    });
  }
  row_.damaged = record.damaged;
  return row_;
}

}  // namespace wperf::operations
