// SPDX-License-Identifier: BSD-3-Clause
#include "machine/etw/trace_requests.h"

#include <cstring>

#include "formats/etl/trace_text.h"
#include "ground/text/unicode.h"

namespace wperf::etw {
namespace {

// Offsets in EVENT_TRACE_PROPERTIES, with its WNODE_HEADER.
struct At {
  enum : usize {
    kWholeSize = 0,
    kClock = 40,
    kFlags = 44,
    kBufferKb = 48,
    kLeastBuffers = 52,
    kMostBuffers = 56,
    kMostMb = 60,
    kLogFileMode = 64,
    kFlushSeconds = 68,
    kEnableFlags = 72,
    kBuffers = 80,
    kEventsLost = 88,
    kBuffersWritten = 92,
    kLogBuffersLost = 96,
    kRealTimeBuffersLost = 100,
    kFileNameAt = 112,
  };
};
constexpr u32 kTracedGuid = 0x00020000;  // WNODE_FLAG_TRACED_GUID
constexpr usize kEventIdSize = 24;
constexpr usize kSourceNameAt = 24;
constexpr u32 kAddSource = 21, kRemoveSource = 22;
constexpr u8 kSourceVersion = 3;

Bytes bytes_of(std::string_view text) {
  const auto all = std::as_bytes(std::span(text));
  return {all.begin(), all.end()};
}

std::string text_at(std::span<const std::byte> bytes, u64 at) {
  if (at >= bytes.size()) return {};
  etl::Bytes rest = bytes.subspan(static_cast<usize>(at));
  return etl::take_wide_text(rest);
}

}  // namespace

Bytes properties_bytes(const SessionProperties& properties) {
  Bytes bytes(kPropertiesSize + 2 * kNameRoom * sizeof(char16_t));
  put_at(bytes, At::kWholeSize, static_cast<u32>(bytes.size()));
  put_at(bytes, At::kClock, properties.clock);
  put_at(bytes, At::kFlags, kTracedGuid);
  if (properties.session.has_value()) {
    std::memcpy(bytes.data() + kSessionGuidAt, properties.session->bytes.data(), sizeof(Guid));
  }
  put_at(bytes, At::kBufferKb, properties.buffer_kb);
  put_at(bytes, At::kLeastBuffers, properties.least_buffers);
  put_at(bytes, At::kMostBuffers, properties.most_buffers);
  put_at(bytes, At::kMostMb, properties.most_mb);
  put_at(bytes, At::kLogFileMode, properties.log_file_mode);
  put_at(bytes, At::kFlushSeconds, properties.flush_seconds);
  put_at(bytes, At::kEnableFlags, properties.enable_flags);
  constexpr u32 kLoggerName = kPropertiesSize, kFileName = kPropertiesSize + kNameRoom * sizeof(char16_t);
  put_at(bytes, kLoggerNameAt, kLoggerName);  // Windows fills it in
  if (properties.file.empty() && !properties.asks_file) return bytes;
  put_at(bytes, At::kFileNameAt, kFileName);
  const std::u16string file = text::utf16_of(properties.file).substr(0, kNameRoom - 1);
  std::memcpy(bytes.data() + kFileName, file.data(), file.size() * sizeof(char16_t));
  return bytes;
}

SessionState session_state(std::span<const std::byte> properties) {
  const u32 file = number_at<u32>(properties, At::kFileNameAt);
  return {.buffers = number_at<u32>(properties, At::kBuffers),
          .events_lost = number_at<u32>(properties, At::kEventsLost),
          .buffers_written = number_at<u32>(properties, At::kBuffersWritten),
          .log_buffers_lost = number_at<u32>(properties, At::kLogBuffersLost),
          .real_time_buffers_lost = number_at<u32>(properties, At::kRealTimeBuffersLost),
          .log_file_mode = number_at<u32>(properties, At::kLogFileMode),
          .file = file != 0 ? text_at(properties, file) : std::string()};
}

Bytes event_ids_bytes(std::span<const EventId> events) {
  Bytes bytes(events.size() * kEventIdSize);
  for (usize i = 0; i < events.size(); ++i) {
    std::memcpy(bytes.data() + i * kEventIdSize, events[i].provider.bytes.data(), sizeof(Guid));
    put_at(bytes, i * kEventIdSize + sizeof(Guid), events[i].type);
  }
  return bytes;
}

Bytes masks_bytes(const GroupMasks& masks) {
  Bytes bytes(sizeof masks);
  std::memcpy(bytes.data(), masks.data(), sizeof masks);
  return bytes;
}

Bytes interval_bytes(const SourceInterval& one) {
  Bytes bytes(8);
  put_at(bytes, 0, one.source);
  put_at(bytes, 4, one.interval);
  return bytes;
}

std::optional<SourceInterval> interval_of(std::span<const std::byte> bytes) {
  if (bytes.size() < 8) return std::nullopt;
  return SourceInterval{number_at<u32>(bytes, 0), number_at<u32>(bytes, 4)};
}

Bytes sources_bytes(std::span<const u32> sources) {
  Bytes bytes(sources.size_bytes());
  if (!sources.empty()) std::memcpy(bytes.data(), sources.data(), bytes.size());
  return bytes;
}

std::vector<ProfileSource> source_list(std::span<const std::byte> bytes) {
  std::vector<ProfileSource> sources;
  while (bytes.size() > kSourceNameAt) {
    const u32 next = number_at<u32>(bytes, 0);
    const usize size = next == 0 ? bytes.size() : next;
    if (size <= kSourceNameAt || size > bytes.size()) break;
    sources.push_back({.number = number_at<u32>(bytes, 4),
                       .least = number_at<u32>(bytes, 8),
                       .greatest = number_at<u32>(bytes, 12),
                       .name = text_at(bytes.first(size), kSourceNameAt)});
    if (next == 0) break;
    bytes = bytes.subspan(size);
  }
  return sources;
}

Bytes source_list_bytes(std::span<const ProfileSource> sources) {
  std::string all;
  for (usize i = 0; i < sources.size(); ++i) {
    std::string one;
    etl::write::put(one, u32{0});
    etl::write::put(one, sources[i].number);
    etl::write::put(one, sources[i].least);
    etl::write::put(one, sources[i].greatest);
    etl::write::put(one, u64{0});
    etl::write::put_wide(one, sources[i].name);
    one.resize((one.size() + 7) / 8 * 8);
    const u32 next = i + 1 < sources.size() ? static_cast<u32>(one.size()) : 0;
    std::memcpy(one.data(), &next, sizeof next);
    all += one;
  }
  return bytes_of(all);
}

Bytes add_source_bytes(const AddedSource& source) {
  std::string text;
  etl::write::put(text, kAddSource);
  etl::write::put(text, kSourceVersion);
  text.resize(8, '\0');
  etl::write::put(text, source.event);
  text.resize(16, '\0');  // the event does not count while the core is halted
  for (const u32 word : source.cpu) etl::write::put(text, word);
  etl::write::put(text, source.interval);
  text.resize(34, '\0');  // the source is lost when Windows restarts
  etl::write::put_wide(text, source.name);
  return bytes_of(text);
}

Bytes remove_source_bytes(u32 source, const std::array<u32, 3>& cpu) {
  std::string text;
  etl::write::put(text, kRemoveSource);
  etl::write::put(text, source);
  for (const u32 word : cpu) etl::write::put(text, word);
  return bytes_of(text);
}

}  // namespace wperf::etw
