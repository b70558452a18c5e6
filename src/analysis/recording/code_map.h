// SPDX-License-Identifier: BSD-3-Clause
// Which code lay at an address of a process, in a finished recording or in one that is being made.
#pragma once
#include "formats/perf_data/process_history.h"

namespace wperf::recording {

class CodeMap {
 public:
  virtual ~CodeMap() = default;
  virtual perf_data::CodePlace place_in(u32 space, u64 address) const = 0;
  virtual const perf_data::MappedCode& code(u32 number) const = 0;
};

class HistoryCodeMap final : public CodeMap {
 public:
  explicit HistoryCodeMap(const perf_data::ProcessHistory& history) : history_(history) {}
  perf_data::CodePlace place_in(u32 space, u64 address) const override { return history_.place_in(space, address); }
  const perf_data::MappedCode& code(u32 number) const override { return history_.codes()[number]; }

 private:
  const perf_data::ProcessHistory& history_;
};

}  // namespace wperf::recording
