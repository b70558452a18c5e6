// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/trace_marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "formats/etl/jit_code.h"
#include "formats/etl/kernel_payloads.h"
#include "formats/etl/known_providers.h"
#include "formats/etl/recorder_payloads.h"

namespace wperf::recording {
namespace {

using etl::Event;
using etl::EventForm;

bool is_read(const Event& event) {
  const bool is_header = event.form == EventForm::kernel && event.group == 0 && event.opcode == 0;
  return is_header || etl::sample_event(event) || etl::stack_event(event) || etl::interval_event(event) ||
         etl::group_mask_event(event) || etl::switch_event(event) || etl::ready_event(event) ||
         etl::interrupt_event(event) || etl::process_event(event) || etl::thread_event(event) ||
         etl::thread_name_event(event) || etl::image_event(event) || etl::pdb_event(event) ||
         etl::volume_event(event) || etl::windows_folder_event(event) || etl::jit_code_event(event) ||
         etl::described_names(event) || etl::loss_event(event) || etl::python_stack_event(event) ||
         etl::section_event(event);
}

u32 number_of(const Event& event) {
  return event.form == EventForm::manifest || event.form == EventForm::message ? event.id : event.opcode;
}

template <class T>
void append(std::string& key, const T& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Adds the fields of disk and hard-fault events, which traces do not describe.
void add_known_fields(const etl::Trace& trace, const Event& event, stacks::TraceMark& mark) {
  const auto number = [&](const char* name, u64 value) {
    mark.fields.push_back({.name = name, .value = std::to_string(value), .is_number = true});
  };
  const u64 begin = trace.header().first_ticks;
  if (const auto disk = etl::disk_event(event)) {
    number("disk", disk->disk);
    number("offset", disk->offset);
    number("bytes", disk->bytes);
    number("took_ns", trace.nanoseconds(begin + std::min(disk->took, ~u64{0} - begin)));
  } else if (const auto fault = etl::hard_fault_event(event)) {
    mark.fields.push_back({.name = "address", .value = fmt::format("{:#x}", fault->address)});
    number("bytes", fault->bytes);
    number("took_ns", trace.nanoseconds(begin + (event.time - std::min(fault->start, event.time))));
  }
}

}  // namespace

void TraceProviderReader::spell_key(const Event& event) const {
  key_.clear();
  append(key_, event.form);
  if (event.form == EventForm::kernel) {
    append(key_, event.group);
  } else if (event.form != EventForm::other) {
    append(key_, event.provider.bytes);
  } else {
    append(key_, event.header_type);
  }
}

u32 TraceProviderReader::provider_of(const Event& event) {
  spell_key(event);
  const auto [at, is_new] = provider_of_key_.try_emplace(key_, static_cast<u32>(providers_.size()));
  if (!is_new) return at->second;
  Provider& made = providers_.emplace_back();
  made.form = event.form;
  made.id = event.provider;
  if (event.form == EventForm::kernel) {
    made.summary.name = etl::kernel_group_name(event.group);
    if (made.summary.name.empty()) made.summary.name = fmt::format("kernel group {:#x}", event.group);
  } else if (event.form == EventForm::other) {
    made.summary.name = fmt::format("records of type {:#x}", event.header_type);
  } else {
    made.summary.guid = etl::guid_text(event.provider);
    made.summary.name = etl::provider_name(event.provider);
  }
  return at->second;
}

// Self-describing events have no numbers, so they are identified by name.
const TraceProviderReader::Kind* TraceProviderReader::known_kind_of(const Event& event) const {
  spell_key(event);
  append(key_, number_of(event));
  if (const auto own = etl::event_names(event)) key_ += own->event;
  const auto found = kind_of_key_.find(key_);
  return found == kind_of_key_.end() ? nullptr : &kinds_[found->second];
}

TraceProviderReader::Kind& TraceProviderReader::kind_of(const Event& event) {
  if (known_kind_of(event) != nullptr) return kinds_[kind_of_key_[key_]];
  const std::string key = key_;
  kind_of_key_.emplace(key, static_cast<u32>(kinds_.size()));
  Kind made;
  made.provider = provider_of(event);
  made.version = event.version;
  made.summary.id = number_of(event);
  made.summary.first = trace_.nanoseconds(event.time);
  if (event.form == EventForm::kernel) made.summary.name = etl::kernel_event_name(event.group, event.opcode);
  if (const auto own = etl::event_names(event)) {
    made.summary.name = own->event;
    std::string& provider = providers_[made.provider].summary.name;
    if (!own->provider.empty()) provider = own->provider;
  }
  return kinds_.emplace_back(std::move(made));
}

void TraceProviderReader::take(const Event& event) {
  // Whether an event can be read may depend on its contents, so the first events of each kind are tried.
  constexpr u64 kEnough = 100;
  Kind& kind = kind_of(event);
  ++kind.summary.count;
  kind.summary.bytes += event.size;
  kind.summary.last = trace_.nanoseconds(event.time);
  if (!kind.summary.is_read && kind.summary.count <= kEnough) kind.summary.is_read = is_read(event);
  if (event.thread != Event::kNobody && event.thread != kind.last_thread) {
    kind.last_thread = event.thread;
    kind.threads.insert(event.thread);
  }
  if (const auto disk = etl::disk_event(event)) {
    ++(disk->is_write ? out_.disk_writes : out_.disk_reads);
    (disk->is_write ? out_.disk_written_bytes : out_.disk_read_bytes) += disk->bytes;
  } else if (const auto fault = etl::hard_fault_event(event)) {
    ++out_.hard_faults;
    out_.hard_fault_bytes += fault->bytes;
  } else if (auto foreign = etl::described_names(event)) {
    descriptions_.push_back(*std::move(foreign));
  } else if (std::string name = etl::manifest_provider_name(event); !name.empty()) {
    manifests_.emplace_back(event.provider, std::move(name));
  } else {
    history_.take(event);
  }
}

// Names in the trace take precedence over names known to wperf.
void TraceProviderReader::name_all() {
  for (const auto& [id, name] : manifests_) {
    for (Provider& provider : providers_) {
      if (provider.form == EventForm::manifest && provider.id == id) provider.summary.name = name;
    }
  }
  for (Kind& kind : kinds_) {
    Provider& provider = providers_[kind.provider];
    const bool classic = provider.form == EventForm::classic;
    if (!classic && provider.form != EventForm::manifest) continue;
    for (const etl::DescribedNames& one : descriptions_) {
      if (one.is_classic != classic || one.provider != provider.id) continue;
      if (!one.provider_name.empty()) provider.summary.name = one.provider_name;
      if (one.id == kind.summary.id && !one.event_name.empty() &&
          (kind.summary.name.empty() || one.version == kind.version)) {
        kind.summary.name = one.event_name;
      }
    }
  }
}

stacks::TraceProviders TraceProviderReader::count(etl::TraceLosses& losses) {
  u64 last = 0;
  trace_.for_each_event(
      [&](const Event& event) {
        take(event);
        last = std::max(last, event.time);
      },
      losses);
  history_.finish();
  name_all();
  out_.duration = trace_.nanoseconds(last);
  for (const Provider& provider : providers_) out_.providers.push_back(provider.summary);
  for (Kind& kind : kinds_) {
    kind.summary.threads = kind.threads.size();
    stacks::TraceProvider& provider = out_.providers[kind.provider];
    provider.events += kind.summary.count;
    provider.bytes += kind.summary.bytes;
    provider.kinds.push_back(kind.summary);
  }
  for (stacks::TraceProvider& provider : out_.providers) {
    out_.events += provider.events;
    out_.bytes += provider.bytes;
    std::stable_sort(provider.kinds.begin(), provider.kinds.end(),
                     [](const auto& a, const auto& b) { return a.count > b.count; });
  }
  std::stable_sort(out_.providers.begin(), out_.providers.end(),
                   [](const auto& a, const auto& b) { return a.events > b.events; });
  return out_;
}

void TraceProviderReader::for_each_span_end(const std::function<void(const SpanEnd&)>& take_end) const {
  constexpr u8 kStart = 1, kStop = 2;
  etl::TraceLosses losses;
  trace_.for_each_event(
      [&](const Event& event) {
        const bool is_program = event.form == EventForm::manifest || event.form == EventForm::classic;
        if (!is_program || (event.opcode != kStart && event.opcode != kStop)) return;
        const Kind* const kind = known_kind_of(event);
        if (kind == nullptr) return;
        const stacks::TraceProvider& provider = providers_[kind->provider].summary;
        take_end({.event = event,
                  .provider = !provider.name.empty() ? provider.name : provider.guid,
                  .name = kind->summary.name,
                  .names_itself = etl::event_names(event).has_value(),
                  .is_stop = event.opcode == kStop});
      },
      losses);
}

void TraceProviderReader::for_each_mark(const Choice& choice,
                                        const std::function<void(const stacks::TraceMark&)>& take_mark) const {
  const auto has = [](const std::vector<u32>& chosen, u32 one) {
    return chosen.empty() || std::find(chosen.begin(), chosen.end(), one) != chosen.end();
  };
  stacks::TraceMark mark;
  etl::TraceLosses losses;
  trace_.for_each_event(
      [&](const Event& event) {
        const u64 time = trace_.nanoseconds(event.time);
        if (time < choice.from || time >= choice.to) return;
        const Kind* const kind = known_kind_of(event);
        if (kind == nullptr || kind->summary.is_read) return;
        mark = {.time = time, .process = event.process, .thread = event.thread, .core = event.core};
        if (const auto disk = etl::disk_event(event)) mark.thread = disk->thread;
        if (const auto fault = etl::hard_fault_event(event)) mark.thread = fault->thread;
        if (mark.process == Event::kNobody && mark.thread != Event::kNobody) {
          mark.process = history_.process_of(mark.thread, event.time);
        }
        if (!has(choice.processes, mark.process) || !has(choice.threads, mark.thread)) return;
        if (mark.process != Event::kNobody) mark.process_name = history_.image_of(mark.process, event.time);
        const stacks::TraceProvider& provider = providers_[kind->provider].summary;
        mark.provider = !provider.name.empty() ? provider.name : provider.guid;
        mark.event = !kind->summary.name.empty() ? kind->summary.name : std::to_string(kind->summary.id);
        mark.bytes = event.payload.size();
        if (const auto own = etl::event_names(event)) {
          etl::DescribedFields read = etl::described_fields(*own, event);
          mark.is_cut = read.is_cut;
          for (etl::DescribedField& field : read.fields) {
            mark.fields.push_back({std::move(field.name), std::move(field.value), field.is_number});
          }
        } else {
          add_known_fields(trace_, event, mark);
        }
        take_mark(mark);
      },
      losses);
}

namespace {

// Events without a common name are paired by their task, classic events by their provider.
std::string pairing_key(const TraceProviderReader::SpanEnd& end) {
  std::string key(reinterpret_cast<const char*>(end.event.provider.bytes.data()), end.event.provider.bytes.size());
  if (end.event.form == etl::EventForm::classic) return key;
  if (!end.names_itself && end.event.task != 0) return key + fmt::format("task {}", end.event.task);
  key += '/';
  return key += span_name(end.name, end.is_stop);
}

// A thread's samples in order of time, with the sum of the weights before each.
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
    SpanMark mark{.time = trace.nanoseconds(end.event.time) + 1,  // on the samples' clock
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
