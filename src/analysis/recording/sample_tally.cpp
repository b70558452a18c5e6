// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/sample_tally.h"

#include <thread>

namespace wperf::recording {

using stacks::StackAggregator;

SampleTally::~SampleTally() {
  if (!adding_.valid()) return;
  {
    const std::scoped_lock lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  adding_.wait();
}

void SampleTally::count_oldest() {
  const IncomingSample& one = arriving_[counted_++ % kArriving];
  u32 row = aggregator_.add_again(one.hash, one.period);
  if (row == StackAggregator::kNoRow) {
    row = aggregator_.add_row(one.hash, one.origin, one.period);
    queue_stack(one);
  }
  keep(one.sample, row, one.origin.slice, one.period);
}

void SampleTally::queue_stack(const IncomingSample& one) {
  Batch& batch = batches_[filled_ % kBatches];
  const std::span callchain = one.chain.callchain.words().bytes(), calls = one.chain.calls.words().bytes();
  batch.words.insert(batch.words.end(), callchain.begin(), callchain.end());
  batch.words.insert(batch.words.end(), calls.begin(), calls.end());
  batch.stacks.push_back(
      {one.chain, one.origin.space, static_cast<u32>(callchain.size()), static_cast<u32>(calls.size())});
  if (batch.stacks.size() == kBatchSize || batch.words.size() >= kBatchBytes) hand_over();
}

void SampleTally::hand_over() {
  if (!adding_.valid()) {
    if (std::thread::hardware_concurrency() < 2) return add_stacks(batches_[filled_ % kBatches]);
    adding_ = std::async(std::launch::async, [this] { run(); });
  }
  std::unique_lock lock(mutex_);
  ++filled_;
  if (filled_ - taken_ == kWorthWaking) changed_.notify_all();
  if (filled_ - taken_ == kBatches) {
    changed_.wait(lock, [this] { return filled_ - taken_ <= kBatches - kWorthWaking || is_ending_; });
  }
  if (is_ending_) adding_.get();  // the thread ended early because memory ran out
}

void SampleTally::run() {
  try {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return filled_ - taken_ >= kWorthWaking || is_flushed_ || is_ending_; });
      if (is_ending_) return;
      while (taken_ != filled_) {
        Batch& batch = batches_[taken_ % kBatches];
        lock.unlock();
        add_stacks(batch);
        lock.lock();
        ++taken_;
        if (filled_ - taken_ == kBatches - kWorthWaking) changed_.notify_all();
      }
      is_flushed_ = false;
      changed_.notify_all();
    }
  } catch (...) {
    const std::scoped_lock lock(mutex_);
    is_ending_ = true;
    changed_.notify_all();
    throw;  // from get()
  }
}

void SampleTally::add_stacks(Batch& batch) {
  std::span<const std::byte> words = batch.words;
  for (NewStack& one : batch.stacks) {
    one.chain.callchain = bytes::Words(words.first(one.callchain));
    one.chain.calls = bytes::Words(words.subspan(one.callchain, one.calls));
    words = words.subspan(usize{one.callchain} + one.calls);
    collect_frames(one.chain, frames_);
    aggregator_.add_stack(one.space, frames_);
  }
  batch.stacks.clear();
  batch.words.clear();
}

void SampleTally::count_what_waits() {
  while (counted_ != arrived_) count_oldest();
  if (adding_.valid()) {
    std::unique_lock lock(mutex_);
    if (filled_ != taken_) {
      is_flushed_ = true;
      changed_.notify_all();
      changed_.wait(lock, [this] { return filled_ == taken_ || is_ending_; });
    }
    if (is_ending_) adding_.get();
  }
  add_stacks(batches_[filled_ % kBatches]);
}

void SampleTally::add(u64 sample, const std::vector<stacks::StackFrame>& frames, const Origin& origin, u64 period) {
  count_what_waits();
  const stacks::SampleHash hash = hash_of(frames, origin);
  u32 row = aggregator_.add_again(hash, period);
  if (row == StackAggregator::kNoRow) {
    row = aggregator_.add_row(hash, origin, period);
    aggregator_.add_stack(origin.space, frames);
  }
  keep(sample, row, origin.slice, period);
}

void SampleTally::keep(u64 sample, u32 row, u32 slice, u64 period) {
  if (kept_.order) order_.push_back(row);
  if (kept_.slices) slices_.add(row, slice, 1, period);
  if (!kept_.rows || sample == kNotOfFile) return;
  while (rows_.size() <= sample) rows_.push_back(StackAggregator::kNoRow);
  rows_[sample] = row;
  if (kept_.parts) parts_.push_back({static_cast<u32>(sample), row, period});
}

void SampleTally::finish(u64 samples) {
  count_what_waits();
  while (kept_.rows && rows_.size() < samples) rows_.push_back(StackAggregator::kNoRow);
}

}  // namespace wperf::recording
