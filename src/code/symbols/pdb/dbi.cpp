// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/pdb/dbi.h"

namespace wperf::symbols::pdb {

std::optional<Dbi> Dbi::parse(bytes::View stream) {
  Dbi dbi;
  if (!stream.load(0, dbi.header_) || dbi.header_.signature != ~u32{0}) return std::nullopt;
  const DbiHeader& header = dbi.header_;
  u64 at = sizeof(DbiHeader);
  const auto next = [&](u32 size) {
    const bytes::View part = stream.slice(at, size);
    at += size;
    return part;
  };
  dbi.compilands_ = next(header.modules_size);
  dbi.contributions_ = next(header.contributions_size);
  next(header.section_map_size);
  next(header.file_info_size);
  next(header.type_servers_size);
  next(header.edit_and_continue_size);
  dbi.debug_headers_ = bytes::Table<u16>(next(header.debug_headers_size));
  return dbi;
}

std::vector<Compiland> Dbi::compilands(Damage& damage) const {
  std::vector<Compiland> result;
  std::vector<bool> is_taken(kNoStream);
  if (compilands_.size() < header_.modules_size) ++damage.streams;
  u64 at = 0;
  ModuleHeader module;
  while (compilands_.load(at, module)) {
    const auto name = compilands_.text(at + sizeof(ModuleHeader));
    const u64 object_at = at + sizeof(ModuleHeader) + (name.has_value() ? name->size() + 1 : 0);
    const auto object = compilands_.text(object_at);
    if (!name.has_value() || !object.has_value()) {
      ++damage.streams;
      break;
    }
    // A stream that several compilands claim is read only for the first: otherwise a small file could ask for a large
    // memory.
    u32 stream = module.stream;
    if (stream < kNoStream) {
      if (is_taken[stream]) {
        ++damage.streams;
        stream = kNoStream;
      } else {
        is_taken[stream] = true;
      }
    }
    result.push_back({*name, stream, module.symbols_size, module.c11_size, module.c13_size});
    at = (object_at + object->size() + 1 + 3) / 4 * 4;
  }
  return result;
}

u32 Dbi::debug_stream(DebugHeader place) const {
  const u64 index = static_cast<u64>(place);
  return index < debug_headers_.size() ? debug_headers_.at(index) : kNoStream;
}

}  // namespace wperf::symbols::pdb
