// SPDX-License-Identifier: BSD-3-Clause
// Records that perf itself writes between the kernel's records: AUX data, events and features of a file from a pipe,
// counts of `perf stat record`, and notes for perf's reader. read() returns false if the record is shorter than its
// contents claim.
#pragma once
#include "formats/perf_data/event_attributes.h"
#include "formats/perf_data/record.h"

namespace wperf::perf_data {

struct NewEvent {
  EventAttributes attributes;
  Words ids;
};

struct EventTypeName {  // header_event_type; perf stopped writing it
  u64 event_id = 0;
  std::string_view name;
};

struct TracingData {  // header_tracing_data: formats of tracepoints
  Bytes data;
};

struct BuildId {  // header_build_id, and an entry of the feature build_ids
  u32 pid = 0;
  u16 misc = 0;  // its kMiscCpuMode shows whether it belongs to the kernel
  Bytes id;
  std::string_view file;
};

struct FinishedRound {};  // later records are not older than the last records of the round before
struct FinishedInit {};   // the description of the initial state is complete

struct IdIndex {
  Words words;     // four per entry
  Words machines;  // two per entry; only in files from virtual machines
  usize size() const { return words.size() / 4; }
  u64 id(usize index) const { return words[index * 4]; }
  u64 buffer(usize index) const { return words[index * 4 + 1]; }
  u64 cpu(usize index) const { return words[index * 4 + 2]; }
  u64 tid(usize index) const { return words[index * 4 + 3]; }
};

struct AuxTraceInfo {
  u32 type = 0;  // kAuxArmSpe, …
  Words parameters;
};

struct AuxTrace {
  u64 size = 0, offset = 0, reference = 0;
  u32 index = 0, tid = 0, cpu = 0;
  Bytes data;  // shorter than `size` in a truncated file
};

struct AuxTraceError {
  u32 type = 0, code = 0, cpu = 0, pid = 0, tid = 0;
  u64 ip = 0, time = 0;
  std::string_view message;
};

struct ThreadMap {
  Bytes entries;  // 24 bytes each
  usize size() const { return entries.size() / 24; }
  u64 pid(usize index) const { return Words(slice(entries, index * 24, 8))[0]; }
  std::string_view name(usize index) const { return text_in(slice(entries, index * 24 + 8, 16)); }
};

struct CpuMap {
  enum class Kind : u16 { list = 0, mask = 1, range = 2 };
  Kind kind = Kind::list;
  u32 unit = 0;      // size in bytes of the numbers below
  Bytes numbers;     // 16-bit CPU numbers, mask words of `unit` bytes, or the first and the last CPU
  bool any = false;  // any CPU

  // Calls visit(cpu) for each CPU, in ascending order for masks and ranges.
  template <class Visit>
  void for_each(Visit visit) const {
    if (kind == Kind::list) {
      for (Reader reader(numbers); reader.left() >= 2;) visit(u32{reader.take<u16>()});
    } else if (kind == Kind::range) {
      Reader reader(numbers);
      const u32 first = reader.take<u16>();
      const u32 last = reader.take<u16>();
      for (u32 cpu = first; cpu <= last && reader.sound(); ++cpu) visit(cpu);
    } else {
      // Little-endian words of any size form one long sequence of bits.
      for (usize bit = 0; bit < numbers.size() * 8; ++bit) {
        if (((std::to_integer<u32>(numbers[bit / 8]) >> (bit % 8)) & 1) != 0) visit(static_cast<u32>(bit));
      }
    }
  }
};

struct StatConfig {
  Words words;  // a tag and a value each
  usize size() const { return words.size() / 2; }
  u64 tag(usize index) const { return words[index * 2]; }
  u64 value(usize index) const { return words[index * 2 + 1]; }
};

struct Stat {
  u64 id = 0;
  u32 cpu = 0, thread = 0;
  u64 value = 0, enabled_ns = 0, running_ns = 0;
};

struct StatRound {
  u64 type = 0, time = 0;
};

struct EventUpdate {
  enum class Kind : u64 { unit = 0, scale = 1, name = 2, cpus = 3 };
  Kind kind = Kind::unit;
  u64 id = 0;
  Bytes data;
  std::string_view text() const { return text_in(data); }  // for unit and name
};

struct TimeConv {
  u64 shift = 0, multiplier = 0, zero = 0, cycles = 0, mask = 0;
  bool has_zero = false, is_short = false;
};

struct FeatureRecord {  // header_feature
  u64 feature = 0;      // a Feature if it is known
  Bytes data;
};

struct Compressed {  // compressed and compressed2: Zstandard; not unpacked yet
  Bytes data;
};

bool read(const Record& record, NewEvent& out);
bool read(const Record& record, EventTypeName& out);
bool read(const Record& record, TracingData& out);
bool read(const Record& record, BuildId& out);
inline bool read(const Record&, FinishedRound&) {
  return true;
}
inline bool read(const Record&, FinishedInit&) {
  return true;
}
bool read(const Record& record, IdIndex& out);
bool read(const Record& record, AuxTraceInfo& out);
bool read(const Record& record, AuxTrace& out);
bool read(const Record& record, AuxTraceError& out);
bool read(const Record& record, ThreadMap& out);
bool read(const Record& record, CpuMap& out);
bool read_cpu_map(Bytes bytes, CpuMap& out);
bool read(const Record& record, StatConfig& out);
bool read(const Record& record, Stat& out);
bool read(const Record& record, StatRound& out);
bool read(const Record& record, EventUpdate& out);
bool read(const Record& record, TimeConv& out);
bool read(const Record& record, FeatureRecord& out);
bool read(const Record& record, Compressed& out);

}  // namespace wperf::perf_data
