// SPDX-License-Identifier: BSD-3-Clause
// Runs several steps; the result is the error of the first one that failed.
#pragma once
#include <utility>

#include "ground/diag/result.h"

namespace wperf::diag {

class FirstFailure {
 public:
  void add(Result<void> one) {
    if (first_.has_value()) first_ = std::move(one);
  }
  Result<void> result() && { return std::move(first_); }

 private:
  Result<void> first_;
};

}  // namespace wperf::diag
