// SPDX-License-Identifier: BSD-3-Clause
// Counts samples in a StackAggregator. Most samples have the stack of an earlier sample and are counted immediately.
// For new stacks, another thread adds the frames while further samples are read.
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
  // how often each row occurred in each time slice.
  struct Kept {
    bool rows = false, order = false, slices = false;
    bool parts = false;  // used with rows: samples may count for several events
  };
  explicit SampleTally(const Kept& kept) : kept_(kept) {}
  SampleTally(const SampleTally&) = delete;
  SampleTally& operator=(const SampleTally&) = delete;
  ~SampleTally();

  static constexpr u64 kNotOfFile = ~u64{0};  // the sample has no number in the file

  // `sample`: its number in the file. The chain's data must remain valid for a few more calls.
  void add(u64 sample, const SampleChain& chain, const Origin& origin, u64 period) {
    // The table entry of a sample's hash is prefetched while earlier samples are counted, because the tables of a large
    // recording do not fit into the caches, and most of the time would be spent waiting for memory.
    if (arrived_ - counted_ == kArriving) count_oldest();
    IncomingSample& one = arriving_[arrived_++ % kArriving];
    one = {chain, origin, period, sample, hash_of(chain, origin)};
    aggregator_.expect(one.hash);
    if (arrived_ - counted_ > kArriving / 2) {
      aggregator_.expect_row(arriving_[(arrived_ - kArriving / 2 - 1) % kArriving].hash);
    }
  }
  // For frames that do not come from a chain. The sample is counted immediately, after all earlier samples.
  void add(u64 sample, const std::vector<stacks::StackFrame>& frames, const Origin& origin, u64 period);

  // Called after the last sample, with the number of samples in the file. The functions below may be used only after
  // it.
  void finish(u64 samples);
  stacks::StackAggregator take_stacks() { return std::move(aggregator_); }
  struct Part {
    u32 sample = 0, row = 0;
    u64 period = 0;
  };
  std::vector<Part> take_parts() { return std::move(parts_); }          // ordered by sample
  stacks::GrowingArray<u32> take_rows() { return std::move(rows_); }    // by sample of the file
  stacks::GrowingArray<u32> take_order() { return std::move(order_); }  // rows in the order of add()
  stacks::GrowingArray<stacks::SliceCount> take_slices() { return slices_.take(); }

 private:
  struct IncomingSample {
    SampleChain chain;
    Origin origin;
    u64 period = 0;
    u64 sample = 0;
    stacks::SampleHash hash = {};
  };
  static constexpr usize kArriving = 64;
  // A chain's words are copied, because their part of the file may not be in memory any more.
  struct NewStack {
    SampleChain chain;  // refers to the batch's copy of the words
    u32 space = 0;
    u32 callchain = 0, calls = 0;  // their sizes in bytes
  };
  // Waking a thread costs as much as adding many stacks, so it is only woken for more than one batch.
  static constexpr usize kBatchSize = 256, kBatchBytes = 1 << 15;
  static constexpr usize kBatches = 6, kWorthWaking = 3;
  struct Batch {
    std::vector<NewStack> stacks;
    std::vector<std::byte> words;  // the words of all stacks
  };

  void count_oldest();
  void count_what_waits();
  void queue_stack(const IncomingSample& one);
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

  // A ring with the newest samples.
  std::array<IncomingSample, kArriving> arriving_;
  usize arrived_ = 0, counted_ = 0;

  // Batches [taken_, filled_) belong to the thread; the next one is being filled.
  std::array<Batch, kBatches> batches_;
  std::mutex mutex_;
  std::condition_variable changed_;
  usize filled_ = 0, taken_ = 0;
  bool is_flushed_ = false, is_ending_ = false;
  std::future<void> adding_;  // only valid if more than one batch was needed
};

}  // namespace wperf::recording
