// SPDX-License-Identifier: BSD-3-Clause
// An aggregator of SPE records and the symbolizer's answers for their addresses → SpeProfile. Pure functions, called in
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

// The thread whose number is in a context packet (or given to Aggregator::add).
struct SpeThread {
  u32 context = 0;
  u32 process = 0, thread = 0;
};

// Everything about the run except its records.
struct SpeRun {
  answers::SampleTarget target;
  // True: Origin::other_process marks records outside of the target, and an address outside of all of its modules is
  // unknown. False: the processes are not known, and such an address counts as another process.
  bool processes_known = false;
  std::vector<SpeThread> threads;  // sorted by context; a missing context gives its own number, and process 0
  std::vector<answers::ProcessName> processes;
  std::vector<SpeCore> cores;  // ascending; the state of each core's buffer; records are filled in
  u64 forgotten_mappings = 0;  // mappings of code; the records of their processes have no names
  std::optional<SpePopulation> population;
  // For the cores in `cores`, as counted by sample_filtrate; if it was not counted, empty, and then only the records
  // are known.
  std::vector<u64> recorded_of_core;
  double elapsed_seconds = 0;
  std::optional<u32> exit_code;
};

// Adds the damage that a core's decoder found.
void add_damage(SpeCore& core, const spe::DecodeState& state);

// Per module of the target, in its order: the RVAs that need names, sorted and unique.
std::vector<std::vector<u32>> spe_addresses_to_name(const spe::Aggregator& aggregator, const SpeRun& run);

// answers: per module, sorted by RVA. An address without an answer counts as unknown.
SpeProfile make_spe_profile(const spe::Aggregator& aggregator, SpeRun run,
                            const std::vector<std::vector<answers::AddressAnswer>>& answers);

// --timeline of SPE data: how many records each function had in every stretch of time. The bytes are decoded once more
// for it, after their addresses have their names. Returns false if the records have no times. `run`: the run's begin
// and end, if the file has them; otherwise the first and the last record are used.
bool add_spe_timeline(const recording::RecordedRecords& records, const perf_data::AuxTraces& traces,
                      const perf_data::RunFacts* run, u64 slice_ns, operations::SpeProfile& profile);

}  // namespace wperf::operations
