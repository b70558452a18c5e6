// SPDX-License-Identifier: BSD-3-Clause
// An arbitrary file of the spool. An entry that can be read can be sent as one request, and is unchanged when it is
// written again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "app/push/spool.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto read = wperf::push::read_entry(bytes);
  if (!read.has_value()) {
    if (read.error().text.empty()) std::abort();
    return 0;
  }
  const wperf::push::SpoolEntry& entry = read.value();
  for (const std::string& line :
       {entry.server, entry.tenant, entry.upload.path, entry.upload.content_type, entry.upload.content_encoding}) {
    if (line.find_first_of("\r\n") != std::string::npos) std::abort();
  }
  const auto again = wperf::push::read_entry(wperf::push::entry_bytes(entry));
  if (!again.has_value() || again.value().upload.body != entry.upload.body) std::abort();
  return 0;
}
