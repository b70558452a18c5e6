// SPDX-License-Identifier: BSD-3-Clause
// Samples of a recording one by one, as lines of text or of JSON. What repeats (who, an address with its name) is
// spelled once and copied from then on. Called by commands.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "stacks/line_stacks.h"
#include "stacks/stack_rows.h"

namespace wperf::report {

enum class LineFormat : u8 { text, json };

// What only this sample says; its row in the profile tells the rest.
struct SampleMoment {
  u64 time_ns = 0, period = 0;
  u32 core = 0;
  bool has_time = false, has_core = false;
};

class SampleLines {
 public:
  using Deliver = std::function<void(std::string_view part)>;

  // `deliver` takes the lines in large parts, which may end within a line.
  SampleLines(const stacks::StackProfile& profile, const stacks::LineStacks& stacks, LineFormat format,
              Deliver deliver);
  void append(u32 row, const SampleMoment& moment);
  void finish();

 private:
  struct Piece {
    u64 begin = 0;  // in spelled_
    u32 size = 0;
  };
  void append_text_moment(const SampleMoment& moment);
  void append_json_moment(const SampleMoment& moment);
  void spell_frames(const stacks::StackProfile& profile);
  void append_frames(u32 row);
  Piece spell(std::string_view text);
  void copy(Piece piece);
  void make_room(usize size);

  const stacks::GrowingArray<stacks::StackSample>& samples_;
  const stacks::LineStacks& stacks_;
  LineFormat format_;
  Deliver deliver_;
  std::string spelled_;
  std::vector<Piece> addresses_, tasks_, events_;
  std::unique_ptr<char[]> buffer_;
  char* at_;
};

}  // namespace wperf::report
