// SPDX-License-Identifier: BSD-3-Clause
// Makes an SpeProfile from an aggregator of SPE records and the names of their addresses. Pure functions, called in
// this order:
//
//   spe_addresses_to_name() ── ask the symbolizer ──→ make_spe_profile() ──┬─ compat::make_view()
//                                                                          └─ SpeRecordNamer: records one by one
#pragma once
#include <optional>
#include <vector>

#include "analysis/operations/spe_profile.h"
#include "analysis/recording/recorded_records.h"
#include "base/ints.h"
#include "formats/perf_data/aux_traces.h"
#include "formats/perf_data/run_facts.h"
#include "formats/spe/aggregator.h"
#include "formats/spe/record_reader.h"
#include "model/answers/sampled_run.h"

namespace wperf::operations {

// A thread, by its number in context packets (or the number given to Aggregator::add).
struct SpeThread {
  u32 context = 0;
  u32 process = 0, thread = 0;
};

// Everything about the run except its records.
struct SpeRun {
  answers::SampleTarget target;
  // True: Origin::other_process marks records outside of the target, and addresses outside of the target's modules are
  // unknown code. False: processes are not known, and addresses outside of the modules count as another process.
  bool processes_known = false;
  std::vector<SpeThread> threads;  // sorted by context; a missing context stands for a thread with that number and
                                   // process 0
  std::vector<answers::ProcessName> processes;
  std::vector<SpeCore> cores;  // in ascending order, with the state of each core's buffer; the numbers of records are
                               // filled in later
  u64 forgotten_mappings = 0;  // mappings of code that were not kept; records in their processes have no names
  std::optional<SpePopulation> population;
  // For each of `cores`, the count of sample_filtrate. Empty if it was not counted; then only the number of decoded
  // records is known.
  std::vector<u64> recorded_of_core;
  double elapsed_seconds = 0;
  std::optional<u32> exit_code;
};

// Adds the damage that the core's decoder found.
void add_damage(SpeCore& core, const spe::DecodeState& state);

// Returns, for each module of the target in order, the RVAs that need names, sorted and unique.
std::vector<std::vector<u32>> spe_addresses_to_name(const spe::Aggregator& aggregator, const SpeRun& run);

// `answers`: for each module, sorted by RVA. An address without an answer is unknown code.
SpeProfile make_spe_profile(const spe::Aggregator& aggregator, SpeRun run,
                            const std::vector<std::vector<answers::AddressAnswer>>& answers);

// --timeline for SPE data: how many records each function had in each interval. The bytes are decoded again for this,
// after the addresses have names. Returns false if the records have no times. `run`: begin and end of the run. If it is
// null, the times of the first and last record are used.
bool add_spe_timeline(const recording::RecordedRecords& records, const perf_data::AuxTraces& traces,
                      const perf_data::RunFacts* run, u64 slice_ns, operations::SpeProfile& profile);

}  // namespace wperf::operations
