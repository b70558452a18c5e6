// SPDX-License-Identifier: BSD-3-Clause
// The views of counted and named samples from any source: tables, trees, folded stacks, JSON, pages and exports.
#pragma once
#include <string>

#include "analysis/operations/spe_profile.h"
#include "analysis/recording/sampled_recording.h"
#include "app/push/upload.h"
#include "app/show/report_options.h"
#include "app/show/weighted_samples.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "ground/os/mapped_file.h"
#include "model/request/output_options.h"
#include "model/request/recording_view.h"
#include "model/stacks/moments.h"
#include "model/stacks/recording_about.h"
#include "model/stacks/stack_profile.h"
#include "views/html/html_report.h"
#include "views/report/stack_report.h"

namespace wperf::show {

struct ShownProfile {
  const stacks::StackProfile& profile;
  const stacks::Moments& moments;
  const stacks::RecordingAbout* about = nullptr;  // null: nothing is known about the run
  // The data below is only for some pages.
  const operations::SpeProfile* spe = nullptr;
  const html::WaitsOfPage* waits = nullptr;
  std::string clients_json = {};  // the value of "sampling" for WindowsPerf's clients in JSON; may be empty
};
diag::Result<void> show_profile(const ShownProfile& shown, const ReportOptions& options, diag::Console& console);

// --html and --svg. Prints the name and size of the file.
diag::Result<void> write_pages(const ShownProfile& shown, const ReportOptions& options, diag::Console& console);
// Writes a finished page.
diag::Result<void> write_page(const std::string& file, const std::string& text, const request::Outputs& outputs,
                              diag::Console& console);

// `report --export`: writes a recording in another tool's format, to a file or a pipe.
//
// The time of a profile for servers: the wall-clock time in the recording. If the recording has none, it is assumed to
// end when its file was last written.
push::ProfileTime time_of(const stacks::StackProfile& profile, const stacks::Moments& moments, const std::string& file);

// Can the format include where threads waited?
bool has_place_for_waits(request::ExportFormat format);
// `weighted`: null if the samples have their recorded weights.
diag::Result<void> export_samples(const recording::SampledRecording& source, const WeightedSamples* weighted,
                                  const ReportOptions& options, diag::Console& console);
// Exports a finished profile. `program` is the name of the program that was started; empty if not known.
diag::Result<void> export_profile(stacks::StackProfile profile, stacks::Moments moments, const ReportOptions& options,
                                  diag::Console& console, const std::string& program);
// Exports the requested perf.data file.
diag::Result<void> export_file(const ReportOptions& options, diag::Console& console);
// Writes folded stacks of one event: the first event with samples.
void write_first_folded(const stacks::StackProfile& profile, const report::StackOptions& options,
                        diag::Console& console, const report::TakeText& take);
// Exports the recording itself; for a trace, the recording made from it.
diag::Result<void> export_recording(const os::MappedFile& recording, const ReportOptions& options,
                                    diag::Console& console);

}  // namespace wperf::show
