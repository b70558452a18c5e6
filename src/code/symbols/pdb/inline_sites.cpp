// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/pdb/inline_sites.h"

#include "code/symbols/pdb/pdb_format.h"

namespace wperf::symbols::pdb {
namespace {

// Numbers of 1, 2 or 4 bytes; the first bits give the size. Beyond the end and for damaged bytes it returns zero, which
// is the operation "end".
class NumberReader {
 public:
  explicit NumberReader(bytes::View bytes) : bytes_(bytes) {}

  u32 next() {
    const u32 first = byte();
    if ((first & 0x80) == 0) return first;
    if ((first & 0xc0) == 0x80) return (first & 0x3f) << 8 | byte();
    if ((first & 0xe0) == 0xc0) {
      const u32 second = byte();
      const u32 third = byte();
      return (first & 0x1f) << 24 | second << 16 | third << 8 | byte();
    }
    at_ = bytes_.size();
    return 0;
  }

 private:
  u32 byte() {
    u8 value = 0;
    if (!bytes_.load(at_, value)) {
      at_ = bytes_.size();
      return 0;
    }
    ++at_;
    return value;
  }

  bytes::View bytes_;
  u64 at_ = 0;
};

// The lowest bit is the sign.
u32 signed_number(u32 coded) {
  return (coded & 1) != 0 ? u32{0} - (coded >> 1) : coded >> 1;
}

// Executes the annotations. A change of the code offset ends the current piece and begins another one with the current
// line and file; a length operation ends the piece earlier. Sums may wrap around, but the wrapped offset is far away
// from the wanted offset.
class AnnotationInterpreter {
 public:
  AnnotationInterpreter(bytes::View annotations, u32 wanted) : numbers_(annotations), wanted_(wanted) {}

  bool run() {
    for (;;) {
      const Annotation operation{numbers_.next()};
      if (operation == Annotation::end) return false;
      const u32 operand = numbers_.next();
      if (step(operation, operand)) return true;
    }
  }

  // Valid after run() returned true.
  u32 file = 0;
  bool has_file = false;
  u32 line_offset = 0;

 private:
  // Returns true if the piece that was just completed contains the wanted offset.
  bool step(Annotation operation, u32 operand) {
    switch (operation) {
      case Annotation::code_offset:
        offset_ = operand;
        return begin_piece();
      case Annotation::change_code_offset_base:  // further offsets are relative to another part of the procedure
        is_elsewhere_ = operand != 0;
        return end_piece(offset_);
      case Annotation::change_code_offset:
        offset_ += operand;
        return begin_piece();
      case Annotation::change_code_offset_and_line_offset:
        offset_ += operand & 0xf;
        next_line_offset_ += signed_number(operand >> 4);
        return begin_piece();
      case Annotation::change_code_length:
        offset_ += operand;
        return end_piece(offset_);
      case Annotation::change_code_length_and_code_offset:
        offset_ += numbers_.next();
        return begin_piece() || end_piece(offset_ + operand);
      case Annotation::change_file:
        next_file_ = operand;
        next_has_file_ = true;
        return false;
      case Annotation::change_line_offset:
        next_line_offset_ += signed_number(operand);
        return false;
      default:  // columns and other things
        return false;
    }
  }

  bool begin_piece() {
    if (end_piece(offset_)) return true;
    is_open_ = true;
    begin_ = offset_;
    file = next_file_;
    has_file = next_has_file_;
    line_offset = next_line_offset_;
    return false;
  }

  bool end_piece(u32 end) {
    const bool was_open = is_open_;
    is_open_ = false;
    return was_open && !is_elsewhere_ && begin_ <= wanted_ && wanted_ < end;
  }

  NumberReader numbers_;
  u32 wanted_;
  u32 offset_ = 0;
  u32 begin_ = 0;
  bool is_open_ = false;
  bool is_elsewhere_ = false;
  u32 next_file_ = 0;
  bool next_has_file_ = false;
  u32 next_line_offset_ = 0;
};

}  // namespace

std::optional<InlineSite> run_annotations(bytes::View annotations, u32 inlinee, u32 offset) {
  AnnotationInterpreter machine(annotations, offset);
  if (!machine.run()) return std::nullopt;
  return InlineSite{inlinee, machine.file, machine.has_file, static_cast<int>(machine.line_offset)};
}

// A site that does not cover the offset is skipped with everything inside it. A site that covers it is entered, and the
// search stops at its end, because later sites are outside of it.
void find_inline_sites(bytes::View symbols, const Procedure& procedure, u32 offset, std::vector<InlineSite>& sites) {
  u64 end = procedure.body_end;
  Record record;
  for (u64 at = procedure.body; at < end && read_record(symbols, at, record);) {
    at = record.next;
    if (record.kind != S_INLINESITE && record.kind != S_INLINESITE2) continue;
    InlineSiteSymbol symbol;
    if (!record.body.load(0, symbol)) continue;
    const u64 annotations_at = sizeof symbol + (record.kind == S_INLINESITE2 ? sizeof(u32) : 0);
    const auto site = run_annotations(record.body.from(annotations_at), symbol.inlinee, offset);
    const bool has_end = symbol.end >= record.next && symbol.end <= end;
    if (site.has_value()) {
      sites.push_back(*site);
      if (has_end) end = symbol.end;
    } else if (has_end) {
      at = symbol.end;
    }
  }
}

}  // namespace wperf::symbols::pdb
