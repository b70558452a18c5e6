// SPDX-License-Identifier: BSD-3-Clause
#include "formats/etl/trace_writer.h"

#include <cstring>

#include "formats/etl/trace_text.h"

namespace wperf::etl::write {
namespace {

constexpr usize kBufferHeader = 0x48;
constexpr usize kRecordUnit = 8;
constexpr u8 kSystem64 = 0x02, kPerfInfo64 = 0x11, kClassic64 = 0x14, kHeaderMark = 0xc0;
constexpr u16 kHasProcessorIndex = 0x20, kHeaderBuffer = 4;
constexpr u16 kCountersShift = 8;  // in the version of a record: the number of attached values

void pad(std::string& record) {
  record.resize((record.size() + kRecordUnit - 1) / kRecordUnit * kRecordUnit);
}

template <class T>
void set(std::string& bytes, usize at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

}  // namespace

std::string trace_header(const TraceFacts& facts) {
  std::string payload(0x118, '\0');
  set(payload, 0x00, facts.buffer_size);
  set(payload, 0x04, facts.os_major);
  set(payload, 0x05, facts.os_minor);
  set(payload, 0x06, u8{1});  // the version of the log format is 1.5
  set(payload, 0x07, u8{5});
  set(payload, 0x08, facts.os_build);
  set(payload, 0x0c, facts.processors);
  set(payload, 0x10, facts.end_time);
  set(payload, 0x20, facts.log_file_mode);
  set(payload, 0x24, facts.buffers_written);
  set(payload, 0x28, u32{1});
  set(payload, 0x2c, u32{8});
  set(payload, 0x30, facts.events_lost);
  set(payload, 0x34, facts.mhz);
  set(payload, 0x100, facts.ticks_per_second);
  set(payload, 0x108, facts.start_time);
  set(payload, 0x110, u32{1});  // the clock is the performance counter
  set(payload, 0x114, facts.buffers_lost);
  put_wide(payload, facts.logger_name);
  put_wide(payload, facts.file_name);
  const std::string record = system_record({0, 0, 2}, facts.first_ticks, 0, 0, payload);
  return trace_buffer(record, facts.buffer_size, {.time = facts.first_ticks, .type = kHeaderBuffer});
}

std::string kernel_record(KernelEvent event, u64 time, std::string_view payload, std::string_view counters) {
  std::string record;
  put(record, static_cast<u16>(event.version | (counters.size() / sizeof(u64)) << kCountersShift));
  put(record, kPerfInfo64);
  put(record, kHeaderMark);
  put(record, static_cast<u16>(16 + counters.size() + payload.size()));
  put(record, event.opcode);
  put(record, event.group);
  put(record, time);
  record += counters;
  record += payload;
  pad(record);
  return record;
}

std::string system_record(KernelEvent event, u64 time, u32 process, u32 thread, std::string_view payload) {
  std::string record;
  put(record, u16{event.version});
  put(record, kSystem64);
  put(record, kHeaderMark);
  put(record, static_cast<u16>(32 + payload.size()));
  put(record, event.opcode);
  put(record, event.group);
  put(record, thread);
  put(record, process);
  put(record, time);
  put(record, u64{0});  // CPU times
  record += payload;
  pad(record);
  return record;
}

std::string classic_record(const etl::Guid& provider, u8 opcode, u16 version, u64 time, std::string_view payload) {
  std::string record;
  put(record, static_cast<u16>(48 + payload.size()));
  put(record, kClassic64);
  put(record, kHeaderMark);
  put(record, opcode);
  put(record, u8{0});
  put(record, version);
  put(record, u64{0});  // not used
  put(record, time);
  record.append(reinterpret_cast<const char*>(provider.bytes.data()), provider.bytes.size());
  put(record, u64{0});
  record += payload;
  pad(record);
  return record;
}

std::string trace_buffer(std::string_view records, u32 buffer_size, const BufferFacts& facts) {
  std::string out(kBufferHeader, '\0');
  set(out, 0x00, buffer_size);
  set(out, 0x10, facts.time);
  set(out, 0x18, facts.sequence);
  set(out, 0x28, facts.core);
  set(out, 0x30, static_cast<u32>(kBufferHeader + records.size()));
  set(out, 0x34, static_cast<u16>(facts.flags | kHasProcessorIndex));
  set(out, 0x36, facts.type);
  out += records;
  out.resize(buffer_size, '\xff');
  return out;
}

bool BufferWriter::add(u16 core, u64 time, std::string_view record) {
  if (kBufferHeader + record.size() > buffer_size_) return false;
  Core& one = cores_[core];
  if (kBufferHeader + one.records.size() + record.size() > buffer_size_) flush(core, one);
  one.records += record;
  one.time = time;
  return true;
}

void BufferWriter::flush(u16 core, Core& one) {
  sink_(trace_buffer(one.records, buffer_size_, {.core = core, .sequence = sequence_++, .time = one.time}));
  ++written_;
  one.records.clear();
}

void BufferWriter::finish() {
  for (auto& [core, one] : cores_) {
    if (!one.records.empty()) flush(core, one);
  }
}

}  // namespace wperf::etl::write
