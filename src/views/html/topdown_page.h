// SPDX-License-Identifier: BSD-3-Clause
// Where a program's slots went, as a page that opens anywhere: the tree with bars, the verdict in words, the functions
// that lost the slots. No script: there is nothing to compute. Pure.
#pragma once
#include <span>
#include <string>

#include "views/report/topdown_report.h"

namespace wperf::html {

std::string topdown_page(std::span<const report::Topdown> kinds);

}  // namespace wperf::html
