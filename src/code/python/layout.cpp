// SPDX-License-Identifier: BSD-3-Clause
#include "code/python/layout.h"

#include <fmt/format.h>

namespace wperf::python {
namespace {

// Measured with Debian's 3.11.2 for x86-64 and with 3.11.7.
Layout layout_of_3_11() {
  Layout out;
  out.runtime = {.interpreters = 40};
  out.interpreter = {.next = 0, .threads = 16};
  out.thread = {.next = 8, .native_id = 160, .data_stack = 296, .frame = 56};
  out.c_frame = 8;
  out.frame = {.code = 32, .previous = 48, .instruction = 56, .owner = 69, .is_entry = 68};
  out.code = {.first_line = 72, .file = 112, .qualified_name = 128, .line_table = 136, .instructions = 184};
  out.object = {.type = 8};
  out.text = {.length = 16, .state = 32, .ascii = 48, .compact = 72};
  out.bytes = {.size = 16, .contents = 32};
  return out;
}

// Measured with 3.12.1 for x86-64.
Layout layout_of_3_12() {
  Layout out;
  out.runtime = {.interpreters = 40};
  out.interpreter = {.next = 0, .threads = 72};
  out.thread = {.next = 8, .native_id = 144, .data_stack = 232, .frame = 56, .status = 24};
  out.c_frame = 0;
  out.frame = {.code = 0, .previous = 8, .instruction = 56, .owner = 70};
  out.code = {.first_line = 68, .file = 112, .qualified_name = 128, .line_table = 136, .instructions = 192};
  out.object = {.type = 8};
  out.text = {.length = 16, .state = 32, .ascii = 40, .compact = 56};
  out.bytes = {.size = 16, .contents = 32};
  out.first_c_owner = 3;
  return out;
}

// Each field must end before this offset. An interpreter's state has 220 KB, but wperf reads only fields near its
// beginning; all other structures are small.
constexpr u32 kStateLimit = 0x10000, kThreadLimit = 0x1000, kFrameLimit = 0x200, kCodeLimit = 0x400,
              kObjectLimit = 0x100;

class FieldChecks {
 public:
  void add(const char* name, u32 offset, u32 limit, u32 alignment = 8) {
    if (!wrong_.empty()) return;
    if (offset < limit && offset % alignment == 0) return;
    wrong_ = fmt::format("the interpreter's table of offsets is damaged: {} is at {}", name, offset);
  }
  void add_optional(const char* name, u32 offset, u32 limit, u32 alignment = 8) {
    if (offset != Layout::kNone) add(name, offset, limit, alignment);
  }
  diag::Result<void> result() && {
    if (wrong_.empty()) return {};
    return diag::Error{.text = std::move(wrong_), .hint = {}, .code = diag::ExitCode::damaged_input};
  }

 private:
  std::string wrong_;
};

void add_states(const Layout& layout, FieldChecks& checks) {
  checks.add("the list of interpreters", layout.runtime.interpreters, kStateLimit);
  checks.add("the next interpreter", layout.interpreter.next, kStateLimit);
  checks.add("the list of threads", layout.interpreter.threads, kStateLimit);
  checks.add("the next thread", layout.thread.next, kThreadLimit);
  checks.add("the number of the thread", layout.thread.native_id, kThreadLimit, 4);
  checks.add("the data stack", layout.thread.data_stack, kThreadLimit);
  checks.add("the current frame", layout.thread.frame, kThreadLimit);
  checks.add_optional("the status of the thread", layout.thread.status, kThreadLimit, 4);
  checks.add_optional("the frame of a C frame", layout.c_frame, kObjectLimit);
}

void add_frame(const Layout& layout, FieldChecks& checks) {
  checks.add("the code of a frame", layout.frame.code, kFrameLimit);
  checks.add("the caller of a frame", layout.frame.previous, kFrameLimit);
  checks.add("the instruction of a frame", layout.frame.instruction, kFrameLimit);
  checks.add("the owner of a frame", layout.frame.owner, kFrameLimit, 1);
  checks.add_optional("the entry mark of a frame", layout.frame.is_entry, kFrameLimit, 1);
}

void add_objects(const Layout& layout, FieldChecks& checks) {
  checks.add("the first line of code", layout.code.first_line, kCodeLimit, 4);
  checks.add("the file of code", layout.code.file, kCodeLimit);
  checks.add("the name of code", layout.code.qualified_name, kCodeLimit);
  checks.add("the line table of code", layout.code.line_table, kCodeLimit);
  checks.add("the instructions of code", layout.code.instructions, kCodeLimit, 2);
  checks.add("the type of an object", layout.object.type, kObjectLimit);
  checks.add("the length of a string", layout.text.length, kObjectLimit);
  checks.add("the state of a string", layout.text.state, kObjectLimit, 4);
  checks.add("the characters of an ASCII string", layout.text.ascii, kObjectLimit, 1);
  checks.add("the characters of a string", layout.text.compact, kObjectLimit, 4);
  checks.add("the size of a bytes object", layout.bytes.size, kObjectLimit);
  checks.add("the contents of a bytes object", layout.bytes.contents, kObjectLimit, 1);
}

}  // namespace

std::string version_text(u32 version) {
  std::string text = fmt::format("{}.{}.{}", version >> 24, version >> 16 & 0xff, version >> 8 & 0xff);
  const u32 level = version >> 4 & 0xf, serial = version & 0xf;
  if (level != 0xf) text += fmt::format("{}{}", level == 0xa ? "a" : level == 0xb ? "b" : "rc", serial);
  return text;
}

diag::Result<void> check_version(u32 version) {
  const u32 major = version >> 24, minor = version >> 16 & 0xff, level = version >> 4 & 0xf;
  if (major == 3 && minor >= 11 && minor <= 15 && level >= 0xc) return {};
  return diag::Error{
      .text = fmt::format("the frames of Python {} cannot be read", version_text(version)),
      .hint = "wperf reads Python 3.11 to 3.15; versions before the first release candidate have other structures"};
}

diag::Result<Layout> layout_of_version(u32 version) {
  WPERF_CHECK_OK(check_version(version));
  const u32 minor = version >> 16 & 0xff;
  if (minor > 12)
    return diag::Error{.text = "Python " + version_text(version) + " without its table of offsets", .hint = {}};
  Layout layout = minor == 11 ? layout_of_3_11() : layout_of_3_12();
  layout.version = version;
  return layout;
}

diag::Result<void> check_layout(const Layout& layout) {
  FieldChecks checks;
  add_states(layout, checks);
  add_frame(layout, checks);
  add_objects(layout, checks);
  return std::move(checks).result();
}

}  // namespace wperf::python
