// SPDX-License-Identifier: BSD-3-Clause
// The call chain of a sample as it lies in the file: its hash, by which most samples are recognised, and its frames,
// which only the first of its kind needs.
#pragma once
#include <vector>

#include "formats/perf_data/sample.h"
#include "model/stacks/stack_aggregator.h"

namespace wperf::recording {

// Words in the file. Not a span: reading a span whose two halves were just written would wait until both have left the
// core's store buffer.
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

// Views into the file: small enough to wait in a queue.
struct SampleChain {
  u64 ip = 0;
  u16 misc = 0;
  bool callers = false;  // wanted
  ChainWords callchain;  // addresses, with marks between them
  ChainWords calls;      // three words for each branch, instead of the user part of the chain; empty: none
};

SampleChain chain_of(const perf_data::Sample& sample, const perf_data::EventAttributes& attributes, bool callers);

// The sample's own address, then its callers.
void collect_frames(const SampleChain& chain, std::vector<stacks::StackFrame>& out);

stacks::SampleHash hash_of(const SampleChain& chain, const stacks::StackAggregator::Origin& origin);
stacks::SampleHash hash_of(const std::vector<stacks::StackFrame>& frames,
                           const stacks::StackAggregator::Origin& origin);

}  // namespace wperf::recording
