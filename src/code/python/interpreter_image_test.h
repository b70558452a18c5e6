// SPDX-License-Identifier: BSD-3-Clause
// The memory of an interpreter with one thread, for tests: 128 KB in any layout. It counts the reads, and a test can
// change the memory between two reads.
#pragma once
#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

#include "code/python/code_objects.h"
#include "code/python/layout.h"
#include "code/python/process_memory.h"
#include "code/python/snapshot.h"
#include "code/python/stacks.h"

namespace wperf::python {

class InterpreterImage final : public ProcessMemory {
 public:
  static constexpr u64 kBase = 0x10000, kSize = 0x20000;
  static constexpr u32 kNativeId = 77;
  static constexpr usize kFrameBytes = 96;  // with room for locals

  explicit InterpreterImage(const Layout& its_layout, std::span<const std::byte> table = {})
      : layout(its_layout), image_(kSize), next_(kBase) {
    runtime = take(0x1000);
    std::ranges::copy(table, image_.begin());
    interpreter = take(0x2000);
    thread = take(0x400);
    put(runtime + layout.runtime.interpreters, interpreter);
    put(interpreter + layout.interpreter.threads, thread);
    put(thread + layout.thread.native_id, kNativeId);
    text_type_ = take(64);
    if (layout.c_frame != Layout::kNone) c_frame = take(64);
    add_chunk(0x1000);
    set_current(0);
  }

  usize read(std::span<const MemoryPiece> pieces) override {
    ++calls;
    if (before_call) before_call(calls);
    for (usize i = 0; i < pieces.size(); ++i) {
      const u64 offset = pieces[i].address - kBase, size = pieces[i].to.size();
      if (offset > kSize || size > kSize - offset) return i;
      std::memcpy(pieces[i].to.data(), image_.data() + offset, size);
    }
    return pieces.size();
  }

  u64 take(u64 size) {
    const u64 place = next_;
    next_ += (size + 15) / 16 * 16;
    if (next_ > kBase + kSize) std::abort();
    return place;
  }
  template <typename T>
  void put(u64 address, T value) {
    std::memcpy(image_.data() + (address - kBase), &value, sizeof value);
  }
  static constexpr u64 end() { return kBase + kSize; }

  u64 add_text(std::u32string_view characters) {
    const char32_t greatest = characters.empty() ? 0 : std::ranges::max(characters);
    const u32 width = greatest < 0x100 ? 1 : greatest < 0x10000 ? 2 : 4;
    const bool is_ascii = greatest < 0x80;
    const u64 object = take(128 + characters.size() * width);
    put(object + layout.object.type, text_type_);
    put(object + layout.text.length, u64{characters.size()});
    put(object + layout.text.state, (width | 8u | (is_ascii ? 16u : 0u)) << layout.text.kind_shift);
    u64 at = object + (is_ascii ? layout.text.ascii : layout.text.compact);
    for (const char32_t one : characters) {
      if (width == 1) put(at, static_cast<u8>(one));
      if (width == 2) put(at, static_cast<u16>(one));
      if (width == 4) put(at, static_cast<u32>(one));
      at += width;
    }
    return object;
  }
  u64 add_bytes(std::span<const u8> contents) {
    const u64 object = take(64 + contents.size());
    put(object + layout.bytes.size, u64{contents.size()});
    for (usize i = 0; i < contents.size(); ++i) put(object + layout.bytes.contents + i, contents[i]);
    return object;
  }
  // The code object has four instructions on its first line, and four on each of the next two lines.
  u64 add_code(std::u32string_view name, u32 first_line = 10) {
    static constexpr u8 kLines[] = {0x80 | 10 << 3 | 3, 0, 4, 0x80 | 11 << 3 | 3, 0, 4, 0x80 | 11 << 3 | 3, 0, 4};
    const u64 object = take(layout.code.instructions + 24);
    fill_code(object, name, first_line, kLines);
    return object;
  }
  void fill_code(u64 object, std::u32string_view name, u32 first_line, std::span<const u8> lines) {
    put(object + layout.code.first_line, first_line);
    put(object + layout.code.file, add_text(U"app.py"));
    put(object + layout.code.qualified_name, add_text(name));
    put(object + layout.code.line_table, add_bytes(lines));
  }

