// SPDX-License-Identifier: BSD-3-Clause
#include "machine/device/stack_records.h"

#include <cstring>

namespace wperf::device {
namespace {

// Removes a struct from the front; returns false if there are too few bytes.
template <typename Struct>
bool take(std::span<const std::byte>& bytes, Struct& out) {
  if (bytes.size() < sizeof out) return false;
  std::memcpy(&out, bytes.data(), sizeof out);
  bytes = bytes.subspan(sizeof out);
  return true;
}

}  // namespace

readings::DrainedSample sample_of(const WperfSample& sample) {
  return {.time_ns = sample.time_ns,
          .pc = sample.pc,
          .lr = sample.lr,
          .process = sample.process,
          .thread = sample.thread,
          .overflowed = sample.overflowed,
          .core = sample.core,
          .exception_level = sample.exception_level};
}

bool append_stack_records(std::span<const std::byte> records, readings::SampleCapture& capture) {
  while (!records.empty()) {
    WperfSample sample;
    if (!take(records, sample)) return false;
    readings::DrainedSample made = sample_of(sample);
    if (sample.stack_words != 0) {
      WperfStack stack;
      if (!take(records, stack)) return false;
      const size_t count = sample.stack_words - size_t{1};
      if (count != size_t{stack.kernel_frames} + stack.user_frames || records.size() / sizeof(u64) < count)
        return false;
      made.first_frame = capture.frames.size();
      made.frame_count = static_cast<u8>(count);
      made.kernel_frames = stack.kernel_frames;
      capture.frames.resize(capture.frames.size() + count);
      if (count != 0) std::memcpy(&capture.frames[made.first_frame], records.data(), count * sizeof(u64));
      records = records.subspan(count * sizeof(u64));
    }
    capture.samples.push_back(made);
  }
  return true;
}

}  // namespace wperf::device
