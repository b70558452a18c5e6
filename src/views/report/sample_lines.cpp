// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/sample_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "ground/text/json_writer.h"

namespace wperf::report {
namespace {

using stacks::StackProfile;

// Short pieces are copied in blocks of this size, which is faster than copying their exact size. Up to two blocks
// beyond the end of a piece are read and written.
constexpr usize kBlock = 64;
constexpr usize kLongestNumbers = 256;  // all numbers of a sample
constexpr usize kLongestFrame = 96;     // address and offset with the words around them

std::string json_text(std::string_view text) {
  std::string out;
  text::JsonWriter(out).string(text);
  return out;
}

// The name of a thread can contain line ends, which must not break a line of text.
std::string on_one_line(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (static_cast<u8>(c) < 0x20) c = '?';
  }
  return out;
}

char* put(char* at, std::string_view part) {
  std::memcpy(at, part.data(), part.size());
  return at + part.size();
}

char* put_decimal(char* at, u64 value) {
  return std::to_chars(at, at + 20, value).ptr;
}

// "12.345678901"
char* put_seconds(char* at, u64 ns) {
  constexpr u64 kNsPerSecond = 1'000'000'000;
  at = put_decimal(at, ns / kNsPerSecond);
  *at = '.';
  auto rest = static_cast<u32>(ns % kNsPerSecond);
  for (usize i = 9; i > 0; --i, rest /= 10) at[i] = static_cast<char>('0' + rest % 10);
  return at + 10;
}

// The text after a frame's address. This text depends only on the function, so it is formatted in advance.
struct FunctionPieces {
  std::string before_offset, after_offset;
};

FunctionPieces text_pieces(const StackProfile& profile, const stacks::StackFunction& function) {
  return {' ' + on_one_line(function.name), " (" + on_one_line(profile.modules[function.module].name) + ")\n"};
}

FunctionPieces json_pieces(const StackProfile& profile, const stacks::StackFunction& function) {
  return {function.is_known ? ",\"symbol\":" + json_text(function.name) : std::string(),
          ",\"module\":" + json_text(profile.modules[function.module].name) + "}"};
}

void append_number(std::string& out, u64 value, int base) {
  char digits[20];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value, base).ptr);
}

void append_frame_text(std::string& out, const stacks::LineFrame& frame, const FunctionPieces& function) {
  constexpr usize kAddressWidth = 16;
  const usize begin = out.size();
  append_number(out, frame.address, 16);
  out.insert(begin, kAddressWidth - (out.size() - begin), ' ');
  out += function.before_offset;
  if (frame.offset != stacks::kNoOffset) append_number(out += "+0x", frame.offset, 16);
  out += function.after_offset;
}

void append_frame_json(std::string& out, const stacks::LineFrame& frame, const FunctionPieces& function,
                       std::string_view line) {
  append_number(out += ",{\"address\":\"0x", frame.address, 16);
  out.append(1, '"').append(function.before_offset);
  if (frame.offset != stacks::kNoOffset) append_number(out += ",\"offset\":", frame.offset, 10);
  out.append(line).append(function.after_offset);
}

// "name 12/13 [2] 5.000000001: 250000 cycles:", and a line for each frame, innermost first.
char* put_text_moment(char* at, const SampleMoment& moment) {
  if (moment.has_core) {
    at = put_decimal(put(at, " ["), moment.core);
    *at++ = ']';
  }
  if (moment.has_time) {
    *at++ = ' ';
    at = put_seconds(at, moment.time_ns);
  }
  return put_decimal(put(at, ": "), moment.period);
}

char* put_json_moment(char* at, const SampleMoment& moment) {
  if (moment.has_core) at = put_decimal(put(at, ",\"core\":"), moment.core);
  if (moment.has_time) at = put_decimal(put(at, ",\"time_ns\":"), moment.time_ns);
  return put_decimal(put(at, ",\"period\":"), moment.period);
}

}  // namespace

void LineText::grow(usize size) {
  constexpr usize kFirst = 1 << 17;
  const std::string_view before = text();
  const usize capacity = std::max({kFirst, 2 * capacity_, before.size() + size});
  auto larger = std::make_unique_for_overwrite<char[]>(capacity);
  char* const at = before.empty() ? larger.get() : put(larger.get(), before);
  buffer_ = std::move(larger);
  capacity_ = capacity;
  at_ = at;
}

