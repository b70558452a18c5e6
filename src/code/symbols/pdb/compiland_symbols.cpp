// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/pdb/compiland_symbols.h"

#include <algorithm>

#include "code/symbols/pdb/pdb_format.h"
#include "code/symbols/pdb/records.h"
#include "code/symbols/pdb/sort.h"

namespace wperf::symbols::pdb {
namespace {

// Procedures rarely overlap; a search looks back over this many that end early.
constexpr u32 kMostOverlaps = 64;

bool is_scope_end(u16 kind) {
  return kind == S_END || kind == S_PROC_ID_END || kind == S_INLINESITE_END;
}

class Reader {
 public:
  Reader(bytes::View symbols, u32 compiland, const AddressMap& addresses, Damage& damage)
      : symbols_(symbols), compiland_(compiland), addresses_(addresses), damage_(damage) {}

  std::vector<Procedure> read() {
    Record record;
    u64 at = sizeof(u32);  // the signature
    while (at < symbols_.size()) {
      if (!read_record(symbols_, at, record)) {
        ++damage_.records;
        break;
      }
      at = record.next;
      switch (record.kind) {
        case S_GPROC32:
        case S_LPROC32:
        case S_GPROC32_ID:
        case S_LPROC32_ID:
        case S_LPROC32_DPC:
        case S_LPROC32_DPC_ID:
          at = add_procedure(record);
          break;
        case S_THUNK32:
          at = add_thunk(record);
          break;
        case S_SEPCODE:
          at = add_separated_code(record);
          break;
        default:
          break;
      }
    }
    sort_by(procedures_, [](const Procedure& one) { return one.begin; });
    name_separated_code();
    return std::move(procedures_);
  }

 private:
  struct Separated {
    SourceRva begin;
    SourceRva parent;
  };

  u64 add_procedure(const Record& record) {
    ProcedureSymbol symbol;
    const auto name = record.body.text(kProcedureNameAt);
    if (!record.body.load(0, symbol) || !name.has_value()) {
      ++damage_.records;
      return record.next;
    }
    Record end;
    const bool has_end = find_end(record, symbol.end, end);
    const u64 body_end = has_end ? symbol.end : record.next;
    add(symbol.section, symbol.offset, symbol.size, *name, record.next, body_end);
    return has_end ? end.next : record.next;
  }

  u64 add_thunk(const Record& record) {
    ThunkSymbol symbol;
    const auto name = record.body.text(kThunkNameAt);
    if (!record.body.load(0, symbol) || !name.has_value()) {
      ++damage_.records;
      return record.next;
    }
    Record end;
    const bool has_end = find_end(record, symbol.end, end);
    add(symbol.section, symbol.offset, symbol.size, *name, record.next, record.next);
    return has_end ? end.next : record.next;
  }

  // Code of a procedure that the compiler put elsewhere because it is rarely run.
  u64 add_separated_code(const Record& record) {
    SeparatedCodeSymbol symbol;
    if (!record.body.load(0, symbol)) {
      ++damage_.records;
      return record.next;
    }
    const auto begin = addresses_.source(symbol.section, symbol.offset);
    const auto parent = addresses_.source(symbol.parent_section, symbol.parent_offset);
    if (begin.has_value() && parent.has_value() &&
        add(symbol.section, symbol.offset, symbol.size, {}, record.next, record.next)) {
      separated_.push_back({*begin, *parent});
    }
    Record end;
    return find_end(record, symbol.end, end) ? end.next : record.next;
  }

  bool find_end(const Record& record, u64 end_at, Record& end) {
    if (end_at >= record.next && read_record(symbols_, end_at, end) && is_scope_end(end.kind)) return true;
    ++damage_.records;
    return false;
  }

  bool add(u16 section, u32 offset, u32 size, std::string_view name, u64 body, u64 body_end) {
    const auto begin = addresses_.source(section, offset);
    if (!begin.has_value() || u64{*begin} + size > 0xffffffff) {
      if (section != 0) ++damage_.records;  // section 0: the linker left the code out
      return false;
    }
    const auto rva = addresses_.image(*begin);
    if (!rva.has_value()) return false;
    procedures_.push_back(
        {{*rva, size, name, compiland_, false}, *begin, static_cast<u32>(body), static_cast<u32>(body_end)});
    return true;
  }

  void name_separated_code() {
    if (separated_.empty()) return;
    sort_by(separated_, [](const Separated& one) { return one.begin; });
    auto piece = separated_.begin();
    for (Procedure& procedure : procedures_) {
      if (procedure.function.name.data() != nullptr || piece == separated_.end()) continue;
      const Procedure* parent = find_procedure(procedures_, piece->parent);
      ++piece;
      if (parent != nullptr) procedure.function.name = parent->function.name;
    }
    std::erase_if(procedures_, [](const Procedure& one) { return one.function.name.data() == nullptr; });
  }

  bytes::View symbols_;
  u32 compiland_;
  const AddressMap& addresses_;
  Damage& damage_;
  std::vector<Procedure> procedures_;
  std::vector<Separated> separated_;
};

}  // namespace

std::vector<Procedure> read_procedures(bytes::View symbols, u32 compiland, const AddressMap& addresses,
                                       Damage& damage) {
  return Reader(symbols, compiland, addresses, damage).read();
}

const Procedure* find_procedure(const std::vector<Procedure>& procedures, SourceRva rva) {
  auto after = std::partition_point(procedures.begin(), procedures.end(),
                                    [&](const Procedure& one) { return one.begin <= rva; });
  const Procedure* found = nullptr;
  for (u32 step = 0; step < kMostOverlaps && after != procedures.begin(); ++step) {
    --after;
    if (found != nullptr && after->begin != found->begin) break;
    if (rva - after->begin < after->function.size) found = &*after;
  }
  return found;
}

}  // namespace wperf::symbols::pdb
