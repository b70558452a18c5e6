// SPDX-License-Identifier: BSD-3-Clause
// The effects of options about showing or sending a recording: views, waits, top-down, push.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "app/cli/option_effects.h"
#include "model/request/comparison_request.h"
#include "model/request/counted_items.h"
#include "model/request/number.h"
#include "model/request/push_request.h"
#include "model/request/recording_view.h"

namespace wperf::cli {
namespace {

constexpr u64 kShortestPeriodMs = 100;                // for --every
constexpr std::string_view kUsualCounters = "usual";  // for --counters

}  // namespace

bool OptionEffects::take_recording_flag(Option option) {
  request::RecordingView& view = request_.recording;
  switch (option) {
    case Option::idle:
      view.idle = true;
      return true;
    case Option::providers:
      view.providers = true;
      return true;
    case Option::spans:
      view.spans = true;
      return true;
    case Option::children:
      view.children = true;
      return true;
    case Option::tree:
      view.tree = true;
      return true;
    case Option::callers:
      view.callers = true;
      return true;
    case Option::callees:
      view.callees = true;
      return true;
    case Option::folded:
      view.folded = request_.outputs.quiet = true;
      return true;
    case Option::debuginfod:
      view.debuginfod = true;
      return true;
    case Option::html_all:
      view.html_all = true;
      return true;
    case Option::branches:
      view.branches = true;
      return true;
    case Option::latency:
      view.latency = true;
      return true;
    case Option::inlined:
      view.inlined = true;
      return true;
    case Option::on_off:
      request_.waits.on_off = true;
      return true;
    case Option::counts_only:
      request_.topdown.sampled = false;
      return true;
    case Option::live_waits:
      request_.live.waits = true;
      return true;
    case Option::once:
      request_.live.once = true;
      return true;
    case Option::critical_path:
      request_.waits.critical_path = true;
      return true;
    default:
      return false;
  }
}

diag::Result<void> OptionEffects::take_recording_value(Option option, const std::string& spelling,
                                                       const std::string& value) {
  request::RecordingView& view = request_.recording;
  switch (option) {
    case Option::sort: {
      WPERF_TRY(view.sort, request::parse_sort_list(value));
      return {};
    }
    case Option::comms:
      // Names can contain commas. Only the recording shows whether a comma is part of a name.
      view.comms = request::parse_name_list(value);
      if (!view.comms.empty()) view.comms = {value};
      return {};
    case Option::modules:
      view.modules = request::parse_name_list(value);
      return {};
    case Option::pids: {
      WPERF_TRY(view.pids, request::parse_number_list(value, spelling));
      return {};
    }
    case Option::tids: {
      WPERF_TRY(view.tids, request::parse_number_list(value, spelling));
      return {};
    }
    case Option::percentage:
      if (value != "relative" && value != "absolute") {
        return diag::usage_error(fmt::format("invalid value '{}' for {}", value, spelling), "use relative or absolute");
      }
      view.relative = value == "relative";
      return {};
    case Option::export_format: {
      WPERF_TRY(view.export_format, request::parse_export_format(value));
      request_.outputs.quiet = true;  // stdout may be for the document
      return {};
    }
    case Option::percent_limit: {
      WPERF_TRY(view.percent_limit, request::parse_percent(value, spelling));
      return {};
    }
    case Option::span:
      view.span = value;
      return {};
    case Option::parallelism: {
      WPERF_TRY(view.parallelism, request::parse_thread_numbers(value));
      return {};
    }
    case Option::level: {
      const std::optional<u64> level = request::parse_decimal(value);
      if (!level.has_value() || *level == 0 || *level > ~u32{0}) {
        return diag::usage_error("no level " + value, "levels start at 1");
      }
      request_.topdown.level = static_cast<u32>(*level);
      return {};
    }
    case Option::node:
      request_.topdown.node = value;
      return {};
    case Option::live_counters: {
      if (!request_.live.counters.has_value()) request_.live.counters.emplace();
      if (value == kUsualCounters) return {};
      WPERF_TRY(request::EventList list, request::parse_event_list(value));
      request_.live.counters->emplace_back(std::move(list));
      return {};
    }
    case Option::shortest_wait: {
      WPERF_TRY(request_.waits.min_ns, request::parse_length(value, spelling));
      return {};
    }
    case Option::cost_per: {
      WPERF_TRY(request_.comparison.per, request::parse_cost_per(value));
      return {};
    }
    case Option::fail_if: {
      WPERF_TRY(request::FailCondition condition, request::parse_fail_condition(value));
      request_.comparison.conditions.push_back(std::move(condition));
      return {};
    }
    default: {  // --time
      WPERF_TRY(view.time, request::parse_time_span(value));
      return {};
    }
  }
}

diag::Result<void> OptionEffects::take_pgo_value(Option option, const std::string& value) {
  if (option == Option::binary) {
    request_.pgo.binary = path_here(value);
    return {};
  }
  WPERF_TRY(request_.pgo.format, request::parse_pgo_format(value));
  return {};
}

diag::Result<void> OptionEffects::take_push_value(Option option, const std::string& spelling,
                                                  const std::string& value) {
  request::Push& push = request_.push;
  switch (option) {
    case Option::push_url:
    case Option::push:
      push.url = value;
      return {};
    case Option::listen:
      request_.listen = value;
      return {};
    case Option::spool:
      push.spool = value;
      return {};
    case Option::spool_limit: {
      WPERF_TRY(push.spool_bytes, request::parse_byte_limit(value, spelling));
      return {};
    }
    case Option::every: {
      WPERF_TRY(const request::Duration period, request::parse_duration(value, spelling));
      if (period.milliseconds < kShortestPeriodMs) {
        return diag::usage_error(fmt::format("'{}' is too short for {}", value, spelling),
                                 fmt::format("use at least {} ms", kShortestPeriodMs));
      }
      push.period_ms = request_.live.look_ms = period.milliseconds;
      return {};
    }
    case Option::push_target: {
      WPERF_TRY(push.target, request::parse_push_target(value));
      return {};
    }
    case Option::push_label: {
      WPERF_TRY(request::PushLabel label, request::parse_push_label(value));
      std::erase_if(push.labels, [&](const request::PushLabel& before) { return before.name == label.name; });
      push.labels.push_back(std::move(label));
      return {};
    }
    case Option::token_file:
      push.token_file = value;
      return {};
    default:  // --tenant
      push.tenant = value;
      return {};
  }
}

}  // namespace wperf::cli
