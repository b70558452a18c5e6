// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/pdb/symbol_records.h"

#include <algorithm>
#include <utility>

#include "code/ordered.h"
#include "code/symbols/pdb/address_map.h"
#include "code/symbols/pdb/pdb_format.h"

namespace wperf::symbols::pdb {
namespace {

constexpr u32 kNoCompiland = ~u32{0};

struct Entry {
  Function function;
  bool is_code;
};

class PublicsReader {
 public:
  PublicsReader(const AddressMap& addresses, Damage& damage) : addresses_(addresses), damage_(damage) {}

  void reserve(u64 count) { entries_.reserve(count); }

  void add(const Record& record) {
    PublicSymbol symbol;
    const auto name = record.body.text(kPublicNameAt);
    if (!record.body.load(0, symbol) || !name.has_value()) {
      ++damage_.records;
      return;
    }
    const auto source = addresses_.source(symbol.section, symbol.offset);
    if (!source.has_value()) return;  // an absolute symbol has no address in the image
    const auto rva = addresses_.image(*source);
    if (!rva.has_value()) return;
    entries_.push_back(
        {{*rva, 0, *name, kNoCompiland, true}, (symbol.flags & kPublicIsCode) != 0 || addresses_.is_executable(*rva)});
  }

  Publics finish() {
    code::order_by(entries_, [](const Entry& one) { return one.function.rva.value; });
    Publics publics;
    publics.functions.reserve(entries_.size());
    publics.are_code.reserve(entries_.size());
    for (const Entry& entry : entries_) {
      publics.functions.push_back(entry.function);
      publics.are_code.push_back(entry.is_code);
    }
    return publics;
  }

 private:
  const AddressMap& addresses_;
  Damage& damage_;
  std::vector<Entry> entries_;
};

}  // namespace

Publics read_publics(bytes::View publics_stream, bytes::View records, const AddressMap& addresses, Damage& damage) {
  PublicsReader reader(addresses, damage);
  Record record;
  PublicsHeader header;
  if (publics_stream.load(0, header)) {
    const u64 map_at = sizeof header + u64{header.hash_size};
    const bytes::Table<u32> by_address(publics_stream.slice(map_at, header.address_map_size));
    // An undamaged table lists every record once, so it has at most as many entries as there are records.
    const u64 count = std::min(by_address.size(), records.size() / (sizeof(RecordHeader) + sizeof(PublicSymbol)));
    reader.reserve(count);
    for (u64 i = 0; i < count; ++i) {
      if (read_record(records, by_address.at(i), record) && record.kind == S_PUB32) {
        reader.add(record);
      } else {
        ++damage.records;
      }
    }
    if (by_address.size() != 0) return reader.finish();
  }
  for (u64 at = 0; read_record(records, at, record); at = record.next) {
    if (record.kind == S_PUB32) reader.add(record);
  }
  return reader.finish();
}

namespace {

// Procedures rarely overlap; a search looks at this many earlier procedures that end before the address.
constexpr u32 kMostOverlaps = 64;

bool is_scope_end(u16 kind) {
  return kind == S_END || kind == S_PROC_ID_END || kind == S_INLINESITE_END;
}

class ProcedureReader {
 public:
  ProcedureReader(bytes::View symbols, u32 compiland, const AddressMap& addresses, Damage& damage)
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
    code::order_by(procedures_, [](const Procedure& one) { return one.begin; });
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
    add(symbol, *name, record.next, body_end);
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
    add(symbol, *name, record.next, record.next);
    return has_end ? end.next : record.next;
  }

  // Code of a procedure that the compiler put elsewhere because it rarely runs.
  u64 add_separated_code(const Record& record) {
    SeparatedCodeSymbol symbol;
    if (!record.body.load(0, symbol)) {
      ++damage_.records;
      return record.next;
    }
    const auto begin = addresses_.source(symbol.section, symbol.offset);
    const auto parent = addresses_.source(symbol.parent_section, symbol.parent_offset);
    if (begin.has_value() && parent.has_value() && add(symbol, {}, record.next, record.next)) {
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

  // `symbol`: any record of code, which has a section, an offset and a size.
  bool add(const auto& symbol, std::string_view name, u64 body, u64 body_end) {
    const auto begin = addresses_.source(symbol.section, symbol.offset);
    const u32 size = symbol.size;
    if (!begin.has_value() || u64{*begin} + size > 0xffffffff) {
      if (symbol.section != 0) ++damage_.records;  // section 0 means that the linker left out the code
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
    code::order_by(separated_, [](const Separated& one) { return one.begin; });
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

bool is_c(bytes::View symbols) {
  constexpr u32 kMostBefore = 16;  // maximum number of records before the compiler's record
  constexpr u32 kLanguageMask = 0xff, kC = 0;
  Record record;
  u64 at = sizeof(u32);  // the signature
  for (u32 i = 0; i < kMostBefore && read_record(symbols, at, record); ++i, at = record.next) {
    u32 flags = 0;
    if (record.kind != S_COMPILE2 && record.kind != S_COMPILE3) continue;
    return record.body.load(0, flags) && (flags & kLanguageMask) == kC;
  }
  return false;
}

std::vector<Procedure> read_procedures(bytes::View symbols, u32 compiland, const AddressMap& addresses,
                                       Damage& damage) {
  return ProcedureReader(symbols, compiland, addresses, damage).read();
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