SampleLines::SampleLines(const StackProfile& profile, const stacks::LineStacks& stacks, LineFormat format)
    : samples_(profile.samples), stacks_(stacks), format_(format) {
  for (const stacks::StackTask& task : profile.tasks) {
    const auto pid = static_cast<int>(task.pid), tid = static_cast<int>(task.tid);
    const std::string& name = profile.names[task.name];
    tasks_.push_back(spell(format == LineFormat::text
                               ? fmt::format("{} {}/{}", on_one_line(name), pid, tid)
                               : fmt::format("{{\"comm\":{},\"pid\":{},\"tid\":{}", json_text(name), pid, tid)));
  }
  for (const stacks::StackEvent& event : profile.events) {
    events_.push_back(spell(format == LineFormat::text ? ' ' + on_one_line(event.name) + ":\n"
                                                       : ",\"event\":" + json_text(event.name) + ",\"frames\":["));
  }
  spell_frames(profile);
  spelled_.append(2 * kBlock, '\0');
}

SampleLines::Piece SampleLines::spell(std::string_view text) {
  const usize begin = spelled_.size();
  spelled_ += text;
  return {begin, static_cast<u32>(text.size())};
}

void SampleLines::spell_frames(const StackProfile& profile) {
  std::vector<FunctionPieces> functions;
  functions.reserve(profile.functions.size());
  for (const stacks::StackFunction& function : profile.functions) {
    functions.push_back(format_ == LineFormat::text ? text_pieces(profile, function) : json_pieces(profile, function));
  }
  std::vector<std::string> lines;  // if lines were requested
  lines.reserve(profile.lines.size());
  for (const std::string& line : profile.lines) lines.push_back(",\"line\":" + json_text(line));
  const auto line_of = [&](const stacks::LineFrame& frame) {
    const u32 line = profile.places[frame.place].line;
    return line != stacks::kNothing ? std::string_view(lines[line]) : std::string_view();
  };
  const usize count = stacks_.frame_begins.size() - 1;
  addresses_.reserve(count);
  // Reserves the maximum size, because each growth would copy the text again.
  usize most = spelled_.size();
  for (const stacks::LineFrame& frame : stacks_.frames) {
    const FunctionPieces& function = functions[profile.places[frame.place].function];
    most += kLongestFrame + function.before_offset.size() + function.after_offset.size() + line_of(frame).size();
  }
  spelled_.reserve(most + 2 * kBlock);
  for (usize address = 0; address < count; ++address) {
    const usize begin = spelled_.size();
    for (u32 i = stacks_.frame_begins[address]; i < stacks_.frame_begins[address + 1]; ++i) {
      const stacks::LineFrame& frame = stacks_.frames[i];
      const FunctionPieces& function = functions[profile.places[frame.place].function];
      format_ == LineFormat::text ? append_frame_text(spelled_, frame, function)
                                  : append_frame_json(spelled_, frame, function, line_of(frame));
    }
    addresses_.push_back({begin, static_cast<u32>(spelled_.size() - begin)});
  }
}

void SampleLines::copy(Piece piece, LineText& text) const {
  const char* const from = spelled_.data() + piece.begin;
  if (piece.size > 2 * kBlock) {
    text.make_room(piece.size);
    text.set_end(put(text.end(), {from, piece.size}));
    return;
  }
  text.make_room(2 * kBlock);
  char* const at = text.end();
  std::memcpy(at, from, kBlock);
  if (piece.size > kBlock) std::memcpy(at + kBlock, from + kBlock, kBlock);
  text.set_end(at + piece.size);
}

void SampleLines::append_frames(u32 row, LineText& text) const {
  u32 skipped = format_ == LineFormat::json ? 1 : 0;  // skips the comma before the first frame
  for (u64 i = stacks_.stack_begins[row]; i < stacks_.stack_begins[row + 1]; ++i) {
    const Piece piece = addresses_[stacks_.addresses[i]];
    copy({piece.begin + skipped, piece.size - skipped}, text);
    skipped = 0;
  }
}

void SampleLines::append(u32 row, const SampleMoment& moment, LineText& text) const {
  const stacks::StackSample& sample = samples_[row];
  copy(tasks_[sample.task], text);
  text.make_room(kLongestNumbers);
  text.set_end(format_ == LineFormat::text ? put_text_moment(text.end(), moment) : put_json_moment(text.end(), moment));
  copy(events_[sample.event], text);
  append_frames(row, text);
  if (format_ == LineFormat::text) return;
  text.make_room(kLongestNumbers);
  text.set_end(put(text.end(), "]}\n"));
}

}  // namespace wperf::report
