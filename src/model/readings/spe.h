// SPDX-License-Identifier: BSD-3-Clause
// The bytes that statistical profiling (Arm SPE) left in the buffers of the cores, as captured. A device hands them out
// piece by piece, so that a long run needs no more memory than its answer.
#pragma once
#include <cstddef>
#include <functional>
#include <span>

#include "base/ints.h"

namespace wperf::readings {

// Bytes of one core, in order. Valid during the call that brings them.
struct SpePiece {
  u32 core = 0;
  bool after_gap = false;  // the data before is missing: a decoder begins anew
  u64 buffer_address = 0;  // the address of the first byte: alignment packets are relative to it
  std::span<const std::byte> bytes;
};
using SpeSink = std::function<void(const SpePiece&)>;

// The driver's statistics of one core's buffer.
struct SpeStatistics {
  u32 core = 0;
  u64 written = 0;     // bytes
  u64 full = 0;        // times profiling stopped because the buffer was
  u64 stopped_ns = 0;  // how long it stood still for that
  u64 collisions = 0, data_losses = 0;
  bool faulted = false;  // the buffer could not be written: this core's profiling ended early
  u64 fault_status = 0;  // PMBSR_EL1
};

}  // namespace wperf::readings
