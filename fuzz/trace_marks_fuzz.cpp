// SPDX-License-Identifier: BSD-3-Clause
// Events of programs in .etl traces: names of providers and events, fields, spans between starts and stops. A span does
// not end before it begins, and its kind has a name.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "analysis/recording/trace_marks.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wperf;
  const auto file = etl::Trace::open(std::as_bytes(std::span(data, size)));
  if (!file.has_value()) return 0;
  etl::TraceLosses losses;
  recording::TraceProviderReader reader(file.value());
  const stacks::TraceProviders providers = reader.count(losses);
  std::size_t read = providers.providers.size();
  reader.for_each_mark({}, [&](const stacks::TraceMark& mark) {
    read += mark.provider.size() + mark.event.size() + mark.process_name.size();
    for (const stacks::TraceMark::Field& field : mark.fields) read += field.name.size() + field.value.size();
  });
  const recording::TraceSpans spans = recording::read_spans(file.value(), losses);
  for (const recording::PairedSpan& span : spans.paired.spans) {
    if (span.end < span.begin || span.kind >= spans.kinds.size()) std::abort();
  }
  for (const stacks::SpanRow& row : recording::span_rows(spans, {})) read += row.name.size();
  return read == ~std::size_t{0} ? 1 : 0;
}
