// SPDX-License-Identifier: BSD-3-Clause
#include "views/html/row_columns.h"

#include <algorithm>

namespace wperf::html {
namespace {

using stacks::kNothing;

// Sorts `order` by a key in ascending order, in linear time; equal keys keep their order.
void sort_by(std::vector<u32>& order, const auto& key_of) {
  constexpr u32 kBits = 16;
  u64 greatest = 0;
  for (const u32 one : order) greatest = std::max(greatest, u64{key_of(one)});
  std::vector<u32> sorted(order.size());
  for (u32 shift = 0; (greatest >> shift) != 0; shift += kBits) {
    const auto digit_of = [&](u32 one) { return (u64{key_of(one)} >> shift) & ((1u << kBits) - 1); };
    std::vector<u32> begins(std::min<u64>(greatest >> shift, (1u << kBits) - 1) + 2);
    for (const u32 one : order) ++begins[digit_of(one) + 1];
    for (usize i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
    for (const u32 one : order) sorted[begins[digit_of(one)]++] = one;
    order.swap(sorted);
  }
}

}  // namespace

std::vector<const Column*> RowColumns::columns() const {
  return {&slices_, &tasks_, &events_, &cores_, &sizes_, &nodes_, &counts_, &periods_};
}

// Samples with equal slice, thread, event and core form a group; in a group the stacks are in the order of the tree.
std::vector<u32> RowColumns::add(const std::function<u32(u32 node)>& number_of) {
  const stacks::ChosenSamples chosen(profile_, filter_);
  std::vector<Key> keys;
  std::vector<u32> rows;
  keys.reserve(profile_.samples.size());
  rows.reserve(profile_.samples.size());
  for (const stacks::StackSample& one : profile_.samples) {
    if (chosen.has(one)) rows.push_back(static_cast<u32>(keys.size()));
    keys.push_back({one.task, one.event, one.core, number_of(one.node)});
  }
  sort_by(rows, [&](u32 row) { return keys[row].node; });
  sort_by(rows, [&](u32 row) { return keys[row].core; });
  sort_by(rows, [&](u32 row) { return keys[row].event; });
  sort_by(rows, [&](u32 row) { return keys[row].task; });
  std::vector<u32> row_in_slice;
  if (has_slices(profile_)) {
    row_in_slice = add_slices(rows, keys);
  } else {
    for (const u32 row : rows) add_row({row, 0, profile_.samples[row].count, profile_.samples[row].period}, keys[row]);
  }
  end_group();
  return row_in_slice;
}

// Slices are nearly sorted, and each one is short.
std::vector<u32> RowColumns::add_slices(const std::vector<u32>& rows, const std::vector<Key>& keys) {
  constexpr u32 kIndexBits = 32;
  const stacks::GrowingArray<stacks::SliceCount>& counts = profile_.slice_counts;
  std::vector<u32> rank_of(keys.size(), kNothing);
  for (u32 rank = 0; rank < rows.size(); ++rank) rank_of[rows[rank]] = rank;
  std::vector<usize> begins(profile_.slices.count + usize{2});
  for (const stacks::SliceCount& one : counts) {
    if (rank_of[one.row] != kNothing) ++begins[one.slice + usize{2}];
  }
  for (usize i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
  std::vector<u64> order(begins.back());  // by slice: rank, then index in counts
  for (u32 i = 0; i < counts.size(); ++i) {
    const u32 rank = rank_of[counts[i].row];
    if (rank != kNothing) order[begins[counts[i].slice + usize{1}]++] = (u64{rank} << kIndexBits) | i;
  }
  for (usize slice = 0; slice + 1 < begins.size(); ++slice) {
    const auto place = [&](usize at) { return order.begin() + static_cast<std::ptrdiff_t>(at); };
    std::sort(place(begins[slice]), place(begins[slice + 1]));
  }
  std::vector<u32> row_in_slice;
  if (all_samples_) row_in_slice.assign(counts.size(), kNothing);
  for (const u64 one : order) {
    const stacks::SliceCount& count = counts[static_cast<u32>(one)];
    add_row(count, keys[count.row]);
    if (!row_in_slice.empty()) row_in_slice[static_cast<u32>(one)] = rows_;
  }
  return row_in_slice;
}

void RowColumns::add_row(const stacks::SliceCount& one, const Key& key) {
  const bool same_group = open_size_ != 0 && one.slice == open_.slice && key.task == open_key_.task &&
                          key.event == open_key_.event && key.core == open_key_.core;
  if (same_group && key.node == open_key_.node) {
    open_.count += one.count;
    open_.period += one.period;
    return;
  }
  if (same_group) {
    end_row();
  } else {
    end_group();
  }
  if (one.slice != open_.slice) rows_ = 0;
  open_ = one;
  open_key_ = key;
  ++open_size_;
}

void RowColumns::end_row() {
  ++rows_;
  nodes_.add(open_key_.node - node_before_);
  node_before_ = open_key_.node;
  counts_.add(open_.count);
  // For most events, the period of every sample is the interval, so the differences are mostly 0.
  const u64 interval = profile_.events[open_key_.event].interval;
  periods_.add_signed(open_.period - open_.count * interval);
}

void RowColumns::end_group() {
  if (open_size_ == 0) return;
  end_row();
  node_before_ = 0;
  slices_.add(open_.slice - slice_before_);
  slice_before_ = open_.slice;
  tasks_.add(open_key_.task);
  events_.add(open_key_.event);
  cores_.add(open_key_.core);
  sizes_.add(open_size_);
  open_size_ = 0;
}

}  // namespace wperf::html