  // Begins a new chunk of the data stack. The previous chunk ends at this point.
  void add_chunk(u64 size) {
    const u64 older = chunk;
    if (older != 0) put(older + 16, (top_ - older - sizeof(DataChunk)) / 8);
    chunk = take(size);
    put(chunk, DataChunk{.previous = older, .size = size, .top = 0});
    set_top(chunk + sizeof(DataChunk));
  }
  // The thread calls a function, which adds a frame to its data stack. `offset`: the instruction's offset in bytes.
  // `is_entry`: the caller is C code.
  u64 call(u64 code, u64 offset, bool is_entry) {
    const u64 frame = top_;
    set_top(top_ + kFrameBytes);
    return fill_frame(frame, code, offset, is_entry);
  }
  // Like call(), for a frame that is not on the data stack.
  u64 call_generator(u64 code, u64 offset) { return fill_frame(take(kFrameBytes), code, offset, false); }
  void set_top(u64 top) {
    top_ = top;
    put(thread + layout.thread.data_stack, chunk);
    put(thread + layout.thread.data_stack + 8, top_);
  }
  // The call returns. Its frame remains in memory.
  void leave(u64 frame, u64 caller) {
    set_top(frame);
    set_current(caller);
  }
  void set_current(u64 frame) {
    current_ = frame;
    put(thread + layout.thread.frame, c_frame != 0 ? c_frame : frame);
    if (c_frame != 0) put(c_frame + layout.c_frame, frame);
  }

  const Layout layout;
  u64 runtime = 0, interpreter = 0, thread = 0, c_frame = 0, chunk = 0;
  int calls = 0;
  std::function<void(int call)> before_call;

 private:
  u64 fill_frame(u64 frame, u64 code, u64 offset, bool is_entry) {
    const bool has_c_owner = layout.first_c_owner != 0xff;
    if (is_entry && has_c_owner) {
      const u64 entry = take(kFrameBytes);
      put(entry + layout.frame.owner, layout.first_c_owner);
      put(entry + layout.frame.previous, current_);
      current_ = entry;
    }
    const u64 tag = ~layout.code_mask & 1;
    put(frame + layout.frame.code, code | tag);
    put(frame + layout.frame.previous, current_);
    put(frame + layout.frame.instruction, code + layout.code.instructions + offset);
    put(frame + layout.frame.owner, u8{0});
    if (!has_c_owner) put(frame + layout.frame.is_entry, static_cast<u8>(is_entry));
    set_current(frame);
    return frame;
  }
  std::vector<std::byte> image_;
  u64 next_, text_type_ = 0, top_ = 0, current_ = 0;
};

// Reads a thread's stack in a new snapshot. If the snapshot fails, the stack is empty and unreadable.
inline RawStack read_stack(ProcessMemory& memory, const Layout& layout, u64 state, u32 native_id) {
  RawStack out{.frames = {}, .end = StackEnd::unreadable};
  Snapshot snapshot;
  if (!snapshot.take(memory, layout, state, native_id)) return out;
  SnapshotMemory copied(snapshot, memory);
  StackReader(copied, layout).read_from(snapshot.current_frame(), out);
  return out;
}
inline RawStack read_stack(InterpreterImage& image) {
  return read_stack(image, image.layout, image.thread, InterpreterImage::kNativeId);
}

inline u32 line_of(const CodeObjects& code, u32 id, const RawFrame& frame) {
  return code.lines(id).line_at(static_cast<std::int64_t>(frame.instruction - code[id].instructions));
}

}  // namespace wperf::python
