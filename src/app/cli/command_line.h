// SPDX-License-Identifier: BSD-3-Clause
// argv → Request: one pass from left to right over exact tokens (contract 2). Knows no device.
#pragma once
#include <span>
#include <string>

#include "ground/diag/result.h"
#include "model/request/request.h"

namespace wperf::cli {

inline constexpr char kLinuxDevice[] = "linux";

// Asked for --pe_file and --pdb_file at their place on the line, so that the first mistake is the one reported. May be
// null: no check.
using FileExists = bool (*)(const std::string& path);

// `arguments` without the program's own name; `device` measures unless --device names another one. On "linux", where no
// script of WindowsPerf runs, an unknown word begins the program of `stat` and `record`, or it is an error.
diag::Result<request::Request> parse_command_line(std::span<const std::string> arguments, FileExists file_exists,
                                                  const std::string& device = {});

// A line must have a command; `--force-lock` by itself counts as one.
diag::Result<void> check_command(const request::Request& request);

}  // namespace wperf::cli
