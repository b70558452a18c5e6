// SPDX-License-Identifier: BSD-3-Clause
// Which cores a top-down search is about, by kind: each kind has a method of its own, or none. Called by run_topdown.
#pragma once
#include <string>
#include <vector>

#include "ground/diag/result.h"
#include "machine/plan/plan.h"
#include "model/request/request.h"

namespace wperf::topdown {

// Cores that have a method in common.
struct KindOfCore {
  pmu::Product product;
  std::vector<request::CoreRange> cores = {};
};

// Of the cores of -c, or all. Kinds without a method are left out, and `notes` says so; none that has one is an error.
diag::Result<std::vector<KindOfCore>> kinds_with_method(const request::Request& request,
                                                        const plan::Capabilities& machine,
                                                        std::vector<std::string>& notes);

// Of a program that a driver measures on one core: which kinds that leaves out, and how to choose them. Empty: none.
std::string note_of_other_kinds(const KindOfCore& measured, const plan::Capabilities& machine);

std::string text_of(const std::vector<request::CoreRange>& ranges);  // "0-3,6"

}  // namespace wperf::topdown
