// SPDX-License-Identifier: BSD-3-Clause
// The kernel events in traces of Windows, each as a whole record for a buffer. formats/etl reads the same layouts.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "formats/etl/event.h"

namespace wperf::etl::write {

// Opcodes that processes, threads and images share. Only the load of an image has another opcode: see image().
enum class Moment : u8 { begins = 1, ends = 2, at_start = 3, at_end = 4 };

struct ProcessText {
  u32 process = 0, parent = 0;
  std::string_view image, command;
};
std::string process(Moment moment, u64 time, const ProcessText& about);
std::string thread(Moment moment, u64 time, u32 process, u32 thread);
struct ImagePlace {
  u32 process = 0;
  u64 base = 0, size = 0;
  std::string_view path;
};
std::string image(Moment moment, u64 time, const ImagePlace& about);

std::string timer_sample(u64 time, u64 address, u32 thread);
std::string counter_sample(u64 time, u64 address, u32 thread, u16 source);
struct Switch {
  u32 comes = 0, leaves = 0;  // threads; 0: the core's idle thread
  u8 state = 0, reason = 0;   // state and reason of the thread that leaves: KTHREAD_STATE and KWAIT_REASON
};
// `counters`: the current values of the session's counters on that core.
std::string context_switch(u64 time, const Switch& about, std::span<const u64> counters = {});
// `by_timer`: false if the thread that runs on that core made it ready.
std::string ready_thread(u64 time, u32 thread, bool by_timer);

// The interval of each source, as recorded when sampling begins. The timer is source 0, in units of 100 ns.
std::string interval(u64 time, u32 source, u32 events, std::string_view name);
// The stack of the event with this time and thread. Innermost frame first.
std::string stack(u64 time, u64 event_time, u32 process, u32 thread, std::span<const u64> frames);

// The groups of kernel events that the session requested.
std::string group_masks(u64 time, std::span<const u32, 8> masks);
// The PDB that belongs to the image at `base`.
struct ImageId {
  u32 process = 0;
  u64 base = 0;
  std::span<const std::byte> build;  // GUID and age: 20 bytes
  std::string_view pdb_path;
};
std::string image_id(u64 time, const ImageId& about);
// A loss between two times, in nanoseconds since the recording began, as an event that wperf defines.
struct LossSpan {
  u64 begin_ns = 0, end_ns = 0, events = 0, buffers = 0;
};
std::string loss(u64 time, const LossSpan& about);
// Two more events that wperf defines; etl::python_stack_event and etl::section_event read them.
std::string python_stack(u64 time, u64 event_time, u32 process, u32 thread, std::span<const u64> frames);
std::string section_part(u64 time, u32 number, std::string_view part);
// Says that \Device\HarddiskVolume3 is C:
std::string volume(u64 time, std::string_view device, std::string_view drive);

}  // namespace wperf::etl::write
