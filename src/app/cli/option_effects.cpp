// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/option_effects.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "model/request/comparison_request.h"
#include "model/request/counted_items.h"
#include "model/request/number.h"
#include "model/request/sampling_options.h"

namespace wperf::cli {
namespace {

// The maximum rate for the driver's ring buffers on one core.
constexpr u32 kGreatestRateHz = 50'000;
constexpr u32 kMostRuns = 1000;

struct Setting {
  std::string_view name;
  u32 least, greatest;
  std::string_view unit;
};
constexpr Setting kSettings[] = {
    {request::kPeriodSetting, request::kLeastPeriodMs, request::kGreatestPeriodMs, "milliseconds"},
    {request::kSampleLimitSetting, 0, ~u32{0}, "samples per second"},
};

// `a,` is an error, because a name may be missing.
diag::Result<void> check_ends_in_name(std::string_view list, std::string_view spelling) {
  if (!list.ends_with(',')) return {};
  return diag::Error{.text = fmt::format("a name is missing after the last comma of '{}'", list),
                     .hint = fmt::format("separate the names of {} by single commas", spelling)};
}

diag::Result<request::Colours> parse_colours(const std::string& value, const std::string& spelling) {
  if (value == "auto") return request::Colours::on_terminals;
  if (value == "always") return request::Colours::always;
  if (value == "never") return request::Colours::never;
  return diag::usage_error(fmt::format("invalid value '{}' for {}", value, spelling), "use auto, always or never");
}

// The maximum depth is a separate option, which may come before or after this one.
void take_stacks(request::CallStacks& stacks, const request::CallStacks& wanted) {
  stacks.source = wanted.source;
  stacks.stack_bytes = wanted.stack_bytes;
}

void take_python(request::CallStacks& stacks, request::PythonFrames python) {
  if (!stacks.wanted()) take_stacks(stacks, request::automatic_stacks());
  stacks.python = python;
}

}  // namespace

void OptionEffects::take_flag(Option option) {
  request::Outputs& outputs = request_.outputs;
  switch (option) {
    case Option::timeline:
      request_.timeline.enabled = true;
      break;
    case Option::kernel:
      request_.kernel = true;
      break;
    case Option::json:
      outputs.json = outputs.quiet = true;
      break;
    case Option::brief:
      outputs.brief.emplace();
      outputs.quiet = true;
      break;
    case Option::quiet:
      outputs.quiet = true;
      break;
    case Option::verbose:
      outputs.verbose = true;
      break;
    case Option::force_lock:
      request_.force_lock = true;
      break;
    case Option::no_pager:
      outputs.paged = false;
      break;
    case Option::selftest:
      request_.doctor.selftest = true;
      break;
    case Option::fix:
      request_.doctor.fix = true;
      break;
    case Option::allow_record:
      request_.mcp.may_start_programs = true;
      break;
    case Option::detached:
      request_.machine.detached = true;
      break;
    case Option::all_help:
      request_.all_help = true;
      break;
    case Option::plain_token:
      request_.push.token_in_the_clear = true;
      break;
    default:
      take_sampling_flag(option);
      break;
  }
}

void OptionEffects::take_sampling_flag(Option option) {
  if (take_recording_flag(option)) return;
  request::Sampling& sampling = request_.sampling;
  switch (option) {
    case Option::all_cores:
      sampling.all_cores = true;
      break;
    case Option::jitter:
      sampling.jitter = true;
      break;
    case Option::display_long:
      sampling.display.decorated_names = true;
      break;
    case Option::annotate:
      sampling.display.annotate = true;
      break;
    case Option::disassemble:
      sampling.display.annotate = sampling.display.disassemble = true;
      break;
    case Option::memory:
      sampling.display.memory = true;
      break;
    case Option::print_wprp:
      sampling.print_wprp = true;
      break;
    case Option::github:
      request_.comparison.annotations = true;
      break;
    case Option::show_output:
      request_.comparison.shows_output = true;
      break;
    case Option::stacks:
      take_stacks(sampling.call_stacks, request::automatic_stacks());
      break;
    case Option::python:
      take_python(sampling.call_stacks, request::PythonFrames::folded);
      break;
    case Option::python_native:
      take_python(sampling.call_stacks, request::PythonFrames::native);
      break;
    case Option::python_functions:
    case Option::python_lines:
      take_python(sampling.call_stacks, request::PythonFrames::folded);
      request_.recording.python_lines = option == Option::python_lines;
      break;
    case Option::for_compilers:
      sampling.for_compilers = sampling.perf_data = true;
      break;
    default:  // --export_perf_data
      sampling.perf_data = true;
      break;
  }
}

diag::Result<void> OptionEffects::take_value(Option option, const std::string& spelling, const std::string& value) {
  switch (option) {
    case Option::metrics:
      return take_metrics(value, spelling);
    case Option::config:
      take_setting(value);
      return {};
    case Option::device:
      request_.device = value;
      return {};
    case Option::image_name:
      request_.image_name = value;
      return {};
    case Option::root:
      request_.mcp.root = value;
      return {};
    case Option::brief: {
      WPERF_TRY(request_.outputs.brief.emplace().bytes,
                request::parse_number(value, spelling, request::kLeastBriefBytes, request::kMostBriefBytes));
      request_.outputs.quiet = true;
      return {};
    }
    case Option::colours: {
      WPERF_TRY(request_.outputs.colours, parse_colours(value, spelling));
      return {};
    }
    case Option::events:
    case Option::cores:
    case Option::timeout:
    case Option::interval:
    case Option::count:
    case Option::runs:
    case Option::warmup:
    case Option::dmc:
    case Option::spawn_delay:
    case Option::process:
    case Option::affinity:
      return take_counting_value(option, spelling, value);
    case Option::sampled_cores:
    case Option::rate:
    case Option::symbol:
    case Option::display_row:
    case Option::by:
    case Option::sample_timeline:
    case Option::symbol_path:
    case Option::call_graph:
    case Option::max_stack:
      return take_sampling_value(option, spelling, value);
    case Option::sort:
    case Option::comms:
    case Option::pids:
    case Option::tids:
    case Option::modules:
    case Option::time:
    case Option::export_format:
    case Option::percentage:
    case Option::percent_limit:
    case Option::parallelism:
    case Option::span:
    case Option::shortest_wait:
    case Option::level:
    case Option::node:
    case Option::live_counters:
    case Option::cost_per:
    case Option::fail_if:
      return take_recording_value(option, spelling, value);
    case Option::pgo_format:
    case Option::binary:
      return take_pgo_value(option, value);
    case Option::push_url:
    case Option::push_target:
    case Option::push_label:
    case Option::token_file:
    case Option::tenant:
    case Option::spool:
    case Option::spool_limit:
    case Option::push:
    case Option::every:
    case Option::listen:
      return take_push_value(option, spelling, value);
    default:
      return take_file_value(option, value);
  }
}

diag::Result<void> OptionEffects::take_counting_value(Option option, const std::string& spelling,
                                                      const std::string& value) {
  switch (option) {
    case Option::events:
      WPERF_CHECK_OK(check_ends_in_name(value, spelling));
      return take_events(value);
    case Option::cores: {
      WPERF_TRY(request_.cores, request::parse_core_list(value));
      return {};
    }
    case Option::timeout: {
      WPERF_TRY(request_.timeout, request::parse_duration(value, spelling));
      return {};
    }
    case Option::interval: {
      WPERF_TRY(request_.timeline.interval, request::parse_duration(value, spelling));
      return {};
    }
    case Option::dmc: {
      WPERF_TRY(request_.dmc_channel, request::parse_number(value, spelling));
      return {};
    }
    case Option::spawn_delay: {
      WPERF_TRY(request_.spawn_delay_ms, request::parse_number(value, spelling));
      return {};
    }
    case Option::runs: {
      WPERF_TRY(request_.runs, request::parse_number(value, spelling, 1, kMostRuns));
      return {};
    }
    case Option::warmup: {
      WPERF_TRY(request_.comparison.warmup, request::parse_number(value, spelling, 0, kMostRuns));
      return {};
    }
    case Option::affinity: {
      WPERF_TRY(request_.machine.affinity, request::parse_core_mask(value, spelling));
      return {};
    }
    case Option::process: {
      WPERF_TRY(request_.process, request::parse_number(value, spelling, 1, 0x7fff'ffff));
      return {};
    }
    default: {  // -n
      if (expects_rounds_) {
        const auto rounds = request::parse_number(value, spelling, request::kFewestRounds, request::kMostRounds);
        if (rounds.has_value()) {
          request_.timeline.count = rounds.value();
          return {};
        }
        diag::Error error = rounds.error();
        error.hint += " runs of each program; fewer runs cannot show a difference";
        return error;
      }
      WPERF_TRY(request_.timeline.count, request::parse_number(value, spelling));
      return {};
    }
  }
}

diag::Result<void> OptionEffects::take_sampling_value(Option option, const std::string& spelling,
                                                      const std::string& value) {
  request::Sampling& sampling = request_.sampling;
  switch (option) {
    case Option::sampled_cores: {
      WPERF_TRY(sampling.cores, request::parse_core_list(value, request::kSampledCores));
      return {};
    }
    case Option::rate: {
      WPERF_TRY(sampling.rate_hz, request::parse_number(value, spelling, 1, kGreatestRateHz));
      return {};
    }
    case Option::symbol:
      sampling.display.symbol = request::parse_symbol_filter(value);
      return {};
    case Option::display_row: {
      WPERF_TRY(sampling.display_rows, request::parse_number(value, spelling));
      return {};
    }
    case Option::by: {
      WPERF_TRY(sampling.display.by, request::parse_breakdown_list(value));
      return {};
    }
    case Option::sample_timeline: {
      WPERF_TRY(sampling.display.timeline_ms, request::parse_number(value, spelling, 1));
      return {};
    }
    case Option::call_graph: {
      WPERF_TRY(const request::CallStacks stacks, request::parse_call_graph(value));
      take_stacks(sampling.call_stacks, stacks);
      return {};
    }
    case Option::max_stack: {
      WPERF_TRY(sampling.call_stacks.most_frames, request::parse_number(value, spelling, 1, request::kMostFrames));
      return {};
    }
    default:  // --symbol-path
      sampling.symbol_path = value;
      return {};
  }
}

diag::Result<void> OptionEffects::take_metrics(std::string_view value, const std::string& spelling) {
  WPERF_CHECK_OK(check_ends_in_name(value, spelling));
  while (!value.empty()) {
    const usize comma = value.find(',');
    request_.items.emplace_back(request::MetricName{std::string(value.substr(0, comma))});
    value.remove_prefix(comma == std::string_view::npos ? value.size() : comma + 1);
  }
  return {};
}

// A setting that cannot be made is reported and ignored; the run continues (contract 2.3).
void OptionEffects::take_setting(const std::string& value) {
  const usize equals = value.find('=');
  const std::string name = value.substr(0, equals);
  const std::string text = equals == std::string::npos ? std::string() : value.substr(equals + 1);
  const Setting* setting = std::find_if(std::begin(kSettings), std::end(kSettings),
                                        [&](const Setting& known) { return known.name == name; });
  if (setting == std::end(kSettings)) {
    request_.warnings.push_back(fmt::format("error: can't set '{}' config", value));
    return;
  }
  const std::optional<u64> number = request::parse_decimal(text);
  if (number.has_value() && *number >= setting->least && *number <= setting->greatest) {
    request_.config.push_back({name, text});
    return;
  }
  request_.warnings.push_back(fmt::format("error: can't set '{}' config, it takes {} to {} {}", value, setting->least,
                                          setting->greatest, setting->unit));
}

}  // namespace wperf::cli
