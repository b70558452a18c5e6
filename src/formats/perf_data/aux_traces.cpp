// SPDX-License-Identifier: BSD-3-Clause
#include "formats/perf_data/aux_traces.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace wperf::perf_data {
namespace {

struct Owner {
  u32 cpu = kAnyCpu, tid = 0;
};
using Owners = std::unordered_map<u64, Owner>;  // keyed by the id of the event that writes into the buffer

// A thread's buffer has no CPU, and a CPU's buffer has no thread, whatever the record contains.
template <class T>
auto owner_of(const T& one) {
  return std::make_tuple(one.cpu, one.cpu == kAnyCpu ? one.tid : 0);
}

u64 end_of(const AuxChunk& chunk) {
  return chunk.size > ~chunk.offset ? ~u64{0} : chunk.offset + chunk.size;
}

// Version 1: PMU type, one buffer per CPU. Version 2: version, words of this header, PMU type, number of CPUs. Then for
// each CPU: a magic number, the CPU's number, the number of words that follow, and these words: MIDR, PMU type, minimum
// interval, ….
void read_arm_spe(AuxInfo& info) {
  const Words& words = info.parameters;
  if (words.size() == 2) {
    info.version = 1;
    info.pmu_type = words[0];
    info.per_cpu = words[1] != 0;
    return;
  }
  constexpr usize kSmallestHeader = 4, kCpuHeader = 3;
  const u64 header = words[1];
  if (words.size() < kSmallestHeader || words[0] < 2 || header < kSmallestHeader || header > words.size()) return;
  info.version = static_cast<u32>(words[0]);
  info.pmu_type = words[2];
  usize at = static_cast<usize>(header);
  for (u64 left = words[3]; left != 0 && words.size() - at >= kCpuHeader; --left) {
    const u64 count = words[at + 2];
    if (count > words.size() - at - kCpuHeader) return;
    AuxCpu cpu;
    cpu.cpu = words[at + 1];
    if (count > 0) cpu.midr = words[at + 3];
    if (count > 1) cpu.pmu_type = words[at + 4];
    if (count > 2) cpu.minimum_interval = words[at + 5];
    info.cpus.push_back(cpu);
    at += kCpuHeader + static_cast<usize>(count);
  }
}

AuxInfo make_info(const AuxTraceInfo& record) {
  AuxInfo info;
  info.type = record.type;
  info.parameters = record.parameters;
  if (info.type == kAuxArmSpe) read_arm_spe(info);
  return info;
}

std::optional<TimeConversion> make_conversion(const TimeConv& record) {
  if (record.multiplier == 0 || record.shift > 63) return std::nullopt;
  TimeConversion conversion;
  conversion.has_zero = record.has_zero;
  conversion.shift = static_cast<u32>(record.shift);
  conversion.multiplier = record.multiplier;
  conversion.zero = record.zero;
  if (record.is_short) {
    conversion.cycles = record.cycles;
    conversion.mask = record.mask;
  }
  return conversion;
}

AuxBuffer make_buffer(const AuxTrace& trace, const Record& record) {
  AuxBuffer buffer;
  buffer.cpu = trace.cpu;
  buffer.tid = trace.tid;
  buffer.index = trace.index;
  buffer.offset = trace.offset;
  buffer.size = trace.size;
  buffer.reference = trace.reference;
  buffer.file_offset = record.file_offset;
  buffer.bytes = trace.data;
  return buffer;
}

AuxChunk make_chunk(const Aux& aux) {
  AuxChunk chunk;
  if (aux.identity.has(kSampleCpu)) chunk.cpu = aux.identity.cpu;
  chunk.pid = aux.identity.pid;
  chunk.tid = aux.identity.tid;
  chunk.time = aux.identity.time;
  chunk.offset = aux.offset;
  chunk.size = aux.size;
  chunk.flags = aux.flags;
  return chunk;
}

void add_owners(const IdIndex& index, Owners& owners) {
  for (usize i = 0; i < index.size(); ++i) {
    owners[index.id(i)] = {static_cast<u32>(index.cpu(i)), static_cast<u32>(index.tid(i))};
  }
}

}  // namespace

