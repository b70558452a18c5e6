// SPDX-License-Identifier: BSD-3-Clause
// The Python frames of one thread, from a given frame on. They are read from a snapshot of the thread (snapshot.h).
// Missing frames, and the mark of each code object, are read from the process.
#pragma once
#include <vector>

#include "code/python/code_marks.h"
#include "code/python/layout.h"
#include "code/python/process_memory.h"

namespace wperf::python {

struct RawFrame {
  u64 address = 0;  // address of the frame
  // The address of the code object. It is 0 in a frame that the thread is leaving (since 3.14); then the instruction
  // identifies the code. For an evaluation without a Python frame both are 0.
  u64 code = 0;
  u64 instruction = 0;  // the address of the instruction that runs or made a call
  u64 mark = 0;         // distinguishes code objects at the same address (code_mark.h); 0: not read
  u8 owner = 0;         // the interpreter's number for the owner
  // Is it the outermost frame of an evaluation in C? Each native frame of _PyEval_EvalFrameDefault corresponds to the
  // Python frames up to one such outermost frame.
  bool is_entry = false;
};

enum class StackEnd : u8 {
  outermost,   // all frames were read
  too_deep,    // there are more frames than requested
  unreadable,  // a frame could not be read
};

struct RawStack {
  std::vector<RawFrame> frames;  // innermost first
  StackEnd end = StackEnd::outermost;
};

inline constexpr usize kMostFrames = 1024;

class StackReader {
 public:
  // Both must outlive this object; the layout must have passed check_layout().
  StackReader(ProcessMemory& memory, const Layout& layout);

  // Reads the frames from `frame` on, at most `most_frames`. `out` is reused.
  void read_from(u64 frame, RawStack& out, usize most_frames = kMostFrames);

  // The two steps of read_from(): first the frames without marks, then the marks that are still missing.
  void walk_from(u64 frame, RawStack& out, usize most_frames = kMostFrames);
  void add_marks(RawStack& out);

 private:
  void add_frame(u64 address, bytes::Span fields, RawStack& out) const;
  void read_pieces();

  ProcessMemory& memory_;
  const Layout& layout_;
  CodeMarks marks_;
  std::vector<std::byte> fields_;  // the fields of a frame
  std::vector<MemoryPiece> pieces_;
  std::vector<u8> is_read_;  // for each piece
};

}  // namespace wperf::python
