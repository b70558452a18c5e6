// SPDX-License-Identifier: BSD-3-Clause
#include "code/python/stacks.h"

#include <algorithm>
#include <span>

#include "code/python/buffers.h"

namespace wperf::python {
namespace {

u32 end_of(u32 offset, u32 size) {
  return offset == Layout::kNone ? 0 : offset + size;
}

u32 frame_size(const Layout& layout) {
  const auto& frame = layout.frame;
  return std::max({end_of(frame.code, 8), end_of(frame.previous, 8), end_of(frame.instruction, 8),
                   end_of(frame.owner, 1), end_of(frame.is_entry, 1)});
}

// An evaluation begins in C, outside of the frames added so far. Each step of a walk ends it, adds a frame, or marks
// the last added frame here. So a walk takes at most two steps for each frame in `out`.
void end_evaluation(RawStack& out, bool is_outermost, u8 owner) {
  if (!out.frames.empty() && !out.frames.back().is_entry) {
    out.frames.back().is_entry = true;
  } else if (!is_outermost) {
    out.frames.push_back({.owner = owner, .is_entry = true});
  }
}

}  // namespace

StackReader::StackReader(ProcessMemory& memory, const Layout& layout)
    : memory_(memory), layout_(layout), marks_(layout), fields_(frame_size(layout)) {}

void StackReader::read_from(u64 frame, RawStack& out, usize most_frames) {
  walk_from(frame, out, most_frames);
  add_marks(out);
}

void StackReader::walk_from(u64 frame, RawStack& out, usize most_frames) {
  out.frames.clear();
  out.end = StackEnd::outermost;
  while (frame != 0) {
    if (out.frames.size() == most_frames) {
      out.end = StackEnd::too_deep;
      return;
    }
    if (!memory_.read_bytes(frame, fields_)) {
      out.end = StackEnd::unreadable;
      return;
    }
    const u64 previous = at_or_zero<u64>(fields_, layout_.frame.previous);
    const u8 owner = at_or_zero<u8>(fields_, layout_.frame.owner);
    if (owner >= layout_.first_c_owner) {
      end_evaluation(out, previous == 0, owner);
    } else {
      add_frame(frame, fields_, out);
    }
    frame = previous;
  }
}

void StackReader::add_frame(u64 address, bytes::Span fields, RawStack& out) const {
  RawFrame frame;
  frame.address = address;
  frame.code = at_or_zero<u64>(fields, layout_.frame.code) & layout_.code_mask;
  frame.instruction = at_or_zero<u64>(fields, layout_.frame.instruction);
  frame.owner = at_or_zero<u8>(fields, layout_.frame.owner);
  if (layout_.frame.is_entry != Layout::kNone) frame.is_entry = at_or_zero<u8>(fields, layout_.frame.is_entry) != 0;
  out.frames.push_back(frame);
}

// If a piece cannot be read (for example freed code), the pieces after it are still read.
void StackReader::read_pieces() {
  constexpr int kMostCalls = 8;
  is_read_.assign(pieces_.size(), 0);
  usize begin = 0;
  for (int call = 0; call < kMostCalls && begin < pieces_.size(); ++call) {
    const usize read = memory_.read(std::span(pieces_).subspan(begin));
    std::fill_n(is_read_.begin() + static_cast<std::ptrdiff_t>(begin), read, u8{1});
    begin += read + 1;
  }
}

void StackReader::add_marks(RawStack& out) {
  const auto lacks_mark = [](const RawFrame& frame) { return frame.mark == 0 && frame.code != 0; };
  if (std::ranges::none_of(out.frames, lacks_mark)) return;
  pieces_.clear();
  marks_.clear();
  for (const RawFrame& frame : out.frames) marks_.add(lacks_mark(frame) ? frame.code : 0);
  marks_.add_pieces(pieces_);
  read_pieces();
  for (usize i = 0; i < out.frames.size(); ++i) {
    if (lacks_mark(out.frames[i])) out.frames[i].mark = marks_.mark_of_frame(i, is_read_);
  }
}

}  // namespace wperf::python
