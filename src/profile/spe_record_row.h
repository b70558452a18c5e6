// SPDX-License-Identifier: BSD-3-Clause
// One SPE record with names, for those who want records and not sums (`--records`). Called by pipeline, which decodes
// the bytes a second time once their addresses are named; shown by report/spe_records.h.
#pragma once
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

class SpeRecordNamer {
 public:
  explicit SpeRecordNamer(const SpeProfile& profile);  // kept

  // Null: nothing is known of this core.
  void set_data_sources(u32 core, const decode::spe::DataSourceFamily* family);
  const SpeRecordRow& row(const decode::spe::Origin& origin, const decode::spe::Record& record);

 private:
  const std::string& events_text(u64 events);

  const SpeProfile& profile_;
  SpeRecordRow row_;
  std::vector<std::string> symbols_;                            // by symbol
  std::vector<const decode::spe::DataSourceFamily*> families_;  // by core
  std::unordered_map<u64, std::string> events_texts_;
  std::string source_;
};

}  // namespace wperf::profile
