// SPDX-License-Identifier: BSD-3-Clause
// Arbitrary command lines, one argument per line. The result is a request or an error of one sentence, never a crash.
// Accepted values are within the limits on which src/plan relies.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "app/cli/command_line.h"
#include "model/request/counted_items.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> arguments(1);
  for (std::size_t i = 0; i < size; ++i) {
    if (data[i] == '\n') {
      arguments.emplace_back();
    } else {
      arguments.back() += static_cast<char>(data[i]);
    }
  }
  const auto result = wperf::cli::parse_command_line(arguments, nullptr);
  if (!result.has_value()) {
    if (result.error().text.empty()) std::abort();
    return 0;
  }
  const wperf::request::Request& request = result.value();
  wperf::u64 core_count = 0;
  for (const wperf::request::CoreRange& range : request.cores) {
    if (range.first > range.last) std::abort();
    core_count += wperf::u64{range.last} - range.first + 1;
  }
  if (core_count > wperf::request::kMaxListedCores) std::abort();
  if (request.outputs.json && !request.outputs.quiet) std::abort();
  if (request.timeline.enabled && !request.timeout.has_value()) std::abort();
  if (request.unexpected.size() > arguments.size()) std::abort();
  return 0;
}
