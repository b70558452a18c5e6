// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/count_derived.h"

#include <algorithm>
#include <initializer_list>

#include "ground/text/number_text.h"

namespace wperf::report {
namespace {

using Rows = std::span<const answers::CountRow>;
using Names = std::initializer_list<std::string_view>;

constexpr double kNanosecondsPerSecond = 1e9;

bool is_one_of(const answers::CountRow& row, Names names) {
  return std::find(names.begin(), names.end(), row.name) != names.end();
}

// A row that was counted together with `beside`.
const answers::CountRow* find_row(Rows rows, const answers::CountRow& beside, Names names) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const answers::CountRow& row) {
    return row.run == beside.run && row.counted() && is_one_of(row, names);
  });
  return found == rows.end() ? nullptr : &*found;
}

double count_of(const answers::CountRow& row) {
  return static_cast<double>(row.scaled != 0 ? row.scaled : row.value);
}

bool is_clock(const answers::CountRow& row) {
  return is_one_of(row, {"task-clock", "cpu-clock"});
}

// "l1-dcache-load-misses" → its accesses, "l1-dcache-loads".
const answers::CountRow* accesses_of(const answers::CountRow& misses, Rows rows) {
  if (is_one_of(misses, {"branch-misses"})) return find_row(rows, misses, {"branches", "branch-instructions"});
  if (is_one_of(misses, {"branchmispredictions"})) return find_row(rows, misses, {"branchinstructions"});
  if (is_one_of(misses, {"cache-misses"})) return find_row(rows, misses, {"cache-references"});
  constexpr std::string_view kMisses = "-misses";
  if (!std::string_view(misses.name).ends_with(kMisses)) return nullptr;
  std::string accesses = misses.name.substr(0, misses.name.size() - kMisses.size());
  accesses += accesses.ends_with("prefetch") ? "es" : "s";
  return find_row(rows, misses, {accesses});
}

std::string_view share_unit(const answers::CountRow& misses) {
  if (is_one_of(misses, {"branch-misses", "branchmispredictions"})) return "% of branches";
  if (is_one_of(misses, {"cache-misses"})) return "% of cache-references";
  return "% of accesses";
}

}  // namespace

std::optional<Derived> derive(const answers::CountRow& row, Rows rows, double elapsed_seconds) {
  if (!row.counted()) return {};
  if (row.run_seconds > 0) elapsed_seconds = row.run_seconds;
  if (is_clock(row)) {
    if (elapsed_seconds <= 0) return {};
    return Derived{count_of(row) / kNanosecondsPerSecond / elapsed_seconds, "CPUs used"};
  }
  const answers::CountRow* clock = find_row(rows, row, {"task-clock"});
  const double seconds = clock != nullptr ? count_of(*clock) / kNanosecondsPerSecond : elapsed_seconds;
  const Names cycle_names = {"cycles", "cpu-cycles", "cpu_cycles", "cycle", "totalcycles"};
  if (is_one_of(row, {"instructions", "inst_retired", "instructionretired"})) {
    const answers::CountRow* cycles = find_row(rows, row, cycle_names);
    if (cycles != nullptr && count_of(*cycles) > 0) return Derived{count_of(row) / count_of(*cycles), "per cycle"};
  }
  if (const answers::CountRow* accesses = accesses_of(row, rows); accesses != nullptr && count_of(*accesses) > 0) {
    return Derived{100 * count_of(row) / count_of(*accesses), share_unit(row)};
  }
  if (seconds <= 0) return {};
  if (clock != nullptr && is_one_of(row, cycle_names)) return Derived{count_of(row) / seconds / 1e9, "GHz"};
  return Derived{count_of(row) / seconds, "per second"};
}

std::string derived_text(const answers::CountRow& row, Rows rows, double elapsed_seconds) {
  std::string text;
  if (row.counted() && is_clock(row)) text = text::duration(count_of(row) / kNanosecondsPerSecond);
  const std::optional<Derived> derived = derive(row, rows, elapsed_seconds);
  if (!derived.has_value()) return text;
  if (!text.empty()) text += ", ";
  if (derived->unit == "per second") return text + text::scaled_number(derived->value) + "/s";
  const int decimals = derived->unit == "CPUs used" ? 3 : 2;
  return text.append(text::fixed(derived->value, decimals)).append(1, ' ').append(derived->unit);
}

bool repeats_cycles(const answers::CountRow& row, Rows rows) {
  return !row.code.has_value() && std::any_of(rows.begin(), rows.end(), [](const answers::CountRow& other) {
    return is_one_of(other, {"cycles", "cpu-cycles"});
  });
}

}  // namespace wperf::report
