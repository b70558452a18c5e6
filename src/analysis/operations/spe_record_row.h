// SPDX-License-Identifier: BSD-3-Clause
// One SPE record with names, for the list of records (`--records`). Records are decoded a second time after their
// addresses have names.
#pragma once
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/operations/spe_profile.h"
#include "base/ints.h"
#include "formats/spe/aggregator.h"
#include "formats/spe/operation_record.h"

namespace wperf::operations {

// A number that may be missing.
struct RecordNumber {
  u64 value = 0;
  bool given = false;
};

// The texts are valid until the next call of row().
struct SpeRecordRow {
  RecordNumber time;  // nanoseconds if the caller converts times, otherwise timer ticks
  u32 core = 0;
  RecordNumber thread;
  RecordNumber pc;
  u32 exception_level = 0;
  std::string_view function, module;
  u32 symbol = 0;              // index into the profile's symbols
  std::string_view operation;  // "LOAD_STORE_ATOMIC-LOAD-GP"
  std::string_view events;     // including events without a name in the contract
  std::string_view place;      // function and module as one text; if empty, use the two fields
  std::string_view kind;       // operation and events as one text; if empty, use the two fields
  RecordNumber total_latency, issue_latency, translation_latency;
  RecordNumber data_virtual, data_physical;
  RecordNumber target;
  std::string_view source;  // "l2"; empty: not given
  bool damaged = false;
};

// If these functions are set, rows have composed texts, and each text is made only once. Otherwise rows have only the
// parts.
struct RecordSpelling {
  void (*place)(const SpeRecordRow& row, std::string& out) = nullptr;
  void (*kind)(const SpeRecordRow& row, std::string& out) = nullptr;
};

// Tables that every record needs. Several namers may use them at the same time.
class SpeRecordNames {
 public:
  explicit SpeRecordNames(const SpeProfile& profile, RecordSpelling spelling = {});  // keeps a reference to the profile

  // Null if the core's data sources are unknown.
  void set_data_sources(u32 core, const spe::DataSourceFamily* family);

 private:
  friend class SpeRecordNamer;
  struct Name {  // for one place: indices as in CodePlace, and the position of its text
    u32 symbol = 0, module = answers::kNone;
    u32 text_begin = 0, text_size = 0;
  };
  static constexpr usize kMostTextBytes = 32 << 20;  // beyond this limit, texts are composed for each record

  // The upper eight bits of a code address are all equal, so one of them can mark kernel code.
  static u64 key_of_place(u64 address, bool kernel) {
    constexpr u64 kOneBit = u64{1} << 63;
    return (address & ~kOneBit) | (kernel ? kOneBit : 0);
  }
  void prefetch(const spe::Record& record) const {
    places_.prefetch(key_of_place(record.pc(), record.exception_level() != 0));
  }
  void prefetch_text(const Name* name) const {
    constexpr usize kLine = 64, kMostLines = 4;
    if (name == nullptr) return;
    const char* const text = texts_.data() + name->text_begin;
    for (usize at = 0; at < std::min<usize>(name->text_size, kMostLines * kLine); at += kLine)
      __builtin_prefetch(text + at);
  }
  void spell_places();
  void set_names(const Name& name, SpeRecordRow& row) const;
  const Name* name_of(const spe::Origin& origin, const spe::Record& record) const;
  const spe::DataSourceFamily* family_of(u32 core) const { return core < families_.size() ? families_[core] : nullptr; }

  const SpeProfile& profile_;
  const RecordSpelling spelling_;
  std::string texts_;                                   // the texts of functions with their modules
  spe::NumberTable places_;                             // the profile's places except the first, in order
  std::vector<Name> names_;                             // one for each place of the profile
  std::vector<std::string_view> symbols_;               // by symbol
  std::vector<const spe::DataSourceFamily*> families_;  // by core
};

class SpeRecordNamer {
 public:
  explicit SpeRecordNamer(const SpeRecordNames& names) : names_(names) {}  // keeps a reference

  // The row is valid until the next call.
  SpeRecordRow& row(const spe::Origin& origin, const spe::Record& record) {
    return row_of(origin, record, names_.name_of(origin, record));
  }
  // Like row(), but faster for many records: the names of a large program do not fit into the caches, so the name of a
  // record is prefetched while later records are read. Calls callback(row) later, at the latest in flush().
  template <class Callback>
  void add(const spe::Origin& origin, const spe::Record& record, Callback&& callback) {
    names_.prefetch(record);
    waiting_[waits_++] = {.origin = origin, .record = record};
    if (waits_ == kMostWaiting) flush(callback);
  }
  template <class Callback>
  void flush(Callback&& callback) {
    for (Waiting& one : std::span(waiting_).first(waits_)) {
      one.name = names_.name_of(one.origin, one.record);
      __builtin_prefetch(one.name);
    }
    for (const Waiting& one : std::span(waiting_).first(waits_)) names_.prefetch_text(one.name);
    for (const Waiting& one : std::span(waiting_).first(waits_)) callback(row_of(one.origin, one.record, one.name));
    waits_ = 0;
  }

 private:
  struct Waiting {
    spe::Origin origin;
    spe::Record record;
    const SpeRecordNames::Name* name = nullptr;
  };
  static constexpr usize kMostWaiting = 32;

  // The most recently used texts; limited because a damaged file may have any number of them.
  class Texts {
   public:
    // Calls spell(text) to fill a new, empty text.
    template <class Spell>
    const std::string& of(u64 first, u64 second, Spell&& spell) {
      Recent& recent = recent_[spe::hash_of_key(first << kSecondBits ^ second) % kRecent];
      if (!recent.used || recent.first != first || recent.second != second) {
        recent.used = true;
        recent.first = first;
        recent.second = second;
        recent.text.clear();
        spell(recent.text);
      }
      return recent.text;
    }

   private:
    struct Recent {
      u64 first = 0, second = 0;
      bool used = false;
      std::string text;
    };
    static constexpr u32 kSecondBits = 48;
    static constexpr usize kRecent = 256;
    std::array<Recent, kRecent> recent_{};
  };

  SpeRecordRow& row_of(const spe::Origin& origin, const spe::Record& record, const SpeRecordNames::Name* name);
  void set_kind(const spe::Record& record);

  const SpeRecordNames& names_;
  SpeRecordRow row_;
  Texts events_texts_, kind_texts_, source_texts_;
  std::array<Waiting, kMostWaiting> waiting_{};
  usize waits_ = 0;
};

}  // namespace wperf::operations
