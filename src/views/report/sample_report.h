// SPDX-License-Identifier: BSD-3-Clause
// The answers of `sample` and `record`: text (contract 9.2-9.7) and JSON (9.8), with additional tables of wperf. Pure
// functions of view and options; lines end in LF.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "model/request/sampling_options.h"
#include "views/compat/compat_rows.h"

namespace wperf::report {

struct SampleOptions {
  u32 rows = 50;              // --sample-display-row
  compat::NameFilter symbol;  // --symbol
  bool verbose = false;
  bool annotate = false;
  bool disassemble = false;  // implies annotate
  std::vector<request::Breakdown> by;
  // Text only:
  bool source = false;        // shows source text next to the line
  bool colour = false;        // for terminals: marks the hottest instruction of each line
  std::string why_none = {};  // why there are no samples, if known
  // JSON only: leaves out the disassembly of the coldest lines to stay below this many bytes; 0: no limit.
  usize most_bytes = 0;
};

// One client kills the process if its standard output exceeds 1 MiB (contract 1.6).
inline constexpr usize kMostBytesForClients = 1'000'000;

// The text before sampling begins: with -v modules and sections, then the base address. `program` is the name that the
// user gave.
std::string sample_start_text(const answers::SampleTarget& target, const std::string& program, bool verbose,
                              std::string_view sampling_type = "software sampling");

// All text after the progress line.
std::string sample_text(const compat::CompatView& view, const SampleOptions& options);

std::string sample_json(const compat::CompatView& view, const SampleOptions& options);

// The value of "sampling" in the JSON document, for documents with more members.
std::string sampling_value(const compat::CompatView& view, const SampleOptions& options);

// The same JSON in two parts, for documents that arrange the parts differently: the object with the key "sampling", and
// the array of events, which the object also contains. SampleOptions::most_bytes limits the sum of both.
struct SampleJsonParts {
  std::string sampling, events;
};
SampleJsonParts sample_json_parts(const compat::CompatView& view, const SampleOptions& options);

}  // namespace wperf::report
