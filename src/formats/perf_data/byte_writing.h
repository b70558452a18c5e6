// SPDX-License-Identifier: BSD-3-Clause
// Appends numbers, texts and whole records to bytes, for the files of this room.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/ints.h"

namespace wperf::perf_data {

inline constexpr usize kRecordHeaderSize = 8;
inline constexpr usize kLargestRecord = 0xffff / 8 * 8;  // the size has 16 bits and is a multiple of 8

constexpr usize round_up(usize size, usize unit) {
  return (size + unit - 1) / unit * unit;
}

template <class T>
void put(std::string& out, T value) {
  static_assert(std::is_integral_v<T> && std::has_unique_object_representations_v<T>);
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// `text` followed by zeros, `room` bytes in total; a longer text is cut.
inline void put_padded(std::string& out, std::string_view text, usize room) {
  out += text.substr(0, room);
  out.append(room - std::min(room, text.size()), '\0');
}

// The text at the end of a record's body, with its final zero, padded to a multiple of 8. The text is cut if the record
// has no space for it and `behind` more bytes.
inline void put_cut_text(std::string& body, std::string_view text, usize behind = 0) {
  const usize taken = kRecordHeaderSize + body.size() + behind + 1;
  text = text.substr(0, taken < kLargestRecord ? kLargestRecord - taken : 0);
  put_padded(body, text, round_up(body.size() + text.size() + 1, 8) - body.size());
}

inline void put_record(std::string& out, u32 type, u16 misc, std::string_view body) {
  put(out, type);
  put(out, misc);
  put(out, static_cast<u16>(kRecordHeaderSize + body.size()));
  out += body;
}

}  // namespace wperf::perf_data
