// SPDX-License-Identifier: BSD-3-Clause
// Records of variable length. In the driver, from the interrupt to the drain: for any sequence of pushes and pops, the
// ring returns the same records as a queue, and no partial record. In the tool: for any bytes of an answer, each sample
// has its frames, and the samples of a correct driver are unchanged.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <span>
#include <vector>

#include "driver/core/sample_ring.h"
#include "machine/device/stack_records.h"

namespace {

using namespace wperf;
using driver::kKeptWords;
using driver::kSampleWords;
using Record = std::vector<u64>;

void require(bool holds) {
  if (!holds) std::abort();
}

class Bytes {
 public:
  Bytes(const uint8_t* data, size_t size) : data_(data), left_(size) {}
  bool empty() const { return left_ == 0; }
  u32 byte() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }

 private:
  const uint8_t* data_;
  size_t left_;
};

// A record as the driver's interrupt makes it, with or without a stack.
Record made_up(Bytes& bytes, u64 number) {
  const u32 frames = bytes.byte() % (WPERF_MAX_STACK + 2u);
  WperfSample sample = {};
  sample.pc = number;
  sample.stack_words = static_cast<u8>(frames);  // the header of the stack, and one frame less
  WperfStack stack = {};
  if (frames != 0) {
    stack.kernel_frames = static_cast<u8>(bytes.byte() % frames);
    stack.user_frames = static_cast<u8>(frames - 1 - stack.kernel_frames);
  }
  Record record(kSampleWords + frames, number);
  std::memcpy(record.data(), &sample, sizeof sample);
  if (frames != 0) std::memcpy(record.data() + kSampleWords, &stack, sizeof stack);
  return record;
}

void check_read(std::span<const u64> words, bool sound) {
  readings::SampleCapture capture;
  const bool whole = device::append_stack_records(std::as_bytes(words), capture);
  require(whole || !sound);
  size_t frames = 0;
  for (const readings::DrainedSample& it : capture.samples) {
    if (it.frame_count != 0) require(it.first_frame == frames);
    frames += it.frame_count;
    require(it.kernel_frames <= it.frame_count);
    for (u32 i = 0; sound && i < it.frame_count; ++i) require(capture.frames[it.first_frame + i] == it.pc);
  }
  require(frames == capture.frames.size());
}

void check_ring(Bytes& bytes) {
  const u32 capacity = kKeptWords + bytes.byte() * 3;
  std::vector<u64> memory(capacity);
  driver::SampleRing ring = {};
  ring.attach(memory.data(), capacity);
  std::deque<Record> model;
  u64 used = 0, pushed = 0, offered = 0;
  while (!bytes.empty()) {
    if (bytes.byte() % 3 != 0) {
      const Record record = made_up(bytes, ++offered);
      driver::RingSample sample = {};
      std::memcpy(&sample.sample, record.data(), sizeof sample.sample);
      const bool kept = ring.push(sample, record.data() + kSampleWords);
      const size_t words = record.size() + kKeptWords - kSampleWords;
      require(kept == (words <= capacity - used));
      if (!kept) continue;
      ++pushed;
      used += words;
      model.push_back(record);
      continue;
    }
    std::vector<u64> taken(bytes.byte() * 4);
    const auto popped = ring.pop(taken.data(), static_cast<u32>(taken.size()), bytes.byte(),
                                 [](const driver::RingSample&) { return true; });
    require(popped.words <= taken.size());
    size_t at = 0;
    for (u32 i = 0; i < popped.count; ++i) {
      const Record& oldest = model.front();
      require(at + oldest.size() <= popped.words &&
              std::memcmp(taken.data() + at, oldest.data(), oldest.size() * sizeof(u64)) == 0);
      at += oldest.size();
      used -= oldest.size() + kKeptWords - kSampleWords;
      model.pop_front();
    }
    require(at == popped.words && popped.left == model.size() && popped.pushed == pushed);
    check_read(std::span(taken).first(popped.words), true);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size <= sizeof(u64)) return 0;
  Bytes bytes(data + 1, size - 1);
  if (data[0] % 2 == 0) {
    check_ring(bytes);
    return 0;
  }
  std::vector<u64> words((size - 1) / sizeof(u64));
  std::memcpy(words.data(), data + 1, words.size() * sizeof(u64));
  check_read(words, false);
  readings::SampleCapture capture;
  static_cast<void>(device::append_stack_records(std::as_bytes(std::span(data + 1, size - 1)), capture));
  return 0;
}
