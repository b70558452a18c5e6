// SPDX-License-Identifier: BSD-3-Clause
#include "import/etl/trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <queue>

#include "import/etl/text.h"
#include "import/etl/xpress.h"

namespace wperf::etl {
namespace {

using perf_data::Reader;

constexpr usize kBufferHeader = 0x48;
constexpr u32 kMostBufferSize = 16 << 20;  // what Windows allows
enum BufferFlag : u16 { events_lost = 2, buffer_lost = 4, processor_index = 0x20, packed = 0x40 };
constexpr u16 kCoreMask = 0x7ff;
constexpr u16 kHeaderBuffer = 4;
constexpr u64 kHundredNs = 10'000'000;  // a second in units of FILETIME
constexpr u64 kNsPerSecond = 1'000'000'000;

diag::Error not_a_trace(std::string_view why) {
  return {.text = fmt::format("not an .etl trace: {}", why), .hint = {}, .code = diag::ExitCode::damaged_input};
}

// value * factor / divisor where value may be great and the factor is not: neither overflows for 500 years.
u64 scaled(u64 value, u64 factor, u64 divisor) {
  return value / divisor * factor + value % divisor * factor / divisor;
}

}  // namespace

// The events of one core, buffer after buffer.
class TraceFile::CoreCursor {
 public:
  CoreCursor(const TraceFile& file, std::vector<u32> buffers, TraceLosses& losses)
      : file_(&file), losses_(&losses), buffers_(std::move(buffers)) {}

  const Event& event() const { return event_; }
  u32 buffer() const { return buffers_[next_ - 1]; }

  bool advance() {
    while (true) {
      while (rest_.empty() || !read_event()) {
        if (!open_next()) return false;
      }
      if (event_.time < last_) ++losses_->out_of_order;
      last_ = std::max(last_, event_.time);
      return true;
    }
  }

 private:
  bool read_event() {
    constexpr u32 kFiller = ~u32{0};
    if (rest_.size() < sizeof kFiller || field<u32>(rest_, 0) == kFiller) {
      rest_ = {};
      return false;
    }
    event_.time = last_;  // of a record that has none
    const usize size = parse_event(rest_, event_);
    if (size == 0) {
      ++losses_->damaged_buffers;
      losses_->damaged_bytes += rest_.size();
      rest_ = {};
      return false;
    }
    rest_ = rest_.subspan(size);
    return true;
  }

  bool open_next() {
    if (next_ != 0 && file_->passed_) {
      const Buffer& done = file_->buffers_[buffers_[next_ - 1]];
      file_->passed_(done.offset, done.offset + done.size);
    }
    if (next_ == buffers_.size()) return false;
    const Buffer& buffer = file_->buffers_[buffers_[next_++]];
    event_.core = buffer.core;
    const Bytes body = file_->file_.subspan(buffer.offset + kBufferHeader, buffer.size - kBufferHeader);
    const usize wanted = buffer.filled - kBufferHeader;
    if ((buffer.flags & packed) == 0) {
      rest_ = body.first(std::min(body.size(), wanted));
      return true;
    }
    unpacked_.resize(wanted);
    const usize got = expand_xpress(body, unpacked_);
    if (got < wanted) {
      ++losses_->damaged_buffers;
      losses_->damaged_bytes += wanted - got;
    }
    rest_ = Bytes(unpacked_).first(got);
    return true;
  }

