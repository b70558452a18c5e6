// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/pdb/publics.h"

#include <algorithm>
#include <utility>

#include "code/symbols/pdb/pdb_format.h"
#include "code/symbols/pdb/records.h"
#include "code/symbols/pdb/sort.h"

namespace wperf::symbols::pdb {
namespace {

constexpr u32 kNoCompiland = ~u32{0};

struct Entry {
  Function function;
  bool is_code;
};

class Reader {
 public:
  Reader(const AddressMap& addresses, Damage& damage) : addresses_(addresses), damage_(damage) {}

  void reserve(u64 count) { entries_.reserve(count); }

  void add(const Record& record) {
    PublicSymbol symbol;
    const auto name = record.body.text(kPublicNameAt);
    if (!record.body.load(0, symbol) || !name.has_value()) {
      ++damage_.records;
      return;
    }
    const auto source = addresses_.source(symbol.section, symbol.offset);
    if (!source.has_value()) return;  // an absolute symbol: no address in the image
    const auto rva = addresses_.image(*source);
    if (!rva.has_value()) return;
    entries_.push_back(
        {{*rva, 0, *name, kNoCompiland, true}, (symbol.flags & kPublicIsCode) != 0 || addresses_.is_executable(*rva)});
  }

  Publics finish() {
    sort_by(entries_, [](const Entry& one) { return one.function.rva.value; });
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
  Reader reader(addresses, damage);
  Record record;
  PublicsHeader header;
  if (publics_stream.load(0, header)) {
    const u64 map_at = sizeof header + u64{header.hash_size};
    const bytes::Table<u32> by_address(publics_stream.slice(map_at, header.address_map_size));
    // An undamaged table names every record once: no more entries than records.
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

}  // namespace wperf::symbols::pdb
