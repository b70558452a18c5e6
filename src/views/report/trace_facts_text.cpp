// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/trace_facts_text.h"

#include <fmt/format.h>

#include "ground/text/number_text.h"

namespace wperf::report {
namespace {

std::string gap_line(const stacks::TraceGapFacts& gap) {
  const std::string what = gap.buffers == 0   ? "data is missing"
                           : gap.buffers == 1 ? "a buffer is missing"
                                              : fmt::format("{} buffers are missing", text::with_commas(gap.buffers));
  const std::string where = gap.core.has_value() ? fmt::format("on core {}", *gap.core) : "on an unknown core";
  return fmt::format("{} {} between {:.6f} s and {:.6f} s ({})", what, where, trace_seconds(gap.begin),
                     trace_seconds(gap.end), gap.told_by);
}

}  // namespace

std::vector<std::string> trace_loss_lines(const stacks::TraceFacts& trace, bool all_gaps) {
  constexpr usize kFew = 3;
  std::vector<std::string> lines;
  const auto say = [&](u64 count, std::string_view one, std::string_view more) {
    if (count != 0) lines.push_back(fmt::format("{} {}", text::with_commas(count), count == 1 ? one : more));
  };
  say(trace.events_lost, "event was lost while recording: the session's buffers were full",
      "events were lost while recording: the session's buffers were full");
  say(trace.buffers_lost, "buffer was lost while recording: the disk was too slow, or full",
      "buffers were lost while recording: the disk was too slow, or full");
  say(trace.flagged_buffers, "buffer reports that data before it was lost",
      "buffers report that data before them was lost");
  say(trace.missing_buffers, "buffer is missing: its number is skipped",
      "buffers are missing: their numbers are skipped");
  const usize shown = all_gaps ? trace.gaps.size() : std::min(trace.gaps.size(), kFew);
  for (usize i = 0; i < shown; ++i) lines.push_back(gap_line(trace.gaps[i]));
  if (shown != trace.gaps.size()) {
    lines.push_back(fmt::format("{} more such times are shown with -v", text::with_commas(trace.gaps.size() - shown)));
  }
  const usize told = all_gaps ? trace.lost_over_time.size() : std::min(trace.lost_over_time.size(), kFew);
  for (usize i = 0; i < told; ++i) {
    const stacks::TraceLossSpan& one = trace.lost_over_time[i];
    lines.push_back(fmt::format("from {:.1f} s to {:.1f} s of the recording, Windows lost {} events and {} buffers",
                                trace_seconds(one.begin), trace_seconds(one.end), text::with_commas(one.events),
                                text::with_commas(one.buffers)));
  }
  if (told != trace.lost_over_time.size()) {
    lines.push_back(
        fmt::format("{} more such seconds are shown with -v", text::with_commas(trace.lost_over_time.size() - told)));
  }
  if (trace.events_lost + trace.buffers_lost != 0 && trace.gaps.empty() && trace.lost_over_time.empty()) {
    lines.emplace_back("the trace does not record when");
  }
  say(trace.cut_buffers, "buffer is cut by the end of the file", "buffers are cut by the ends of files");
  if (trace.damaged_buffers != 0) {
    const std::string bytes = text::with_commas(trace.damaged_bytes);
    say(trace.damaged_buffers, fmt::format("buffer is damaged: {} bytes of it could not be read", bytes),
        fmt::format("buffers are damaged: {} bytes of them could not be read", bytes));
  }
  say(trace.samples_of_nobody, "sample is of a thread that the trace does not name",
      "samples are of threads that the trace does not name");
  say(trace.out_of_order, "event is earlier than the one before it on its core: the trace is damaged",
      "events are earlier than those before them on their cores: the trace is damaged");
  say(trace.unexplained_stacks, "stack is known by a key that the trace does not explain",
      "stacks are known by keys that the trace does not explain");
  return lines;
}

void write_trace_facts(text::JsonWriter& json, const stacks::TraceFacts& trace) {
  const auto count = [&](const char* name, u64 value) { json.integer(name, value); };
  json.begin_object("trace");
  count("events_lost", trace.events_lost);
  count("buffers_lost", trace.buffers_lost);
  count("flagged_buffers", trace.flagged_buffers);
  count("missing_buffers", trace.missing_buffers);
  count("cut_buffers", trace.cut_buffers);
  count("damaged_buffers", trace.damaged_buffers);
  count("damaged_bytes", trace.damaged_bytes);
  count("out_of_order", trace.out_of_order);
  count("samples_of_nobody", trace.samples_of_nobody);
  count("unexplained_stacks", trace.unexplained_stacks);
  count("samples_without_stack", trace.samples_without_stack);
  count("idle_samples_left_out", trace.idle_samples);
  json.begin_array("gaps");
  for (const stacks::TraceGapFacts& gap : trace.gaps) {
    json.begin_object();
    json.string("told_by", gap.told_by);
    if (gap.core.has_value()) count("core", *gap.core);
    json.fixed("from_s", trace_seconds(gap.begin), 9);
    json.fixed("to_s", trace_seconds(gap.end), 9);
    if (gap.buffers != 0) count("buffers", gap.buffers);
    json.end_object();
  }
  json.end_array();
  if (!trace.lost_over_time.empty()) {
    json.begin_array("lost_over_time");
    for (const stacks::TraceLossSpan& one : trace.lost_over_time) {
      json.begin_object();
      json.fixed("from_s", trace_seconds(one.begin), 3);
      json.fixed("to_s", trace_seconds(one.end), 3);
      count("events", one.events);
      count("buffers", one.buffers);
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
}

}  // namespace wperf::report
