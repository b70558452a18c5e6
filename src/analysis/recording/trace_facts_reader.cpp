// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/trace_facts_reader.h"

#include "analysis/recording/trace_recording.h"
#include "model/stacks/unrecorded.h"

namespace wperf::recording {
namespace {

std::string told_by(etl::TraceGap::Sign sign) {
  switch (sign) {
    case etl::TraceGap::Sign::events_flag:
      return "events lost";
    case etl::TraceGap::Sign::buffer_flag:
      return "buffer lost";
    case etl::TraceGap::Sign::numbers:
      return "buffer numbers";
    case etl::TraceGap::Sign::damage:
      return "damage";
    case etl::TraceGap::Sign::file_end:
      return "end of file";
  }
  return {};
}

}  // namespace

stacks::TraceFacts trace_facts(const etl::Trace& trace, const TraceRecording& recorded) {
  stacks::TraceFacts facts = trace_facts(trace, recorded.losses);
  facts.samples_of_nobody = recorded.samples_of_nobody;
  facts.unexplained_stacks = recorded.unexplained_stacks;
  facts.samples_without_stack = recorded.samples_without_stack;
  return facts;
}

stacks::TraceFacts trace_facts(const etl::Trace& trace, const etl::TraceLosses& losses) {
  stacks::TraceFacts facts{.events_lost = trace.header().events_lost,
                           .buffers_lost = trace.header().buffers_lost,
                           .flagged_buffers = losses.flagged_buffers,
                           .missing_buffers = losses.missing_buffers,
                           .cut_buffers = losses.cut_buffers,
                           .damaged_buffers = losses.damaged_buffers,
                           .damaged_bytes = losses.damaged_bytes,
                           .out_of_order = losses.out_of_order};
  for (const etl::TraceGap& gap : losses.gaps) {
    facts.gaps.push_back({.told_by = told_by(gap.sign),
                          .core = gap.core,
                          .begin = trace.nanoseconds(gap.begin),
                          .end = trace.nanoseconds(gap.end),
                          .buffers = gap.buffers});
  }
  return facts;
}

std::vector<stacks::Unrecorded> unrecorded_of(const etl::Trace& trace, const etl::TraceLosses& losses,
                                              const std::vector<etl::LossEvent>& lost_over_time) {
  std::vector<stacks::Unrecorded> out;
  for (const etl::Unrecorded& one : losses.unrecorded) {
    out.push_back({.begin = trace.nanoseconds(one.begin) + 1,
                   .end = one.end == ~u64{0} ? one.end : trace.nanoseconds(one.end) + 1,
                   .core = one.core});
  }
  // Losses of Windows while it recorded, on any core, if no buffer says where.
  std::vector<stacks::Unrecorded> told;
  for (const etl::TraceGap& gap : losses.gaps) {
    if (!gap.core.has_value()) continue;
    told.push_back({.begin = trace.nanoseconds(gap.begin), .end = trace.nanoseconds(gap.end)});
  }
  const stacks::DarkTimes known(told, 0, ~u64{0});
  for (const etl::LossEvent& one : lost_over_time) {
    if (!known.any(one.begin_ns, one.end_ns)) out.push_back({.begin = one.begin_ns + 1, .end = one.end_ns + 1});
  }
  return out;
}

}  // namespace wperf::recording
