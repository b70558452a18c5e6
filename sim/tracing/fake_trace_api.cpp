// SPDX-License-Identifier: BSD-3-Clause
#include "sim/tracing/fake_trace_api.h"

#include <algorithm>
#include <cstring>

#include "formats/etl/trace_text.h"
#include "ground/text/unicode.h"
#include "machine/etw/trace_session.h"

namespace wperf::etw::fake {
namespace {

constexpr usize kMostStackEvents = 256, kMostCounterEvents = 4;
constexpr u32 kFirstAddedSource = 0x100;
constexpr u32 kStatusInvalid = 0xc000000d, kStatusDenied = 0xc0000022, kStatusNotSupported = 0xc00000bb;

// Whether EVENT_TRACE_PROPERTIES are as Windows requires: the right size, and room for both names.
bool is_sound(std::span<const std::byte> properties) {
  constexpr u32 kTracedGuid = 0x20000;
  if (properties.size() < kPropertiesSize || number_at<u32>(properties, 0) != properties.size()) return false;
  if ((number_at<u32>(properties, 44) & kTracedGuid) == 0) return false;
  const u32 file_at = number_at<u32>(properties, 112), name_at = number_at<u32>(properties, 116);
  const auto fits = [&](u32 at) { return at >= kPropertiesSize && at % 2 == 0 && at < properties.size(); };
  return fits(name_at) && (file_at == 0 || (fits(file_at) && file_at != name_at));
}

// Writes the file's name if the caller left room for it.
void write_file_name(const std::string& file, std::span<std::byte> properties) {
  const u32 at = number_at<u32>(properties, 112);
  if (at == 0) return;
  const std::u16string wide = text::utf16_of(file);
  for (usize i = 0; i <= wide.size(); ++i)
    put_at(properties, at + i * sizeof(char16_t), i < wide.size() ? wide[i] : u'\0');
}

bool has(const std::vector<EventId>& events, const EventId& one) {
  return std::find(events.begin(), events.end(), one) != events.end();
}

// CLASSIC_EVENT_IDs.
WindowsError take_events(std::span<const std::byte> information, usize most, std::vector<EventId>& events) {
  constexpr usize kSize = 24;
  if (information.size() % kSize != 0 || information.size() / kSize > most) return kBadLength;
  std::vector<EventId> taken;
  for (usize at = 0; at < information.size(); at += kSize) {
    EventId id;
    std::memcpy(id.provider.bytes.data(), information.data() + at, sizeof id.provider.bytes);
    id.type = number_at<u8>(information, at + 16);
    for (usize i = 17; i < kSize; ++i) {
      if (information[at + i] != std::byte{}) return kInvalidParameter;
    }
    taken.push_back(id);
  }
  events = std::move(taken);
  return kNoError;
}

}  // namespace

// The profile sources of a Snapdragon X Elite that have known numbers.
std::vector<ProfileSource> usual_sources() {
  constexpr u32 kGreatest = 0x7fffffff;
  return {{kTimer, kLeastTimerInterval, kMostTimerInterval, "Timer"},
          {2, kLeastInterval, kGreatest, "TotalIssues"},
          {6, kLeastInterval, kGreatest, "BranchInstructions"},
          {8, kLeastInterval, kGreatest, "DcacheMisses"},
          {9, kLeastInterval, kGreatest, "IcacheMisses"},
          {11, kLeastInterval, kGreatest, "BranchMispredictions"},
          {19, kLeastInterval, kGreatest, "TotalCycles"}};
}

FakeTraceApi::FakeTraceApi(FakeWindows windows, FakeMachine& machine)
    : windows_(std::move(windows)), machine_(machine) {
  if (windows_.sources.empty()) windows_.sources = usual_sources();
  for (const ProfileSource& one : windows_.sources) {
    intervals_[one.number] = one.number == kTimer ? kUsualTimerInterval : kUsualInterval;
    if (one.number >= kFirstAddedSource) added_events_[one.number] = 0;  // left by another program before this run
  }
}

TraceApi::HostFacts FakeTraceApi::machine() {
  return {.build = windows_.build,
          .elevated = windows_.elevated,
          .hypervisor = windows_.hypervisor,
          .core_midr = machine_.core_midr()};
}

WindowsError FakeTraceApi::enable_privilege() {
  privileged_ = windows_.elevated && windows_.may_profile;
  return privileged_ ? kNoError : kNotAllAssigned;
}

FakeTraceApi::Running* FakeTraceApi::find(u64 handle, const std::u16string& name) {
  for (Running& one : running_) {
    if (handle != 0 ? one.handle == handle : one.name == name) return &one;
  }
  return nullptr;
}

WindowsError FakeTraceApi::start(u64& session, const std::u16string& name, std::span<std::byte> properties) {
  if (!windows_.elevated || !privileged_) return kAccessDenied;
  if (!is_sound(properties)) return kBadLength;
  const SessionState asked = session_state(properties);
  constexpr u32 kMostBufferKb = 16 * 1024;
  const u32 buffer_kb = number_at<u32>(properties, 48), least = number_at<u32>(properties, 52),
            most = number_at<u32>(properties, 56);
  const bool is_clock = number_at<u32>(properties, 40) >= 1 && number_at<u32>(properties, 40) <= 3;
  if (name.empty() || name.size() >= kNameRoom || asked.file.empty() || !is_clock) return kInvalidParameter;
  if (buffer_kb == 0 || buffer_kb > kMostBufferKb || least > most) return kInvalidParameter;
  const bool kernel_logger = name == kKernelLogger;
  const u32 mode = kSequential | (kernel_logger ? 0 : u32{kSystemLogger});
  if ((asked.log_file_mode & (kSequential | kSystemLogger)) != mode) return kInvalidParameter;
  const bool has_its_guid =
      std::memcmp(properties.data() + kSessionGuidAt, kKernelLoggerSession.bytes.data(), sizeof(Guid)) == 0;
  if (has_its_guid != kernel_logger) return kInvalidParameter;
  if (find(0, name) != nullptr ||
      std::find(windows_.sessions.begin(), windows_.sessions.end(), name) != windows_.sessions.end()) {
    return kAlreadyExists;
  }
  if (!kernel_logger && running_.size() + windows_.sessions.size() >= windows_.most_sessions) return kNoSystemResources;
  if (windows_.disk_full) return kDiskFull;
  running_.push_back({.handle = next_handle_++,
                      .name = name,
                      .file = asked.file,
                      .buffer_kb = buffer_kb,
                      .most_mb = number_at<u32>(properties, 60),
                      .mode = asked.log_file_mode,
                      .begin_ns = machine_.now_ns()});
  session = running_.back().handle;
  return kNoError;
}

WindowsError FakeTraceApi::control(u64 session, const std::u16string& name, std::span<std::byte> properties,
                                   ControlCode code) {
  if (!is_sound(properties)) return kBadLength;
  Running* const one = find(session, name);
  if (one == nullptr) {
    const auto left = std::find(windows_.sessions.begin(), windows_.sessions.end(), name);
    if (session != 0 || left == windows_.sessions.end()) return kInstanceNotFound;
    if (code == ControlCode::query) write_file_name(windows_.kernel_logger_file, properties);
    if (code == ControlCode::stop) windows_.sessions.erase(left);
    return kNoError;
  }
  if (code != ControlCode::query && code != ControlCode::stop) return kInvalidParameter;
  if (!drain(*one)) return kNoSystemResources;
  // A session ends when its file is full.
  const bool is_full = one->most_mb != 0 && u64{buffers_of(*one)} * one->buffer_kb >= u64{one->most_mb} * 1024;
  if (is_full) file_bytes_[one->file] = u64{one->most_mb} << 20;
  const bool is_last = is_full || (code == ControlCode::query && windows_.ended_after == 1);
  if (code == ControlCode::query && windows_.ended_after != 0) --windows_.ended_after;
  if (is_last) {
    if (one->samples) (void)machine_.end();
    (void)write_trace(*one);
    running_.erase(running_.begin() + (one - running_.data()));
    return kInstanceNotFound;
  }
  u32 buffers = 0;
  if (code == ControlCode::stop) {
    if (one->samples) (void)machine_.end();
    buffers = write_trace(*one);
  }
  write_state(*one, properties, buffers);
  if (code == ControlCode::stop) running_.erase(running_.begin() + (one - running_.data()));
  return kNoError;
}

u32 FakeTraceApi::buffers_of(const Running& session) {
  constexpr usize kSamples = 100;  // by source
  return static_cast<u32>(session.taken.size() / kSamples);
}

u64 FakeTraceApi::lost_of(const Running& session) {
  constexpr u64 kNsPerSecond = 1'000'000'000;
  return session.lost + (machine_.now_ns() - session.begin_ns) * windows_.lost_per_second / kNsPerSecond;
}

void FakeTraceApi::write_state(const Running& session, std::span<std::byte> properties, u32 buffers) {
  put_at(properties, 88, static_cast<u32>(lost_of(session)));
  put_at(properties, 92, buffers != 0 ? buffers : buffers_of(session));
  write_file_name(session.file, properties);
}

std::optional<std::string> FakeTraceApi::kept(const std::string& name) {
  const auto found = windows_.kept.find(name);
  return found != windows_.kept.end() ? std::optional(found->second) : std::nullopt;
}

std::vector<std::string> FakeTraceApi::kept_names() {
  std::vector<std::string> names;
  for (const auto& [name, text] : windows_.kept) names.push_back(name);
  return names;
}

WindowsError FakeTraceApi::set(u64 session, TraceClass what, std::span<const std::byte> information) {
  if (!privileged_) return kPrivilegeNotHeld;
  if (what == TraceClass::sampling_interval) return session == 0 ? set_interval(information) : kInvalidParameter;
  Running* const one = find(session, {});
  if (session == 0 || one == nullptr) return kInvalidParameter;
  switch (what) {
    case TraceClass::stack_events:
      return take_events(information, kMostStackEvents, one->stacks);
    case TraceClass::counter_events:
      if (one->watches) return kInvalidParameter;  // too late, because events are already being recorded
      return take_events(information, kMostCounterEvents, one->counter_events);
    case TraceClass::counters:
      if (one->watches) return kInvalidParameter;
      return take_sources(information, windows_.most_counters, one->counters);
    case TraceClass::enable_flags:
      if (information.size() != sizeof(GroupMasks)) return kBadLength;
      std::memcpy(one->masks.data(), information.data(), sizeof(GroupMasks));
      return begin_sampling(*one);
    case TraceClass::sampling_sources:
      return take_sources(information, windows_.most_sources, one->sources);
    default:
      return kNotSupported;
  }
}

WindowsError FakeTraceApi::set_interval(std::span<const std::byte> information) {
  if (information.size() != 8) return kBadLength;
  const SourceInterval wanted = *interval_of(information);
  const ProfileSource* const known = source(wanted.source);
  if (known == nullptr || wanted.interval < known->least || wanted.interval > known->greatest) return kInvalidParameter;
  intervals_[wanted.source] = wanted.interval;
  return kNoError;
}

WindowsError FakeTraceApi::take_sources(std::span<const std::byte> information, u32 most,
                                        std::vector<u32>& sources) const {
  if (information.empty() || information.size() % sizeof(u32) != 0) return kBadLength;
  if (information.size() / sizeof(u32) > most) return kNoSystemResources;
  std::vector<u32> taken;
  for (usize at = 0; at < information.size(); at += sizeof(u32)) {
    const u32 number = number_at<u32>(information, at);
    if (source(number) == nullptr || number == kTimer) return kInvalidParameter;
    const auto& owned = windows_.owned_sources;
    if (std::find(owned.begin(), owned.end(), number) != owned.end()) return kBusy;
    taken.push_back(number);
  }
  sources = std::move(taken);
  return kNoError;
}

FakeMachine::Sampling FakeTraceApi::sampling_of(u32 number) const {
  const auto added = added_events_.find(number);
  return {number, intervals_.at(number), added != added_events_.end() ? added->second : 0};
}

WindowsError FakeTraceApi::begin_sampling(Running& session) {
  session.processes_before = machine_.processes();
  if ((session.masks[1] & kSwitchMask) != 0 && !session.watches) {
    std::vector<FakeMachine::Sampling> counted;
    if (has(session.counter_events, kSwitch)) {
      for (const u32 number : session.counters) counted.push_back(sampling_of(number));
    }
    machine_.watch_switches(counted);
    session.watches = true;
  }
  std::vector<FakeMachine::Sampling> sampled;
  if ((session.masks[1] & kProfileMask) != 0) sampled.push_back(sampling_of(kTimer));
  if ((session.masks[1] & kCounterProfileMask) != 0) {
    for (const u32 number : session.sources) sampled.push_back(sampling_of(number));
  }
  if (sampled.empty() || session.samples) return kNoError;
  const bool stacks = has(session.stacks, kTimerSample) || has(session.stacks, kCounterSample);
  if (!machine_.begin(sampled, stacks).has_value()) return kNoSystemResources;
  session.samples = true;
  return kNoError;
}

bool FakeTraceApi::drain(Running& session) {
  if (session.watches) machine_.take_switches(session.switches);
  if (!session.samples) return true;
  const auto lost = machine_.drain(session.taken);
  if (lost.has_value()) session.lost = lost.value();
  return lost.has_value();
}

WindowsError FakeTraceApi::query(u64 session, TraceClass what, std::span<std::byte> information, u32& returned) {
  if (session != 0) return kInvalidParameter;
  if (what == TraceClass::sampling_interval) {
    if (information.size() != 8) return kBadLength;
    const auto known = intervals_.find(number_at<u32>(information, 0));
    if (known == intervals_.end()) return kInvalidParameter;
    put_at(information, 4, known->second);
    returned = 8;
    return kNoError;
  }
  if (what == TraceClass::most_counters) {
    if (information.size() != sizeof(u32)) return kBadLength;
    put_at(information, 0, windows_.most_counters);
    returned = sizeof(u32);
    return kNoError;
  }
  if (what != TraceClass::source_list) return kNotSupported;
  const Bytes list = source_list_bytes(windows_.sources);
  if (information.size() < list.size()) return kMoreData;
  std::memcpy(information.data(), list.data(), list.size());
  returned = static_cast<u32>(list.size());
  return kNoError;
}

u32 FakeTraceApi::set_performance(std::span<std::byte> information) {
  constexpr u32 kAdd = 21, kRemove = 22;
  constexpr usize kNameAt = 34, kRemoveSize = 20;
  if (!privileged_) return kStatusDenied;
  if (!windows_.takes_sources) return kStatusNotSupported;
  if (number_at<u32>(information, 0) == kRemove) {
    const u32 number = number_at<u32>(information, 4);
    if (information.size() != kRemoveSize || added_events_.erase(number) == 0) return kStatusInvalid;
    std::erase_if(windows_.sources, [&](const ProfileSource& one) { return one.number == number; });
    intervals_.erase(number);
    return 0;
  }
  const u32 version = number_at<u32>(information, 4);
  if (number_at<u32>(information, 0) != kAdd || information.size() <= kNameAt + 2 || (version != 2 && version != 3)) {
    return kStatusInvalid;
  }
  const u32 event = number_at<u32>(information, 8), interval = number_at<u32>(information, 28);
  const bool ends = number_at<u16>(information, information.size() - 2) == 0 && information.size() % 2 == 0;
  if (!ends || event > 0xffff || interval < kLeastInterval || number_at<u8>(information, 32) > 1) return kStatusInvalid;
  etl::Bytes rest = information.subspan(kNameAt);
  const std::string name = etl::take_wide_text(rest);
  u32 number = kFirstAddedSource;
  while (source(number) != nullptr) ++number;
  windows_.sources.push_back({number, kLeastInterval, 0x7fffffff, name});
  intervals_[number] = interval;
  added_events_[number] = event;
  return 0;
}

const ProfileSource* FakeTraceApi::source(u32 number) const {
  const auto found = std::find_if(windows_.sources.begin(), windows_.sources.end(),
                                  [&](const ProfileSource& one) { return one.number == number; });
  return found != windows_.sources.end() ? &*found : nullptr;
}

std::vector<u32> FakeTraceApi::added_sources() const {
  std::vector<u32> numbers;
  for (const auto& [number, event] : added_events_) numbers.push_back(number);
  return numbers;
}

std::vector<std::u16string> FakeTraceApi::sessions() {
  std::vector<std::u16string> names = windows_.sessions;
  for (const Running& one : running_) names.push_back(one.name);
  return names;
}

bool FakeTraceApi::process_runs(u32 process) {
  return process == own_process_ ||
         std::find(windows_.processes.begin(), windows_.processes.end(), process) != windows_.processes.end();
}

u32 FakeTraceApi::write_trace(const Running& session) {
  FakeTrace trace{.file = session.file,
                  .build = windows_.build,
                  .mode = session.mode,
                  .processors = static_cast<u32>(machine_.core_midr().size()),
                  .begin_ns = session.begin_ns,
                  .end_ns = machine_.now_ns(),
                  .events_lost = lost_of(session),
                  .masks = session.masks,
                  .switch_stacks = has(session.stacks, kSwitch),
                  .ready_stacks = has(session.stacks, kReady),
                  .own_process = session.watches ? own_process_ : 0,
                  .intervals = {},
                  .samples = session.taken,
                  .switches = session.switches,
                  .processes_before = session.processes_before,
                  .processes = machine_.processes()};
  for (const auto& [number, interval] : intervals_) {
    if (const ProfileSource* one = source(number); one != nullptr) {
      trace.intervals.push_back({number, interval, one->name});
    }
  }
  return write_fake_trace(trace);
}

}  // namespace wperf::etw::fake
