// SPDX-License-Identifier: BSD-3-Clause
#include "formats/perf_data/record_bytes.h"

#include "formats/perf_data/byte_writing.h"
#include "formats/perf_data/format.h"

namespace wperf::perf_data {
namespace {

using perf_data::RecordType;

constexpr u32 kExecutable = 0x4;
constexpr usize kMappedBuildIdRoom = 20;
constexpr u64 kEventNameUpdate = 2;

u16 cpu_mode(bool kernel) {
  return kernel ? 1 : 2;
}

usize trailer_size(const Trailer& trailer) {
  usize size = 0;
  for (u64 left = trailer.sample_type & perf_data::kIdentityFields; left != 0; left &= left - 1) size += sizeof(u64);
  return size;
}

void put_trailer(std::string& body, const Trailer& trailer) {
  const auto has = [&trailer](u64 field) { return (trailer.sample_type & field) != 0; };
  if (has(perf_data::kSampleTid)) {
    put(body, trailer.pid);
    put(body, trailer.tid);
  }
  if (has(perf_data::kSampleTime)) put(body, trailer.time);
  if (has(perf_data::kSampleId)) put(body, trailer.id);
  if (has(perf_data::kSampleStreamId)) put(body, trailer.stream_id);
  if (has(perf_data::kSampleCpu)) put(body, u64{trailer.cpu});  // the upper half is reserved
  if (has(perf_data::kSampleIdentifier)) put(body, trailer.id);
}

void put_kernel_record(std::string& out, RecordType type, u16 misc, std::string& body, const Trailer& trailer) {
  put_trailer(body, trailer);
  put_record(out, static_cast<u32>(type), misc, body);
}

}  // namespace

void append_mmap2(std::string& out, const WrittenMapping& mapping, const Trailer& trailer) {
  u16 misc = cpu_mode(mapping.kernel);
  std::string body;
  put(body, mapping.pid);
  put(body, mapping.tid);
  put(body, mapping.address);
  put(body, mapping.length);
  put(body, mapping.page_offset);
  if (mapping.build_id.empty()) {
    put(body, mapping.device_major);
    put(body, mapping.device_minor);
    put(body, mapping.inode);
    put(body, mapping.inode_generation);
  } else {
    misc |= perf_data::kMiscMmapBuildId;
    const std::string_view id = mapping.build_id.substr(0, kMappedBuildIdRoom);
    put(body, static_cast<u32>(id.size()));  // one byte, and three unused ones
    put_padded(body, id, kMappedBuildIdRoom);
  }
  put(body, mapping.protection);
  put(body, mapping.flags);
  if ((mapping.protection & kExecutable) == 0) misc |= perf_data::kMiscMmapData;
  put_cut_text(body, mapping.file, trailer_size(trailer));
  put_kernel_record(out, RecordType::mmap2, misc, body, trailer);
}

void append_comm(std::string& out, TaskNumbers task, std::string_view name, bool by_exec, const Trailer& trailer) {
  std::string body;
  put(body, task.pid);
  put(body, task.tid);
  put_cut_text(body, name, trailer_size(trailer));
  put_kernel_record(out, RecordType::comm, by_exec ? perf_data::kMiscCommExec : u16{0}, body, trailer);
}

void append_fork(std::string& out, TaskNumbers child, TaskNumbers parent, u64 time, const Trailer& trailer) {
  std::string body;
  for (const u32 id : {child.pid, parent.pid, child.tid, parent.tid}) put(body, id);
  put(body, time);
  put_kernel_record(out, RecordType::fork, 0, body, trailer);
}

void append_sample(std::string& out, const WrittenSample& sample) {
  const auto has = [&sample](u64 field) { return (sample.sample_type & field) != 0; };
  std::string body;
  if (has(perf_data::kSampleIdentifier)) put(body, sample.id);
  if (has(perf_data::kSampleIp)) put(body, sample.ip);
  if (has(perf_data::kSampleTid)) {
    put(body, sample.pid);
    put(body, sample.tid);
  }
  if (has(perf_data::kSampleTime)) put(body, sample.time);
  if (has(perf_data::kSampleId)) put(body, sample.id);
  if (has(perf_data::kSampleStreamId)) put(body, sample.stream_id);
  if (has(perf_data::kSampleCpu)) put(body, u64{sample.cpu});
  if (has(perf_data::kSamplePeriod)) put(body, sample.period);
  if (has(perf_data::kSampleCallchain)) {
    const usize room = (kLargestRecord - kRecordHeaderSize - body.size()) / sizeof(u64) - 1;
    const std::span<const u64> chain = sample.callchain.first(std::min(room, sample.callchain.size()));
    put(body, u64{chain.size()});
    for (const u64 address : chain) put(body, address);
  }
  if (has(perf_data::kSampleUserRegisters)) {
    constexpr u64 kNoRegisters = 0, k64Bit = 2;
    put(body, sample.user_registers.empty() ? kNoRegisters : k64Bit);
    for (const u64 value : sample.user_registers) put(body, value);
  }
  put_record(out, static_cast<u32>(RecordType::sample), cpu_mode(sample.kernel), body);
}

void append_lost_samples(std::string& out, u64 samples, const Trailer& trailer) {
  std::string body;
  put(body, samples);
  put_kernel_record(out, RecordType::lost_samples, 0, body, trailer);
}

void append_auxtrace_info(std::string& out, u32 type, std::span<const u64> parameters) {
  std::string body;
  put(body, u64{type});  // the upper half is reserved
  for (const u64 parameter : parameters) put(body, parameter);
  put_record(out, static_cast<u32>(RecordType::auxtrace_info), 0, body);
}

void append_auxtrace(std::string& out, u32 core, u64 offset, std::string_view bytes) {
  constexpr u64 kNoReference = 0;
  constexpr u32 kEveryThread = ~u32{0}, kFree = 0;
  const usize size = round_up(bytes.size(), 8);
  std::string body;
  for (const u64 word : {u64{size}, offset, kNoReference}) put(body, word);
  for (const u32 word : {core, kEveryThread, core, kFree}) put(body, word);
  put_record(out, static_cast<u32>(RecordType::auxtrace), 0, body);
  put_padded(out, bytes, size);
}

void append_time_conversion(std::string& out, u64 shift, u64 multiplier, u64 zero) {
  constexpr u64 kNoCycles = 0, kWholeCounter = ~u64{0}, kHasZero = 1;
  std::string body;
  for (const u64 word : {shift, multiplier, zero, kNoCycles, kWholeCounter, kHasZero}) put(body, word);
  put_record(out, static_cast<u32>(RecordType::time_conv), 0, body);
}

void append_finished_round(std::string& out) {
  put_record(out, static_cast<u32>(RecordType::finished_round), 0, {});
}

void append_event_name(std::string& out, u64 id, std::string_view name) {
  std::string body;
  put(body, kEventNameUpdate);
  put(body, id);
  put_cut_text(body, name);
  put_record(out, static_cast<u32>(RecordType::event_update), 0, body);
}

}  // namespace wperf::perf_data
