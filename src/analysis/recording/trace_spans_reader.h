// SPDX-License-Identifier: BSD-3-Clause
// Spans that programs mark in a trace: pairs of events with the opcodes start and stop.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "analysis/recording/recorded_switches.h"
#include "analysis/recording/span_pairing.h"
#include "formats/etl/trace.h"
#include "model/stacks/trace_spans.h"

namespace wperf::recording {

struct TraceSpans {
  struct Kind {
    std::string provider, name;
  };
  std::vector<Kind> kinds;
  PairedSpans paired;  // times as samples of the trace have them
};
TraceSpans read_spans(const etl::Trace& trace, etl::TraceLosses& losses);

// The common name of both ends of a span: "Work" for "Work/Start", "WorkStop", "Work/win:Start", "Work".
std::string_view span_name(std::string_view event, bool is_stop);

// By kind, the kinds with most time first. `samples`: the times and places at which threads ran; a sample within spans
// of a kind counts for it once.
std::vector<stacks::SpanRow> span_rows(const TraceSpans& spans, const std::vector<RunningSample>& samples);

}  // namespace wperf::recording
