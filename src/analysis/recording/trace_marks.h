// SPDX-License-Identifier: BSD-3-Clause
// The marks of programs in a Windows trace: events of their providers, and spans.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/recording/recorded_switches.h"
#include "analysis/recording/span_pairing.h"
#include "formats/etl/self_describing.h"
#include "formats/etl/trace.h"
#include "formats/etl/trace_history.h"
#include "model/stacks/trace_facts.h"

namespace wperf::recording {

// Counts the events of a trace by provider, and passes on, one by one, the events that no report uses.
class TraceProviderReader {
 public:
  explicit TraceProviderReader(const etl::Trace& trace) : trace_(trace) {}

  // Reads the whole trace.
  stacks::TraceProviders count(etl::TraceLosses& losses);
  // Called after count(), for a second pass. `wanted(mark)` is called before fields are read.
  struct Choice {
    std::vector<u32> processes, threads;  // empty: all
    u64 from = 0, to = ~u64{0};
  };
  // Also called after count(): visits events of programs with the opcodes start and stop, in order of time.
  struct SpanEnd {
    const etl::Event& event;
    std::string_view provider, name;  // the name may be empty
    bool names_itself = false;
    bool is_stop = false;
  };
  void for_each_span_end(const std::function<void(const SpanEnd&)>& take) const;
  void for_each_mark(const Choice& choice, const std::function<void(const stacks::TraceMark&)>& take) const;

 private:
  struct Kind {
    u32 provider = 0;
    stacks::ProviderEvent summary;
    std::unordered_set<u32> threads;
    u32 last_thread = etl::Event::kNobody;
    u8 version = 0;
  };
  struct Provider {
    stacks::TraceProvider summary;
    etl::Guid id;
    etl::EventForm form = etl::EventForm::other;
  };
  Kind& kind_of(const etl::Event& event);
  const Kind* known_kind_of(const etl::Event& event) const;
  void spell_key(const etl::Event& event) const;
  u32 provider_of(const etl::Event& event);
  void take(const etl::Event& event);
  void name_all();

  const etl::Trace& trace_;
  etl::TraceHistory history_;
  mutable std::string key_;  // the key of the last event
  std::unordered_map<std::string, u32> kind_of_key_, provider_of_key_;
  std::vector<Kind> kinds_;
  std::vector<Provider> providers_;
  std::vector<etl::DescribedNames> descriptions_;
  std::vector<std::pair<etl::Guid, std::string>> manifests_;
  stacks::TraceProviders out_;
};

// Spans that programs mark in a trace: pairs of events with the opcodes start and stop.
struct TraceSpans {
  struct Kind {
    std::string provider, name;
  };
  std::vector<Kind> kinds;
  PairedSpans paired;  // on the clock of the samples
};
TraceSpans read_spans(const etl::Trace& trace, etl::TraceLosses& losses);

// The name that both ends of a span have in common: "Work" for "Work/Start", "WorkStop", "Work/win:Start", "Work".
std::string_view span_name(std::string_view event, bool is_stop);

// One row for each kind; the kind with the most time comes first. `samples`: show when and where threads ran. A sample
// in several spans of a kind counts once for that kind.
std::vector<stacks::SpanRow> span_rows(const TraceSpans& spans, const std::vector<RunningSample>& samples);

}  // namespace wperf::recording
