// SPDX-License-Identifier: BSD-3-Clause
// argv → Request: one pass from left to right over exact tokens (contract 2). Called by main; knows no device.
#pragma once
#include <span>
#include <string>

#include "ground/diag/result.h"
#include "model/request/request.h"

namespace wperf::cli {

inline constexpr char kLinuxDevice[] = "linux";

// Asked for --pe_file and --pdb_file where they stand, so that the first mistake on the line is the one reported.
// May be null: nothing is checked.
using FileExists = bool (*)(const std::string& path);

// `arguments` without the program's own name; `device` is measured with unless --device names another one. On "linux",
// where no script of WindowsPerf runs, an unknown word begins the program of `stat` and `record`, or it is an error.
diag::Result<request::Request> parse_command_line(std::span<const std::string> arguments, FileExists file_exists,
                                                  const std::string& device = {});

// A line must say what to do; `--force-lock` alone says it, too.
diag::Result<void> check_command(const request::Request& request);

}  // namespace wperf::cli
