// SPDX-License-Identifier: BSD-3-Clause
// `report --export`: a recording in another tool's format, into a file or a pipe.
#pragma once
#include "app/commands/run_report.h"
#include "app/commands/timed_samples.h"
#include "app/push/parcel.h"
#include "ground/os/mapped_file.h"
#include "model/request/request.h"
#include "views/report/stack_report.h"

namespace wperf::commands {

// By the recording's own wall-clock time; without it, the recording ended when its file was last written.
push::ProfileTime time_of(const stacks::StackProfile& profile, const stacks::Moments& moments, const std::string& file);

// Can the output be written? Checked before anything is read.
diag::Result<void> check_export(const request::Request& request, const diag::Console& console);
// Whether the format can hold the places where threads waited.
bool has_place_for_waits(request::ExportFormat format);
diag::Result<void> export_samples(const perf_data::PerfFile& file, const Beside& beside,
                                  const report::StackOptions& options, const request::Request& request,
                                  diag::Console& console, const ExportSink& sink);
// A finished profile.
diag::Result<void> export_profile(stacks::StackProfile profile, stacks::Moments moments,
                                  const report::StackOptions& options, const request::Request& request,
                                  diag::Console& console, const ExportSink& sink);
// The perf.data file that was asked about.
diag::Result<void> export_file(const request::Request& request, diag::Console& console);
// Folded stacks have room for only one event: the first one with samples.
void write_first_folded(const stacks::StackProfile& profile, const report::StackOptions& options,
                        diag::Console& console, const report::TakeText& take);
// The recording itself; for a trace, the recording made from it.
diag::Result<void> export_recording(const os::MappedFile& recording, const request::Request& request,
                                    diag::Console& console);

}  // namespace wperf::commands
