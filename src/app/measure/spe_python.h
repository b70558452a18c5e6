// SPDX-License-Identifier: BSD-3-Clause
// `record --python` with SPE, on a machine that reports each record while its thread is stopped. Finds the Python
// functions that called the recorded code, for a section of the recording (docs/design/python.md).
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analysis/recording/python_process.h"
#include "formats/perf_data/aux_traces.h"
#include "formats/perf_data/record_stacks.h"
#include "machine/device/driver_machine.h"
#include "model/request/sampling_options.h"
#include "model/stacks/python_samples.h"

namespace wperf::measure {

class SpePython final : public device::SampleWatcher {
 public:
  // `time`: converts timestamps.
  SpePython(request::PythonFrames frames, device::Programs& programs, const perf_data::TimeConversion& time);
  ~SpePython() { programs_.watch_samples(nullptr); }
  SpePython(const SpePython&) = delete;
  SpePython& operator=(const SpePython&) = delete;

  void see(const Moment& moment) override;

  const perf_data::RecordStacks& stacks() const { return stacks_; }
  std::string jit_code() const { return recording::jit_code_of(made_); }
  stacks::PythonSamples samples() const;

 private:
  struct Program {
    std::unique_ptr<recording::PythonProcess> process;  // null: no readable interpreter was found
    u64 looked_ticks = 0;
    bool was_looked_at = false;
  };
  recording::PythonProcess* process_of(const Moment& moment);
  bool collect_stack(recording::PythonProcess& process, u64 time_ns, symbols::JitDumpWriter& made);

  const bool keeps_native_;
  device::Programs& programs_;
  const perf_data::TimeConversion time_;
  std::unique_ptr<recording::PythonHost> host_;
  std::map<u32, symbols::JitDumpWriter> made_;  // functions of each process
  std::map<u32, Program> known_;                // by process
  recording::PythonProcess::Frames frames_;
  std::vector<recording::PythonProcess::Frame> room_;
  std::vector<u64> stack_;
  std::map<std::vector<u64>, u32> numbers_;  // numbers of stacks
  perf_data::RecordStacks stacks_;
  stacks::PythonSamples samples_;
  u32 versions_ = 0;  // one bit for each minor version
};

}  // namespace wperf::measure
