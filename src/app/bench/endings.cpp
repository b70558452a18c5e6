// SPDX-License-Identifier: BSD-3-Clause
#include "app/bench/endings.h"

#include <fmt/format.h>

#include "app/measure/counting.h"

namespace wperf::bench {

diag::Result<void> Endings::add(const request::Program& side, bool is_before, const device::ProcessState& program) {
  if (program.running) return {};
  status_[is_before ? 0 : 1] = program.exit_code;
  signal_[is_before ? 0 : 1] = program.signal;
  name_[is_before ? 0 : 1] = side.path;
  if (!status_[0].has_value() || !status_[1].has_value() || *status_[0] == *status_[1]) return {};
  return diag::Error{.text = fmt::format("{} ended with status {} and {} with status {}: their costs are not compared",
                                         name_[0], *status_[0], name_[1], *status_[1]),
                     .hint = "run each program by itself, or add --show-output, to see the reason"};
}

void Endings::warn_of_failed_runs(bool shows_output, diag::Console& console) const {
  if (status_[0].value_or(0) == 0 && status_[1].value_or(0) == 0) return;
  const u32 status = status_[0].value_or(status_[1].value_or(0));
  const bool are_both = status_[0].has_value() && status_[1].has_value();
  // A shell reports the same status for a program that was killed by a signal.
  const u32 signal = !are_both ? signal_[0] + signal_[1] : signal_[0] == signal_[1] ? signal_[0] : 0;
  console.warn(fmt::format(
      "warning: {} {}{}",
      are_both && name_[0] != name_[1] ? name_[0] + " and " + name_[1] : name_[status_[0].has_value() ? 0 : 1],
      signal != 0 ? measure::killed_text(signal) : fmt::format("ended with status {}", status),
      shows_output ? "" : "; its output was hidden, --show-output shows it"));
}

}  // namespace wperf::bench
