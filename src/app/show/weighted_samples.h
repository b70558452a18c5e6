// SPDX-License-Identifier: BSD-3-Clause
// Samples with weights other than the recorded weights: the waits of `wperf waits`, and the samples chosen by
// --latency, --parallelism and --span.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/recording/recorded_samples.h"
#include "analysis/recording/sampled_recording.h"
#include "app/show/report_options.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/stacks/stack_profile.h"

namespace wperf::show {

struct WeightedSamples {
  std::string_view event = {};          // the new event of the samples; empty: unchanged
  std::string_view things = {};         // "waits"; empty: samples
  std::string whole;                    // name of the sum of the weights
  std::vector<u64> weights;             // see recording::ReadOptions
  std::optional<u64> time_origin = {};  // see recording::ReadOptions
  std::vector<u64> parallel_ns = {};    // see StackEvent
  bool in_folded = false;               // folded stacks have the weights as their number

  // Adds the weights to the options, which must not outlive this object.
  void use_in(recording::ReadOptions& wanted) const;
  // Describes the samples that were read with these options.
  void describe(const ReportOptions& options, stacks::StackProfile& profile) const;
};

// The samples of --latency (weighted by elapsed time), of --parallelism (taken while that many threads ran) and of
// --span; nullopt if none of these options was given.
diag::Result<std::optional<WeightedSamples>> chosen_weights(const recording::SampledRecording& source,
                                                            const ReportOptions& options, diag::Console& console);

}  // namespace wperf::show
