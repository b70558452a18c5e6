// SPDX-License-Identifier: BSD-3-Clause
// Where the answers of a request are written: the files that its options name, and stdout; and messages about these
// files.
#pragma once
#include "app/measure/recording_run.h"
#include "app/output/outputs.h"
#include "ground/diag/console.h"
#include "model/request/request.h"

namespace wperf::commands {

output::Files files_of(const request::Request& request);
// Is stdout one document, so that no other text may be printed there?
bool stdout_is_document(const request::Request& request);
// Is text printed? Returns false with -q, or if stdout is a document.
bool prints_text(const request::Request& request);
// Are the records of --records written to stdout? Then nothing else may be written there.
bool prints_records(const request::Request& request);
// The file in which the user wants to keep the recording; empty if not wanted.
std::string kept_recording(const request::Request& request);
// Implements -o FILE: FILE.data and FILE.etl keep the recording; any other FILE gets the JSON.
request::Request with_kept_file(request::Request request);

// Names the recording that is kept, and the command that shows it again (for `waits`, the same command).
void print_kept_recording(const request::Request& request, const measure::Recording& recording, diag::Console& console);
// Says what -o FILE contains if the name does not show it, because the user may have wanted a recording.
void print_json_file(const request::Request& request, diag::Console& console);

}  // namespace wperf::commands
