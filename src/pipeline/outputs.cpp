// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/outputs.h"

#include "os/files.h"

namespace wperf::pipeline {

std::string output_path(const request::Outputs& outputs, const std::string& file) {
  return outputs.directory.has_value() ? os::join_path(*outputs.directory, file) : file;
}

void write_output_file(const request::Outputs& outputs, const std::string& file, std::string_view bytes,
                       diag::Console& console) {
  const std::string path = output_path(outputs, file);
  if (!os::save_text_file(path, bytes).has_value()) console.warn("Unable to open " + path);
}

bool wants_json(const request::Outputs& outputs) {
  return outputs.json || outputs.json_file.has_value();
}

bool silent(const request::Outputs& outputs) {
  return outputs.quiet || outputs.json;
}

void deliver_json(const request::Outputs& outputs, std::string_view json, diag::Console& console) {
  if (outputs.json_file.has_value()) {
    write_output_file(outputs, *outputs.json_file, json, console);
  } else if (outputs.json) {
    console.document(json);
  }
}

}  // namespace wperf::pipeline
