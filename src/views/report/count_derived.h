// SPDX-License-Identifier: BSD-3-Clause
// Values, notes and sections that follow from counts: CPUs used, instructions per cycle, misses of branches, so many a
// second.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ground/text/json_writer.h"
#include "model/answers/count_profile.h"

namespace wperf::report {

struct Derived {
  double value = 0;
  std::string_view unit;  // "CPUs used", "GHz", "per cycle", "% of branches", "per second"
};

// `rows`: all rows of the same core or program. Rates are per second of the program's own time if `task-clock` is among
// the rows, otherwise per second of elapsed time.
std::optional<Derived> derive(const answers::CountRow& row, std::span<const answers::CountRow> rows,
                              double elapsed_seconds);
// The same for a person, with the time that a clock counted: "1.2 ms, 0.004 CPUs used". Empty if nothing follows.
std::string derived_text(const answers::CountRow& row, std::span<const answers::CountRow> rows, double elapsed_seconds);

// Is this the cycle row that every core has, although the user also asked for the kernel's own event for cycles?
bool repeats_cycles(const answers::CountRow& row, std::span<const answers::CountRow> rows);

// Notes for readers of a count in addition to the numbers: cycles that include other programs, counts that were lost
// with the registers. A sentence each.
std::vector<std::string> count_notes(const answers::CountProfile& profile);
// The same, each after a blank line.
void append_notes(std::string& out, const answers::CountProfile& profile);
// Members of the document: "Cycles", "Lost_counts"; each only if it has contents.
void write_notes(text::JsonWriter& json, const answers::CountProfile& profile);

// The text of `stat` if the system's own kernel counted: no scripts for WindowsPerf read it, so it is written for
// people.
void append_kernel_counts(std::string& out, const answers::CountProfile& profile);
// Appends nothing if the device does not count each thread.
void append_kernel_threads(std::string& out, const answers::CountProfile& profile);
// The elapsed time and the remarks.
void append_kernel_times(std::string& out, const answers::CountProfile& profile);
// The line under a table that names the zeros that were not counted (in count_text.cpp).
void append_not_counted(std::string& out, std::span<const answers::CountRow> rows);

}  // namespace wperf::report
