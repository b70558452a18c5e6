// SPDX-License-Identifier: BSD-3-Clause
// The call chain of a sample in the file: its hash, which identifies most chains, and its frames, which are read only
// for the first sample with each chain.
#pragma once
#include <optional>
#include <unordered_map>
#include <vector>

#include "formats/perf_data/sample.h"
#include "model/stacks/stack_aggregator.h"

namespace wperf::recording {

// Words in the file. Not a span: reading a span directly after its two halves were written would stall until both have
// left the core's store buffer.
class ChainWords {
 public:
  ChainWords() = default;
  ChainWords(const bytes::Words& words) : begin_(words.bytes().data()), size_(static_cast<u32>(words.size())) {}
  bytes::Words words() const { return bytes::Words({begin_, usize{size_} * sizeof(u64)}); }
  bool empty() const { return size_ == 0; }

 private:
  const std::byte* begin_ = nullptr;
  u32 size_ = 0;
};

// Views into the file, small enough to be queued.
struct SampleChain {
  u64 ip = 0;
  u16 misc = 0;
  bool callers = false;  // callers were requested
  ChainWords callchain;  // addresses with marks between them
  ChainWords calls;      // three words for each branch, used instead of the user part of the chain; may be empty
};

SampleChain chain_of(const perf_data::Sample& sample, const perf_data::EventAttributes& attributes, bool callers);

// Collects the sample's own address, then its callers.
void collect_frames(const SampleChain& chain, std::vector<stacks::StackFrame>& out);

stacks::SampleHash hash_of(const SampleChain& chain, const stacks::StackAggregator::Origin& origin);
stacks::SampleHash hash_of(const std::vector<stacks::StackFrame>& frames,
                           const stacks::StackAggregator::Origin& origin);

// Counters that were read with each sample (leader sampling in perf, `{a,b}:S`), and how much they increased since the
// previous sample.

// An inherited event counts for each thread separately, under the same id.
struct ReadCounter {
  u64 id = 0;
  u32 tid = 0;  // 0 if the event is not inherited
  bool operator==(const ReadCounter&) const = default;
};

class CounterGrowth {
 public:
  // Returns the increase, or nullopt if the value is smaller than before, which is not valid. Later increases are
  // relative to the smaller value.
  std::optional<u64> note(const ReadCounter& counter, u64 value) {
    u64& before = values_[counter];
    const u64 last = before;
    before = value;
    if (value < last) return std::nullopt;
    return value - last;
  }

 private:
  struct Hash {
    usize operator()(const ReadCounter& counter) const {
      return static_cast<usize>((counter.id * 0x9e3779b97f4a7c15u) ^ (u64{counter.tid} * 0xff51afd7ed558ccdu));
    }
  };
  std::unordered_map<ReadCounter, u64, Hash> values_;
};

}  // namespace wperf::recording
