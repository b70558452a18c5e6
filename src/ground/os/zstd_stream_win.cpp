// SPDX-License-Identifier: BSD-3-Clause
#include "ground/os/zstd_stream.h"

namespace wperf::os {

struct ZstdStream::State {};

ZstdStream::ZstdStream() = default;
ZstdStream::ZstdStream(ZstdStream&&) noexcept = default;
ZstdStream& ZstdStream::operator=(ZstdStream&&) noexcept = default;
ZstdStream::~ZstdStream() = default;

diag::Result<ZstdStream> ZstdStream::open() {
  return diag::Error{.text = "this wperf.exe cannot unpack records compressed with Zstandard",
                     .hint = "read the file with wperf on Linux, or record it without -z"};
}

// Never called, because no stream exists on Windows.
void ZstdStream::restart() {}
bool ZstdStream::begins_frame(std::span<const std::byte>) {
  return false;
}
diag::Result<void> ZstdStream::unpack(std::span<const std::byte>, std::vector<std::byte>&, size_t) {
  return diag::Error{.text = "no Zstandard in this build", .hint = {}};
}

}  // namespace wperf::os
