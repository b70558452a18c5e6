// SPDX-License-Identifier: BSD-3-Clause
#include "formats/etl/kernel_events.h"

#include "formats/etl/kernel_payloads.h"
#include "formats/etl/recorder_payloads.h"
#include "formats/etl/trace_text.h"
#include "formats/etl/trace_writer.h"

namespace wperf::etl::write {
namespace {

enum Group : u8 { kTrace = 0x00, kProcess = 0x03, kThread = 0x05, kPerfInfo = 0x0f, kImage = 0x14, kStackWalk = 0x18 };

constexpr etl::Guid kImageIds = etl::guid(0xb3e675d7, 0x2554, 0x4f18, {0x83, 0x0b, 0x27, 0x62, 0x73, 0x25, 0x60, 0xde});
constexpr etl::Guid kVolumes = etl::guid(0x9b79ee91, 0xb5fd, 0x41c0, {0xa2, 0x43, 0x42, 0x48, 0xe2, 0x66, 0xe9, 0xd0});

void put_zeros(std::string& out, usize count) {
  out.append(count, '\0');
}

}  // namespace

std::string process(Moment moment, u64 time, const ProcessText& about) {
  std::string payload;
  put(payload, u64{0});  // the process's key
  put(payload, about.process);
  put(payload, about.parent);
  put_zeros(payload, 4 + 4 + 8 + 4);  // session, exit status, page tables, flags
  put(payload, u32{0});               // no SID
  payload += about.image;
  payload += '\0';
  put_wide(payload, about.command);
  put_wide(payload, {});  // package
  put_wide(payload, {});  // application
  return system_record({kProcess, static_cast<u8>(moment), 4}, time, about.process, 0, payload);
}

std::string thread(Moment moment, u64 time, u32 process, u32 thread) {
  std::string payload;
  put(payload, process);
  put(payload, thread);
  constexpr usize kWhole = 72;
  payload.resize(kWhole, '\0');  // stacks, start addresses, priorities
  return system_record({kThread, static_cast<u8>(moment), 3}, time, process, thread, payload);
}

std::string image(Moment moment, u64 time, const ImagePlace& about) {
  std::string payload;
  put(payload, about.base);
  put(payload, about.size);
  put(payload, about.process);
  put_zeros(payload, 4 + 4 + 4);  // checksum, time stamp, signature
  put(payload, about.base);       // its preferred base
  put_zeros(payload, 16);
  put_wide(payload, about.path);
  constexpr u8 kLoad = 10;
  return moment == Moment::begins
             ? system_record({kProcess, kLoad, 3}, time, about.process, 0, payload)
             : system_record({kImage, static_cast<u8>(moment), 3}, time, about.process, 0, payload);
}

std::string timer_sample(u64 time, u64 address, u32 thread) {
  std::string payload;
  put(payload, address);
  put(payload, thread);
  put(payload, u16{1});
  put(payload, u16{0});
  return kernel_record({kPerfInfo, 46, 2}, time, payload);
}

std::string counter_sample(u64 time, u64 address, u32 thread, u16 source) {
  std::string payload;
  put(payload, address);
  put(payload, thread);
  put(payload, source);
  put(payload, u16{0});
  return kernel_record({kPerfInfo, 47, 2}, time, payload);
}

std::string context_switch(u64 time, const Switch& about, std::span<const u64> counters) {
  std::string payload, values;
  put(payload, about.comes);
  put(payload, about.leaves);
  for (u32 i = 0; i < 4; ++i) put(payload, u8{0});  // priorities, processor state
  put(payload, about.reason);
  put(payload, u8{0});
  put(payload, about.state);
  put(payload, u8{0});
  put(payload, u64{0});  // wait time, and the remainder of the time slice
  for (const u64 value : counters) put(values, value);
  constexpr u8 kSwitch = 36;
  return kernel_record({kThread, kSwitch, 4}, time, payload, values);
}

std::string ready_thread(u64 time, u32 thread, bool by_timer) {
  std::string payload;
  put(payload, thread);
  put(payload, u16{0});  // priority boost
  put(payload, static_cast<u8>(by_timer ? 1 : 0));
  put(payload, u8{0});
  constexpr u8 kReady = 50;
  return kernel_record({kThread, kReady, 2}, time, payload);
}

std::string interval(u64 time, u32 source, u32 events, std::string_view name) {
  std::string payload;
  put(payload, source);
  put(payload, events);
  put(payload, events);
  put_wide(payload, name);
  constexpr u8 kBegins = 73;
  return kernel_record({kPerfInfo, kBegins, 3}, time, payload);
}

namespace {

std::string stack_payload(u64 event_time, u32 process, u32 thread, std::span<const u64> frames) {
  std::string payload;
  put(payload, event_time);
  put(payload, process);
  put(payload, thread);
  for (const u64 frame : frames) put(payload, frame);
  return payload;
}

std::string recorder_event(RecorderEvent kind, u64 time, std::string_view payload) {
  return classic_record(kRecorder, static_cast<u8>(kind), 1, time, payload);
}

}  // namespace

std::string stack(u64 time, u64 event_time, u32 process, u32 thread, std::span<const u64> frames) {
  return kernel_record({kStackWalk, 32, 2}, time, stack_payload(event_time, process, thread, frames));
}

std::string python_stack(u64 time, u64 event_time, u32 process, u32 thread, std::span<const u64> frames) {
  return recorder_event(RecorderEvent::stack, time, stack_payload(event_time, process, thread, frames));
}

std::string section_part(u64 time, u32 number, std::string_view part) {
  std::string payload;
  put(payload, number);
  payload += part;
  return recorder_event(RecorderEvent::section, time, payload);
}

std::string group_masks(u64 time, std::span<const u32, 8> masks) {
  std::string payload;
  for (const u32 mask : masks) put(payload, mask);
  put(payload, u32{0});  // version of the kernel's events
  return system_record({kTrace, 5, 2}, time, 0, 0, payload);
}

std::string image_id(u64 time, const ImageId& about) {
  std::string payload;
  put(payload, about.base);
  put(payload, about.process);
  payload.append(reinterpret_cast<const char*>(about.build.data()), about.build.size());
  payload += about.pdb_path;
  payload += '\0';
  return classic_record(kImageIds, 36, 2, time, payload);
}

std::string loss(u64 time, const LossSpan& about) {
  std::string payload;
  for (const u64 number : {about.begin_ns, about.end_ns, about.events, about.buffers}) put(payload, number);
  return recorder_event(RecorderEvent::loss, time, payload);
}

std::string volume(u64 time, std::string_view device, std::string_view drive) {
  std::string payload;
  put_wide(payload, device);
  put_wide(payload, drive);
  return classic_record(kVolumes, 35, 2, time, payload);
}

}  // namespace wperf::etl::write
