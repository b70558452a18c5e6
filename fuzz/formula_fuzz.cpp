// SPDX-License-Identifier: BSD-3-Clause
// Arbitrary postfix formulas. The result is always a finite number, never a crash. Two counts come from the first
// bytes.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "machine/pmu/core_metrics.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  wperf::u64 values[2] = {};
  if (size < sizeof values) return 0;
  std::memcpy(values, data, sizeof values);
  const wperf::pmu::NamedCount counts[] = {{"a", values[0]}, {"b", values[1]}};
  const std::string_view postfix(reinterpret_cast<const char*>(data) + sizeof values, size - sizeof values);
  if (!std::isfinite(wperf::pmu::evaluate_postfix(postfix, counts))) std::abort();
  return 0;
}
