// SPDX-License-Identifier: BSD-3-Clause
// Spans that programs mark in a trace: pairs of events with the opcodes start and stop. Called by commands.
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

// What both ends of a span are called: "Work" of "Work/Start", "WorkStop", "Work/win:Start", "Work".
std::string_view span_name(std::string_view event, bool is_stop);

// By kind, those with most time first. `samples`: of where threads ran; those in a span are counted for it, each once.
std::vector<stacks::SpanRow> span_rows(const TraceSpans& spans, const std::vector<RunningSample>& samples);

}  // namespace wperf::recording
