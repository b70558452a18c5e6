// SPDX-License-Identifier: BSD-3-Clause
// Where an answer goes: text to the console, JSON to stdout or a file, CSV to files (contract 1.4, 6.3).
#pragma once
#include <string>
#include <string_view>

#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/request/request.h"

namespace wperf::output {

// What a recording is called that is kept and has no name.
inline constexpr std::string_view kUsualRecording = "perf.data";
// `file` resolved against --cwd.
std::string output_path(const request::Outputs& outputs, const std::string& file);
// Would an output replace a file that the command reads, or another output? Asked before anything is opened, because
// inputs are mapped.
diag::Result<void> check_inputs_stay(const request::Request& request);
// Can every file be written that options name? Asked before anything is measured, so that no result is lost for want of
// a place.
diag::Result<void> check_outputs(const request::Request& request);
// Of all that is asked for, only one document can be stdout's.
diag::Result<void> check_one_document(const request::Request& request);
diag::Result<void> write_output_file(const std::string& path, std::string_view text);
// The same of a file that an option named: resolved against --cwd, or stdout.
diag::Result<void> write_named_output(const std::string& file, std::string_view text, const request::Outputs& outputs,
                                      diag::Console& console);
// Does anyone want the JSON? -o asks for it even without --json.
bool wants_json(const request::Outputs& outputs);
// The same of a report on SPE: where --records prints the records, --json is about those.
bool wants_spe_json(const request::Request& request);
// Is stdout one document, which must not mix with anything else?
bool stdout_is_document(const request::Request& request);
// A name of a file that stands for stdout.
inline constexpr std::string_view kConsole = "-";
// Do the records of --records go to stdout? Then nothing else does.
bool prints_records(const request::Request& request);
// Nobody reads the text: it need not be made.
bool silent(const request::Outputs& outputs);
// To the -o file when one is given, else to stdout; there also where the file cannot be written and nobody else would
// print the answer.
diag::Result<void> deliver_json(const request::Outputs& outputs, std::string_view json, diag::Console& console);

}  // namespace wperf::output
