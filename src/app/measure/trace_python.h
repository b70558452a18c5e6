// SPDX-License-Identifier: BSD-3-Clause
// `waits --python` with the tracing of a machine that reports each recorded stack while the thread is stopped. The
// Python functions are added to the trace (docs/design/python.md).
#pragma once
#include <string>

#include "analysis/recording/trace_additions.h"
#include "app/measure/driver_python.h"
#include "ground/diag/result.h"
#include "machine/device/driver_machine.h"
#include "model/request/sampling_options.h"

namespace wperf::measure {

class TracePython {
 public:
  TracePython(request::PythonFrames frames, device::Programs& programs) : python_(frames, programs) {}

  // Reads the stacks of the complete trace, and joins them with the Python frames.
  diag::Result<void> add_to(recording::TraceAdditions& additions, const std::string& trace_path);
  stacks::PythonSamples samples() const { return python_.samples(); }
  bool has_found_python() const { return !python_.samples().versions.empty(); }

 private:
  DriverPython python_;
};

}  // namespace wperf::measure
