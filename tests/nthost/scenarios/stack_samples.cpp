// SPDX-License-Identifier: BSD-3-Clause
#include "tests/nthost/scenarios/stack_samples.h"

#include "tests/nthost/check.h"
#include "tests/nthost/machine/machine_threads.h"

namespace wperf::nthost {
namespace {

constexpr u32 kTool = 100, kMostRecords = 4096, kSampleWords = sizeof(WperfSample) / 8;
constexpr u16 kCycles = 0x11;
constexpr u32 kInterval = 40'000;
constexpr u32 kTries = 4'000;

// Global, because there is only one tool.
WperfStackDrainReply answer;
u64 words[128 * 1024];
u32 starts[kMostRecords];

}  // namespace

StackTool::StackTool(const Person& person) : program_(kTool, person), client_(program_.process()) {
  CHECK_EQUAL(client_.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
}

void StackTool::start(u32 flags, u32 max_stack, u64 cores) {
  WperfSampleRequest request = sample_request(cores, kCycles, kInterval);
  request.flags = flags;
  request.max_stack = max_stack;
  CHECK_EQUAL(client_.send(WPERF_CODE_SAMPLE_CONFIGURE, request), WPERF_OK);
  CHECK_EQUAL(client_.plain(WPERF_CODE_SAMPLE_START), WPERF_OK);
  count_ = words_ = 0;
}

void StackTool::stop() {
  CHECK_EQUAL(client_.plain(WPERF_CODE_SAMPLE_STOP), WPERF_OK);
}

bool StackTool::drain() {
  do {
    if (!CHECK_EQUAL(client_.drain(kCore, answer), WPERF_OK)) return false;
    const u32 end = words_ + answer.bytes / 8;
    if (!CHECK(end <= sizeof words / 8)) return false;
    __builtin_memcpy(words + words_, answer.records, answer.bytes);
    while (words_ < end) {
      WperfSample sample;
      __builtin_memcpy(&sample, words + words_, sizeof sample);
      if (!CHECK(count_ < kMostRecords) || !CHECK(sample.stack_words >= 1)) return false;
      starts[count_++] = words_;
      words_ += kSampleWords + sample.stack_words;
      const StackRecord it = record(count_ - 1);
      if (!CHECK_EQUAL(1u + it.stack.kernel_frames + it.stack.user_frames, sample.stack_words)) return false;
    }
    if (!CHECK_EQUAL(words_, end)) return false;
  } while (answer.more != 0);
  CHECK_EQUAL(answer.taken, count_ + answer.lost_ring_full + answer.lost_filtered);
  return true;
}

StackRecord StackTool::record(u32 index) const {
  StackRecord it = {};
  const u64* from = words + starts[index];
  __builtin_memcpy(&it.sample, from, sizeof it.sample);
  __builtin_memcpy(&it.stack, from + kSampleWords, sizeof it.stack);
  it.frames = from + kSampleWords + 1;
  return it;
}

const WperfStackDrainReply& StackTool::reply() const {
  return answer;
}

bool StackTool::drain_at_least(u32 wanted) {
  for (u32 tries = 0; tries < kTries; ++tries) {
    if (!drain()) return false;
    if (count_ >= wanted) return true;
    sleep_ns(500'000);
  }
  return CHECK(count_ >= wanted);
}

bool wait_for_interrupts(u32 core, u64 count) {
  const u64 before = profile_interrupts(core);
  for (u32 tries = 0; tries < kTries; ++tries) {
    if (profile_interrupts(core) - before >= count) return true;
    sleep_ns(500'000);
  }
  return CHECK(profile_interrupts(core) - before >= count);
}

}  // namespace wperf::nthost
