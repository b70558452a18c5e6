// SPDX-License-Identifier: BSD-3-Clause
// The line tables of one compiland (C13). Opening one reads the heads of its subsections; rows are read in place.
//
//   subsection "lines" = a range of code → blocks, one per file → rows {offset in the range, line}
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

// The code of one "lines" subsection.
struct LineRange {
  SourceRva begin;
  u32 size;
  u32 blocks_at;  // in the C13 bytes
  u32 blocks_size;
  bool has_columns;
};

struct SourceRow {
  u32 offset;  // from the begin of the range
  u32 size;    // up to the next row
  u32 line;    // 0 for code that belongs to no line
  u32 file;    // offset in the file checksums
};

// The part of `size` bytes that exists after `begin`. Needed because the map of a damaged file moves rows to the end of
// all addresses.
inline u32 size_behind(code::Rva begin, u32 size) {
  return std::min(size, ~u32{0} - begin.value);
}

class LineTables {
 public:
  LineTables() = default;
  LineTables(bytes::View c13, const AddressMap& addresses, Damage& damage);

  // By source RVA; at one RVA in the order of the file.
  const std::vector<LineRange>& ranges() const { return ranges_; }
  const LineRange* find_range(SourceRva rva) const;
  // `rva` must lie in the range.
  std::optional<SourceRow> row_at(const LineRange& range, SourceRva rva) const;
  // Appends every row of the range, by offset.
  void rows_of(const LineRange& range, std::vector<SourceRow>& rows, Damage& damage) const;
  u64 most_rows() const { return most_rows_; }  // at least the number of rows in all ranges

  // Where the function that an inline site names is declared, and in which file.
  std::optional<InlineeLine> inlinee(u32 id);
  const std::vector<InlineeLine>& inlinees();  // all of them, by id
  // An imported id of this compiland: the module that defines it (an offset in /names), and its number in that module.
  struct ImportedId {
    u32 compiland_name;
    u32 local;
  };
  std::optional<ImportedId> imported(u32 id) const;
  // The number in the id stream for an id that others import from here.
  std::optional<u32> exported(u32 local) const;
  // `names`: the texts of /names. Empty if not known.
  std::string_view file_name(u32 file, bytes::View names) const;

 private:
  void read_inlinees(bytes::View subsection);

  bytes::View c13_;
  bytes::View checksums_;
  bytes::View imports_;
  bytes::View exports_;
  std::vector<LineRange> ranges_;
  u64 most_rows_ = 0;
  std::vector<bytes::View> inlinee_subsections_;
  bool has_inlinees_ = false;
  std::vector<InlineeLine> inlinees_;  // by id
};

}  // namespace wperf::symbols::pdb
