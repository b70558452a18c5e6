// SPDX-License-Identifier: BSD-3-Clause
// A Zstandard stream that arrives in pieces and is unpacked piece by piece. The system's libzstd is loaded when the
// first stream is opened.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "ground/diag/result.h"

namespace wperf::os {

class ZstdStream {
 public:
  static diag::Result<ZstdStream> open();
  ZstdStream(ZstdStream&&) noexcept;
  ZstdStream& operator=(ZstdStream&&) noexcept;
  ~ZstdStream();

  // Discards the state; the next piece begins a new frame. Must be called after an error.
  void restart();
  static bool begins_frame(std::span<const std::byte> piece);

  // Appends the unpacked piece to `out`, which never grows beyond `limit`.
  diag::Result<void> unpack(std::span<const std::byte> piece, std::vector<std::byte>& out, size_t limit);

 private:
  ZstdStream();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wperf::os
