// SPDX-License-Identifier: BSD-3-Clause
#include "model/request/measurement.h"

#include <fmt/format.h>

#include <string_view>

namespace wperf::request {
namespace {

// Accepts both kinds of separator, because the command line of another system may have a Windows path.
usize base_name_start(std::string_view path) {
  const usize separator = path.find_last_of("/\\");
  return separator == std::string_view::npos ? 0 : separator + 1;
}

std::string with_pdb_extension(std::string_view pe_file) {
  const usize dot = pe_file.rfind('.');
  const bool has_extension = dot != std::string_view::npos && dot >= base_name_start(pe_file);
  return std::string(pe_file.substr(0, has_extension ? dot : pe_file.size())) + ".pdb";
}

}  // namespace

SampleTarget sample_target(const Measurement& request) {
  SampleTarget target;
  target.pe_file = request.pe_file.value_or("");
  const std::string image = request.image_name.value_or(target.pe_file);
  target.image_name = image.substr(base_name_start(image));
  target.pdb_file = request.pdb_file.value_or(with_pdb_extension(target.pe_file));
  return target;
}

std::string deduced_text(const Measurement& request) {
  if (!request.pe_file.has_value()) return {};
  const std::string& pe_file = *request.pe_file;
  std::string text;
  if (!request.image_name.has_value()) text += fmt::format("deduced image name '{}'\n", pe_file);
  if (!request.pdb_file.has_value()) {
    text += fmt::format("deduced image PDB file '{}'\n", with_pdb_extension(pe_file));
  }
  text += fmt::format("pe_file '{}'", pe_file);
  if (request.program.has_value() && request.program->after_dashes) {
    text += fmt::format(", args '{}'", request.program->command_line);
  }
  return text + "\n\n";
}

}  // namespace wperf::request
