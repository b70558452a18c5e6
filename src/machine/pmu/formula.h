// SPDX-License-Identifier: BSD-3-Clause
// Metric formulas (contract 7): + - * / over event counts, evaluated from postfix.
#pragma once
#include <optional>
#include <span>
#include <string_view>

#include "base/ints.h"

namespace wperf::pmu {

struct NamedCount {
  std::string_view name;  // lower case
  u64 value;
};

// nullopt after a division by zero, for damaged postfix, and beyond the range of double. A name that is not among
// `counts` evaluates as a number (0 if it is not one).
std::optional<double> value_of_postfix(std::string_view postfix, std::span<const NamedCount> counts);

// The same by contract 7: division by zero makes the whole metric 0; a name that is not among `counts` evaluates as a
// number (0 if it is not one); damaged postfix gives 0. Never NaN or infinite.
double evaluate_postfix(std::string_view postfix, std::span<const NamedCount> counts);

}  // namespace wperf::pmu
