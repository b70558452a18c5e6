// SPDX-License-Identifier: BSD-3-Clause
// Shows the samples of a recording from any source, in the views that the options request.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "analysis/operations/spe_profile.h"
#include "analysis/recording/recorded_samples.h"
#include "analysis/recording/sampled_recording.h"
#include "app/show/report_options.h"
#include "app/show/weighted_samples.h"
#include "formats/perf_data/perf_file.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "views/html/html_report.h"

namespace wperf::show {

// The hint if --mem has no data: `how` to get SPE data, and that there is no other way on x86.
std::string hint_of_memory(std::string_view how);

diag::Result<void> show_samples(const recording::SampledRecording& source, const ReportOptions& options,
                                diag::Console& console);

// Counted and named samples, with their recorded or changed weights, and data that is shown with them.
struct NamedSamples {
  const perf_data::PerfFile& file;
  recording::RecordedSamples recorded;
  bool as_lines = false;                        // one line for each sample
  bool with_code = false;                       // includes listings of hot functions
  const std::vector<u64>* weights = nullptr;    // used for each sample instead of its period; null: the period
  const operations::SpeProfile* spe = nullptr;  // see ShownProfile
  const html::WaitsOfPage* waits = nullptr;     // see ShownProfile
  std::string clients_json = {};                // see ShownProfile
};
diag::Result<void> show_named(NamedSamples samples, const ReportOptions& options, diag::Console& console);

// Shows samples with weights that were changed after the recording, in the same views. Exports and pages of a recording
// have more data; see show_samples().
diag::Result<void> show_weighted(const perf_data::PerfFile& file, const WeightedSamples& weighted,
                                 const ReportOptions& options, diag::Console& console);

struct Damage {
  u64 places = 0, bytes = 0, records_about = 0;
};
void warn_of_damage(const Damage& damage, diag::Console& console);

}  // namespace wperf::show
