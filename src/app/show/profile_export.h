// SPDX-License-Identifier: BSD-3-Clause
// `report --export`: a recording in another tool's format, into a file or a pipe.
#pragma once
#include "analysis/recording/sampled_recording.h"
#include "app/push/parcel.h"
#include "app/show/report_options.h"
#include "ground/diag/console.h"
#include "ground/os/mapped_file.h"
#include "model/request/recording_view.h"
#include "views/report/stack_report.h"

namespace wperf::show {

// By the recording's own wall-clock time; without it, the recording ended when its file was last written.
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
