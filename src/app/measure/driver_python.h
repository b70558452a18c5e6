// SPDX-License-Identifier: BSD-3-Clause
// `record --python` and `waits --python` on a machine that reports each sample, and each stack of a context switch,
// while the thread is stopped. The Python frames are copied then, and joined with the call chain when the sample is
// drained or read from a trace (docs/design/python.md).
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analysis/recording/live_python.h"
#include "machine/device/driver_machine.h"
#include "model/readings/samples.h"
#include "model/request/sampling_options.h"
#include "model/stacks/python_samples.h"

namespace wperf::measure {

class DriverPython final : public device::SampleWatcher {
 public:
  DriverPython(request::PythonFrames frames, device::Programs& programs);
  ~DriverPython() { programs_.watch_samples(nullptr); }
  DriverPython(const DriverPython&) = delete;
  DriverPython& operator=(const DriverPython&) = delete;

  void see(const Moment& moment) override;

  // Called before and after the samples of a drain. At the end of a drain, frames of newer samples may already have
  // been copied.
  void begin_drain() { modules_.clear(); }
  void end_drain();
  // The frames of a thread at this time, on the machine's clock; see PythonCopies::take().
  std::unique_ptr<recording::PythonCopy> copy_of(u32 thread, u64 time_ns, u64 late_ns = 0) {
    return python_.copies().take(thread, time_ns, late_ns);
  }
  // Inserts the Python functions into the call chain of a sample. `user`: index of its first user frame. `link`: the
  // link register; set to 0 if its caller is already in the chain, or if the first frame is a Python function.
  void join(const readings::DrainedSample& sample, const recording::PythonCopy* copy, usize user,
            std::vector<u64>& chain, u64& link);

  std::string jit_code() const { return python_.jit_code(); }
  stacks::PythonSamples samples() const { return python_.samples(); }

 private:
  const std::vector<readings::Module>& modules_of(u32 pid);
  u32 module_at(u64 address);
  bool is_whole(const std::vector<u64>& chain);

  device::Programs& programs_;
  recording::LivePython python_;
  std::map<u32, std::vector<readings::Module>> modules_;  // by process
  u32 process_ = 0;                                       // the process of the sample
  u64 drained_ns_ = 0;                                    // the end of the last drain
  std::function<u32(u64)> code_at_;
  std::function<bool(u32)> is_start_of_programs_;
};

}  // namespace wperf::measure
