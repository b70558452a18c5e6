// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/listed/jit_dump.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "code/ordered.h"

namespace wperf::symbols {
namespace {

constexpr u32 kMagic = 0x4A695444;  // "JiTD"
constexpr u64 kSmallestHeader = 40, kRecordHeader = 16;
constexpr u64 kOtherClock = 1;  // flag: times come from the processor's counter

enum RecordKind : u32 { code_load = 0, code_move = 1, debug_info = 2, code_close = 3 };

constexpr u64 kLoadFixed = 40, kMoveFixed = 48, kDebugFixed = 16, kLineFixed = 16;

}  // namespace

struct JitDump::Reader {
  struct Lines {
    u32 first = 0, count = 0;
  };

  JitDump& out;
  bool has_times = true;
  Lines pending = {};                          // lines of the next function
  std::unordered_map<u64, u32> of_index = {};  // code index → function
  u64 since(u64 time) const { return has_times ? time : 0; }

  bool load(const EndianBytes& body, u64 time);
  bool move(const EndianBytes& body, u64 time);
  bool take_lines(const EndianBytes& body);
};

bool JitDump::Reader::load(const EndianBytes& body, u64 time) {
  const auto name = body.text(kLoadFixed);
  const u64 begin = body.at_or_zero<u64>(16), size = body.at_or_zero<u64>(24);
  const Lines lines = std::exchange(pending, {});
  if (!name.has_value() || size == 0 || begin + size < begin) return false;
  of_index[body.at_or_zero<u64>(32)] = static_cast<u32>(out.functions_.size());
  out.functions_.push_back({begin, begin + size, since(time), *name, begin, lines.first, lines.count});
  return true;
}

bool JitDump::Reader::move(const EndianBytes& body, u64 time) {
  const u64 begin = body.at_or_zero<u64>(24), size = body.at_or_zero<u64>(32);
  const auto known = of_index.find(body.at_or_zero<u64>(40));
  if (body.size() < kMoveFixed || known == of_index.end() || size == 0 || begin + size < begin) return false;
  JitFunction moved = out.functions_[known->second];
  moved.begin = begin;
  moved.end = begin + size;
  moved.since = since(time);
  known->second = static_cast<u32>(out.functions_.size());
  out.functions_.push_back(moved);
  return true;
}

// Entries with address, line, discriminator and file name; "\xff" repeats the previous name.
bool JitDump::Reader::take_lines(const EndianBytes& body) {
  if (body.size() < kDebugFixed) return false;
  const u64 count = body.at_or_zero<u64>(8);
  pending = {static_cast<u32>(out.lines_.size()), 0};  // the previous lines belong to no function
  u64 at = kDebugFixed;
  std::string_view file;
  bool is_whole = true;
  for (u64 i = 0; i < count; ++i) {
    const auto name = body.text(at + kLineFixed);
    is_whole = name.has_value();
    if (!is_whole) break;
    if (*name != "\xff") file = *name;
    out.lines_.push_back({body.at_or_zero<u64>(at), body.at_or_zero<u32>(at + 8), file});
    ++pending.count;
    at += kLineFixed + name->size() + 1;
  }
  code::order_by(out.lines_, [](const Line& line) { return line.address; }, pending.first);
  return is_whole;
}

std::optional<JitDump> JitDump::parse(Bytes bytes) {
  EndianBytes file(bytes, false);
  u32 magic = 0;
  if (!file.load(0, magic)) return {};
  if (magic == byte_swapped(kMagic)) file = EndianBytes(bytes, true);
  const u64 header = file.at_or_zero<u32>(8);
  if (file.at_or_zero<u32>(0) != kMagic || header < kSmallestHeader || header > file.size()) return {};
  JitDump out;
  out.process_ = file.at_or_zero<u32>(20);
  Reader reader{.out = out, .has_times = (file.at_or_zero<u64>(32) & kOtherClock) == 0};
  for (u64 at = header; file.holds(at, kRecordHeader);) {
    const u64 size = file.at_or_zero<u32>(at + 4);
    if (size < kRecordHeader || !file.holds(at, size)) {
      ++out.damaged_;
      break;
    }
    const EndianBytes body = file.slice(at + kRecordHeader, size - kRecordHeader);
    const u32 kind = file.at_or_zero<u32>(at);
    const u64 time = file.at_or_zero<u64>(at + 8);
    bool good = true;
    if (kind == code_load) good = reader.load(body, time);
    if (kind == code_move) good = reader.move(body, time);
    if (kind == debug_info) good = reader.take_lines(body);
    if (kind == code_close) break;
    out.damaged_ += good ? 0 : 1;
    at += size;
  }
  std::stable_sort(out.functions_.begin(), out.functions_.end(), [](const JitFunction& a, const JitFunction& b) {
    return std::tie(a.begin, a.since) < std::tie(b.begin, b.since);
  });
  u64 furthest = 0;
  for (const JitFunction& function : out.functions_) {
    furthest = std::max(furthest, function.end);
    out.furthest_.push_back(furthest);
  }
  return out;
}

u32 JitDump::find(u64 address, u64 when) const {
  constexpr u32 kMostSteps = 4096;  // limit; only a damaged file needs more lookups at one place
  const auto behind = std::upper_bound(functions_.begin(), functions_.end(), address,
                                       [](u64 wanted, const JitFunction& one) { return wanted < one.begin; });
  u32 newest = kNone;
  const u32 count = static_cast<u32>(behind - functions_.begin());
  for (u32 step = 1; step <= std::min(count, kMostSteps); ++step) {
    const u32 i = count - step;
    if (furthest_[i] <= address) break;
    const JitFunction& one = functions_[i];
    const bool fits = address < one.end && one.since <= when;
    if (fits && (newest == kNone || one.since > functions_[newest].since)) newest = i;
  }
  return newest;
}

JitLine JitDump::line_at(const JitFunction& function, u64 address) const {
  const u64 wanted = address - function.begin + function.written_at;
  const auto first = lines_.begin() + function.first_line;
  const auto after = std::upper_bound(first, first + function.lines, wanted, [](u64 address_wanted, const Line& line) {
    return address_wanted < line.address;
  });
  return after == first ? JitLine{} : JitLine{(after - 1)->file, (after - 1)->line};
}

}  // namespace wperf::symbols
