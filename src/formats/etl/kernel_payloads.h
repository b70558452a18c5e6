// SPDX-License-Identifier: BSD-3-Clause
// Reads the payloads of kernel events, by event and version. Each function returns nullopt for other events and for a
// payload that is too short. Unknown data at the end of a payload is ignored.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "formats/etl/event.h"

namespace wperf::etl {

// Did the event happen at its time, or does it list the state at the beginning or end of the trace? defunct: a process
// that ended long before, but to which a handle is still open.
enum class Rundown : u8 { begins, ends, at_start, at_end, defunct };

struct ProcessEvent {
  Rundown kind = Rundown::begins;
  u32 process = 0, parent = 0, session = 0;
  std::int32_t exit_code = 0;
  std::string image = {}, command = {};  // a file name without folders; the command line
};
std::optional<ProcessEvent> process_event(const Event& event);

struct ThreadEvent {
  Rundown kind = Rundown::begins;
  u32 process = 0, thread = 0;
  std::string name = {};  // empty: unknown
};
std::optional<ThreadEvent> thread_event(const Event& event);
std::optional<ThreadEvent> thread_name_event(const Event& event);  // SetName

struct ImageEvent {
  Rundown kind = Rundown::begins;
  u32 process = 0;  // 0: belongs to the kernel
  u64 base = 0, size = 0;
  u32 checksum = 0, time_stamp = 0;
  std::string path = {};  // NT's form: \Device\HarddiskVolume1\…
};
std::optional<ImageEvent> image_event(const Event& event);

// The PDB of the image at `base`, which a separate event reports.
struct PdbEvent {
  u32 process = 0;
  u64 base = 0;
  Guid id;
  u32 age = 0;
  std::string path;
  bool of_managed_code = false;
};
std::optional<PdbEvent> pdb_event(const Event& event);

struct VolumeEvent {
  std::string device, drive;  // \Device\HarddiskVolume1, C:
};
std::optional<VolumeEvent> volume_event(const Event& event);
// The folder of Windows, as a DOS path.
std::optional<std::string> windows_folder_event(const Event& event);

enum class SampleSource : u8 { timer, counter };
struct SampleEvent {
  SampleSource source = SampleSource::timer;
  u64 address = 0;
  u32 thread = 0;
  u16 count = 0;
  u16 counter = 0;  // the number of the source
  bool in_dpc = false, in_isr = false;
  bool is_idle() const { return thread == 0 && !in_dpc && !in_isr; }
};
std::optional<SampleEvent> sample_event(const Event& event);

struct IntervalEvent {
  u32 source = 0;                         // 0: the timer
  u32 interval = 0, interval_before = 0;  // timer: units of 100 ns; counters: events
  std::string name;
  bool is_change = false;  // true: changed at that time; false: the state at the beginning or end of the trace
};
std::optional<IntervalEvent> interval_event(const Event& event);

struct SwitchEvent {
  u32 new_thread = 0, old_thread = 0;
  u8 old_wait_reason = 0;
  u8 old_state = 0;
};
std::optional<SwitchEvent> switch_event(const Event& event);

// Is it an event with many context switches, in an undocumented form?
bool is_compact_switch_event(const Event& event);

struct ReadyEvent {
  u32 thread = 0;
  u8 flags = 0;  // 1 means: made ready by a deferred procedure call
};
std::optional<ReadyEvent> ready_event(const Event& event);

enum class StackForm : u8 {
  frames,      // frames of the event at `time`
  kernel_key,  // a key for a part of the stack; a later event defines the key
  user_key,
  key_definition,
};
struct StackEvent {
  StackForm form = StackForm::frames;
  u64 time = 0;
  u32 process = 0, thread = 0;
  u64 key = 0;
  Bytes frames;  // addresses of event.pointer_size bytes, innermost first
};
std::optional<StackEvent> stack_event(const Event& event);
struct GroupMask {
  std::array<u32, 8> words{};
};
std::optional<GroupMask> group_mask_event(const Event& event);

// A page that was read from disk because of an access to it.
struct HardFaultEvent {
  u64 start = 0;  // ticks
  u64 offset = 0, address = 0;
  u32 thread = 0, bytes = 0;
};
std::optional<HardFaultEvent> hard_fault_event(const Event& event);

// A transfer that has ended.
struct DiskEvent {
  bool is_write = false;
  u32 disk = 0, bytes = 0;
  u64 offset = 0;
  u64 took = 0;                 // ticks
  u32 thread = Event::kNobody;  // the thread that requested the transfer
};
std::optional<DiskEvent> disk_event(const Event& event);

struct InterruptEvent {
  u64 start = 0;  // ticks
  u64 routine = 0;
  bool is_isr = false;
};
std::optional<InterruptEvent> interrupt_event(const Event& event);

}  // namespace wperf::etl
