// SPDX-License-Identifier: BSD-3-Clause
#include "app/capi/configurations.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "ground/os/process.h"
#include "ground/text/unicode.h"
#include "model/request/counted_items.h"
#include "model/request/sampling_options.h"

namespace wperf::capi {
namespace {

constexpr size_t kMostCores = 65'536;    // more than a machine has; a greater number is a mistake
constexpr u32 kGreatestRateHz = 50'000;  // the maximum for the driver's ring buffers on one core

std::optional<std::string> optional_text(const wchar_t* text) {
  if (text == nullptr || *text == L'\0') return std::nullopt;
  return text::utf8_of(text);
}

diag::Result<std::vector<request::CoreRange>> core_ranges(const u32* cores, size_t count) {
  if (cores == nullptr && count != 0) return diag::usage_error("num_cores is not 0, but there are no cores");
  if (count > kMostCores) {
    return diag::usage_error("num_cores is " + std::to_string(count) + ", but must be at most " +
                             std::to_string(kMostCores));
  }
  std::vector<request::CoreRange> ranges;
  for (const u32 core : std::span(cores, count)) ranges.push_back({core, core});
  return ranges;
}

diag::Result<void> add_events(const wchar_t* events, request::Request& request) {
  const auto text = optional_text(events);
  if (!text.has_value()) return {};
  WPERF_TRY(request::EventList list, request::parse_event_list(*text));
  for (const request::EventToken& token : list.tokens) {
    if (token.event_class != EventClass::core)
      return diag::usage_error("'" + token.text + "' is not an event of the cores");
  }
  request.items.emplace_back(std::move(list));
  return {};
}

void add_metrics(const wchar_t* metrics, request::Request& request) {
  const std::string text = optional_text(metrics).value_or("");
  std::string_view rest = text;
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    if (comma != 0) request.items.emplace_back(request::MetricName{std::string(rest.substr(0, comma))});
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
}

diag::Result<void> add_period(u32 period_ms, request::Request& request) {
  if (period_ms == 0) return {};
  if (period_ms < request::kLeastPeriodMs || period_ms > request::kGreatestPeriodMs) {
    return diag::usage_error("period_ms is " + std::to_string(period_ms) + ", but must be 10 to 100");
  }
  request.config.push_back({request::kPeriodSetting, std::to_string(period_ms)});
  return {};
}

diag::Result<void> add_program(const wchar_t* program, const wchar_t* arguments, u32 delay_ms,
                               request::Request& request) {
  const auto path = optional_text(program);
  const auto words = optional_text(arguments);
  if (!path.has_value()) {
    if (words.has_value()) return diag::usage_error("arguments are given, but no program to start");
    return {};
  }
  std::string line = os::join_command_line({&*path, 1});
  if (words.has_value()) line += " " + *words;
  request.program = request::Program{*path, std::move(line), true};
  request.pe_file = *path;
  if (delay_ms != 0) request.spawn_delay_ms = delay_ms;
  return {};
}

// Checks the rate here, because the command line's message would name an option.
diag::Result<void> check_rate(const request::Sampling& sampling) {
  const bool has_own = !sampling.events.empty() &&
                       std::ranges::all_of(sampling.events, [](const auto& one) { return one.interval.has_value(); });
  if (!sampling.rate_hz.has_value() || !has_own) return {};
  return diag::usage_error("rate_hz has no effect: each event has its own interval",
                           "set rate_hz to 0, or leave out an interval");
}

// If the configuration has one core, that core is sampled. If it has several, the program runs on the first one.
diag::Result<void> add_sampled_cores(const SAMPLE_CONF& conf, request::Request& request) {
  WPERF_TRY(const auto cores, core_ranges(conf.cores, conf.num_cores));
  if (cores.empty() && !optional_text(conf.program).has_value()) {
    return diag::usage_error("cores is empty: set it to the core on which to sample the running program");
  }
  if (!cores.empty()) request.cores = {cores.front()};
  if (cores.size() > 1) request.sampling.cores = cores;
  return {};
}

diag::Result<void> add_sampled_program(const SAMPLE_CONF& conf, request::Request& request) {
  request.image_name = optional_text(conf.image_name);
  if (request.image_name.has_value() == (optional_text(conf.program).has_value())) {
    return diag::usage_error("sampling needs either program or image_name");
  }
  request.command = request.image_name.has_value() ? request::Command::sample : request::Command::record;
  WPERF_CHECK_OK(add_program(conf.program, conf.arguments, conf.spawn_delay_ms, request));
  if (!request.pe_file.has_value()) request.pe_file = request.image_name;
  request.pdb_file = optional_text(conf.pdb_file);
  return {};
}

}  // namespace

diag::Result<void> check_cores(const std::vector<request::CoreRange>& cores, u32 core_count) {
  for (const request::CoreRange& range : cores) {
    if (core_count == 0 || range.last < core_count) continue;
    return diag::usage_error("cores names core " + std::to_string(std::max(range.first, core_count)) +
                             "; this machine has 0 to " + std::to_string(core_count - 1));
  }
  return {};
}

diag::Result<request::Request> stat_request(const STAT_CONF& conf) {
  request::Request request;
  request.command = request::Command::stat;
  WPERF_TRY(request.cores, core_ranges(conf.cores, conf.num_cores));
  WPERF_CHECK_OK(add_events(conf.events, request));
  add_metrics(conf.metrics, request);
  WPERF_CHECK_OK(add_period(conf.period_ms, request));
  if (conf.program != nullptr && *conf.program == L'\0')
    return diag::usage_error("program is empty: it is a path, or NULL to start no program");
  WPERF_CHECK_OK(add_program(conf.program, conf.arguments, conf.spawn_delay_ms, request));
  request.kernel = conf.kernel;
  request.timeout = request::Duration{conf.duration_ms};
  if (!conf.timeline) return request;
  if (conf.duration_ms == 0) request.timeout = request::Duration{1000};
  request.timeline = {.enabled = true, .interval = {conf.interval_ms}, .count = conf.num_counts};
  request.outputs.csv_file = optional_text(conf.csv_file);
  return request;
}

diag::Result<request::Request> section_request(const STAT_CONF& conf, u32 process) {
  WPERF_TRY(request::Request request, stat_request(conf));
  if (request.program.has_value()) return diag::usage_error("program is set, but wperf_stat_begin() starts no program");
  if (conf.timeline || conf.duration_ms != 0 || conf.spawn_delay_ms != 0) {
    return diag::usage_error("timeline, duration_ms or spawn_delay_ms is set, but the caller ends this count");
  }
  if (process == 0) return request;
  if (process > 0x7fff'ffff)
    return diag::usage_error("process is " + std::to_string(process) + ", but must be at most 2147483647");
  if (conf.num_cores != 0) return diag::usage_error("cores are given, but a process is counted on all of them");
  request.process = process;
  return request;
}

diag::Result<request::Request> sample_request(const SAMPLE_CONF& conf) {
  request::Request request;
  WPERF_CHECK_OK(add_sampled_program(conf, request));
  WPERF_CHECK_OK(add_sampled_cores(conf, request));
  request.timeout = request::Duration{conf.duration_ms};
  request.kernel = conf.kernel;
  request::Sampling& sampling = request.sampling;
  if (const auto events = optional_text(conf.events); events.has_value()) {
    WPERF_TRY(sampling.events, request::parse_sampling_list(*events));
  }
  if (conf.rate_hz > kGreatestRateHz) {
    return diag::usage_error("rate_hz is " + std::to_string(conf.rate_hz) + ", but must be 1 to 50000");
  }
  if (conf.rate_hz != 0) sampling.rate_hz = conf.rate_hz;
  WPERF_CHECK_OK(check_rate(sampling));
  sampling.symbol_path = optional_text(conf.symbol_path);
  if (const auto symbol = optional_text(conf.symbol); symbol.has_value()) {
    sampling.display.symbol = request::parse_symbol_filter(*symbol);
  }
  sampling.display_rows = conf.display_row != 0 ? conf.display_row : ~u32{0};
  sampling.display.decorated_names = conf.decorated_names;
  sampling.display.annotate = conf.annotate;
  return request;
}

diag::Result<request::Request> test_request(const TEST_CONF& conf) {
  request::Request request;
  request.command = request::Command::test;
  WPERF_CHECK_OK(add_events(conf.events, request));
  add_metrics(conf.metrics, request);
  WPERF_CHECK_OK(add_period(conf.period_ms, request));
  return request;
}

}  // namespace wperf::capi
