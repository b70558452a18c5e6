// SPDX-License-Identifier: BSD-3-Clause
// The samples of a recording, whoever made it, in the views that the options ask for.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/operations/spe_profile.h"
#include "analysis/recording/recorded_samples.h"
#include "analysis/recording/sampled_recording.h"
#include "app/show/report_options.h"
#include "formats/perf_data/perf_file.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "views/html/html_report.h"

namespace wperf::show {

diag::Result<void> show_samples(const recording::SampledRecording& source, const ReportOptions& options,
                                diag::Console& console);

// Samples that were counted and named, and perhaps changed, with what they are shown together with.
struct NamedSamples {
  const perf_data::PerfFile& file;
  recording::RecordedSamples recorded;
  bool as_lines = false;                        // each sample on a line
  bool with_code = false;                       // listings of hot functions
  const std::vector<u64>* weights = nullptr;    // by sample, instead of its period; null: the period
  const operations::SpeProfile* spe = nullptr;  // see ShownProfile
  const html::WaitsOfPage* waits = nullptr;     // see ShownProfile
  std::string clients_json = {};                // see ShownProfile
};
diag::Result<void> show_named(NamedSamples samples, const ReportOptions& options, diag::Console& console);

// The same views of samples whose weights were changed after recording.
struct WeightedSamples {
  std::string_view event;               // their new meaning; empty: unchanged
  std::string_view things;              // "waits"; empty: samples
  std::string whole;                    // the sum of all of them
  const std::vector<u64>& weights;      // see recording::ReadOptions
  std::optional<u64> time_origin = {};  // where --time begins to count; nullopt: the first sample
  std::vector<u64> parallel_ns = {};    // see StackEvent
};
diag::Result<void> show_weighted(const perf_data::PerfFile& file, const WeightedSamples& weighted,
                                 const ReportOptions& options, diag::Console& console);

struct Damage {
  u64 places = 0, bytes = 0, records_about = 0;
};
void warn_of_damage(const Damage& damage, diag::Console& console);

}  // namespace wperf::show
