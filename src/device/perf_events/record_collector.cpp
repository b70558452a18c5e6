// SPDX-License-Identifier: BSD-3-Clause
#include "device/perf_events/record_collector.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "import/perf_data/visit.h"

namespace wperf::perf_events {
namespace {

using perf_data::Comm;
using perf_data::Lost;
using perf_data::LostSamples;
using perf_data::Mmap;
using perf_data::Record;
using perf_data::Sample;
using perf_data::Task;
using perf_data::Throttle;

constexpr u32 kUserMode = 2;
constexpr u32 kMostEvents = 32;

class Collecting {
 public:
  Collecting(u32 core, raw::SampleCapture& capture, raw::CoreTally& tally)
      : core_(core), capture_(capture), tally_(tally) {}

  void operator()(const Sample& sample, const Record&) {
    if (sample.event >= kMostEvents) return;
    ++tally_.taken;
    capture_.samples.push_back({.time_ns = sample.time,
                                .pc = sample.ip,
                                .lr = 0,
                                .process = sample.pid,
                                .thread = sample.tid,
                                .overflowed = u32{1} << sample.event,
                                .core = static_cast<u16>(std::min<u32>(core_, std::numeric_limits<u16>::max())),
                                .exception_level = static_cast<u16>(sample.cpu_mode() == kUserMode ? 0 : 1)});
  }
  void operator()(const Mmap& mapping, const Record&) {
    if (mapping.is_data) return;
    raw::Happening& one = add(raw::Happening::Kind::mapped, mapping.identity.time, mapping.pid, mapping.tid);
    one.begin = mapping.address;
    one.size = mapping.length;
    one.file_offset = mapping.page_offset;
    one.text = mapping.file;
    one.build_id.assign(mapping.build_id.begin(), mapping.build_id.end());
  }
  void operator()(const Comm& comm, const Record&) {
    const auto kind = comm.by_exec ? raw::Happening::Kind::executed : raw::Happening::Kind::named;
    add(kind, comm.identity.time, comm.pid, comm.tid).text = comm.name;
  }
  void operator()(const Task& task, const Record&) {
    const auto kind = task.is_exit ? raw::Happening::Kind::ended : raw::Happening::Kind::began;
    add(kind, task.time, task.pid, task.tid).parent = task.parent_pid;
  }
  void operator()(const Lost& lost, const Record&) { lose(lost.records); }
  void operator()(const LostSamples& lost, const Record&) { lose(lost.samples); }
  void operator()(const Throttle& throttle, const Record&) {
    if (!throttle.is_end) ++tally_.throttled;
  }

 private:
  raw::Happening& add(raw::Happening::Kind kind, u64 time_ns, u32 process, u32 thread) {
    raw::Happening& one = capture_.happenings.emplace_back();
    one.kind = kind;
    one.time_ns = time_ns;
    one.process = process;
    one.thread = thread;
    return one;
  }
  // A number that no recording reaches comes from damage.
  void lose(u64 records) {
    const u64 lost = std::min<u64>(records, u64{1} << 40);
    tally_.taken += lost;
    tally_.lost_ring_full += lost;
  }

  u32 core_;
  raw::SampleCapture& capture_;
  raw::CoreTally& tally_;
};

bool take_hex(std::string_view& text, u64& value) {
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (end.ec != std::errc{}) return false;
  text.remove_prefix(static_cast<usize>(end.ptr - text.data()));
  return true;
}

bool take_mark(std::string_view& text, char mark) {
  if (text.empty() || text.front() != mark) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

void RecordCollector::collect(RingReader& ring, u32 core, raw::SampleCapture& capture, raw::CoreTally& tally) {
  Collecting collecting(core, capture, tally);
  perf_data::Tally seen;
  Record record;
  while (ring.next(record)) perf_data::visit_record(record, events_, collecting, seen);
  tally.unreadable += seen.all_damaged() + seen.of_unknown_event + (ring.damaged() ? 1 : 0);
}

// "55e8a000-55e8b000 r-xp 00001000 fe:00 1234    /usr/bin/name"
void add_mappings(u32 process, std::string_view maps, std::vector<raw::Happening>& happenings) {
  while (!maps.empty()) {
    std::string_view line = maps.substr(0, maps.find('\n'));
    maps.remove_prefix(std::min(line.size() + 1, maps.size()));
    u64 begin = 0, end = 0, offset = 0;
    if (!take_hex(line, begin) || !take_mark(line, '-') || !take_hex(line, end) || !take_mark(line, ' ')) continue;
    const bool code = line.size() > 4 && line[2] == 'x';
    line.remove_prefix(std::min<usize>(5, line.size()));
    if (!code || begin >= end || !take_hex(line, offset)) continue;
    for (int field = 0; field < 3; ++field) {  // behind the offset, device and inode
      line.remove_prefix(std::min(line.find(' '), line.size()));
      line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    }
    raw::Happening& one = happenings.emplace_back();
    one.kind = raw::Happening::Kind::mapped;
    one.process = one.thread = process;
    one.begin = begin;
    one.size = end - begin;
    one.file_offset = offset;
    one.text = line;
  }
}

}  // namespace wperf::perf_events
