// SPDX-License-Identifier: BSD-3-Clause
// How much the runs of one side differ beyond chance, and the weight of each run, learnt from all functions together.
// Five runs say little about one function, but hundreds of functions show how runs differ. This is a negative binomial
// model with a shared dispersion, as in genomics for genes: each function's own scatter shrinks towards the others'.
// Pure.
#pragma once
#include <span>
#include <vector>

#include "analysis/compare/statistics.h"

namespace wperf::compare {

// One thing: samples by run, those of `before` first.
struct RunCounts {
  std::vector<double> samples;
};

struct Runs {
  std::vector<double> exposures;  // by run, those of `before` first
  usize before = 0;               // the number of those
  std::vector<double> weights;    // by run: its weight, as a part of one run; if empty, each counts as one

  double weight(usize run) const { return weights.empty() ? 1 : weights[run]; }
};

// Runs that were disturbed (by a neighbour on the machine, a clock that changed) differ from the others of their side
// in all functions. They count for less than one run: their weight follows from their variance, which all functions
// together show.
std::vector<double> weigh_runs(std::span<const RunCounts> counts, const Runs& runs);

struct SharedDispersion {
  double of_mean = 0;             // variance = scatter · (mean + of_mean · mean²)
  std::vector<Scatter> scatters;  // by thing, of its sums over all runs
};
SharedDispersion share_dispersion(std::span<const RunCounts> counts, const Runs& runs);

// Within one recording: samples by block of time, of one thing and of all. Samples in bursts scatter by more than
// chance. Never less than 1, because one run does not show how runs differ.
class BlockScatter {
 public:
  // A block in which the thing was seen.
  void add(double of_thing, double of_all) {
    sum_ += of_thing;
    squares_ += of_thing * of_thing / of_all;
  }
  Scatter get(double all_samples, usize all_blocks) const;

 private:
  double sum_ = 0, squares_ = 0;
};

}  // namespace wperf::compare
