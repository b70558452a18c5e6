// SPDX-License-Identifier: BSD-3-Clause
#include "formats/etl/kernel_payloads.h"

#include <algorithm>

#include "formats/etl/payload.h"

namespace wperf::etl {
namespace {

enum Group : u8 {
  trace = 0,
  disk = 1,
  memory = 2,
  process = 3,
  thread = 5,
  performance = 0x0f,
  image = 0x14,
  stack = 0x18,
};

constexpr Guid kProcess = guid(0x3d6fa8d0, 0xfe05, 0x11d0, {0x9d, 0xda, 0x00, 0xc0, 0x4f, 0xd7, 0xba, 0x7c});
constexpr Guid kThread = guid(0x3d6fa8d1, 0xfe05, 0x11d0, {0x9d, 0xda, 0x00, 0xc0, 0x4f, 0xd7, 0xba, 0x7c});
constexpr Guid kImage = guid(0x2cb15d1d, 0x5fc1, 0x11d2, {0xab, 0xe1, 0x00, 0xa0, 0xc9, 0x11, 0xf5, 0x18});
constexpr Guid kPerformance = guid(0xce1dbfb4, 0x137e, 0x4da6, {0x87, 0xb0, 0x3f, 0x59, 0xaa, 0x10, 0x2c, 0xbc});
constexpr Guid kStack = guid(0xdef2fe46, 0x7bd6, 0x4b80, {0xbd, 0x94, 0xf5, 0x7f, 0xe2, 0x0d, 0x0c, 0xe3});
constexpr Guid kDisk = guid(0x3d6fa8d4, 0xfe05, 0x11d0, {0x9d, 0xda, 0x00, 0xc0, 0x4f, 0xd7, 0xba, 0x7c});
constexpr Guid kMemory = guid(0x3d6fa8d3, 0xfe05, 0x11d0, {0x9d, 0xda, 0x00, 0xc0, 0x4f, 0xd7, 0xba, 0x7c});
constexpr Guid kTrace = guid(0x68fdd900, 0x4a3e, 0x11d1, {0x84, 0xf4, 0x00, 0x00, 0xf8, 0x04, 0x64, 0xe3});
constexpr Guid kImageId = guid(0xb3e675d7, 0x2554, 0x4f18, {0x83, 0x0b, 0x27, 0x62, 0x73, 0x25, 0x60, 0xde});
constexpr Guid kVolumes = guid(0x9b79ee91, 0xb5fd, 0x41c0, {0xa2, 0x43, 0x42, 0x48, 0xe2, 0x66, 0xe9, 0xd0});

// Converted traces have GUIDs for the kernel's groups.
bool is_of(const Event& event, Group group, const Guid& provider) {
  return event.form == EventForm::kernel ? event.group == group
                                         : event.form == EventForm::classic && event.provider == provider;
}

std::optional<Rundown> rundown_of(u8 opcode) {
  switch (opcode) {
    case 1:
      return Rundown::begins;
    case 2:
      return Rundown::ends;
    case 3:
      return Rundown::at_start;
    case 4:
      return Rundown::at_end;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<ProcessEvent> process_event(const Event& event) {
  if (!is_of(event, process, kProcess)) return std::nullopt;
  constexpr u8 kDefunct = 39;
  const std::optional<Rundown> kind = event.opcode == kDefunct ? Rundown::defunct : rundown_of(event.opcode);
  if (!kind.has_value()) return std::nullopt;
  Payload in(event);
  ProcessEvent out{.kind = *kind};
  if (event.version == 0) {
    out.process = static_cast<u32>(in.pointer());
    out.parent = static_cast<u32>(in.pointer());
  } else {
    in.skip_pointers(1);
    out.process = in.take<u32>();
    out.parent = in.take<u32>();
    out.session = in.take<u32>();
    out.exit_code = in.take<std::int32_t>();
    if (event.version >= 3) in.skip_pointers(1);
    if (event.version >= 4) in.skip(4);
  }
  if (!in.sound()) return std::nullopt;
  in.skip_sid();
  if (!in.sound()) return out;
  out.image = in.narrow_text();
  if (event.version >= 2) out.command = in.wide_text();
  return out;
}

std::optional<ThreadEvent> thread_event(const Event& event) {
  if (!is_of(event, thread, kThread)) return std::nullopt;
  const auto kind = rundown_of(event.opcode);
  if (!kind.has_value()) return std::nullopt;
  Payload in(event);
  ThreadEvent out{.kind = *kind};
  const u32 first = in.take<u32>(), second = in.take<u32>();
  out.process = event.version == 0 ? second : first;
  out.thread = event.version == 0 ? first : second;
  if (!in.sound()) return std::nullopt;
  if (event.version >= 3) {
    // Windows 11 adds the name without a new version.
    in.skip_pointers(7);
    in.skip(8);
    if (in.sound() && in.left() >= 2) out.name = in.wide_text();
  }
  return out;
}

std::optional<ThreadEvent> thread_name_event(const Event& event) {
  constexpr u8 kSetName = 72;
  if (!is_of(event, thread, kThread) || event.opcode != kSetName) return std::nullopt;
  Payload in(event);
  ThreadEvent out;
  out.process = in.take<u32>();
  out.thread = in.take<u32>();
  if (!in.sound()) return std::nullopt;
  out.name = in.wide_text();
  return out;
}

std::optional<ImageEvent> image_event(const Event& event) {
  constexpr u8 kLoad = 10;
  std::optional<Rundown> kind;
  // A load event has the GUID of processes; all other image events have the GUID of images.
  if (is_of(event, process, kProcess) && event.opcode == kLoad) kind = Rundown::begins;
  if (is_of(event, image, kImage)) kind = event.opcode == kLoad ? Rundown::begins : rundown_of(event.opcode);
  if (!kind.has_value() || (event.opcode == 1 && *kind == Rundown::begins)) return std::nullopt;
  Payload in(event);
  ImageEvent out{.kind = *kind};
  out.base = in.pointer();
  if (event.version == 0) {
    out.size = in.take<u32>();
    out.process = event.process != Event::kNobody ? event.process : 0;
  } else {
    out.size = in.pointer();
    out.process = in.take<u32>();
  }
  if (event.version >= 2) {
    out.checksum = in.take<u32>();
    out.time_stamp = in.take<u32>();
    in.skip(4);
    in.skip_pointers(1);
    in.skip(16);
  }
  if (!in.sound()) return std::nullopt;
  out.path = in.wide_text();
  return out;
}

std::optional<PdbEvent> pdb_event(const Event& event) {
  constexpr u8 kRsds = 36, kRsdsOfManaged = 37;
  if (event.form != EventForm::classic || event.provider != kImageId) return std::nullopt;
  if (event.opcode != kRsds && event.opcode != kRsdsOfManaged) return std::nullopt;
  Payload in(event);
  PdbEvent out;
  out.of_managed_code = event.opcode == kRsdsOfManaged;
  out.base = in.pointer();
  out.process = in.take<u32>();
  const Bytes id = in.bytes(out.id.bytes.size());
  out.age = in.take<u32>();
  if (!in.sound()) return std::nullopt;
  std::copy(id.begin(), id.end(), out.id.bytes.begin());
  Bytes path = in.rest();
  out.path = take_utf8_text(path);
  return out;
}

std::optional<VolumeEvent> volume_event(const Event& event) {
  constexpr u8 kMapping = 35;
  if (event.form != EventForm::classic || event.provider != kVolumes || event.opcode != kMapping) return std::nullopt;
  Payload in(event);
  VolumeEvent out;
  out.device = in.wide_text();
  out.drive = in.wide_text();
  return out;
}

std::optional<std::string> windows_folder_event(const Event& event) {
  constexpr u8 kFolders = 33;
  if (event.form != EventForm::classic || event.provider != kVolumes || event.opcode != kFolders) return std::nullopt;
  Payload in(event);
  static_cast<void>(in.wide_text());
  return in.wide_text();
}

std::optional<SampleEvent> sample_event(const Event& event) {
  constexpr u8 kTimer = 46, kCounter = 47;
  if (!is_of(event, performance, kPerformance) || (event.opcode != kTimer && event.opcode != kCounter)) {
    return std::nullopt;
  }
  Payload in(event);
  SampleEvent out;
  out.address = in.pointer();
  out.thread = in.take<u32>();
  const u16 word = in.take<u16>();
  if (!in.sound()) return std::nullopt;
  if (event.opcode == kCounter) {
    out.source = SampleSource::counter;
    out.counter = word;
    out.count = 1;
    return out;
  }
  out.count = word;
  if (in.left() >= 1) {
    const u8 flags = in.take<u8>();
    out.in_dpc = (flags & 1) != 0;
    out.in_isr = (flags & 2) != 0;
  }
  return out;
}

std::optional<IntervalEvent> interval_event(const Event& event) {
  constexpr u8 kSet = 72, kEnd = 74;
  if (!is_of(event, performance, kPerformance) || event.opcode < kSet || event.opcode > kEnd) return std::nullopt;
  Payload in(event);
  IntervalEvent out;
  out.is_change = event.opcode == kSet;
  out.source = in.take<u32>();
  out.interval = in.take<u32>();
  out.interval_before = in.take<u32>();
  if (!in.sound()) return std::nullopt;
  if (event.version >= 3) out.name = in.wide_text();
  return out;
}

std::optional<SwitchEvent> switch_event(const Event& event) {
  constexpr u8 kSwitch = 36;
  if (!is_of(event, thread, kThread) || event.opcode != kSwitch) return std::nullopt;
  Payload in(event);
  SwitchEvent out;
  out.new_thread = in.take<u32>();
  out.old_thread = in.take<u32>();
  in.skip(4);  // priorities and others
  out.old_wait_reason = in.take<u8>();
  in.skip(1);
  out.old_state = in.take<u8>();
  if (!in.sound()) return std::nullopt;
  return out;
}

bool is_compact_switch_event(const Event& event) {
  constexpr u8 kCompactSwitches = 37;
  return is_of(event, thread, kThread) && event.opcode == kCompactSwitches;
}

std::optional<ReadyEvent> ready_event(const Event& event) {
  constexpr u8 kReady = 50;
  if (!is_of(event, thread, kThread) || event.opcode != kReady) return std::nullopt;
  Payload in(event);
  ReadyEvent out;
  out.thread = in.take<u32>();
  in.skip(2);
  out.flags = in.take<u8>();
  if (!in.sound()) return std::nullopt;
  return out;
}

std::optional<StackEvent> stack_event(const Event& event) {
  constexpr u8 kFrames = 32, kDeleted = 35, kRundown = 36, kKernelKey = 37, kUserKey = 38;
  if (!is_of(event, stack, kStack)) return std::nullopt;
  Payload in(event);
  StackEvent out;
  if (event.opcode == kDeleted || event.opcode == kRundown) {
    out.form = StackForm::key_definition;
    out.key = in.pointer();
  } else if (event.opcode == kFrames || event.opcode == kKernelKey || event.opcode == kUserKey) {
    out.time = in.take<u64>();
    out.process = in.take<u32>();
    out.thread = in.take<u32>();
    if (event.opcode != kFrames) {
      out.form = event.opcode == kKernelKey ? StackForm::kernel_key : StackForm::user_key;
      out.key = in.pointer();
    }
  } else {
    return std::nullopt;  // 34 announces a new key; a later event defines it
  }
  if (!in.sound()) return std::nullopt;
  if (out.form == StackForm::frames || out.form == StackForm::key_definition) {
    const Bytes rest = in.rest();
    out.frames = rest.first(rest.size() / event.pointer_size * event.pointer_size);
  }
  return out;
}

std::optional<GroupMask> group_mask_event(const Event& event) {
  constexpr u8 kExtension = 5, kEndExtension = 32;
  if (!is_of(event, trace, kTrace) || (event.opcode != kExtension && event.opcode != kEndExtension)) {
    return std::nullopt;
  }
  Payload in(event);
  GroupMask mask;
  for (u32& word : mask.words) word = in.take<u32>();
  if (!in.sound()) return std::nullopt;
  return mask;
}

std::optional<HardFaultEvent> hard_fault_event(const Event& event) {
  constexpr u8 kHardFault = 32;
  if (!is_of(event, memory, kMemory) || event.opcode != kHardFault) return std::nullopt;
  Payload in(event);
  HardFaultEvent out;
  out.start = in.take<u64>();
  out.offset = in.take<u64>();
  out.address = in.pointer();
  in.skip_pointers(1);
  out.thread = in.take<u32>();
  out.bytes = in.take<u32>();
  if (!in.sound()) return std::nullopt;
  return out;
}

std::optional<DiskEvent> disk_event(const Event& event) {
  constexpr u8 kRead = 10, kWrite = 11;
  if (!is_of(event, disk, kDisk) || (event.opcode != kRead && event.opcode != kWrite)) return std::nullopt;
  Payload in(event);
  DiskEvent out{.is_write = event.opcode == kWrite};
  out.disk = in.take<u32>();
  in.skip(4);
  out.bytes = in.take<u32>();
  in.skip(4);
  out.offset = in.take<u64>();
  in.skip_pointers(2);
  out.took = in.take<u64>();
  if (!in.sound()) return std::nullopt;
  if (in.left() >= sizeof(u32)) out.thread = in.take<u32>();
  return out;
}

std::optional<InterruptEvent> interrupt_event(const Event& event) {
  constexpr u8 kThreadedDpc = 66, kIsr = 67, kDpc = 68, kTimerDpc = 69;
  if (!is_of(event, performance, kPerformance)) return std::nullopt;
  if (event.opcode != kThreadedDpc && event.opcode != kIsr && event.opcode != kDpc && event.opcode != kTimerDpc) {
    return std::nullopt;
  }
  Payload in(event);
  InterruptEvent out{.is_isr = event.opcode == kIsr};
  out.start = in.take<u64>();
  out.routine = in.pointer();
  if (!in.sound()) return std::nullopt;
  return out;
}

}  // namespace wperf::etl
