// SPDX-License-Identifier: BSD-3-Clause
// Builds .eh_frame and .debug_frame sections, and stack copies, for the tests of this folder.
#pragma once
#include <string_view>
#include <vector>

#include "code/unwind/frame_table.h"
#include "code/unwind/unwinder.h"

namespace wperf::unwind {

using CodeBytes = std::vector<u8>;

class FrameBuilder {
 public:
  static constexpr u64 kAddress = 0x4000;  // address of the section

  explicit FrameBuilder(bool is_debug_frame = false) : is_debug_frame_(is_debug_frame) {}

  // Data alignment -8, code alignment 1. Pointers are relative with four bytes, or in .debug_frame absolute with eight.
  void common(std::string_view letters, u8 return_register, const CodeBytes& program) {
    common_ = bytes_.size();
    has_letters_ = !letters.empty();
    CodeBytes body = {3};
    for (const char c : letters) body.push_back(static_cast<u8>(c));
    body.insert(body.end(), {0, 1, 0x78, return_register});
    if (has_letters_) body.insert(body.end(), {1, 0x1b});
    body.insert(body.end(), program.begin(), program.end());
    number(body.size() + 4, 4);
    number(is_debug_frame_ ? 0xffffffff : 0, 4);
    bytes_.insert(bytes_.end(), body.begin(), body.end());
  }
  // Returns the position of the entry.
  u64 function(u64 begin, u64 size, const CodeBytes& program) {
    const u64 at = bytes_.size();
    number(4 + (is_debug_frame_ ? 16 : 8) + (has_letters_ ? 1 : 0) + program.size(), 4);
    number(is_debug_frame_ ? common_ : bytes_.size() - common_, 4);
    if (is_debug_frame_) {
      number(begin, 8);
      number(size, 8);
    } else {
      number(begin - (kAddress + bytes_.size()), 4);
      number(size, 4);
    }
    if (has_letters_) number(0, 1);
    bytes_.insert(bytes_.end(), program.begin(), program.end());
    return at;
  }
  void number(u64 value, int width) {
    for (int i = 0; i < width; ++i) bytes_.push_back(static_cast<u8>(value >> (8 * i)));
  }
  CodeBytes& bytes() { return bytes_; }

  FrameSections sections() const {
    FrameSections out;
    out.frames = symbols::EndianBytes(std::as_bytes(std::span(bytes_)), false);
    out.address = is_debug_frame_ ? 0 : kAddress;
    out.is_debug_frame = is_debug_frame_;
    return out;
  }

 private:
  bool is_debug_frame_;
  bool has_letters_ = false;
  u64 common_ = 0;
  CodeBytes bytes_;
};

// A stack of words, lowest address first.
struct TestStack {
  static constexpr u64 kAddress = 0x7000;
  std::vector<u64> words;
  StackCopy copy(bool is_whole = false) const {
    return {.address = kAddress, .bytes = std::as_bytes(std::span(words)), .is_whole = is_whole};
  }
  static u64 at(u64 index) { return kAddress + index * 8; }
};

}  // namespace wperf::unwind
