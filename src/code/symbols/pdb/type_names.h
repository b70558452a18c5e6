// SPDX-License-Identifier: BSD-3-Clause
// The names of inlined functions. An inline site has a number in the id stream (IPI), which contains the function's
// name and its namespace; its class is in the type stream (TPI). Only the records around the wanted one are read.
#pragma once
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "code/symbols/pdb/pdb_format.h"
#include "ground/bytes/bytes.h"

namespace wperf::symbols::pdb {

// The records of TPI or IPI, by number.
class NumberedRecords {
 public:
  NumberedRecords() = default;
  // `index_offsets`: the sparse index in the hash stream; may be empty or wrong.
  NumberedRecords(const TypesHeader& header, bytes::View stream, bytes::View index_offsets);
  bool find(u32 number, Record& record);

 private:
  bool find_from(TypeIndexOffset start, u32 number, u64 most_records, Record& record) const;
  void index_all();

  u32 first_ = 0;
  u32 last_ = 0;
  bytes::View records_;
  bytes::Table<TypeIndexOffset> index_;
  std::vector<u32> own_index_;  // every kStride-th record; built if the file's index is wrong
  bool own_index_is_made_ = false;
};

class TypeNames {
 public:
  TypeNames() = default;
  // `budget`: the maximum size of all composed names together, because a hostile file could require terabytes.
  TypeNames(NumberedRecords types, NumberedRecords ids, u64 budget)
      : types_(std::move(types)), ids_(std::move(ids)), budget_(budget) {}
  // "scope::name"; empty if there is no such function.
  std::string_view function(u32 id);

 private:
  std::string_view make(u32 id);
  std::string_view scope_of_function(u32 scope);
  std::string_view type(u32 number);

  NumberedRecords types_;
  NumberedRecords ids_;
  u64 budget_ = 0;
  std::unordered_map<u32, std::string_view> made_;
  std::deque<std::string> joined_;
};

}  // namespace wperf::symbols::pdb
