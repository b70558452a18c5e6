// SPDX-License-Identifier: BSD-3-Clause
// The only open machine of the library, and its latest answers. wperf_api.cpp ensures that only one thread at a time
// calls it.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "app/capi/answers.h"
#include "app/capi/rows.h"
#include "app/capi/wperf_lib_conversions.h"
#include "app/measure/measure_counts.h"
#include "app/measure/opened_machine.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "include/wperf/wperf.h"
#include "model/request/request.h"

namespace wperf::capi {

class Session {
 public:
  static diag::Result<std::unique_ptr<Session>> open(const std::string& device, diag::Console& console);

  diag::Result<VERSION_INFO> driver_version();
  u32 core_count() const { return machine_.capabilities.core_count; }

  // Each function replaces its earlier answer. A failed measurement can also leave rows, for example if the program
  // crashed.
  diag::Result<void> load_events(const LIST_CONF& conf);
  diag::Result<void> load_metrics();
  // `wanted`: the request made from a configuration, or the error in the configuration.
  diag::Result<void> count(diag::Result<request::Request> wanted, bool verbose, diag::Console& console);
  diag::Result<void> begin_count(diag::Result<request::Request> wanted, diag::Console& console);
  diag::Result<void> end_count();
  diag::Result<void> sample(diag::Result<request::Request> wanted, bool verbose, diag::Console& console);
  diag::Result<void> test(const diag::Result<request::Request>& wanted);

  // nullopt: not requested yet.
  std::optional<Rows<EVENT_INFO>> events;
  std::optional<MetricRows> metrics;
  std::optional<Rows<STAT_INFO>> counts;
  std::optional<Rows<STAT_METRIC_INFO>> count_metrics;
  std::optional<Rows<SampleRow>> samples;
  std::optional<Rows<LineRow>> annotations;
  std::optional<SAMPLE_STATS> sample_stats;
  std::optional<Rows<TEST_INFO>> tests;
  std::optional<Rows<lib::TEST_INFO>> lib_tests;  // like tests, but in the layout of wperf-lib.h

 private:
  explicit Session(measure::OpenedMachine machine) : machine_(std::move(machine)), words_(machine_.catalog) {}

  diag::Result<void> check_nothing_runs() const;
  void keep_counts(std::span<const answers::CountProfile> measured);
  std::optional<diag::Error> kill_of(const request::Request& request, u32 pid, diag::Console& console);
  diag::Result<std::vector<answers::CountProfile>> measure(const request::Request& request, diag::Console& console,
                                                           std::optional<diag::Error>& error);

  measure::OpenedMachine machine_;
  plan::EventCatalog words_;                        // without events that a measurement adds by number
  std::unique_ptr<measure::CountSection> section_;  // between begin_count() and end_count()
};

}  // namespace wperf::capi
