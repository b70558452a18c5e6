// SPDX-License-Identifier: BSD-3-Clause
// The views of samples that were counted and named, whatever they were read from: tables, trees, folded stacks, JSON,
// pages and exports.
#pragma once
#include <string>

#include "analysis/operations/spe_profile.h"
#include "analysis/recording/sampled_recording.h"
#include "app/push/parcel.h"
#include "app/show/report_options.h"
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
  const stacks::RecordingAbout* about = nullptr;  // null: there are no facts about the run
  // Parts that only some pages have.
  const operations::SpeProfile* spe = nullptr;
  const html::WaitsOfPage* waits = nullptr;
  std::string clients_json = {};  // the value of "sampling" that WindowsPerf's clients read in JSON, too; may be empty
};
diag::Result<void> show_profile(const ShownProfile& shown, const ReportOptions& options, diag::Console& console);

// --html and --svg. Reports the written file and its size.
diag::Result<void> write_pages(const ShownProfile& shown, const ReportOptions& options, diag::Console& console);
// A finished page.
diag::Result<void> write_page(const std::string& file, const std::string& text, const request::Outputs& outputs,
                              diag::Console& console);

// `report --export`: a recording in another tool's format, into a file or a pipe.
//
// The time of a profile for servers: by the recording's own wall-clock time; without it, the recording ended when its
// file was last written.
push::ProfileTime time_of(const stacks::StackProfile& profile, const stacks::Moments& moments, const std::string& file);

// Whether the format can hold the places where threads waited.
bool has_place_for_waits(request::ExportFormat format);
diag::Result<void> export_samples(const recording::SampledRecording& source, const ReportOptions& options,
                                  diag::Console& console);
// A finished profile.
diag::Result<void> export_profile(stacks::StackProfile profile, stacks::Moments moments, const ReportOptions& options,
                                  diag::Console& console);
// The perf.data file that was asked about.
diag::Result<void> export_file(const ReportOptions& options, diag::Console& console);
// Folded stacks have room for only one event: the first one with samples.
void write_first_folded(const stacks::StackProfile& profile, const report::StackOptions& options,
                        diag::Console& console, const report::TakeText& take);
// The recording itself; for a trace, the recording made from it.
diag::Result<void> export_recording(const os::MappedFile& recording, const ReportOptions& options,
                                    diag::Console& console);

}  // namespace wperf::show
