// SPDX-License-Identifier: BSD-3-Clause
// The cores of a top-down search, by kind: each kind may have its own method.
#pragma once
#include <string>
#include <vector>

#include "ground/diag/result.h"
#include "machine/plan/plan.h"
#include "model/request/measurement.h"

namespace wperf::topdown {

// Cores that share a method.
struct KindOfCore {
  pmu::Product product;
  std::vector<request::CoreRange> cores = {};
};

// Among the cores of -c, or all. Kinds without a method are left out, with a remark in `notes`; if no kind has one, it
// is an error.
diag::Result<std::vector<KindOfCore>> kinds_with_method(const request::Measurement& wanted,
                                                        const plan::Capabilities& machine,
                                                        std::vector<std::string>& notes);

// For a program that a driver measures on one core: which kinds that leaves out, and how to choose them. Empty if none.
std::string note_of_other_kinds(const KindOfCore& measured, const plan::Capabilities& machine);

std::string text_of(const std::vector<request::CoreRange>& ranges);  // "0-3,6"

}  // namespace wperf::topdown
