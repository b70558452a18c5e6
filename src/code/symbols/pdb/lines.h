// SPDX-License-Identifier: BSD-3-Clause
// The line tables of one compiland (C13). Opening it reads the headers of its subsections; rows are read in place.
//
// Format: a subsection "lines" = a range of code → blocks, one for each file → rows {offset in the range, line}
#pragma once
#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "code/symbols/pdb/address_map.h"
#include "code/symbols/pdb/pdb_file.h"
#include "code/symbols/pdb/pdb_format.h"
#include "ground/bytes/bytes.h"

namespace wperf::symbols::pdb {

// The code that a "lines" subsection describes.
struct LineRange {
  SourceRva begin;
  u32 size;
  u32 blocks_at;  // position in the C13 bytes
  u32 blocks_size;
  bool has_columns;
};

struct SourceRow {
  u32 offset;  // offset from the beginning of the range
  u32 size;    // up to the next row
  u32 line;    // 0 for code without a line
  u32 file;    // offset in the file checksums
};

// How many of `size` bytes fit after `begin`. In a damaged file the map may move rows to the end of the address space.
inline u32 size_behind(code::Rva begin, u32 size) {
  return std::min(size, ~u32{0} - begin.value);
}

class LineTables {
 public:
  LineTables() = default;
  LineTables(bytes::View c13, const AddressMap& addresses, Damage& damage);

  // Ordered by source RVA; ranges with equal RVAs are in the order of the file.
  const std::vector<LineRange>& ranges() const { return ranges_; }
  const LineRange* find_range(SourceRva rva) const;
  // The last row at or before the address, which must be within the range.
  std::optional<SourceRow> row_at(const LineRange& range, SourceRva rva);
  // Appends all rows of the range, ordered by offset.
  void rows_of(const LineRange& range, std::vector<SourceRow>& rows, Damage& damage) const;
  u64 most_rows() const { return most_rows_; }  // an upper bound of the number of rows in all ranges

  // The declaration (file and line) of the function in an inline site.
  std::optional<InlineeLine> inlinee(u32 id);
  const std::vector<InlineeLine>& inlinees();  // all of them, ordered by id
  // An id that this compiland imports: the module that defines it (as an offset in /names), and its number in that
  // module.
  struct ImportedId {
    u32 compiland_name;
    u32 local;
  };
  std::optional<ImportedId> imported(u32 id) const;
  // For an id that other compilands import from this one: its number in the id stream.
  std::optional<u32> exported(u32 local) const;
  // `names`: the texts of /names. Returns an empty name if not known.
  std::string_view file_name(u32 file, bytes::View names) const;

 private:
  void read_inlinees(bytes::View subsection);

  bytes::View c13_;
  bytes::View checksums_;
  bytes::View imports_;
  bytes::View exports_;
  std::vector<LineRange> ranges_;
  const LineRange* asked_range_ = nullptr;  // the range of the last row_at() call
  std::vector<SourceRow> asked_rows_;
  u64 most_rows_ = 0;
  std::vector<bytes::View> inlinee_subsections_;
  bool has_inlinees_ = false;
  std::vector<InlineeLine> inlinees_;  // ordered by id
};

}  // namespace wperf::symbols::pdb
