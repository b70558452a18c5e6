// SPDX-License-Identifier: BSD-3-Clause
// What SPE wrote into the buffers of a driver of ours, as a recording: AUX data of each core, cut where records end, so
// that each piece can be decoded by itself. Called by spe_recording.
#pragma once
#include <cstddef>
#include <map>
#include <vector>

#include "app/measure/recording_writer.h"
#include "formats/spe/record_reader.h"
#include "machine/plan/spe_plan.h"
#include "model/readings/spe.h"

namespace wperf::measure {

class SpeRecorder {
 public:
  SpeRecorder(const plan::SpePlan& plan, const plan::TimerMoment& timer, os::RecordingFile& file);
  void take(const readings::SpePiece& piece);
  void finish(const RunEnding& ending, const plan::Capabilities& machine, std::span<const std::string> arguments);

 private:
  struct Stream {
    spe::DecodeState state;
    u64 offset = 0;                // from here on nothing is written
    u64 address = 0;               // of the first byte in `begun`
    std::vector<std::byte> begun;  // behind the last whole record
  };
  void write(u32 core, Stream& stream, usize size);

  RecordingWriter writer_;
  std::map<u32, Stream> streams_;  // by core
};

}  // namespace wperf::measure
