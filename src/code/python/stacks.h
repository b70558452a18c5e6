// SPDX-License-Identifier: BSD-3-Clause
// The Python frames of one thread, from one of them on. They are read in a snapshot of the thread (snapshot.h); frames
// that it lacks, and a mark of each code object, are read in the process.
#pragma once
#include <vector>

#include "code/python/code_marks.h"
#include "code/python/layout.h"
#include "code/python/process_memory.h"

namespace wperf::python {

struct RawFrame {
  u64 address = 0;  // of the frame
  // The address of the code object. It is 0 in a frame that the thread is leaving (since 3.14): the instruction tells
  // its code. It is 0, as the instruction, for an evaluation that has no frame of Python.
  u64 code = 0;
  u64 instruction = 0;  // the address of the one that runs, or has called
  u64 mark = 0;         // tells code objects at one address apart (code_mark.h); 0: it was not read
  u8 owner = 0;         // as the interpreter numbers owners
  // The outermost frame of one evaluation in C: each native frame of _PyEval_EvalFrameDefault consumes frames up to one
  // of these.
  bool is_entry = false;
};

enum class StackEnd : u8 {
  outermost,   // all frames are here
  too_deep,    // there are more than were asked for
  unreadable,  // a frame could not be read
};

struct RawStack {
  std::vector<RawFrame> frames;  // innermost first
  StackEnd end = StackEnd::outermost;
};

inline constexpr usize kMostFrames = 1024;

class StackReader {
 public:
  // Both must outlive this; the layout has passed check_layout().
  StackReader(ProcessMemory& memory, const Layout& layout);

  // The frames from this one on, at most that many. `out` is reused.
  void read_from(u64 frame, RawStack& out, usize most_frames = kMostFrames);

  // In two steps: the frames without marks, then the marks of those that have none yet.
  void walk_from(u64 frame, RawStack& out, usize most_frames = kMostFrames);
  void add_marks(RawStack& out);

 private:
  void add_frame(u64 address, bytes::Span fields, RawStack& out) const;
  void read_pieces();

  ProcessMemory& memory_;
  const Layout& layout_;
  CodeMarks marks_;
  std::vector<std::byte> fields_;  // of a frame
  std::vector<MemoryPiece> pieces_;
  std::vector<u8> is_read_;  // for each piece
};

}  // namespace wperf::python
