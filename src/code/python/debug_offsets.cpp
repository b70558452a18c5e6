// SPDX-License-Identifier: BSD-3-Clause
#include "code/python/debug_offsets.h"

#include <array>
#include <cstring>
#include <string_view>

namespace wperf::python {
namespace {

constexpr std::string_view kCookie = "xdebugpy";
constexpr int kFirstMinor = 13;

// The position of a number in the tables of 3.13, 3.14 and 3.15; 0: the table of that version does not have it.
struct Place {
  u16 of_version[3];
};

constexpr Place kVersion{8, 8, 8}, kFreeThreaded{16, 16, 16};
constexpr Place kRuntimeSize{24, 24, 24}, kInterpreters{40, 40, 40};
constexpr Place kInterpreterSize{48, 48, 48}, kNextInterpreter{64, 64, 64}, kThreads{72, 72, 72};
constexpr Place kThreadSize{152, 176, 176}, kNextThread{168, 192, 192}, kCurrentFrame{184, 208, 208},
    kNativeId{200, 224, 248}, kDataStack{208, 232, 256}, kStatus{216, 240, 264};
constexpr Place kFrameSize{224, 248, 312}, kPrevious{232, 256, 320}, kExecutable{240, 264, 328},
    kInstruction{248, 272, 336}, kOwner{264, 288, 352};
constexpr Place kCodeSize{272, 312, 376}, kFile{280, 320, 384}, kQualifiedName{296, 336, 400},
    kLineTable{304, 344, 408}, kFirstLine{312, 352, 416}, kInstructions{344, 384, 448};
constexpr Place kObjectSize{352, 400, 464}, kType{360, 408, 472};
constexpr Place kBytesSize{512, 592, 688}, kByteCount{520, 600, 696}, kByteContents{528, 608, 704};
constexpr Place kTextSize{536, 616, 712}, kTextState{544, 624, 720}, kTextLength{552, 632, 728},
    kAsciiSize{560, 640, 736}, kCompactSize{0, 0, 744};

// The numbers in one table. A missing offset, or an offset beyond the end of its structure, is replaced by an offset
// that check_layout() refuses.
class Table {
 public:
  Table(bytes::Span bytes, int minor) : bytes_(bytes), column_(static_cast<usize>(minor - kFirstMinor)) {}

  u64 number(const Place& place) const {
    u64 value = 0;
    const u16 at = place.of_version[column_];
    if (at == 0 || !bytes::read_at(bytes_, at, value)) return kBad;
    return value;
  }
  // An offset in a structure; the structure's size is at `size`.
  u32 offset(const Place& place, const Place& size) const {
    const u64 value = number(place), limit = number(size);
    return value < limit && limit != kBad && value < kBad ? static_cast<u32>(value) : kBad;
  }
  // The size of a structure; the next structure begins at this offset.
  u32 end(const Place& place) const {
    const u64 value = number(place);
    return value < kBad ? static_cast<u32>(value) : kBad;
  }
  bool has(const Place& place) const { return place.of_version[column_] != 0; }

 private:
  static constexpr u32 kBad = 0xfffffff0;

  bytes::Span bytes_;
  usize column_;
};

void take_states(const Table& table, Layout& out) {
  out.runtime.interpreters = table.offset(kInterpreters, kRuntimeSize);
  out.interpreter = {.next = table.offset(kNextInterpreter, kInterpreterSize),
                     .threads = table.offset(kThreads, kInterpreterSize)};
  out.thread = {.next = table.offset(kNextThread, kThreadSize),
                .native_id = table.offset(kNativeId, kThreadSize),
                .data_stack = table.offset(kDataStack, kThreadSize),
                .frame = table.offset(kCurrentFrame, kThreadSize),
                .status = table.offset(kStatus, kThreadSize)};
}

void take_code(const Table& table, Layout& out) {
  out.frame = {.code = table.offset(kExecutable, kFrameSize),
               .previous = table.offset(kPrevious, kFrameSize),
               .instruction = table.offset(kInstruction, kFrameSize),
               .owner = table.offset(kOwner, kFrameSize)};
  out.code = {.first_line = table.offset(kFirstLine, kCodeSize),
              .file = table.offset(kFile, kCodeSize),
              .qualified_name = table.offset(kQualifiedName, kCodeSize),
              .line_table = table.offset(kLineTable, kCodeSize),
              .instructions = table.offset(kInstructions, kCodeSize)};
}

void take_objects(const Table& table, Layout& out) {
  constexpr u32 kUtf8Fields = 16;  // the longer of the two text headers also has a length and a pointer
  out.object.type = table.offset(kType, kObjectSize);
  out.bytes = {.size = table.offset(kByteCount, kBytesSize), .contents = table.offset(kByteContents, kBytesSize)};
  out.text.state = table.offset(kTextState, kTextSize);
  out.text.length = table.offset(kTextLength, kTextSize);
  out.text.ascii = table.end(kAsciiSize);
  out.text.compact = table.has(kCompactSize) ? table.end(kCompactSize) : out.text.ascii + kUtf8Fields;
}

// Adds facts that are not in the table.
void add_conventions(Layout& out) {
  out.first_c_owner = 3;
  if (out.minor() >= 14) {
    out.code_mask = ~u64{3};
    // In these builds a whole byte says whether a text is interned, because several threads may change it.
    if (out.is_free_threaded) out.text.kind_shift = 8;
  } else if (out.is_free_threaded) {
    out.code_mask = ~u64{1};
  }
}

bool has_cookie(bytes::Span table) {
  const bytes::Span begin = bytes::slice(table, 0, kCookie.size());
  return begin.size() == kCookie.size() && std::memcmp(begin.data(), kCookie.data(), kCookie.size()) == 0;
}

diag::Error damaged(std::string text) {
  return {.text = std::move(text), .hint = {}, .code = diag::ExitCode::damaged_input};
}

}  // namespace

diag::Result<Layout> parse_debug_offsets(bytes::Span table) {
  u64 version = 0, is_free_threaded = 0;
  if (!has_cookie(table)) return diag::Error{.text = "the interpreter has no table of offsets", .hint = {}};
  if (!bytes::read_at(table, kVersion.of_version[0], version) ||
      !bytes::read_at(table, kFreeThreaded.of_version[0], is_free_threaded) || version > 0xffffffff ||
      is_free_threaded > 1) {
    return damaged("the interpreter's table of offsets is damaged: it has no version");
  }
  Layout out;
  out.version = static_cast<u32>(version);
  out.is_free_threaded = is_free_threaded != 0;
  WPERF_CHECK_OK(check_version(out.version));
  if (out.minor() < kFirstMinor) {
    return damaged("Python " + version_text(out.version) + " cannot have a table of offsets");
  }
  const Table numbers(table, out.minor());
  take_states(numbers, out);
  take_code(numbers, out);
  take_objects(numbers, out);
  add_conventions(out);
  WPERF_CHECK_OK(check_layout(out));
  return out;
}

diag::Result<Layout> read_layout(ProcessMemory& memory, u64 runtime, u32 version) {
  std::array<std::byte, kDebugOffsetsSize> table;
  if (!memory.read_bytes(runtime, table)) {
    return diag::Error{.text = "the interpreter's memory cannot be read",
                       .hint = "run wperf as root, or as the user who started the process",
                       .code = diag::ExitCode::no_device};
  }
  if (has_cookie(table)) return parse_debug_offsets(table);
  if (version == 0)
    return diag::Error{.text = "the interpreter has no table of offsets, and its structures are not known", .hint = {}};
  return layout_of_version(version);
}

}  // namespace wperf::python
