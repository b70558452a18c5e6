// SPDX-License-Identifier: BSD-3-Clause
// A aggregator of SPE records + what the symbolizer knows of their addresses → SpeProfile. Pure functions; called by
// commands, in this order:
//
//   spe_addresses_to_name() ── ask the symbolizer ──→ make_spe_profile() ──┬─ code_to_disassemble(profile.samples, …)
//                                                                          ├─ files_to_read(profile.samples, …)
//                                                                          └─ SpeRecordNamer: records one by one
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/operations/spe_profile.h"
#include "base/ints.h"
#include "formats/spe/aggregator.h"
#include "formats/spe/record_reader.h"
#include "model/answers/address_answer.h"

namespace wperf::operations {

// Whose number a context packet (or the caller of Aggregator::add) gives.
struct SpeThread {
  u32 context = 0;
  u32 process = 0, thread = 0;
};

// Everything about the run but its records.
struct SpeRun {
  answers::SampleTarget target;
  // True: Origin::other_process says what is not of the target, and an address in none of its modules is unknown.
  // False: nobody knew, and such an address counts as of another process.
  bool processes_known = false;
  std::vector<SpeThread> threads;  // sorted by context; one that is missing is its own number, of process 0
  std::vector<answers::ProcessName> processes;
  std::vector<SpeCore> cores;  // ascending; what became of each core's buffer; records are filled in
  u64 forgotten_mappings = 0;  // of code; the records of their processes have no names
  std::optional<SpePopulation> population;
  // Of the cores in `cores`, as counted by sample_filtrate; empty: not counted, the records are all there is.
  std::vector<u64> recorded_of_core;
  double elapsed_seconds = 0;
  std::optional<u32> exit_code;
};

// Adds what a core's decoder says of damage.
void add_damage(SpeCore& core, const spe::DecodeState& state);

// Per module of the target, in its order: the RVAs somebody should name, sorted and unique.
std::vector<std::vector<u32>> spe_addresses_to_name(const spe::Aggregator& aggregator, const SpeRun& run);

// answers: per module, sorted by RVA. An address without answer counts as unknown.
SpeProfile make_spe_profile(const spe::Aggregator& aggregator, SpeRun run,
                            const std::vector<std::vector<answers::AddressAnswer>>& answers);

}  // namespace wperf::operations
