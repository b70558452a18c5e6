// SPDX-License-Identifier: BSD-3-Clause
// What a count says beside another one: CPUs used, instructions per cycle, misses of branches, so many a second.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/answers/count_profile.h"

namespace wperf::report {

struct Derived {
  double value = 0;
  std::string_view unit;  // "CPUs used", "GHz", "per cycle", "% of branches", "per second"
};

// Of a row among those of its core or program. A second is one of the program's own time where `task-clock` is among
// the rows, else one of the elapsed time.
std::optional<Derived> derive(const answers::CountRow& row, std::span<const answers::CountRow> rows,
                              double elapsed_seconds);
// The same for a person, with the time that a clock counted: "1.2 ms, 0.004 CPUs used". Empty: nothing can be said.
std::string derived_text(const answers::CountRow& row, std::span<const answers::CountRow> rows, double elapsed_seconds);

// The row that every core has, where the kernel's own word for the same was asked for, too.
bool repeats_cycles(const answers::CountRow& row, std::span<const answers::CountRow> rows);

}  // namespace wperf::report
