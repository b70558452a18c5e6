// SPDX-License-Identifier: BSD-3-Clause
// Where an answer goes: text to the console, JSON to stdout or a file, CSV to files (contract 1.4, 6.3).
#pragma once
#include <string>
#include <string_view>

#include "diag/console.h"
#include "request/request.h"

namespace wperf::pipeline {

// `file` resolved against --cwd.
std::string output_path(const request::Outputs& outputs, const std::string& file);
// Writes the file, or warns `Unable to open F`: an unwritable output is no failure of the run.
void write_output_file(const request::Outputs& outputs, const std::string& file, std::string_view bytes,
                       diag::Console& console);
// Does anyone want the JSON? -o asks for it even without --json.
bool wants_json(const request::Outputs& outputs);
// Nobody reads the text: it need not be made.
bool silent(const request::Outputs& outputs);
// To the -o file when one is given, else to stdout.
void deliver_json(const request::Outputs& outputs, std::string_view json, diag::Console& console);

}  // namespace wperf::pipeline
