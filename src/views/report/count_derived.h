// SPDX-License-Identifier: BSD-3-Clause
// Values, notes and sections derived from counts: CPUs used, instructions per cycle, branch miss rates, events per
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

// `rows`: all rows of the same core or program. Rates are per second of the program's CPU time if `task-clock` is among
// the rows, otherwise per second of elapsed time.
std::optional<Derived> derive(const answers::CountRow& row, std::span<const answers::CountRow> rows,
                              double elapsed_seconds);
// The derived value as readable text; for a clock event also its time: "1.2 ms, 0.004 CPUs used". Empty if nothing can
// be derived.
std::string derived_text(const answers::CountRow& row, std::span<const answers::CountRow> rows, double elapsed_seconds);

// Is this the cycle row that every core has, if the user also requested the kernel's event for cycles?
bool repeats_cycles(const answers::CountRow& row, std::span<const answers::CountRow> rows);

// Notes on a count, one sentence each: cycles that include other programs, counts lost when another program used the
// registers.
std::vector<std::string> count_notes(const answers::CountProfile& profile);
// Appends these notes, each after a blank line.
void append_notes(std::string& out, const answers::CountProfile& profile);
// Writes the members "Cycles" and "Lost_counts", each only if it has contents.
void write_notes(text::JsonWriter& json, const answers::CountProfile& profile);

// Appends the text of `stat` if the kernel of the system counted. No scripts for WindowsPerf read this text, so it is
// written for human readers.
void append_kernel_counts(std::string& out, const answers::CountProfile& profile);
// Appends the counts of threads; nothing if the device does not count each thread.
void append_kernel_threads(std::string& out, const answers::CountProfile& profile);
// Appends the elapsed time and the remarks.
void append_kernel_times(std::string& out, const answers::CountProfile& profile);
// Appends the line below a table that names the rows that were not counted, so that their 0 has no meaning (in
// count_text.cpp).
void append_not_counted(std::string& out, std::span<const answers::CountRow> rows);

}  // namespace wperf::report
