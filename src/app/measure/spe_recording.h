// SPDX-License-Identifier: BSD-3-Clause
// `record` and `sample` with -e arm_spe_0/…/ where wperf's driver profiles: program, profiling and counting at the same
// time become a recording, which is then read as `report` reads any other.
#pragma once
#include <cstddef>
#include <map>
#include <vector>

#include "analysis/operations/spe_profile.h"
#include "app/measure/recording_run.h"
#include "app/measure/recording_writer.h"
#include "formats/perf_data/aux_traces.h"
#include "formats/perf_data/run_facts.h"
#include "formats/spe/record_reader.h"
#include "machine/plan/plan.h"
#include "machine/plan/spe_plan.h"
#include "model/answers/count_profile.h"
#include "model/readings/counts.h"
#include "model/readings/samples.h"

namespace wperf::measure {

// By the kernel, or by a driver, whose bytes are also written unchanged (contract 9.9).
diag::Result<Recording> record_spe(const MeasureOptions& options, Machine& machine, diag::Console& console);

// The clock of SPE's timestamps; without its rate, has_zero is false.
perf_data::TimeConversion conversion_of(const plan::TimerMoment& timer);

// The bytes that SPE wrote into the buffers of wperf's driver, as a recording: AUX data of each core, cut where records
// end, so that each piece can be decoded by itself.
class SpeRecorder {
 public:
  SpeRecorder(const plan::SpePlan& plan, const plan::TimerMoment& timer, os::RecordingFile& file);
  void take(const readings::SpePiece& piece);
  void finish(const RunEnding& ending, const plan::Capabilities& machine, std::span<const std::string> arguments);

 private:
  struct Stream {
    spe::DecodeState state;
    u64 offset = 0;                // data from here on is not written yet
    u64 address = 0;               // the address of the first byte in `begun`
    std::vector<std::byte> begun;  // after the last whole record
  };
  void write(u32 core, Stream& stream, usize size);

  RecordingWriter writer_;
  std::map<u32, Stream> streams_;  // by core
};

// Counts during statistical profiling (contract 3.4, 9.9): cycles, and how many operations were chosen, filtered and
// lost. Kept in the recording.
plan::CountPlan population_plan(const plan::SpePlan& plan, const plan::Capabilities& machine);

perf_data::CountedFacts counted_facts(const plan::CountPlan& plan, const plan::Capabilities& machine,
                                      const readings::CountCapture& capture);
// Made from the capture as in count_profile_builder.h.
answers::CountProfile counted_profile(const perf_data::CountedFacts& counted);

// On all cores, with the recorded samples of each of `cores`.
operations::SpePopulation population_of(const answers::CountProfile& counting);
std::vector<u64> recorded_of_cores(const answers::CountProfile& counting,
                                   const std::vector<operations::SpeCore>& cores);

}  // namespace wperf::measure
