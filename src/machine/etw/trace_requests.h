// SPDX-License-Identifier: BSD-3-Clause
// The bytes of requests to Windows' tracing and of the answers: EVENT_TRACE_PROPERTIES, the structures of
// TraceSetInformation, and the request that adds a sample source. Pure.
#pragma once
#include <array>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/etl/event.h"

namespace wperf::etw {

using etl::Guid;
using Bytes = std::vector<std::byte>;

// Reads beyond the end return zero, and writes beyond it do nothing.
template <class T>
T number_at(std::span<const std::byte> bytes, usize at) {
  T value{};
  if (at <= bytes.size() && bytes.size() - at >= sizeof value) std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}
template <class T>
void put_at(std::span<std::byte> bytes, usize at, T value) {
  if (at <= bytes.size() && bytes.size() - at >= sizeof value) std::memcpy(bytes.data() + at, &value, sizeof value);
}

// ----- EVENT_TRACE_PROPERTIES, in the layout of a 64-bit program -----

inline constexpr usize kPropertiesSize = 120, kNameRoom = 1024;  // kNameRoom: the capacity of each of the two names in
                                                                 // characters
inline constexpr usize kLoggerNameAt = 116;                      // the offset of the field LoggerNameOffset
struct SessionProperties {
  u32 buffer_kb = 1024;
  u32 least_buffers = 0, most_buffers = 0;
  u32 most_mb = 0;  // maximum file size; 0: no limit
  u32 log_file_mode = 0;
  u32 flush_seconds = 1;
  u32 enable_flags = 0;
  u32 clock = 1;  // 1: the performance counter
  // for a session whose GUID Windows knows; otherwise Windows chooses one
  std::optional<Guid> session = std::nullopt;
  std::string file = {};
  bool asks_file = false;  // Windows fills in the path of the trace
};
// The only session for kernel events in older versions of Windows, which have no sessions with kSystemLogger.
inline constexpr std::u16string_view kKernelLogger = u"NT Kernel Logger";
inline constexpr Guid kKernelLoggerSession =
    etl::guid(0x9e814aad, 0x3204, 0x11d2, {0x9a, 0x82, 0x00, 0x60, 0x08, 0xa8, 0x69, 0x39});
inline constexpr usize kSessionGuidAt = 24;
enum LogFileMode : u32 { kSequential = 1, kSystemLogger = 0x02000000 };
enum EnableFlag : u32 {
  kProcesses = 1,
  kThreads = 2,
  kImages = 4,
  kSwitches = 0x10,
  kInterrupts = 0x40,
  kProfile = 0x01000000,
};
Bytes properties_bytes(const SessionProperties& properties);

// The fields that ControlTrace fills in.
struct SessionState {
  u32 buffers = 0;
  u32 events_lost = 0, buffers_written = 0, log_buffers_lost = 0, real_time_buffers_lost = 0;
  u32 log_file_mode = 0;
  std::string file;
};
SessionState session_state(std::span<const std::byte> properties);

// ----- TraceSetInformation -----

struct EventId {  // CLASSIC_EVENT_ID
  Guid provider;
  u8 type = 0;
  bool operator==(const EventId&) const = default;
};
inline constexpr Guid kPerfInfo =
    etl::guid(0xce1dbfb4, 0x137e, 0x4da6, {0x87, 0xb0, 0x3f, 0x59, 0xaa, 0x10, 0x2c, 0xbc});
inline constexpr Guid kThread = etl::guid(0x3d6fa8d1, 0xfe05, 0x11d0, {0x9d, 0xda, 0x00, 0xc0, 0x4f, 0xd7, 0xba, 0x7c});
inline constexpr EventId kTimerSample{kPerfInfo, 46}, kCounterSample{kPerfInfo, 47}, kSwitch{kThread, 36},
    kReady{kThread, 50};
Bytes event_ids_bytes(std::span<const EventId> events);

using GroupMasks = std::array<u32, 8>;
// bits of word 1
inline constexpr u32 kProfileMask = 2, kSwitchMask = 4, kReadyMask = 0x200, kCounterProfileMask = 0x400;
Bytes masks_bytes(const GroupMasks& masks);

struct SourceInterval {
  u32 source = 0, interval = 0;
};
Bytes interval_bytes(const SourceInterval& one);
std::optional<SourceInterval> interval_of(std::span<const std::byte> bytes);
Bytes sources_bytes(std::span<const u32> sources);

// A sample source (PROFILE_SOURCE_INFO).
struct ProfileSource {
  u32 number = 0;
  u32 least = 0, greatest = 0;  // interval
  std::string name;
};
// A list of sources. Entries after a malformed one are left out.
std::vector<ProfileSource> source_list(std::span<const std::byte> bytes);
Bytes source_list_bytes(std::span<const ProfileSource> sources);

// ----- sources that are added -----

inline constexpr std::array<u32, 3> kAnyCpu{};
// Any event of an Arm core, given by number.
struct AddedSource {
  u32 event = 0;
  std::array<u32, 3> cpu{};  // the cores that it is meant for
  u32 interval = 0;
  std::string name;
};
Bytes add_source_bytes(const AddedSource& source);
Bytes remove_source_bytes(u32 source, const std::array<u32, 3>& cpu);

}  // namespace wperf::etw
