// SPDX-License-Identifier: BSD-3-Clause
// The answers of `test` about a machine and the requested events (contract 8.5). Made from the device's capabilities
// and the plan.
#pragma once
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/event_class.h"
#include "base/ints.h"

namespace wperf::answers {

struct ScheduledEvent {
  u16 code = 0;
  std::string note;  // contract 3.2; "p" for padding
};

struct TestReport {
  u64 midr = 0, id_aa64dfr0 = 0, pmsidr = 0, pmbidr = 0;
  u32 core_count = 0;
  // Programmable counters: all of the hardware (core class only), free ones per class; fixed ones per class.
  u32 counters_total = 0;
  std::array<u32, kEventClassCount> counters_free{}, counters_fixed{};
  std::array<bool, kEventClassCount> classes{};  // those this machine can count
  std::array<u8, 32> counter_map{};
  std::string device_id;
  std::array<bool, kEventClassCount> requested{};  // events of the class were given
  std::array<std::vector<ScheduledEvent>, kEventClassCount> schedules;
  u32 period_ms = 0, period_max_ms = 0, period_min_ms = 0;
  u32 sampling_interval = 0x4000000;
  std::vector<std::pair<std::string, std::string>> session;  // the arguments for Windows' tracing
  bool spe = false;                                          // tool, driver and machine can sample with it
};

}  // namespace wperf::answers
