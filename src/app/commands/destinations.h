// SPDX-License-Identifier: BSD-3-Clause
// Where the answers of a request go: the files that its options name, and stdout; messages about written files.
#pragma once
#include "app/measure/recording_run.h"
#include "app/output/outputs.h"
#include "ground/diag/console.h"
#include "model/request/request.h"

namespace wperf::commands {

output::Files files_of(const request::Request& request);
// Is stdout one document, into which no other text may be printed?
bool stdout_is_document(const request::Request& request);
// Is text printed? Not with -q, nor where stdout is a document.
bool is_told(const request::Request& request);
// Do the records of --records go to stdout? Then nothing else does.
bool prints_records(const request::Request& request);
// The file that the user wants to keep; empty: none.
std::string kept_recording(const request::Request& request);
// -o FILE.data and FILE.etl keep the recording; any other FILE gets the JSON.
request::Request with_kept_file(request::Request request);

// The recording that stays, and the command that shows it again: the request's own if that is `waits`.
void tell_kept(const request::Request& request, const measure::Recording& recording, diag::Console& console);
// Says what -o FILE contains, if the name of FILE does not show it: the user may have wanted a recording there.
void tell_written(const request::Request& request, diag::Console& console);

}  // namespace wperf::commands
