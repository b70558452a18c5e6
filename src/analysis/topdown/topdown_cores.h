// SPDX-License-Identifier: BSD-3-Clause
// The cores of a top-down search and their counts, by kind of core, because each kind may have its own method.
#pragma once
#include <string>
#include <vector>

#include "analysis/topdown/drill.h"
#include "ground/diag/result.h"
#include "machine/plan/plan.h"
#include "model/answers/count_profile.h"
#include "model/request/measurement.h"

namespace wperf::topdown {

// Cores that share a method.
struct KindOfCore {
  pmu::Product product;
  std::vector<request::CoreRange> cores = {};
};

// The kinds of cores among the cores of -c, or among all cores. Kinds without a method are left out, with a remark in
// `notes`; if no kind has a method, returns an error.
diag::Result<std::vector<KindOfCore>> kinds_with_method(const request::Measurement& wanted,
                                                        const plan::Capabilities& machine,
                                                        std::vector<std::string>& notes);

// For a program that a driver measures on one core: a note about the other kinds of cores, and how to choose them.
// Empty if there are no other kinds.
std::string note_of_other_kinds(const KindOfCore& measured, const plan::Capabilities& machine);

struct KindCounts {
  std::vector<EventCount> events;  // sums over the cores of this kind; includes kCycles
  u64 cycles_elsewhere = 0;        // cycles on cores of other kinds, which the formulas do not use
};
KindCounts counts_of(const answers::CountProfile& profile, const plan::Capabilities& machine, pmu::Product product);

std::string text_of(const std::vector<request::CoreRange>& ranges);  // "0-3,6"

}  // namespace wperf::topdown
