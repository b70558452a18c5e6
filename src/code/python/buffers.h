// SPDX-License-Identifier: BSD-3-Clause
// Buffers for bytes that are read from another process, for the files that read its stacks.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "base/ints.h"
#include "ground/bytes/bytes.h"

namespace wperf::python {

template <typename T>
T at_or_zero(bytes::Span bytes, u64 offset) {
  T value = 0;
  static_cast<void>(bytes::read_at(bytes, offset, value));
  return value;
}

// The first `size` bytes of a buffer that only grows; clearing the buffer each time would take as long as the read.
inline std::span<std::byte> room_in(std::vector<std::byte>& buffer, usize size) {
  if (buffer.size() < size) buffer.resize(size);
  return std::span(buffer).first(size);
}

}  // namespace wperf::python
