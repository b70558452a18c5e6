// SPDX-License-Identifier: BSD-3-Clause
// Lines of a client of `wperf mcp`. Each answer is one line of ASCII JSON, for any input. The root folder has no files,
// and no program may be started.
#include <cstdlib>
#include <filesystem>
#include <string>

#include "app/mcp/server.h"
#include "ground/os/files.h"
#include "ground/text/json_reader.h"

namespace {

std::string empty_folder() {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "wperf_no_recordings";
  std::filesystem::create_directories(folder);
  return wperf::os::real_path(folder.string());
}

bool is_one_line(std::string_view answer) {
  if (answer.empty()) return true;
  wperf::text::JsonReader json(std::as_bytes(std::span(answer)));
  if (json.kind() != wperf::text::JsonReader::Kind::object) return false;
  json.skip();
  return json.sound() && json.position() + 1 == answer.size() && answer.find('\n') + 1 == answer.size();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const wperf::u8* data, wperf::usize size) {
  static const std::string root = empty_folder();
  // The tool `events` would open a device.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.find("events") != std::string_view::npos) return 0;
  wperf::mcp::Server server({.root = root, .device = "none", .may_start_programs = false});
  for (wperf::usize begin = 0; begin < text.size();) {
    const wperf::usize end = std::min(text.find('\n', begin), text.size());
    if (!is_one_line(server.answer(text.substr(begin, end - begin)))) std::abort();
    begin = end + 1;
  }
  return 0;
}
