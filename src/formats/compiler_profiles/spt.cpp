// SPDX-License-Identifier: BSD-3-Clause
// The layout is from Microsoft's page on SPTDump: a header of 32 bytes, a table of names, a table of program ids, then
// a stream of records, module by module.
#include <fmt/format.h>

#include <algorithm>
#include <concepts>

#include "formats/compiler_profiles/compiler_profiles.h"

namespace wperf::compiler_profiles {
namespace {

constexpr u32 kSignature = 0x5350543A, kVersion = 1, kHeaderBytes = 0x20;
constexpr usize kUsualNameBytes = 0x4000, kUsualModules = 0x100, kMostInHeader = 0xffff;
constexpr u8 kModule = 0x81, kRepeat = 0x82, kBranches = 0x10, kCallStack = 0x42;

void put(std::string& out, std::unsigned_integral auto value) {
  for (usize byte = 0; byte < sizeof value; ++byte) out += static_cast<char>(u64{value} >> (byte * 8));
}

// Makes the next record count `count` times: writes a record with the number of additional times.
void put_count(std::string& out, u64 count) {
  if (count == 1) return;
  put(out, kRepeat);
  put(out, u8{0});
  put(out, count - 1);
}

// Each record has one address or pair.
std::string records_of(const SptModule& module) {
  std::string out;
  for (const SptCount& one : module.samples) {
    put_count(out, one.count);
    put(out, static_cast<u8>(one.event));
    put(out, u8{1});
    put(out, one.rva);
  }
  for (const SptPair& branch : module.branches) {
    put_count(out, branch.count);
    put(out, kBranches);
    put(out, u8{1});
    put(out, branch.to);
    put(out, branch.from);
  }
  for (const SptPair& call : module.calls) {
    put_count(out, call.count);
    put(out, kCallStack);
    put(out, u8{2});
    put(out, call.from);
    put(out, call.to);
  }
  return out;
}

diag::Error too_large(std::string_view what, usize count) {
  return {.text = fmt::format("a .spt file cannot hold {}: {}; the maximum is {}", what, count, kMostInHeader),
          .hint = "choose one program with --binary"};
}

}  // namespace

diag::Result<std::string> spt(std::span<const SptModule> modules) {
  std::string names, ids, stream;
  for (usize number = 0; number < modules.size(); ++number) {
    const SptModule& module = modules[number];
    ids.append(reinterpret_cast<const char*>(module.guid.data()), module.guid.size());
    put(ids, module.age);
    put(ids, static_cast<u32>(names.size()));
    names.append(module.name).push_back('\0');
    const std::string records = records_of(module);
    put(stream, kModule);
    put(stream, u8{0});
    put(stream, static_cast<u16>(number));
    put(stream, static_cast<u32>(records.size() + sizeof(u32)));  // the length includes itself
    stream += records;
  }
  if (modules.size() > kMostSptModules) return too_large("so many modules", modules.size());
  if (names.size() > kMostInHeader) return too_large("so many bytes of names", names.size());
  const usize name_room = std::max(kUsualNameBytes, names.size()), id_room = std::max(kUsualModules, modules.size());
  std::string out;
  put(out, kSignature);
  put(out, kVersion);
  put(out, u64{0});  // reserved
  put(out, kHeaderBytes);
  put(out, static_cast<u32>(kHeaderBytes + name_room));
  put(out, static_cast<u16>(names.size()));
  put(out, static_cast<u16>(name_room));
  put(out, static_cast<u16>(modules.size()));
  put(out, static_cast<u16>(id_room));
  names.resize(name_room);
  ids.resize(id_room * (sizeof SptModule::guid + 2 * sizeof(u32)));
  return out + names + ids + stream;
}

}  // namespace wperf::compiler_profiles
