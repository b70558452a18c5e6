// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/pdb/lines.h"

#include <algorithm>

#include "code/ordered.h"
#include "code/symbols/pdb/address_map.h"

namespace wperf::symbols::pdb {
namespace {

// Ranges overlap only if the linker folded functions into one address; a search looks at this many earlier ranges.
constexpr u32 kMostOverlaps = 64;
constexpr u32 kColumnSize = 4;

u64 align4(u64 at) {
  return (at + 3) / 4 * 4;
}

u32 visible_line(u32 line) {
  return line == kAlwaysStepInto || line == kNeverStepInto ? 0 : line;
}

struct Block {
  u32 file;
  bytes::Table<LineRow> rows;
  u64 next;
};

// Returns false if there is no complete block at `at`.
bool read_block(bytes::View blocks, u64 at, bool has_columns, Block& block) {
  LineBlockHeader header;
  if (!blocks.load(at, header)) return false;
  const u64 rows_size = u64{header.count} * sizeof(LineRow);
  const u64 needed = rows_size + (has_columns ? u64{header.count} * kColumnSize : 0);
  if (header.size < sizeof header || header.size - sizeof header < needed || !blocks.holds(at, header.size)) {
    return false;
  }
  block.file = header.file;
  block.rows = bytes::Table<LineRow>(blocks.slice(at + sizeof header, rows_size));
  block.next = at + header.size;
  return true;
}

}  // namespace

LineTables::LineTables(bytes::View c13, const AddressMap& addresses, Damage& damage) : c13_(c13) {
  SubsectionHeader header;
  for (u64 at = 0; c13.load(at, header); at = align4(at + sizeof header + header.size)) {
    const u64 body_at = at + sizeof header;
    if (!c13.holds(body_at, header.size)) {
      ++damage.streams;
      break;
    }
    const bytes::View body = c13.slice(body_at, header.size);
    if (header.kind == DEBUG_S_FILECHKSMS && checksums_.empty()) checksums_ = body;
    if (header.kind == DEBUG_S_CROSSSCOPEIMPORTS && imports_.empty()) imports_ = body;
    if (header.kind == DEBUG_S_CROSSSCOPEEXPORTS && exports_.empty()) exports_ = body;
    if (header.kind == DEBUG_S_INLINEELINES) inlinee_subsections_.push_back(body);
    if (header.kind != DEBUG_S_LINES) continue;
    LinesHeader lines;
    if (!body.load(0, lines)) {
      ++damage.streams;
      continue;
    }
    const auto begin = addresses.source(lines.section, lines.offset);
    if (!begin.has_value() || u64{*begin} + lines.code_size > 0xffffffff) {
      if (lines.section != 0) ++damage.streams;  // section 0 means that the linker left out the code
      continue;
    }
    ranges_.push_back({*begin, lines.code_size, static_cast<u32>(body_at + sizeof lines),
                       static_cast<u32>(header.size - sizeof lines), (lines.flags & kLinesHaveColumns) != 0});
    most_rows_ += (header.size - sizeof lines) / sizeof(LineRow);
  }
  code::order_by(ranges_, [](const LineRange& one) { return one.begin; });
}

const LineRange* LineTables::find_range(SourceRva rva) const {
  auto after =
      std::partition_point(ranges_.begin(), ranges_.end(), [&](const LineRange& one) { return one.begin <= rva; });
  const LineRange* found = nullptr;
  for (u32 step = 0; step < kMostOverlaps && after != ranges_.begin(); ++step) {
    --after;
    if (found != nullptr && after->begin != found->begin) break;
    if (rva - after->begin < after->size) found = &*after;
  }
  return found;
}

std::optional<SourceRow> LineTables::row_at(const LineRange& range, SourceRva rva) {
  if (asked_range_ != &range) {
    asked_range_ = &range;
    asked_rows_.clear();
    Damage known;  // ignored here; callers that read all rows count it
    rows_of(range, asked_rows_, known);
  }
  const u32 wanted = rva - range.begin;
  const auto after = std::partition_point(asked_rows_.begin(), asked_rows_.end(),
                                          [&](const SourceRow& row) { return row.offset <= wanted; });
  return after != asked_rows_.begin() ? std::optional(*(after - 1)) : std::nullopt;
}

// Rows within a block are in order, but blocks need not be, because code from an included file may be in the middle of
// a function.
void LineTables::rows_of(const LineRange& range, std::vector<SourceRow>& rows, Damage& damage) const {
  const bytes::View blocks = c13_.slice(range.blocks_at, range.blocks_size);
  const usize first = rows.size();
  Block block;
  u64 at = 0;
  for (; read_block(blocks, at, range.has_columns, block); at = block.next) {
    for (u64 i = 0; i < block.rows.size(); ++i) {
      const LineRow row = block.rows.at(i);
      if (row.offset > range.size) {
        ++damage.records;
        continue;
      }
      rows.push_back({row.offset, 0, visible_line(row.line()), block.file});
    }
  }
  if (at < blocks.size()) ++damage.streams;
  code::order_by(rows, [](const SourceRow& one) { return one.offset; }, first);
  u32 end = range.size;
  for (usize i = rows.size(); i > first; --i) {
    rows[i - 1].size = end - rows[i - 1].offset;
    end = rows[i - 1].offset;
  }
}

const std::vector<InlineeLine>& LineTables::inlinees() {
  if (has_inlinees_) return inlinees_;
  has_inlinees_ = true;
  for (const bytes::View subsection : inlinee_subsections_) read_inlinees(subsection);
  code::order_by(inlinees_, [](const InlineeLine& one) { return one.inlinee; });
  return inlinees_;
}

std::optional<InlineeLine> LineTables::inlinee(u32 id) {
  const std::vector<InlineeLine>& all = inlinees();
  const auto place =
      std::partition_point(all.begin(), all.end(), [&](const InlineeLine& one) { return one.inlinee < id; });
  if (place == all.end() || place->inlinee != id) return std::nullopt;
  return *place;
}

void LineTables::read_inlinees(bytes::View subsection) {
  u32 signature = 0;
  if (!subsection.load(0, signature)) return;
  InlineeLine line;
  for (u64 at = sizeof signature; subsection.load(at, line);) {
    inlinees_.push_back(line);
    at += sizeof line;
    u32 extra_count = 0;
    if (signature == kInlineeLinesWithExtraFiles) {
      if (!subsection.load(at, extra_count)) return;
      at += sizeof extra_count + u64{extra_count} * sizeof(u32);
    }
  }
}

std::optional<LineTables::ImportedId> LineTables::imported(u32 id) const {
  ImportListHeader list;
  u64 at = 0;
  for (u32 lists_before = import_list_of(id); imports_.load(at, list); --lists_before) {
    const u64 ids_size = u64{list.count} * sizeof(u32);
    const bytes::Table<u32> ids(imports_.slice(at + sizeof list, ids_size));
    if (lists_before == 0) {
      const u32 place = place_in_import_list(id);
      if (place >= ids.size()) break;
      return ImportedId{list.compiland, ids.at(place)};
    }
    at += sizeof list + ids_size;
  }
  return std::nullopt;
}

std::optional<u32> LineTables::exported(u32 local) const {
  const bytes::Table<ExportedId> ids(exports_);
  for (u64 i = 0; i < ids.size(); ++i) {
    if (ids.at(i).local == local) return ids.at(i).global;
  }
  return std::nullopt;
}

std::string_view LineTables::file_name(u32 file, bytes::View names) const {
  ChecksumEntry entry;
  if (!checksums_.load(file, entry)) return {};
  return names.text(entry.name).value_or(std::string_view());
}

}  // namespace wperf::symbols::pdb
