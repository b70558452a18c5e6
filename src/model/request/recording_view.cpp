// SPDX-License-Identifier: BSD-3-Clause
#include "model/request/recording_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "ground/text/word_list.h"
#include "model/request/number.h"

namespace wperf::request {
namespace {

struct SortName {
  std::string_view name;
  SortBy key;
};
constexpr SortName kSortNames[] = {
    {"comm", SortBy::comm},         {"pid", SortBy::pid},       {"tid", SortBy::tid},       {"core", SortBy::core},
    {"cputype", SortBy::core_kind}, {"module", SortBy::module}, {"symbol", SortBy::symbol}, {"line", SortBy::line},
    {"dso", SortBy::module},        {"sym", SortBy::symbol},    {"srcline", SortBy::line},  {"cpu", SortBy::core}};

diag::Error bad_sort_key(std::string_view text) {
  return diag::usage_error(fmt::format("unknown column '{}' for --sort", text),
                           "use comm, pid, tid, core, cputype, module, symbol and line, separated by commas");
}

template <class Take>
void for_each_word(std::string_view text, Take take) {
  while (true) {
    const usize comma = text.find(',');
    take(text.substr(0, comma));
    if (comma == std::string_view::npos) return;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

diag::Result<std::vector<SortBy>> parse_sort_list(std::string_view text) {
  std::vector<SortBy> list;
  std::optional<diag::Error> error;
  for_each_word(text, [&](std::string_view word) {
    const auto found = std::find_if(std::begin(kSortNames), std::end(kSortNames),
                                    [&](const SortName& one) { return one.name == word; });
    if (found == std::end(kSortNames)) {
      if (!error.has_value()) error = bad_sort_key(word);
    } else if (std::find(list.begin(), list.end(), found->key) == list.end()) {
      list.push_back(found->key);
    }
  });
  if (error.has_value()) return *std::move(error);
  return list;
}

std::vector<std::string> parse_name_list(std::string_view text) {
  std::vector<std::string> names;
  for_each_word(text, [&](std::string_view word) {
    if (!word.empty()) names.emplace_back(word);
  });
  return names;
}

diag::Result<std::vector<u32>> parse_number_list(std::string_view text, std::string_view option) {
  std::vector<u32> numbers;
  std::optional<diag::Error> error;
  for_each_word(text, [&](std::string_view word) {
    const std::optional<u64> number = parse_decimal(word);
    if (number.has_value() && *number <= ~u32{0}) {
      numbers.push_back(static_cast<u32>(*number));
    } else if (!error.has_value()) {
      error =
          diag::usage_error(fmt::format("invalid value '{}' for {}", word, option), "use numbers, separated by commas");
    }
  });
  if (error.has_value()) return *std::move(error);
  return numbers;
}

diag::Result<TimeSpan> parse_time_span(std::string_view text) {
  const usize dash = text.find('-');
  const std::string_view from = text.substr(0, dash);
  const std::string_view to = dash == std::string_view::npos ? std::string_view() : text.substr(dash + 1);
  TimeSpan span;
  span.from = from.empty() ? std::nullopt : parse_fraction(from);
  span.to = to.empty() ? std::nullopt : parse_fraction(to);
  const bool sound = dash != std::string_view::npos && (from.empty() || span.from.has_value()) &&
                     (to.empty() || span.to.has_value()) && !(from.empty() && to.empty()) &&
                     !(span.from.has_value() && span.to.has_value() && *span.from > *span.to);
  if (sound) return span;
  return diag::usage_error(fmt::format("invalid time range '{}' for --time", text),
                           "use FROM-TO in seconds after the first sample, such as 1.5-3, 1.5- or -3");
}

diag::Result<ThreadNumbers> parse_thread_numbers(std::string_view text) {
  const usize dash = text.find('-');
  const std::optional<u64> from = parse_decimal(text.substr(0, dash));
  const std::optional<u64> to = dash == std::string_view::npos ? from : parse_decimal(text.substr(dash + 1));
  if (from.has_value() && to.has_value() && *from >= 1 && *from <= *to && *to <= ~u32{0})
    return ThreadNumbers{static_cast<u32>(*from), static_cast<u32>(*to)};
  return diag::usage_error(
      fmt::format("invalid number of threads '{}' for --parallelism", text),
      "use N or N-M, from 1: 1 for code that ran while no other thread did, 2-4 for two to four threads at once");
}

diag::Result<double> parse_percent(std::string_view text, std::string_view spelling) {
  const std::optional<double> percent = parse_fraction(text);
  if (percent.has_value() && *percent <= 100) return *percent;
  return diag::usage_error(fmt::format("invalid value '{}' for {}", text, spelling),
                           "use a number from 0 to 100, such as 2 or 0.05");
}

diag::Result<u64> parse_length(std::string_view text, std::string_view spelling) {
  const usize unit = text.find_first_not_of("0123456789.");
  const std::string_view name = unit == std::string_view::npos ? "ms" : text.substr(unit);
  const double factor = name == "us" ? 1e3 : name == "ms" ? 1e6 : name == "s" ? 1e9 : 0;
  const std::optional<double> number = parse_fraction(text.substr(0, unit));
  constexpr double kMost = 1e18;
  if (number.has_value() && factor != 0 && *number * factor <= kMost)
    return static_cast<u64>(std::llround(*number * factor));
  return diag::usage_error(fmt::format("invalid length of time '{}' for {}", text, spelling),
                           "use a number with us, ms or s, such as 1ms or 0.5s");
}

diag::Result<ExportFormat> parse_export_format(std::string_view name, bool of_counts) {
  if (const auto number = text::number_of_word(kExportNames, name); number.has_value())
    return static_cast<ExportFormat>(*number);
  std::string formats(export_name(ExportFormat::prometheus));
  if (!of_counts) {
    constexpr std::string_view kOfRecordings = kExportNames.substr(0, kExportNames.rfind(' '));
    formats = text::with_commas_between(kOfRecordings);
  }
  return diag::usage_error(fmt::format("unknown format '{}' for --export", name), "formats: " + formats);
}

bool is_binary(ExportFormat format) {
  return format == ExportFormat::pprof || format == ExportFormat::perfetto || format == ExportFormat::perfetto_perf ||
         format == ExportFormat::otlp || format == ExportFormat::perf_data;
}

std::string_view export_name(ExportFormat format) {
  return text::word_at(kExportNames, static_cast<usize>(format));
}

}  // namespace wperf::request
