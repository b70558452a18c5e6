// SPDX-License-Identifier: BSD-3-Clause
// Makes a Request from argv: one pass from left to right over exact tokens (contract 2). Independent of devices.
#pragma once
#include <span>
#include <string>

#include "ground/diag/result.h"
#include "model/request/request.h"

namespace wperf::cli {

inline constexpr char kLinuxDevice[] = "linux";

// Called as soon as --pe_file or --pdb_file is parsed, so that the first mistake on the line is the one reported. Null:
// no check.
using FileExists = bool (*)(const std::string& path);

// `arguments` does not include argv[0]. `device` is used unless the line has --device. On "linux", where no scripts of
// WindowsPerf run, an unknown word begins the program of `stat` and `record`; on other devices it is an error.
diag::Result<request::Request> parse_command_line(std::span<const std::string> arguments, FileExists file_exists,
                                                  const std::string& device = {});

// Returns an error if the line has no command. A lone `--force-lock` counts as a command.
diag::Result<void> check_command(const request::Request& request);

}  // namespace wperf::cli
