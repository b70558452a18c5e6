// SPDX-License-Identifier: BSD-3-Clause
// Checks how the two programs of `bench` end.
#pragma once
#include <optional>
#include <string>

#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "machine/device/driver_machine.h"
#include "model/request/measurement.h"

namespace wperf::bench {

// A program that crashes costs little, so costs are compared only if both programs end in the same way.
class Endings {
 public:
  // Returns an error if the two programs ended with different statuses.
  diag::Result<void> add(const request::Program& side, bool is_before, const device::ProcessState& program);
  // Warns if programs failed; the user must decide whether their costs can be compared.
  void warn_of_failed_runs(bool shows_output, diag::Console& console) const;

 private:
  std::optional<u32> status_[2];
  u32 signal_[2] = {};
  std::string name_[2];
};

}  // namespace wperf::bench
