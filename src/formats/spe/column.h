// SPDX-License-Identifier: BSD-3-Clause
// A list that grows in blocks: growing moves no element, and at most one block is unused. Made for aggregator.h.
#pragma once
#include <vector>

#include "base/ints.h"

namespace wperf::spe {

template <class Value>
class Column {
 public:
  usize size() const { return size_; }
  usize bytes() const { return blocks_.size() * kBlock * sizeof(Value); }
  Value& operator[](usize at) { return blocks_[at / kBlock][at % kBlock]; }
  const Value& operator[](usize at) const { return blocks_[at / kBlock][at % kBlock]; }
  Value& add(const Value& value) {
    if (size_ % kBlock == 0) blocks_.emplace_back().resize(kBlock);
    return (*this)[size_++] = value;
  }

 private:
  static constexpr usize kBlock = 256;

  std::vector<std::vector<Value>> blocks_;
  usize size_ = 0;
};

}  // namespace wperf::spe
