// SPDX-License-Identifier: BSD-3-Clause
// Counts samples in a StackAggregator. Most are like an earlier one and are counted at once. For the others, another
// thread adds the frames while the next samples are read.
#pragma once
#include <array>
#include <condition_variable>
#include <future>
#include <mutex>
#include <vector>

#include "analysis/recording/sample_chain.h"
#include "model/stacks/growing_array.h"
#include "model/stacks/stack_aggregator.h"
#include "model/stacks/time_slices.h"

namespace wperf::recording {

class SampleTally {
 public:
  using Origin = stacks::StackAggregator::Origin;

  // Data that is kept in addition to the counts: the row of each sample of the file, the row of each call of add(), and
  // how often each row came in each slice of time.
  struct Kept {
    bool rows = false, order = false, slices = false;
    bool parts = false;  // with rows: samples may count for several events
  };
  explicit SampleTally(const Kept& kept) : kept_(kept) {}
  SampleTally(const SampleTally&) = delete;
  SampleTally& operator=(const SampleTally&) = delete;
  ~SampleTally();

  static constexpr u64 kNotOfFile = ~u64{0};  // a sample without a number

  // `sample`: its number in the file. The chain's data must stay in place for a few more calls.
  void add(u64 sample, const SampleChain& chain, const Origin& origin, u64 period) {
    // The table entry of a sample's hash is prefetched while the samples before it are counted: for a large recording,
    // the tables do not fit into the core's caches, and these waits would be most of the time.
    if (arrived_ - counted_ == kArriving) count_oldest();
    Arriving& one = arriving_[arrived_++ % kArriving];
    one = {chain, origin, period, sample, hash_of(chain, origin)};
    aggregator_.expect(one.hash);
    if (arrived_ - counted_ > kArriving / 2) {
      aggregator_.expect_row(arriving_[(arrived_ - kArriving / 2 - 1) % kArriving].hash);
    }
  }
  // For frames that are not those of a chain; counted at once, after all earlier samples.
  void add(u64 sample, const std::vector<stacks::StackFrame>& frames, const Origin& origin, u64 period);

  // Called after the last sample, with the file's number of samples; the functions below may be used only then.
  void finish(u64 samples);
  stacks::StackAggregator take_stacks() { return std::move(aggregator_); }
  struct Part {
    u32 sample = 0, row = 0;
    u64 period = 0;
  };
  std::vector<Part> take_parts() { return std::move(parts_); }          // by sample
  stacks::GrowingArray<u32> take_rows() { return std::move(rows_); }    // by sample of the file
  stacks::GrowingArray<u32> take_order() { return std::move(order_); }  // rows by add()
  stacks::GrowingArray<stacks::SliceCount> take_slices() { return slices_.take(); }

 private:
  struct Arriving {
    SampleChain chain;
    Origin origin;
    u64 period = 0;
    u64 sample = 0;
    stacks::SampleHash hash = {};
  };
  static constexpr usize kArriving = 64;
  // A chain's words are copied, because their place in the file may be far back, and no longer in memory.
  struct NewStack {
    SampleChain chain;  // its words are those of the batch
    u32 space = 0;
    u32 callchain = 0, calls = 0;  // bytes of them
  };
  // Waking a thread costs as much as adding many stacks, so it is woken only for more than one batch.
  static constexpr usize kBatchSize = 256, kBatchBytes = 1 << 15;
  static constexpr usize kBatches = 6, kWorthWaking = 3;
  struct Batch {
    std::vector<NewStack> stacks;
    std::vector<std::byte> words;  // the words of one stack after the other
  };

  void count_oldest();
  void count_what_waits();
  void queue_stack(const Arriving& one);
  void hand_over();
  void run();
  void add_stacks(Batch& batch);
  void keep(u64 sample, u32 row, u32 slice, u64 period);

  const Kept kept_;
  stacks::StackAggregator aggregator_;
  std::vector<stacks::StackFrame> frames_;
  stacks::GrowingArray<u32> rows_, order_;
  std::vector<Part> parts_;
  stacks::SliceTally slices_;

  // The newest samples, a ring.
  std::array<Arriving, kArriving> arriving_;
  usize arrived_ = 0, counted_ = 0;

  // Batches [taken_, filled_) are the thread's, the next one is being filled.
  std::array<Batch, kBatches> batches_;
  std::mutex mutex_;
  std::condition_variable changed_;
  usize filled_ = 0, taken_ = 0;
  bool is_flushed_ = false, is_ending_ = false;
  std::future<void> adding_;  // runs in which one batch was not enough
};

}  // namespace wperf::recording
