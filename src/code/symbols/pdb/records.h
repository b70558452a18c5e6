// SPDX-License-Identifier: BSD-3-Clause
// Walking symbol and type records: a size, a kind, a body, and then the next one.
#pragma once
#include "code/symbols/pdb/pdb_format.h"
#include "ground/bytes/bytes.h"

namespace wperf::symbols::pdb {

struct Record {
  u16 kind = 0;
  u64 next = 0;  // where the next record begins
  bytes::View body;
};

// False: no whole record lies at `at`.
inline bool read_record(bytes::View bytes, u64 at, Record& record) {
  RecordHeader header;
  if (!bytes.load(at, header) || header.size < sizeof header.kind) return false;
  const u64 size = header.size - sizeof header.kind;
  if (!bytes.holds(at + sizeof header, size)) return false;
  record.kind = header.kind;
  record.next = at + sizeof header + size;
  record.body = bytes.slice(at + sizeof header, size);
  return true;
}

}  // namespace wperf::symbols::pdb
