// SPDX-License-Identifier: BSD-3-Clause
// Decodes a record and passes it to a visitor, a callable with overloads (const Kind&, const Record&). Kinds without an
// overload are not even decoded. Records with contradicting lengths are counted.
#pragma once
#include <concepts>
#include <type_traits>

#include "formats/perf_data/kernel_records.h"
#include "formats/perf_data/user_records.h"

namespace wperf::perf_data {

// For visitors that need only these fields of samples; much cheaper than a Sample.
struct TimeOfSample {
  u64 ns = 0;
};

template <class... Functions>
struct Visitors : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Visitors(Functions...) -> Visitors<Functions...>;

template <class Kind, class Visitor>
void give(const Record& record, const EventTable& events, Visitor& visitor, ReadStatistics& statistics) {
  if constexpr (std::is_invocable_v<Visitor&, const Kind&, const Record&>) {
    Kind decoded;
    bool sound = false;
    if constexpr (std::derived_from<Kind, KernelRecord>) {
      sound = read(record, events, decoded);
    } else {
      sound = read(record, decoded);
    }
    if (sound) {
      visitor(std::as_const(decoded), record);
    } else {
      statistics.count_damaged(record.type);
    }
  }
}

template <class Visitor>
void give_sample(const Record& record, const EventTable& events, Visitor& visitor, ReadStatistics& statistics,
                 Sample& sample) {
  if constexpr (std::is_invocable_v<Visitor&, const Sample&, const Record&>) {
    switch (events.read(record, sample)) {
      case EventTable::Found::yes:
        return visitor(std::as_const(sample), record);
      case EventTable::Found::damaged:
        return statistics.count_damaged(record.type);
      case EventTable::Found::unknown_event:
        ++statistics.of_unknown_event;
    }
  } else if constexpr (std::is_invocable_v<Visitor&, const TimeOfSample&, const Record&>) {
    if (const std::optional<u64> time = events.sample_time(record)) visitor(TimeOfSample{*time}, record);
  }
}

template <class Visitor>
void visit_kernel_record(const Record& record, const EventTable& events, Visitor& visitor, ReadStatistics& statistics) {
  switch (record.kind()) {
    case RecordType::mmap:
    case RecordType::mmap2:
      return give<Mmap>(record, events, visitor, statistics);
    case RecordType::comm:
      return give<Comm>(record, events, visitor, statistics);
    case RecordType::fork:
    case RecordType::exit:
      return give<Task>(record, events, visitor, statistics);
    case RecordType::lost:
      return give<Lost>(record, events, visitor, statistics);
    case RecordType::lost_samples:
      return give<LostSamples>(record, events, visitor, statistics);
    case RecordType::throttle:
    case RecordType::unthrottle:
      return give<Throttle>(record, events, visitor, statistics);
    case RecordType::read:
      return give<CounterRead>(record, events, visitor, statistics);
    case RecordType::aux:
      return give<Aux>(record, events, visitor, statistics);
    case RecordType::itrace_start:
      return give<ItraceStart>(record, events, visitor, statistics);
    case RecordType::context_switch:
    case RecordType::switch_cpu_wide:
      return give<Switch>(record, events, visitor, statistics);
    case RecordType::namespaces:
      return give<Namespaces>(record, events, visitor, statistics);
    case RecordType::ksymbol:
      return give<KernelSymbol>(record, events, visitor, statistics);
    case RecordType::bpf_event:
      return give<BpfEvent>(record, events, visitor, statistics);
    case RecordType::cgroup:
      return give<Cgroup>(record, events, visitor, statistics);
    case RecordType::text_poke:
      return give<TextPoke>(record, events, visitor, statistics);
    case RecordType::aux_output_hw_id:
      return give<AuxOutputHardwareId>(record, events, visitor, statistics);
    case RecordType::callchain_deferred:
      return give<DeferredCallchain>(record, events, visitor, statistics);
    default:
      return;
  }
}

template <class Visitor>
void visit_user_record(const Record& record, const EventTable& events, Visitor& visitor, ReadStatistics& statistics) {
  switch (record.kind()) {
    case RecordType::header_attr:
      return give<NewEvent>(record, events, visitor, statistics);
    case RecordType::header_event_type:
      return give<EventTypeName>(record, events, visitor, statistics);
    case RecordType::header_tracing_data:
      return give<TracingData>(record, events, visitor, statistics);
    case RecordType::header_build_id:
      return give<BuildId>(record, events, visitor, statistics);
    case RecordType::finished_round:
      return give<FinishedRound>(record, events, visitor, statistics);
    case RecordType::id_index:
      return give<IdIndex>(record, events, visitor, statistics);
    case RecordType::auxtrace_info:
      return give<AuxTraceInfo>(record, events, visitor, statistics);
    case RecordType::auxtrace:
      return give<AuxTrace>(record, events, visitor, statistics);
    case RecordType::auxtrace_error:
      return give<AuxTraceError>(record, events, visitor, statistics);
    case RecordType::thread_map:
      return give<ThreadMap>(record, events, visitor, statistics);
    case RecordType::cpu_map:
      return give<CpuMap>(record, events, visitor, statistics);
    case RecordType::stat_config:
      return give<StatConfig>(record, events, visitor, statistics);
    case RecordType::stat:
      return give<Stat>(record, events, visitor, statistics);
    case RecordType::stat_round:
      return give<StatRound>(record, events, visitor, statistics);
    case RecordType::event_update:
      return give<EventUpdate>(record, events, visitor, statistics);
    case RecordType::time_conv:
      return give<TimeConv>(record, events, visitor, statistics);
    case RecordType::header_feature:
      return give<FeatureRecord>(record, events, visitor, statistics);
    case RecordType::compressed:
    case RecordType::compressed2:
      return give<Compressed>(record, events, visitor, statistics);
    case RecordType::finished_init:
      return give<FinishedInit>(record, events, visitor, statistics);
    default:
      return;
  }
}

// `sample`: all samples of a file are read into this object.
template <class Visitor>
void visit_record(const Record& record, const EventTable& events, Visitor& visitor, ReadStatistics& statistics,
                  Sample& sample) {
  if constexpr (std::is_invocable_v<Visitor&, const Record&>) visitor(record);
  if (record.kind() == RecordType::sample) {
    give_sample(record, events, visitor, statistics, sample);
  } else if (record.type < kFirstUserType) {
    visit_kernel_record(record, events, visitor, statistics);
  } else {
    visit_user_record(record, events, visitor, statistics);
  }
}

}  // namespace wperf::perf_data
