// SPDX-License-Identifier: BSD-3-Clause
// Makes a Request from argv: one pass from left to right over exact tokens (contract 2). Independent of devices.
#pragma once
#include <span>
#include <string>

#include "ground/diag/result.h"
#include "model/request/request.h"

namespace wperf::cli {

inline constexpr char kLinuxDevice[] = "linux";

// Called as soon as --pe_file or --pdb_file is read, so that the first mistake on the line is reported. Null: no check.
using FileExists = bool (*)(const std::string& path);

// `arguments` does not include the program's own name. `device` is used unless --device names another one. On "linux",
// where no scripts of WindowsPerf run, an unknown word begins the program of `stat` and `record`; elsewhere on the line
// it is an error.
diag::Result<request::Request> parse_command_line(std::span<const std::string> arguments, FileExists file_exists,
                                                  const std::string& device = {});

// A line must have a command; a lone `--force-lock` counts as one.
diag::Result<void> check_command(const request::Request& request);

}  // namespace wperf::cli