AuxTraces AuxTraces::collect(const PerfFile& file) {
  AuxTraces traces;
  Owners owners;
  std::vector<u64> chunk_ids;
  traces.statistics_ = file.for_each_record(Visitors{
      [&](const AuxTraceInfo& info, const Record&) { traces.info_ = make_info(info); },
      [&](const TimeConv& time, const Record&) { traces.time_ = make_conversion(time); },
      [&](const IdIndex& index, const Record&) { add_owners(index, owners); },
      [&](const AuxTrace& trace, const Record& record) { traces.buffers_.push_back(make_buffer(trace, record)); },
      [&](const Aux& aux, const Record&) {
        traces.chunks_.push_back(make_chunk(aux));
        chunk_ids.push_back(aux.identity.id);
      },
  });
  // The trailer names the CPU on which a chunk was written. Only the index says which buffer it belongs to, because a
  // thread's buffer follows the thread from CPU to CPU.
  const bool by_thread = std::any_of(traces.buffers_.begin(), traces.buffers_.end(),
                                     [](const AuxBuffer& buffer) { return buffer.cpu == kAnyCpu; });
  for (usize i = 0; i < traces.chunks_.size(); ++i) {
    AuxChunk& chunk = traces.chunks_[i];
    const auto owner = owners.find(chunk_ids[i]);
    if (by_thread) chunk.cpu = kAnyCpu;
    if (owner == owners.end()) continue;
    if (chunk.cpu == kAnyCpu) chunk.cpu = by_thread ? kAnyCpu : owner->second.cpu;
    if (by_thread && owner->second.tid != ~u32{0}) chunk.tid = owner->second.tid;
  }
  traces.sort();
  traces.find_covering();
  return traces;
}

void AuxTraces::sort() {
  std::sort(buffers_.begin(), buffers_.end(), [](const AuxBuffer& a, const AuxBuffer& b) {
    return std::make_tuple(owner_of(a), a.offset, a.file_offset) <
           std::make_tuple(owner_of(b), b.offset, b.file_offset);
  });
  const auto rank = [](const AuxChunk& one) {
    return std::make_tuple(owner_of(one), one.offset, one.size, one.time, one.flags);
  };
  std::sort(chunks_.begin(), chunks_.end(), [&](const AuxChunk& a, const AuxChunk& b) { return rank(a) < rank(b); });
}

void AuxTraces::find_covering() {
  u64 covered = 0;
  for (usize i = 0; i < chunks_.size(); ++i) {
    if (i == 0 || owner_of(chunks_[i]) != owner_of(chunks_[i - 1])) covered = 0;
    if (chunks_[i].size == 0 || end_of(chunks_[i]) <= covered) continue;
    covered = end_of(chunks_[i]);
    covering_.push_back(i);
  }
}

u64 AuxTraces::size() const {
  u64 sum = 0;
  for (const AuxBuffer& buffer : buffers_) sum += buffer.bytes.size();
  return sum;
}

u64 AuxTraces::missing() const {
  u64 sum = 0;
  for (const AuxBuffer& buffer : buffers_) sum += buffer.size - buffer.bytes.size();
  return sum;
}

std::vector<AuxStretch> AuxTraces::stretches_of(const AuxBuffer& buffer) const {
  std::vector<AuxStretch> stretches;
  u64 done = 0;  // the number of bytes of the buffer that are in a stretch so far
  const auto add = [&](u64 end, const AuxChunk* chunk) {
    if (end <= done) return;
    stretches.push_back({slice(buffer.bytes, done, end - done), buffer.offset + done, chunk});
    done = end;
  };
  const u64 size = buffer.bytes.size();
  // Both offsets and ends ascend, so the first chunk that reaches into the buffer is found by binary search.
  auto at = std::partition_point(covering_.begin(), covering_.end(), [&](usize index) {
    const AuxChunk& chunk = chunks_[index];
    return std::make_tuple(owner_of(chunk), end_of(chunk)) <= std::make_tuple(owner_of(buffer), buffer.offset);
  });
  for (; at != covering_.end() && owner_of(chunks_[*at]) == owner_of(buffer) && done < size; ++at) {
    const AuxChunk& chunk = chunks_[*at];
    if (chunk.offset > buffer.offset) add(std::min(size, chunk.offset - buffer.offset), nullptr);
    add(std::min(size, end_of(chunk) - buffer.offset), &chunk);
  }
  add(size, nullptr);
  return stretches;
}

}  // namespace wperf::perf_data
