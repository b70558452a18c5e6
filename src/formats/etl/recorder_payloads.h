// SPDX-License-Identifier: BSD-3-Clause
// Reads the payloads of the events that wperf itself appends to its traces: losses, sections of perf.data files, and
// stacks with Python functions. Each function returns nullopt for other events and for a payload that is too short.
#pragma once
#include <optional>

#include "formats/etl/event.h"
#include "formats/etl/kernel_payloads.h"

namespace wperf::etl {

inline constexpr Guid kRecorder = guid(0x5c1f2d7e, 0x8a46, 0x4b0f, {0x9d, 0x21, 0x77, 0x70, 0x65, 0x72, 0x66, 0x01});
enum class RecorderEvent : u8 { loss = 1, stack = 2, section = 3 };
// A loss that the recorder noticed while it recorded. Times are nanoseconds since the recording began.
struct LossEvent {
  u64 begin_ns = 0, end_ns = 0, events = 0, buffers = 0;
};
std::optional<LossEvent> loss_event(const Event& event);
// A part of a section that perf.data files have, too: the section's number in perf.data, and bytes that follow the
// bytes of earlier parts.
struct SectionEvent {
  u32 number = 0;
  Bytes part;
};
std::optional<SectionEvent> section_event(const Event& event);

// The user part of a stack, with Python functions. It replaces the user part that Windows recorded.
std::optional<StackEvent> python_stack_event(const Event& event);

}  // namespace wperf::etl
