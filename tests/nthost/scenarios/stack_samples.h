// SPDX-License-Identifier: BSD-3-Clause
// A tool that samples cycles of one core with call stacks, and the samples it drained.
#pragma once
#include "abi/wire.h"
#include "tests/nthost/scenarios/client.h"

namespace wperf::nthost {

struct StackRecord {
  WperfSample sample;
  WperfStack stack;
  const u64* frames;  // frames of the kernel, then of the program; aligned
};

class StackTool {
 public:
  static constexpr u32 kCore = 1;

  explicit StackTool(const Person& person = kAdministrator);

  void start(u32 flags = 0, u32 max_stack = WPERF_MAX_STACK, u64 cores = u64{1} << kCore);
  void stop();
  void close() { client_.close_handle(); }
  Client& client() { return client_; }

  // Takes the samples so far. Returns false if a check failed; then further checks are pointless.
  bool drain();
  u32 count() const { return count_; }
  StackRecord record(u32 index) const;
  const WperfStackDrainReply& reply() const;  // reply of the last drain
  // Drains until there are that many. Returns false if they do not arrive in time.
  bool drain_at_least(u32 wanted);

 private:
  Program program_;
  Client client_;
  u32 count_ = 0, words_ = 0;
};

// Waits until the core has taken that many more overflow interrupts.
bool wait_for_interrupts(u32 core, u64 count);

}  // namespace wperf::nthost
