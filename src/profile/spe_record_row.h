// SPDX-License-Identifier: BSD-3-Clause
// One SPE record with names, for those who want records and not sums (`--records`). Called by pipeline, which decodes
// the bytes a second time once their addresses are named; shown by report/spe_records.h.
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/ints.h"
#include "decode/spe/record.h"
#include "decode/spe/tally.h"
#include "profile/spe_profile.h"

namespace wperf::profile {

// A number that may be absent.
struct RecordNumber {
  u64 value = 0;
  bool given = false;
};

// The texts live as long as the namer, until its next row().
struct SpeRecordRow {
  RecordNumber time;  // nanoseconds if the caller converts, else ticks of the timer
  u32 core = 0;
  RecordNumber thread;
  RecordNumber pc;
  u32 exception_level = 0;
  std::string_view function, module;
  std::string_view operation;  // "LOAD_STORE_ATOMIC-LOAD-GP"
  std::string_view events;     // "retired+l1d-access", also those without a name of the contract
  RecordNumber total_latency, issue_latency, translation_latency;
  RecordNumber data_virtual, data_physical;
  RecordNumber target;
  std::string_view source;  // "l2"; empty: not given
  bool damaged = false;
};

// What is looked up by record, made once; several namers may use it at the same time.
class SpeRecordNames {
 public:
  explicit SpeRecordNames(const SpeProfile& profile);  // kept

  // Null: nothing is known of this core.
  void set_data_sources(u32 core, const decode::spe::DataSourceFamily* family);

 private:
  friend class SpeRecordNamer;
  struct Name {  // of a place: indices as in CodePlace
    u32 symbol = 0, module = kNone;
  };
  const Name* name_of(const decode::spe::Origin& origin, const decode::spe::Record& record) const;
  const decode::spe::DataSourceFamily* family_of(u32 core) const {
    return core < families_.size() ? families_[core] : nullptr;
  }

  const SpeProfile& profile_;
  decode::spe::NumberTable places_;                             // of the profile without the first, in their order
  std::vector<Name> names_;                                     // of all places of the profile
  std::vector<std::string_view> symbols_;                       // by symbol
  std::vector<const decode::spe::DataSourceFamily*> families_;  // by core
};

class SpeRecordNamer {
 public:
  explicit SpeRecordNamer(const SpeRecordNames& names) : names_(names) {}  // kept

  // Until the next one.
  SpeRecordRow& row(const decode::spe::Origin& origin, const decode::spe::Record& record);

 private:
  // Texts by what they tell, spelled once each.
  class Texts {
   public:
    template <class Spell>
    const std::string& of(u64 key, Spell&& spell) {
      Recent& recent = recent_[key % kRecent];
      if (recent.text == nullptr || recent.key != key) recent = {.key = key, .text = &look_up(key, spell)};
      return *recent.text;
    }

   private:
    template <class Spell>
    const std::string& look_up(u64 key, Spell&& spell) {
      if (texts_.size() >= kMost && !texts_.contains(key)) {
        texts_.clear();
        recent_ = {};
      }
      const auto [entry, is_new] = texts_.try_emplace(key);
      if (is_new) entry->second = spell();
      return entry->second;
    }

    struct Recent {
      u64 key = 0;
      const std::string* text = nullptr;
    };
    static constexpr usize kMost = 4096, kRecent = 61;  // a damaged file may hold any number of them
    std::unordered_map<u64, std::string> texts_;
    std::array<Recent, kRecent> recent_{};
  };

  std::string_view source_text(u32 core, u64 source);

  const SpeRecordNames& names_;
  SpeRecordRow row_;
  Texts events_texts_, source_texts_;
  std::string odd_source_;  // of a number no core has
};

}  // namespace wperf::profile
