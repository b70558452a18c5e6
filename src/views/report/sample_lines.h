// SPDX-License-Identifier: BSD-3-Clause
// The samples of a recording one by one, as lines of text or JSON. Parts that repeat (a task, an address with its name)
// are formatted once and then copied.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/stacks/moments.h"
#include "model/stacks/stack_profile.h"

namespace wperf::report {

enum class LineFormat : u8 { text, json };

// The values of a single sample. Its other values are in its row of the profile.
struct SampleMoment {
  u64 time_ns = 0, period = 0;
  u32 core = 0;
  bool has_time = false, has_core = false;
};

// Text that grows at its end. Call make_room() before adding text.
class LineText {
 public:
  std::string_view text() const { return {buffer_.get(), static_cast<usize>(at_ - buffer_.get())}; }
  void clear() { at_ = buffer_.get(); }
  // After this call, `size` bytes may be written at end().
  void make_room(usize size) {
    if (static_cast<usize>(buffer_.get() + capacity_ - at_) < size) grow(size);
  }
  char* end() const { return at_; }
  void set_end(char* at) { at_ = at; }

 private:
  void grow(usize size);

  usize capacity_ = 0;
  std::unique_ptr<char[]> buffer_;
  char* at_ = nullptr;
};

// The constructor formats the repeated parts; after that, any thread may make lines.
class SampleLines {
 public:
  SampleLines(const stacks::StackProfile& profile, const stacks::LineStacks& stacks, LineFormat format);
  void append(u32 row, const SampleMoment& moment, LineText& text) const;

 private:
  struct Piece {
    u64 begin = 0;  // position in spelled_
    u32 size = 0;
  };
  void spell_frames(const stacks::StackProfile& profile);
  void append_frames(u32 row, LineText& text) const;
  Piece spell(std::string_view text);
  void copy(Piece piece, LineText& text) const;

  const stacks::GrowingArray<stacks::StackSample>& samples_;
  const stacks::LineStacks& stacks_;
  LineFormat format_;
  std::string spelled_;
  std::vector<Piece> addresses_, tasks_, events_;
};

}  // namespace wperf::report
