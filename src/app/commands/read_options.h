// SPDX-License-Identifier: BSD-3-Clause
// The options of the command line for the reader of recordings.
#pragma once
#include "analysis/recording/opened_recording.h"
#include "analysis/recording/recorded_samples.h"
#include "app/show/report_options.h"
#include "model/request/request.h"
#include "model/stacks/stack_rows.h"

namespace wperf::commands {

// The files that the command line names.
recording::RecordingFiles recording_files(const request::Request& request);
// Which samples are read and where symbols are looked for, without any detail.
recording::ReadOptions plain_read_options(const request::Request& request);
// Adds the details that the requested views need.
recording::ReadOptions read_options(const request::Request& request);
show::NamingOptions naming_options(const request::Request& request);
// Which samples count: --comm, --module, --pid, --tid and --symbol.
stacks::StackFilter sample_filter(const request::Request& request);

}  // namespace wperf::commands
