// SPDX-License-Identifier: BSD-3-Clause
// Estimates from all functions together how much more the runs of one side differ than chance explains, and the weight
// of each run. Five runs say little about one function, but hundreds of functions show how runs differ. This is a
// negative binomial model with a shared dispersion, as used in genomics: the scatter of each function is shrunk towards
// the scatter of all functions. Pure.
#pragma once
#include <span>
#include <vector>

#include "analysis/compare/statistics.h"

namespace wperf::compare {

// The samples of one item in each run; the runs before come first.
struct RunCounts {
  std::vector<double> samples;
};

struct Runs {
  std::vector<double> exposures;  // by run; the runs before come first
  usize before = 0;               // the number of runs before
  std::vector<double> weights;    // by run; empty: all have weight 1

  double weight(usize run) const { return weights.empty() ? 1 : weights[run]; }
};

// A run that was disturbed (by another program, or by a change of the clock) differs from the other runs of its side in
// all functions. It gets less weight, according to its variance, which is estimated from all functions together.
std::vector<double> weigh_runs(std::span<const RunCounts> counts, const Runs& runs);

struct SharedDispersion {
  double of_mean = 0;             // variance = scatter · (mean + of_mean · mean²)
  std::vector<Scatter> scatters;  // by item, for its sums over all runs
};
SharedDispersion share_dispersion(std::span<const RunCounts> counts, const Runs& runs);

// The samples of one item and of all items of one recording, in blocks of time. Samples in bursts scatter more than
// chance explains. The result is at least 1, because one run does not show how runs differ.
class BlockScatter {
 public:
  // Adds a block that has samples of the item.
  void add(double of_thing, double of_all) {
    sum_ += of_thing;
    squares_ += of_thing * of_thing / of_all;
  }
  Scatter get(double all_samples, usize all_blocks) const;

 private:
  double sum_ = 0, squares_ = 0;
};

}  // namespace wperf::compare
