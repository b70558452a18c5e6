// SPDX-License-Identifier: BSD-3-Clause
// `report --export`: a recording as another tool reads it, into a file or a pipe. Called by run_report.
#pragma once
#include "app/commands/run_report.h"
#include "app/commands/timed_samples.h"
#include "app/push/profile_packing.h"
#include "ground/os/mapped_file.h"
#include "views/report/stack_report.h"

namespace wperf::commands {

// By what the recording says of the clock on the wall; else it ended when its file was last written. Called by push,
// too.
push::ProfileTime time_of(const stacks::StackProfile& profile, const stacks::Moments& moments, const std::string& file);

// Is there a place for it to go? Asked before anything is read.
diag::Result<void> check_export(const request::Request& request, const diag::Console& console);
// What threads waited for.
bool has_place_for_waits(request::ExportFormat format);
diag::Result<void> export_samples(const perf_data::PerfFile& file, const Beside& beside,
                                  const report::StackOptions& options, const request::Request& request,
                                  diag::Console& console, const ExportSink& sink);
// A profile that is there already.
diag::Result<void> export_profile(stacks::StackProfile profile, stacks::Moments moments,
                                  const report::StackOptions& options, const request::Request& request,
                                  diag::Console& console, const ExportSink& sink);
// The perf.data file that was asked about.
diag::Result<void> export_file(const request::Request& request, diag::Console& console);
// Folded stacks have no room for more than one event: those of the first that has samples.
void write_first_folded(const stacks::StackProfile& profile, const report::StackOptions& options,
                        diag::Console& console, const report::TakeText& take);
// The recording itself: of a trace, what it was made into.
diag::Result<void> export_recording(const os::MappedFile& recording, const request::Request& request,
                                    diag::Console& console);

}  // namespace wperf::commands
