// SPDX-License-Identifier: BSD-3-Clause
#include "ground/packing/xpress.h"

#include <algorithm>
#include <cstring>

namespace wperf::packing {
namespace {

constexpr usize kLeastMatch = 3;

class Input {
 public:
  explicit Input(std::span<const std::byte> bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}

  template <class T>
  bool take(T& value) {
    if (static_cast<usize>(end_ - at_) < sizeof value) return false;
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return true;
  }
  const std::byte* at() const { return at_; }
  usize left() const { return static_cast<usize>(end_ - at_); }
  void skip(usize count) { at_ += count; }

  // Two matches share a byte of lengths: the first match takes its lower half.
  bool take_half(u32& value) {
    if (half_ != nullptr) {
      value = std::to_integer<u32>(*half_) >> 4;
      half_ = nullptr;
      return true;
    }
    if (at_ == end_) return false;
    half_ = at_++;
    value = std::to_integer<u32>(*half_) & 0xf;
    return true;
  }

 private:
  const std::byte* at_;
  const std::byte* end_;
  const std::byte* half_ = nullptr;
};

// The part of a match's length that does not fit into its own word.
bool take_length(Input& input, usize& length) {
  constexpr u32 kWordFull = 7, kHalfFull = 15, kByteFull = 255;
  if (length != kWordFull) return true;
  u32 half = 0;
  if (!input.take_half(half)) return false;
  length += half;
  if (half != kHalfFull) return true;
  u8 more = 0;
  if (!input.take(more)) return false;
  length += more;
  if (more != kByteFull) return true;
  u16 word = 0;
  u32 whole = 0;
  if (!input.take(word)) return false;
  whole = word;
  if (word == 0 && !input.take(whole)) return false;
  if (whole < kWordFull + kHalfFull) return false;
  length = whole;
  return true;
}

void copy_match(std::byte* to, usize distance, usize length) {
  const std::byte* from = to - distance;
  if (distance >= length) {
    std::memcpy(to, from, length);
    return;
  }
  if (distance == 1) {
    std::memset(to, std::to_integer<int>(*from), length);
    return;
  }
  // A match may overlap its own output, which repeats a pattern; so copy byte by byte.
  for (usize done = 0; done < length; ++done) to[done] = from[done];
}

}  // namespace

usize expand_xpress(std::span<const std::byte> in, std::span<std::byte> out) {
  Input input(in);
  std::byte* const begin = out.data();
  std::byte* to = begin;
  std::byte* const end = begin + out.size();
  u32 flags = 0, count = 0;
  while (to != end) {
    if (count == 0) {
      if (!input.take(flags)) break;
      count = 32;
    }
    // Literals come in runs: the number of zero bits before the next match is the length of the run.
    const u32 run = std::min<u32>(flags == 0 ? count : static_cast<u32>(__builtin_clz(flags)), count);
    if (run != 0) {
      const usize literals = std::min({static_cast<usize>(run), input.left(), static_cast<usize>(end - to)});
      std::memcpy(to, input.at(), literals);
      input.skip(literals);
      to += literals;
      if (literals < run) break;
      flags = run < 32 ? flags << run : 0;
      count -= run;
      continue;
    }
    flags <<= 1;
    --count;
    u16 match = 0;
    if (!input.take(match)) break;
    const usize distance = (match >> 3) + usize{1};
    usize length = match & 7;
    if (!take_length(input, length)) break;
    length += kLeastMatch;
    if (distance > static_cast<usize>(to - begin)) break;
    length = std::min(length, static_cast<usize>(end - to));
    copy_match(to, distance, length);
    to += length;
  }
  return static_cast<usize>(to - begin);
}

}  // namespace wperf::packing
