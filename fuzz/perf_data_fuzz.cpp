// SPDX-License-Identifier: BSD-3-Clause
// Bytes as a perf.data file. The result is an error of one sentence, or records whose views stay inside of the file, in
// bounded time.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "formats/perf_data/aux_traces.h"
#include "formats/perf_data/byte_order.h"
#include "formats/perf_data/process_history.h"

namespace {

using namespace wperf::perf_data;
using wperf::u32;
using wperf::u64;
using wperf::usize;

u64 sum = 0;  // reads every byte that a view contains

void touch(Bytes bytes) {
  for (const std::byte one : bytes) sum += std::to_integer<u64>(one);
}
void touch(const Words& words) {
  for (usize i = 0; i < words.size(); ++i) sum += words[i];
}
void touch(std::string_view text) {
  touch(std::as_bytes(std::span(text)));
}

struct Toucher {
  u64* given;

  void operator()(const Sample& sample, const Record&) const {
    ++*given;
    for (u32 i = 0; i < sample.counters.count; ++i) {
      sum += sample.counters.value(i) + sample.counters.id(i) + sample.counters.lost(i);
    }
    touch(sample.callchain);
    touch(sample.raw);
    touch(sample.branches.words);
    touch(sample.branches.counters);
    touch(sample.user_registers.values);
    touch(sample.interrupt_registers.values);
    touch(sample.user_stack.bytes);
    touch(sample.aux);
  }
  void operator()(const Mmap& one, const Record&) const {
    ++*given;
    touch(one.file);
    touch(one.build_id);
  }
  void operator()(const TextPoke& one, const Record&) const {
    ++*given;
    touch(one.old_code);
    touch(one.new_code);
  }
  void operator()(const CpuMap& one, const Record&) const {
    ++*given;
    one.for_each([](u32 cpu) { sum += cpu; });
  }
  void operator()(const ThreadMap& one, const Record&) const {
    ++*given;
    for (usize i = 0; i < one.size(); ++i) touch(one.name(i));
  }
  void operator()(const IdIndex& one, const Record&) const {
    ++*given;
    touch(one.words);
    touch(one.machines);
  }
  template <class Kind>
  void operator()(const Kind& one, const Record& record) const {
    ++*given;
    touch(record.payload);
    if constexpr (requires { one.name; }) touch(one.name);
    if constexpr (requires { one.path; }) touch(one.path);
    if constexpr (requires { one.data; }) touch(one.data);
    if constexpr (requires { one.links; }) touch(one.links);
    if constexpr (requires { one.callchain; }) touch(one.callchain);
    if constexpr (requires { one.message; }) touch(one.message);
    if constexpr (requires { one.parameters; }) touch(one.parameters);
  }
};

void read_features(const Features& features) {
  for (const u32 number : features.present()) {
    touch(features.bytes(static_cast<Feature>(number)));
    touch(features.text(static_cast<Feature>(number)));
  }
  for (const auto& one : features.command_line()) touch(one);
  for (const auto& one : features.event_descriptions()) touch(one.ids);
  for (const auto& one : features.build_ids()) touch(one.id);
  for (const auto& one : features.pmu_mappings()) touch(one.name);
  for (const auto& one : features.core_pmus()) touch(one.cores);
  for (const auto& one : features.group_descriptions()) touch(one.name);
  sum += features.auxtrace_index().size();
  if (features.cpu_count().has_value()) ++sum;
  if (features.total_memory().has_value()) ++sum;
  if (features.sample_time().has_value()) ++sum;
  if (features.clock_data().has_value()) ++sum;
  if (features.compression().has_value()) ++sum;
}

void read_traces(const PerfFile& file, usize file_size) {
  const AuxTraces traces = AuxTraces::collect(file);
  if (traces.size() > file_size) std::abort();
  if (traces.time().has_value()) sum += traces.time()->to_perf_ns(sum);
  for (const AuxBuffer& buffer : traces.buffers()) {
    u64 offset = buffer.offset;
    for (const AuxStretch& one : traces.stretches_of(buffer)) {
      if (one.offset != offset || one.bytes.empty()) std::abort();
      touch(one.bytes);
      offset += one.bytes.size();
    }
    if (offset != buffer.offset + buffer.bytes.size()) std::abort();
  }
}

// All samples have a thread and an address, or no sample has them.
void read_history(const PerfFile& file) {
  const ProcessHistory history = ProcessHistory::collect(file);
  const auto look = [&](u32 pid, u32 tid, u64 when, u64 address) {
    const ProcessHistory::Task task = history.task_at(pid, tid, when);
    if (when < task.begin || when >= task.end) std::abort();
    if (task.name != kNoCode && task.name >= history.names().size()) std::abort();
    const CodePlace place = history.place_in(task.space, address);
    if (place.code != kNoCode && place.code >= history.codes().size()) std::abort();
    sum += place.offset;
  };
  file.for_each_record([&](const Sample& sample, const Record&) {
    if (sample.time != ~u64{0}) look(sample.pid, sample.tid, sample.time, sample.ip);
  });
  look(1, 1, 5, 0x1000);
  for (const MappedCode& code : history.codes()) touch(code.path);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes bytes = std::as_bytes(std::span(data, size));
  std::vector<std::byte> turned;
  if (is_of_other_byte_order(bytes)) turned = in_native_order(bytes);
  const auto opened = PerfFile::open(turned.empty() ? bytes : Bytes(turned));
  if (!opened.has_value()) {
    if (opened.error().text.empty()) std::abort();
    return 0;
  }
  const PerfFile& file = opened.value();
  read_features(file.features());
  u64 given = 0;
  const ReadStatistics statistics = file.for_each_record(Toucher{&given});
  u64 unknown = statistics.of_further_unknown;
  for (const auto& one : statistics.unknown) unknown += one.second;
  // Records of unknown types are counted by type, but are not passed to a visitor.
  for (u32 type = 0; type < kRecordTypes; ++type) {
    if (record_name(type).empty()) unknown += statistics.by_type[type];
  }
  if (given + unknown + statistics.all_damaged() != statistics.records) std::abort();
  read_traces(file, size);
  read_history(file);
  return 0;
}
