// SPDX-License-Identifier: BSD-3-Clause
#include "machine/live/program_path.h"

#include <filesystem>

namespace wperf::live {

void make_absolute(wperf_driver::SimulatedProgram& program) {
  std::error_code failed;
  const std::string absolute = std::filesystem::absolute(program.image, failed).string();
  if (failed) return;
  const usize at = program.command_line.starts_with('"') ? 1 : 0;
  const bool begins_with_it = program.command_line.compare(at, program.image.size(), program.image) == 0;
  if (begins_with_it && program.image.find('/') != std::string::npos)
    program.command_line.replace(at, program.image.size(), absolute);
  program.image = absolute;
}

}  // namespace wperf::live