  const TraceFile* file_;
  TraceLosses* losses_;
  std::vector<u32> buffers_;
  usize next_ = 0;
  std::vector<std::byte> unpacked_;
  Bytes rest_;
  Event event_;
  u64 last_ = 0;
};

bool TraceFile::has_its_look(Bytes file) {
  if (file.size() < kBufferHeader + 32) return false;
  const auto size = field<u32>(file, 0), filled = field<u32>(file, 0x30);
  const auto type = field<u16>(file, 0x36);
  // The first record is the kernel's, of group 0 and opcode 0.
  const auto mark = field<u32>(file, kBufferHeader), kind = field<u32>(file, kBufferHeader + 4);
  return size >= kBufferHeader && size <= kMostBufferSize && filled > kBufferHeader && type == kHeaderBuffer &&
         (mark >> 24) == 0xc0 && (mark >> 16 & 0xff) - 1 <= 1 && kind >> 16 == 0;
}

diag::Result<TraceFile> TraceFile::open(Bytes file, const Passed& looked_at) {
  if (!has_its_look(file)) return not_a_trace("it does not begin with the header of one");
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
  in.skip(8);  // resolution of the timer, greatest size of the file
  header_.log_file_mode = in.take<u32>();
  header_.buffers_written = in.take<u32>();
  in.skip(4);
  header_.pointer_size = in.take<u32>();
  header_.events_lost = in.take<u32>();
  header_.mhz = in.take<u32>();
  // Aligned as the pointers before them are.
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
  header_.ticks_per_second = header_.clock == Clock::system_time ? kHundredNs
                             : header_.clock == Clock::cycles    ? u64{header_.mhz} * 1'000'000
                                                                 : frequency;
  if (header_.ticks_per_second == 0) return not_a_trace("its header does not tell how fast its clock is");
  // More than that no clock counts, and arithmetic below is sure of it.
  constexpr u64 kMostTicks = u64{1} << 33;
  if (header_.ticks_per_second > kMostTicks) return not_a_trace("its header tells an impossible clock");
  return {};
}

void TraceFile::find_buffers(const Passed& looked_at) {
  // A look at one page brings its neighbours into memory.
  constexpr u64 kOften = 4 << 20;
  u64 offset = 0, told = 0;
  while (file_.size() - offset >= kBufferHeader) {
    const Bytes header = file_.subspan(offset, kBufferHeader);
    Buffer buffer{.offset = offset, .size = field<u32>(header, 0), .filled = field<u32>(header, 0x30)};
    buffer.flags = field<u16>(header, 0x34);
    buffer.sequence = field<std::int64_t>(header, 0x18);
    const auto core = field<u16>(header, 0x28);
    buffer.core = (buffer.flags & processor_index) != 0 ? core & kCoreMask : core & 0xff;
    if (buffer.size < kBufferHeader || buffer.size > kMostBufferSize) {
      // Where a buffer of the usual size would end is the next, if there is one.
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
    const u32 most = std::max({header_.buffer_size, buffer.size, u32{kBufferHeader}});
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
    if (looked_at && offset - told > kOften) {
      looked_at(told, offset);
      told = offset;
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
  // A ring begins anywhere, and not each says that it is one. Elsewhere this is the order that they have.
  for (std::vector<u32>& one : cores) {
    std::stable_sort(one.begin(), one.end(), [&](u32 a, u32 b) { return buffers_[a].sequence < buffers_[b].sequence; });
  }
  return cores;
}

void TraceFile::for_each_event(const std::function<void(const Event&)>& visit, TraceLosses& losses) const {
  losses.damaged_buffers += unreadable_;
  losses.cut_buffers = cut_;
  for (const Buffer& buffer : buffers_) {
    losses.flagged_events_lost += (buffer.flags & events_lost) != 0;
    losses.flagged_buffers_lost += (buffer.flags & buffer_lost) != 0;
  }
  std::vector<CoreCursor> cursors;
  for (std::vector<u32>& core : buffers_by_core()) {
    if (!core.empty()) cursors.emplace_back(*this, std::move(core), losses);
  }
  struct Next {
    u64 time;
    u32 buffer;  // its place in the file decides between events of one moment
    u32 cursor;
    bool operator<(const Next& other) const {  // of a heap that has its greatest on top
      return time != other.time ? time > other.time : buffer > other.buffer;
    }
  };
  std::priority_queue<Next> queue;
  for (u32 i = 0; i < cursors.size(); ++i) {
    if (cursors[i].advance()) queue.push({cursors[i].event().time, cursors[i].buffer(), i});
  }
  while (!queue.empty()) {
    const u32 cursor = queue.top().cursor;
    queue.pop();
    CoreCursor& core = cursors[cursor];
    // As long as no other core has something earlier, this one goes on without the queue.
    while (true) {
      visit(core.event());
      if (!core.advance()) break;
      const Next next{core.event().time, core.buffer(), cursor};
      if (!queue.empty() && next < queue.top()) {
        queue.push(next);
        break;
      }
    }
  }
}

u64 TraceFile::nanoseconds(u64 ticks) const {
  return ticks <= header_.first_ticks ? 0 : scaled(ticks - header_.first_ticks, kNsPerSecond, header_.ticks_per_second);
}

u64 TraceFile::file_time(u64 ticks) const {
  if (header_.clock == Clock::system_time) return ticks;
  if (ticks >= header_.first_ticks) {
    return header_.start_time + scaled(ticks - header_.first_ticks, kHundredNs, header_.ticks_per_second);
  }
  return header_.start_time - scaled(header_.first_ticks - ticks, kHundredNs, header_.ticks_per_second);
}

}  // namespace wperf::etl
