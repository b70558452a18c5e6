// SPDX-License-Identifier: BSD-3-Clause
// The head of an arbitrary request. A complete head has a plain path. Once the beginning of a head has been accepted or
// refused, more bytes never change that result.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ground/os/http_server.h"

using wperf::os::HeadState;
using wperf::os::RequestHead;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  RequestHead head;
  const HeadState state = wperf::os::read_request_head(bytes, head);
  if (state == HeadState::whole) {
    if (!head.path.starts_with('/') || head.path.find('?') != std::string::npos || head.method.empty()) std::abort();
    const bool is_plain = std::all_of(head.path.begin(), head.path.end(), [](char c) { return c > ' ' && c < 0x7f; });
    if (!is_plain) std::abort();
  }
  if (state == HeadState::more && size >= wperf::os::kLongestHead) std::abort();
  RequestHead part;
  const HeadState of_half = wperf::os::read_request_head(bytes.substr(0, size / 2), part);
  if (of_half == HeadState::wrong && state != HeadState::wrong) std::abort();
  return 0;
}
