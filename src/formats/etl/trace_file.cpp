// SPDX-License-Identifier: BSD-3-Clause
#include "formats/etl/trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "formats/etl/trace_text.h"

namespace wperf::etl {
namespace {

using bytes::Reader;

constexpr u32 kBufferHeader = TraceFile::kBufferHeader;
constexpr u32 kMostBufferSize = 16 << 20;  // Windows' limit
enum BufferFlag : u16 { events_lost = 2, buffer_lost = 4, processor_index = 0x20, packed = 0x40 };
constexpr u16 kCoreMask = 0x7ff;
constexpr u16 kHeaderBuffer = 4;

diag::Error not_a_trace(std::string_view why) {
  return {.text = fmt::format("not an .etl trace: {}", why), .hint = {}, .code = diag::ExitCode::damaged_input};
}

}  // namespace

bool TraceFile::Buffer::is_packed() const {
  return (flags & packed) != 0;
}

bool TraceFile::Buffer::has_lost_events() const {
  return (flags & events_lost) != 0;
}

bool TraceFile::Buffer::has_lost_buffers() const {
  return (flags & buffer_lost) != 0;
}

Bytes TraceFile::body(const Buffer& buffer) const {
  const u32 end = buffer.is_packed() ? buffer.size : buffer.filled;
  return file_.subspan(buffer.offset + kBufferHeader, end - kBufferHeader);
}

bool TraceFile::has_signature(Bytes file) {
  if (file.size() < kBufferHeader + 32) return false;
  const auto size = field<u32>(file, 0), filled = field<u32>(file, 0x30);
  const auto type = field<u16>(file, 0x36);
  // The first record is a kernel record with group 0 and opcode 0.
  const auto mark = field<u32>(file, kBufferHeader), kind = field<u32>(file, kBufferHeader + 4);
  return size >= kBufferHeader && size <= kMostBufferSize && filled > kBufferHeader && type == kHeaderBuffer &&
         (mark >> 24) == 0xc0 && (mark >> 16 & 0xff) - 1 <= 1 && kind >> 16 == 0;
}

diag::Result<TraceFile> TraceFile::open(Bytes file, const PassedCallback& looked_at) {
  if (!has_signature(file)) return not_a_trace("it does not start with the header of a trace");
  TraceFile trace(file);
  WPERF_CHECK_OK(trace.read_header());
  trace.find_buffers(looked_at);
  return trace;
}

diag::Result<void> TraceFile::read_header() {
  constexpr usize kLeastHeader = 0x100;
  Event event;
  if (parse_event(file_.subspan(kBufferHeader), event) == 0 || event.payload.size() < kLeastHeader) {
    return not_a_trace("its header event is damaged");
  }
  const usize names = event.pointer_size * usize{2};
  constexpr usize kTimeZone = 172, kNamesAt = 0x38;
  Reader in(event.payload);
  header_.first_ticks = event.time;
  header_.buffer_size = in.take<u32>();
  header_.os_major = in.take<u8>();
  header_.os_minor = in.take<u8>();
  in.skip(2);
  header_.os_build = in.take<u32>();
  header_.processors = in.take<u32>();
  header_.end_time = in.take<u64>();
  in.skip(8);  // resolution of the timer, maximum file size
  header_.log_file_mode = in.take<u32>();
  header_.buffers_written = in.take<u32>();
  in.skip(4);
  header_.pointer_size = in.take<u32>();
  header_.events_lost = in.take<u32>();
  header_.mhz = in.take<u32>();
  // The times are aligned like the pointers before them.
  const usize times = (kNamesAt + names + kTimeZone + 7) / 8 * 8;
  Reader late(event.payload.subspan(std::min(times, event.payload.size())));
  header_.boot_time = late.take<u64>();
  const u64 frequency = late.take<u64>();
  header_.start_time = late.take<u64>();
  const u32 clock = late.take<u32>();
  header_.buffers_lost = late.take<u32>();
  if (!late.sound()) return not_a_trace("its header event is too short");
  Bytes texts = late.rest();
  header_.logger_name = take_wide_text(texts);
  header_.file_name = take_wide_text(texts);
  header_.clock = clock == 2 ? Clock::system_time : clock == 3 ? Clock::cycles : Clock::performance_counter;
  header_.ticks_per_second = header_.clock == Clock::system_time ? kFileTimeSecond
                             : header_.clock == Clock::cycles    ? u64{header_.mhz} * 1'000'000
                                                                 : frequency;
  if (header_.ticks_per_second == 0) return not_a_trace("its header does not give the frequency of its clock");
  // No real clock has more ticks, and the arithmetic below relies on that.
  constexpr u64 kMostTicks = u64{1} << 33;
  if (header_.ticks_per_second > kMostTicks) return not_a_trace("its header gives an impossible clock frequency");
  return {};
}

void TraceFile::find_buffers(const PassedCallback& looked_at) {
  // Reading one page brings its neighbours into memory, too.
  constexpr u64 kOften = 4 << 20;
  u64 offset = 0, reported = 0;
  u32 sessions = 0;
  while (file_.size() - offset >= kBufferHeader) {
    const Bytes header = file_.subspan(offset, kBufferHeader);
    Buffer buffer{.offset = offset, .size = field<u32>(header, 0), .filled = field<u32>(header, 0x30)};
    buffer.flags = field<u16>(header, 0x34);
    buffer.sequence = field<std::int64_t>(header, 0x18);
    // If a session was appended, its header follows, and buffer numbers start again.
    if (field<u16>(header, 0x36) == kHeaderBuffer && offset != 0) ++sessions;
    buffer.session = sessions;
    const auto core = field<u16>(header, 0x28);
    buffer.core = (buffer.flags & processor_index) != 0 ? core & kCoreMask : core & 0xff;
    if (buffer.size < kBufferHeader || buffer.size > kMostBufferSize) {
      // The next buffer, if any, is expected after a buffer of the usual size.
      ++unreadable_;
      if (header_.buffer_size < kBufferHeader) return;
      offset += header_.buffer_size;
      if (offset >= file_.size()) return;
      continue;
    }
    const u64 left = file_.size() - offset;
    if (buffer.size > left) {
      ++cut_;
      buffer.size = static_cast<u32>(left);
    }
    const u32 most = std::max({header_.buffer_size, buffer.size, kBufferHeader});
    if (buffer.filled >= kBufferHeader && buffer.filled <= kMostBufferSize) {
      if ((buffer.flags & packed) != 0) {
        ++packed_;
        buffer.filled = std::min(buffer.filled, most);
      } else {
        buffer.filled = std::min(buffer.filled, buffer.size);
      }
      buffers_.push_back(buffer);
    } else {
      ++unreadable_;
    }
    offset += buffer.size;
    if (looked_at && offset - reported > kOften) {
      looked_at(reported, offset);
      reported = offset;
    }
  }
}

std::vector<std::vector<u32>> TraceFile::buffers_by_core() const {
  std::vector<std::vector<u32>> cores;
  for (u32 i = 0; i < buffers_.size(); ++i) {
    const usize core = buffers_[i].core;
    if (core >= cores.size()) cores.resize(core + 1);
    cores[core].push_back(i);
  }
  for (std::vector<u32>& one : cores) {
    std::stable_sort(one.begin(), one.end(), [&](u32 a, u32 b) {
      return std::tie(buffers_[a].session, buffers_[a].sequence) < std::tie(buffers_[b].session, buffers_[b].sequence);
    });
  }
  return cores;
}

}  // namespace wperf::etl
