// SPDX-License-Identifier: BSD-3-Clause
// Where an answer goes: text to the console, JSON to stdout or a file, CSV to files (contract 1.4, 6.3).
#pragma once
#include <string>
#include <string_view>

#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/request/request.h"

namespace wperf::output {

// The name of a kept recording if the user gives none.
inline constexpr std::string_view kUsualRecording = "perf.data";
// `file` resolved against --cwd.
std::string output_path(const request::Outputs& outputs, const std::string& file);
// Would an output replace a file that the command reads, or another output? Checked before anything is opened, because
// inputs are mapped.
diag::Result<void> check_inputs_stay(const request::Request& request);
// Can all files named by options be written? Checked before the measurement, so that no result is lost.
diag::Result<void> check_outputs(const request::Request& request);
// Among all requested outputs, only one document can go to stdout.
diag::Result<void> check_one_document(const request::Request& request);
diag::Result<void> write_output_file(const std::string& path, std::string_view text);
// The same of a file that an option named: resolved against --cwd, or stdout.
diag::Result<void> write_named_output(const std::string& file, std::string_view text, const request::Outputs& outputs,
                                      diag::Console& console);
// Is JSON wanted? -o asks for it even without --json.
bool wants_json(const request::Outputs& outputs);
// The same of a report on SPE: where --records prints the records, --json is about those.
bool wants_spe_json(const request::Request& request);
// Is stdout one document, into which no other text may be printed?
bool stdout_is_document(const request::Request& request);
// the file name that stands for stdout
inline constexpr std::string_view kConsole = "-";
// Do the records of --records go to stdout? Then nothing else does.
bool prints_records(const request::Request& request);
// The text is not printed, so it need not be made.
bool silent(const request::Outputs& outputs);
// Writes to the -o file if one is given, else to stdout; also to stdout if the file cannot be written and the answer
// would otherwise be lost.
diag::Result<void> deliver_json(const request::Outputs& outputs, std::string_view json, diag::Console& console);

}  // namespace wperf::output
