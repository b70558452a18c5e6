// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/pdb/type_names.h"

namespace wperf::symbols::pdb {
namespace {

constexpr u64 kStride = 64;
// The index in the file has an entry for every 8 KB or so; the smallest record has 4 bytes.
constexpr u64 kMostRecordsBetween = 4096;

// A number in a type record: the number itself if it is small, otherwise a kind followed by the number.
u64 skip_number(bytes::View body, u64 at) {
  u16 leaf = 0;
  if (!body.load(at, leaf)) return body.size();
  at += sizeof leaf;
  if (leaf < 0x8000) return at;
  switch (leaf) {
    case 0x8000:  // LF_CHAR
      return at + 1;
    case 0x8001:  // LF_SHORT, LF_USHORT
    case 0x8002:
      return at + 2;
    case 0x8003:  // LF_LONG, LF_ULONG
    case 0x8004:
      return at + 4;
    case 0x8009:  // LF_QUADWORD, LF_UQUADWORD
    case 0x800a:
      return at + 8;
    default:
      return body.size();
  }
}

}  // namespace

NumberedRecords::NumberedRecords(const TypesHeader& header, bytes::View stream, bytes::View index_offsets)
    : first_(header.first),
      last_(header.last),
      records_(stream.slice(header.header_size, header.records_size)),
      index_(index_offsets) {}

bool NumberedRecords::find(u32 number, Record& record) {
  if (number < first_ || number >= last_) return false;
  if (!own_index_is_made_) {
    const u64 after = index_.partition_point([&](const TypeIndexOffset& entry) { return entry.index <= number; });
    if (after != 0 && find_from(index_.at(after - 1), number, kMostRecordsBetween, record)) return true;
    index_all();
  }
  const u64 place = (number - first_) / kStride;
  if (place >= own_index_.size()) return false;
  const u32 start = first_ + static_cast<u32>(place * kStride);
  return find_from({start, own_index_[place]}, number, kStride, record);
}

bool NumberedRecords::find_from(TypeIndexOffset start, u32 number, u64 most_records, Record& record) const {
  if (number < start.index || number - start.index >= most_records) return false;
  u64 at = start.offset;
  for (u32 i = start.index; i <= number; ++i) {
    if (!read_record(records_, at, record)) return false;
    at = record.next;
  }
  return true;
}

void NumberedRecords::index_all() {
  own_index_is_made_ = true;
  Record record;
  u64 at = 0;
  for (u64 i = 0; read_record(records_, at, record); ++i) {
    if (i % kStride == 0) own_index_.push_back(static_cast<u32>(at));
    at = record.next;
  }
}

std::string_view TypeNames::function(u32 id) {
  const auto [place, is_new] = made_.try_emplace(id);
  if (is_new) place->second = make(id);
  return place->second;
}

std::string_view TypeNames::make(u32 id) {
  struct FunctionId {
    u32 scope;  // LF_FUNC_ID: id of a string, or 0; LF_MFUNC_ID: the class
    u32 type;
  };
  Record record;
  FunctionId function;
  if (!ids_.find(id, record) || (record.kind != LF_FUNC_ID && record.kind != LF_MFUNC_ID)) return {};
  const auto name = record.body.text(sizeof function);
  if (!record.body.load(0, function) || !name.has_value()) return {};
  const std::string_view scope = record.kind == LF_MFUNC_ID ? type(function.scope) : scope_of_function(function.scope);
  const u64 size = scope.size() + 2 + name->size();
  if (scope.empty() || size > budget_) return *name;
  budget_ -= size;
  std::string& joined = joined_.emplace_back();
  joined.reserve(size);
  joined.append(scope).append("::").append(*name);
  return joined;
}

std::string_view TypeNames::scope_of_function(u32 scope) {
  Record record;
  if (scope == 0 || !ids_.find(scope, record) || record.kind != LF_STRING_ID) return {};
  return record.body.text(sizeof(u32)).value_or(std::string_view());
}

std::string_view TypeNames::type(u32 number) {
  Record record;
  if (!types_.find(number, record)) return {};
  u64 name_at = 0;
  switch (record.kind) {
    case LF_CLASS:
    case LF_STRUCTURE:
    case LF_INTERFACE:
      name_at = skip_number(record.body, 16);
      break;
    case LF_UNION:
      name_at = skip_number(record.body, 8);
      break;
    case LF_ENUM:
      name_at = 12;
      break;
    default:
      return {};
  }
  return record.body.text(name_at).value_or(std::string_view());
}

}  // namespace wperf::symbols::pdb
