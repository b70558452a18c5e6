// SPDX-License-Identifier: BSD-3-Clause
// The offsets of fields in an interpreter's structures, for one version of CPython. Since 3.13 the interpreter's memory
// has a table of them (debug_offsets.h); for 3.11 and 3.12 they are defined here. Every offset is checked before use,
// because the table comes from another process.
#pragma once
#include "base/ints.h"
#include "ground/diag/result.h"

namespace wperf::python {

struct Layout {
  static constexpr u32 kNone = 0xffffffff;  // this version has no such field

  u32 version = 0;  // in the form of PY_VERSION_HEX: 0x030b02f0 is 3.11.2
  bool is_free_threaded = false;

  struct {
    u32 interpreters = 0;  // pointer to the first interpreter
  } runtime;
  struct {
    u32 next = 0, threads = 0;
  } interpreter;
  struct {
    u32 next = 0, native_id = 0, data_stack = 0;
    u32 frame = 0;       // pointer to the innermost frame, or to a structure on the C stack that has it; see c_frame
    u32 status = kNone;  // since 3.12: status bits
  } thread;
  u32 c_frame = kNone;  // 3.11 and 3.12: the frame's offset in the structure that thread.frame points to
  struct {
    u32 code = 0, previous = 0, instruction = 0, owner = 0;
    u32 is_entry = kNone;  // 3.11
  } frame;
  struct {
    u32 first_line = 0, file = 0, qualified_name = 0, line_table = 0, instructions = 0;
  } code;
  struct {
    u32 type = 0;
  } object;
  struct {
    u32 length = 0, state = 0, ascii = 0, compact = 0;
    u8 kind_shift = 2;  // shift of five bits in `state`: three for the width, one for text in one piece, one for ASCII
  } text;
  struct {
    u32 size = 0, contents = 0;
  } bytes;
  u64 code_mask = ~u64{0};  // the bits of frame.code that hold the address
  u8 first_c_owner = 0xff;  // frames with this or a higher owner do not run Python code: each begins an evaluation in C

  int minor() const { return static_cast<int>(version >> 16 & 0xff); }
};

// The layout of 3.11 and 3.12 on 64-bit Linux; an error for other versions.
diag::Result<Layout> layout_of_version(u32 version);

// The error names the first field whose offset is impossible.
diag::Result<void> check_layout(const Layout& layout);

// Accepts 3.11 to 3.15, releases and release candidates.
diag::Result<void> check_version(u32 version);
// "3.11.2", "3.15.0rc1"
std::string version_text(u32 version);

// The data stack of a thread, the same in all versions: chunks, newest first.
struct DataChunk {
  u64 previous = 0, size = 0, top = 0;  // top: number of words in use when the next chunk was begun
};

}  // namespace wperf::python
