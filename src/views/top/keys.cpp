// SPDX-License-Identifier: BSD-3-Clause
#include "views/top/keys.h"

#include <algorithm>
#include <optional>

#include "ground/text/unicode.h"

namespace wperf::top {
namespace {

constexpr char kEscape = '\x1b', kDelete = '\x7f';
constexpr usize kLongestSequence = 32;  // longer sequences are not keys, and their beginning is discarded

bool is_final(char c) {
  return c >= 0x40 && c <= 0x7e;
}

std::optional<KeyKind> kind_of_letter(char letter) {
  switch (letter) {
    case 'A':
      return KeyKind::up;
    case 'B':
      return KeyKind::down;
    case 'C':
      return KeyKind::right;
    case 'D':
      return KeyKind::left;
    case 'H':
      return KeyKind::home;
    case 'F':
      return KeyKind::end;
    default:
      return std::nullopt;
  }
}

// ESC [ NUMBER ~
std::optional<KeyKind> kind_of_number(std::string_view parameters) {
  const std::string_view number = parameters.substr(0, parameters.find(';'));
  if (number == "1" || number == "7") return KeyKind::home;
  if (number == "4" || number == "8") return KeyKind::end;
  if (number == "5") return KeyKind::page_up;
  if (number == "6") return KeyKind::page_down;
  if (number == "3") return KeyKind::backspace;
  return std::nullopt;
}

std::optional<KeyKind> kind_of_control(char c) {
  switch (c) {
    case '\r':
    case '\n':
      return KeyKind::enter;
    case '\t':
      return KeyKind::tab;
    case '\b':
    case kDelete:
      return KeyKind::backspace;
    case '\x03':
      return KeyKind::interrupt;
    case '\x1a':
      return KeyKind::suspend;
    case '\x0c':
      return KeyKind::redraw;
    case '\x15':
      return KeyKind::erase_all;
    default:
      return std::nullopt;
  }
}

// The length of a character, from its first byte; 1 if no character begins with this byte.
usize length_by_first(char first) {
  const u8 byte = static_cast<u8>(first);
  return byte >= 0xf0 && byte < 0xf5 ? 4 : byte >= 0xe0 && byte < 0xf0 ? 3 : byte >= 0xc2 && byte < 0xe0 ? 2 : 1;
}

}  // namespace

// Returns false if the sequence is not complete yet.
bool KeyReader::take_sequence(std::vector<Key>& keys) {
  if (waiting_.size() < 2) return false;
  const char second = waiting_[1];
  if (second == 'O') {  // used by some terminals in some modes
    if (waiting_.size() < 3) return false;
    if (const auto kind = kind_of_letter(waiting_[2])) keys.push_back({.kind = *kind});
    waiting_.erase(0, 3);
    return true;
  }
  if (second != '[') {  // a key with Alt: takes only the escape
    keys.push_back({.kind = KeyKind::escape});
    waiting_.erase(0, 1);
    return true;
  }
  const auto end = std::find_if(waiting_.begin() + 2, waiting_.end(), is_final);
  if (end == waiting_.end()) {
    if (waiting_.size() <= kLongestSequence) return false;
    waiting_.clear();
    return true;
  }
  const usize length = static_cast<usize>(end - waiting_.begin());
  const std::string_view parameters = std::string_view(waiting_).substr(2, length - 2);
  const auto kind = *end == '~' ? kind_of_number(parameters) : kind_of_letter(*end);
  if (kind.has_value()) keys.push_back({.kind = *kind});
  waiting_.erase(0, length + 1);
  return true;
}

bool KeyReader::take_one(std::vector<Key>& keys) {
  const char first = waiting_.front();
  if (first == kEscape) return take_sequence(keys);
  if (static_cast<u8>(first) < 0x20 || first == kDelete) {
    if (const auto kind = kind_of_control(first)) keys.push_back({.kind = *kind});
    waiting_.erase(0, 1);
    return true;
  }
  const usize length = length_by_first(first);
  const std::string_view whole = std::string_view(waiting_).substr(0, length);
  const bool goes_on = std::all_of(whole.begin() + 1, whole.end(), [](char c) { return (c & '\xc0') == '\x80'; });
  if (whole.size() < length && goes_on) return false;
  const text::CodePoint point =
      static_cast<u8>(first) < 0x80 ? text::CodePoint{.value = static_cast<u8>(first)} : text::decode_utf8(whole);
  constexpr u32 kReplacement = 0xfffd, kFirstAfterControls = 0xa0;
  const bool is_text =
      static_cast<u8>(first) < 0x80 || (point.value != kReplacement && point.value >= kFirstAfterControls);
  if (is_text) keys.push_back({.kind = KeyKind::character, .text = waiting_.substr(0, point.length)});
  waiting_.erase(0, std::max<usize>(point.length, 1));
  return true;
}

std::vector<Key> KeyReader::take(std::string_view bytes) {
  waiting_ += bytes;
  std::vector<Key> keys;
  while (!waiting_.empty() && take_one(keys)) {
  }
  return keys;
}

std::vector<Key> KeyReader::pause() {
  std::vector<Key> keys;
  if (waiting_ == std::string_view(&kEscape, 1)) keys.push_back({.kind = KeyKind::escape});
  waiting_.clear();
  return keys;
}

}  // namespace wperf::top
