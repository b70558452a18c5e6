// SPDX-License-Identifier: BSD-3-Clause
// The sections that only wperf writes into recordings. Data that can be read is the same after it is written and read
// again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "formats/perf_data/record_stacks.h"
#include "formats/perf_data/run_facts.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace wperf::perf_data;
  const auto section = std::as_bytes(std::span(data, size));
  static_cast<void>(pdb_name_of(section, section.first(size < 20 ? size : 20)).size());
  const RecordStacks stacks = read_record_stacks(section);
  const std::string written = record_stacks_bytes(stacks);
  const RecordStacks read_again = read_record_stacks(std::as_bytes(std::span(written)));
  if (read_again.stacks != stacks.stacks || read_again.records != stacks.records) std::abort();
  const auto facts = read_run_facts(std::as_bytes(std::span(data, size)));
  if (!facts.has_value()) return 0;
  const std::string bytes = run_facts_bytes(*facts);
  const auto again = read_run_facts(std::as_bytes(std::span(bytes)));
  if (!again.has_value() || run_facts_bytes(*again) != bytes) std::abort();
  if (again->start_ns > again->end_ns) std::abort();
  return 0;
}
