// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/trace_spans_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "analysis/recording/trace_providers_reader.h"

namespace wperf::recording {
namespace {

// The task pairs events without a common name. The provider pairs classic events.
std::string pairing_key(const TraceProviderReader::SpanEnd& end) {
  std::string key(reinterpret_cast<const char*>(end.event.provider.bytes.data()), end.event.provider.bytes.size());
  if (end.event.form == etl::EventForm::classic) return key;
  if (!end.names_itself && end.event.task != 0) return key + fmt::format("task {}", end.event.task);
  key += '/';
  return key += span_name(end.name, end.is_stop);
}

// A thread's samples by time, with the sum of the weights before each.
struct SampledThread {
  std::vector<std::pair<u64, u64>> samples;  // time, weight
  std::vector<u64> before;
};

std::unordered_map<u32, SampledThread> by_thread(const std::vector<RunningSample>& samples) {
  std::unordered_map<u32, SampledThread> out;
  for (const RunningSample& one : samples) out[one.thread].samples.emplace_back(one.time, one.weight);
  for (auto& [number, thread] : out) {
    std::sort(thread.samples.begin(), thread.samples.end());
    thread.before.push_back(0);
    for (const auto& [time, weight] : thread.samples) thread.before.push_back(thread.before.back() + weight);
  }
  return out;
}

void count_samples(std::span<const PairedSpan> spans, const std::unordered_map<u32, SampledThread>& threads,
                   stacks::SpanRow& row) {
  for (const auto& [number, stretches] : merged_stretches(spans)) {
    const auto found = threads.find(number);
    if (found == threads.end()) continue;
    const SampledThread& thread = found->second;
    const auto place_of = [&](u64 time) {
      const auto at = std::lower_bound(thread.samples.begin(), thread.samples.end(), std::pair{time, u64{0}});
      return static_cast<usize>(at - thread.samples.begin());
    };
    for (const TimeStretch& one : stretches) {
      const usize first = place_of(one.begin), behind = place_of(one.end);
      row.samples += behind - first;
      row.sampled += thread.before[behind] - thread.before[first];
    }
  }
}

void add_lengths(std::span<const PairedSpan> spans, stacks::SpanRow& row) {
  std::vector<u64> lengths;
  std::vector<u32> threads;
  for (const PairedSpan& one : spans) {
    lengths.push_back(one.end - one.begin);
    threads.push_back(one.thread);
    row.total_ns += lengths.back();
  }
  std::sort(threads.begin(), threads.end());
  row.threads = static_cast<u64>(std::unique(threads.begin(), threads.end()) - threads.begin());
  row.count = lengths.size();
  if (lengths.empty()) return;
  std::sort(lengths.begin(), lengths.end());
  row.shortest_ns = lengths.front();
  row.median_ns = lengths[(lengths.size() - 1) / 2];
  row.longest_ns = lengths.back();
}

}  // namespace

std::string_view span_name(std::string_view event, bool is_stop) {
  std::string_view name = event;
  const auto drop = [&name](std::string_view end) {
    if (name.ends_with(end)) name.remove_suffix(end.size());
  };
  drop(is_stop ? "Stop" : "Start");
  if (name.size() == event.size()) return event;
  drop("win:");
  while (!name.empty() && std::string_view("/_.-: ").find(name.back()) != std::string_view::npos) name.remove_suffix(1);
  return name.empty() ? event : name;
}

TraceSpans read_spans(const etl::Trace& trace, etl::TraceLosses& losses) {
  TraceProviderReader reader(trace);
  reader.count(losses);
  TraceSpans out;
  SpanPairing pairing;
  std::unordered_map<std::string, u32> kind_of_key;
  reader.for_each_span_end([&](const TraceProviderReader::SpanEnd& end) {
    const auto [at, is_new] = kind_of_key.try_emplace(pairing_key(end), static_cast<u32>(out.kinds.size()));
    if (is_new) {
      out.kinds.push_back(
          {.provider = std::string(end.provider), .name = std::string(span_name(end.name, end.is_stop))});
      if (end.name.empty()) out.kinds.back().name = fmt::format("task {}", end.event.task);
    }
    SpanMark mark{.time = trace.nanoseconds(end.event.time) + 1,  // as times of samples are
                  .kind = at->second,
                  .thread = end.event.thread,
                  .is_stop = end.is_stop};
    std::memcpy(mark.activity.data(), end.event.activity.bytes.data(), sizeof mark.activity);
    pairing.take(mark);
  });
  out.paired = pairing.finish();
  return out;
}

std::vector<stacks::SpanRow> span_rows(const TraceSpans& spans, const std::vector<RunningSample>& samples) {
  std::vector<PairedSpan> sorted = spans.paired.spans;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const PairedSpan& a, const PairedSpan& b) { return a.kind < b.kind; });
  const auto threads = by_thread(samples);
  std::vector<stacks::SpanRow> rows;
  usize first = 0;
  for (u32 kind = 0; kind < spans.kinds.size(); ++kind) {
    usize behind = first;
    while (behind < sorted.size() && sorted[behind].kind == kind) ++behind;
    stacks::SpanRow& row = rows.emplace_back();
    row.provider = spans.kinds[kind].provider;
    row.name = spans.kinds[kind].name;
    row.unclosed = spans.paired.unclosed[kind];
    row.unopened = spans.paired.unopened[kind];
    const std::span<const PairedSpan> own = std::span(sorted).subspan(first, behind - first);
    add_lengths(own, row);
    count_samples(own, threads, row);
    first = behind;
  }
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.total_ns > b.total_ns; });
  return rows;
}

}  // namespace wperf::recording
