// SPDX-License-Identifier: BSD-3-Clause
// `record` and `sample` with -e arm_spe_0/…/ on wperf's driver: runs the program, profiles and counts at the same time,
// and makes a recording, which is then read like any other.
#pragma once
#include <cstddef>
#include <map>
#include <vector>

#include "app/measure/recording_run.h"
#include "app/measure/recording_writer.h"
#include "formats/perf_data/aux_traces.h"
#include "formats/spe/record_reader.h"
#include "machine/plan/plan.h"
#include "machine/plan/spe_plan.h"
#include "model/readings/counts.h"
#include "model/readings/samples.h"

namespace wperf::measure {

// Records with the kernel or a driver. The bytes from a driver are also written unchanged (contract 9.9).
diag::Result<Recording> record_spe(const MeasureOptions& options, OpenedMachine& machine, diag::Console& console);

// The clock of SPE's timestamps; if its rate is unknown, has_zero is false.
perf_data::TimeConversion conversion_of(const plan::TimerMoment& timer);

// Writes SPE data from the buffers of wperf's driver to a recording: AUX data for each core, divided at record
// boundaries, so that each piece can be decoded separately.
class SpeRecorder {
 public:
  SpeRecorder(const plan::SpePlan& plan, const plan::TimerMoment& timer, os::RecordingFile& file);
  void take(const readings::SpePiece& piece);
  void finish(const RunEnding& ending, const plan::Capabilities& machine, std::span<const std::string> arguments);

 private:
  struct Stream {
    spe::DecodeState state;
    u64 offset = 0;                // offset up to which data has been written
    u64 address = 0;               // address of the first byte in `begun`
    std::vector<std::byte> begun;  // the bytes after the last complete record
  };
  void write(u32 core, Stream& stream, usize size);

  RecordingWriter writer_;
  std::map<u32, Stream> streams_;  // by core
};

}  // namespace wperf::measure
