// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/elf/function_cache.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <limits>

namespace wperf::symbols {
namespace {

// Little-endian, like every machine that wperf runs on. The number identifies the layout below.
constexpr u64 kCacheMagic = 0x3173'636e'7566'7077;  // "wpfuncs1"
constexpr usize kChecksumAt = 8, kCheckedFrom = 16, kHeaderSize = 80;

struct CacheHeader {
  u64 magic = kCacheMagic;
  u64 checksum = 0;  // checksum of all bytes after this field
  u64 image_size = 0, debug_size = 0;
  u32 count = 0;
  u32 build_id_size = 0;
  u64 names_size = 0;
  std::array<std::byte, FunctionCacheKey::kLongestBuildId> build_id = {};
};
static_assert(sizeof(CacheHeader) == kHeaderSize);
static_assert(offsetof(CacheHeader, checksum) == kChecksumAt);
// The header is followed by columns with `count` entries each: begin (8 bytes), end (8), offset and length of the name
// (4 and 4), the enclosing function as in ElfSymbols (4), the source table (1). The names follow.
constexpr u64 kBytesOfOne = 8 + 8 + 8 + 4 + 1;

// Four sums in parallel are as fast as memory. Each step is a bijection in the previous sum and in the word, so a
// change within one word is always detected.
u64 checksum_of(Bytes bytes) {
  constexpr u64 kPrime = 0x0000'0100'0000'01b3;
  constexpr usize kSums = 4, kStep = kSums * sizeof(u64);
  std::array<u64, kSums> sums = {1, 2, 3, 4};
  std::array<u64, kSums> words = {};
  const auto add = [&] {
    for (usize i = 0; i < kSums; ++i) {
      sums[i] = (sums[i] ^ words[i]) * kPrime;
      sums[i] ^= sums[i] >> 32;
    }
  };
  usize at = 0;
  for (; bytes.size() - at >= kStep; at += kStep) {
    std::memcpy(words.data(), bytes.data() + at, kStep);
    add();
  }
  words = {};
  if (at < bytes.size()) std::memcpy(words.data(), bytes.data() + at, bytes.size() - at);
  add();
  u64 out = bytes.size();
  for (const u64 sum : sums) {
    out = (out ^ sum) * kPrime;
    out ^= out >> 32;
  }
  return out;
}

CacheHeader header_for(const FunctionCacheKey& key) {
  CacheHeader header;
  header.image_size = key.image_size;
  header.debug_size = key.debug_size;
  header.build_id_size = static_cast<u32>(key.build_id.size());
  std::copy(key.build_id.begin(), key.build_id.end(), header.build_id.begin());
  return header;
}

bool is_sound(const FunctionCacheKey& key) {
  return !key.build_id.empty() && key.build_id.size() <= FunctionCacheKey::kLongestBuildId;
}

class Column {
 public:
  explicit Column(std::byte* at) : at_(at) {}
  template <typename T>
  void add(T value) {
    std::memcpy(at_, &value, sizeof value);
    at_ += sizeof value;
  }
  void add_text(std::string_view text) {
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
  }

 private:
  std::byte* at_;
};

}  // namespace

std::vector<std::byte> FunctionCache::write(const ElfSymbols& symbols, const FunctionCacheKey& key) {
  const auto all = symbols.all();
  constexpr u64 kMost = std::numeric_limits<u32>::max();
  u64 names_size = 0;
  for (const ElfSymbol& one : all) names_size += one.name.size();
  if (!is_sound(key) || all.empty() || all.size() > kMost || names_size > kMost) return {};
  CacheHeader header = header_for(key);
  header.count = static_cast<u32>(all.size());
  header.names_size = names_size;
  std::vector<std::byte> out(kHeaderSize + all.size() * kBytesOfOne + static_cast<usize>(names_size));
  std::byte* const columns = out.data() + kHeaderSize;
  Column begins(columns), ends(columns + all.size() * 8), name_places(columns + all.size() * 16),
      enclosing(columns + all.size() * 24), tables(columns + all.size() * 28), names(columns + all.size() * 29);
  u32 name_at = 0;
  for (usize i = 0; i < all.size(); ++i) {
    const auto name_size = static_cast<u32>(all[i].name.size());
    begins.add(all[i].begin);
    ends.add(all[i].end);
    name_places.add(name_at);
    name_places.add(name_size);
    enclosing.add(symbols.enclosing()[i]);
    tables.add(static_cast<u8>(all[i].table));
    names.add_text(all[i].name);
    name_at += name_size;
  }
  std::memcpy(out.data(), &header, sizeof header);
  seal(out);
  return out;
}

void FunctionCache::seal(std::span<std::byte> bytes) {
  if (bytes.size() < kHeaderSize) return;
  const u64 checksum = checksum_of(bytes.subspan(kCheckedFrom));
  std::memcpy(bytes.data() + kChecksumAt, &checksum, sizeof checksum);
}

std::optional<FunctionCache> FunctionCache::open(Bytes bytes, const FunctionCacheKey& key) {
  if (bytes.size() < kHeaderSize || !is_sound(key)) return {};
  CacheHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  const CacheHeader wanted = header_for(key);
  if (header.magic != wanted.magic || header.image_size != wanted.image_size ||
      header.debug_size != wanted.debug_size || header.build_id_size != wanted.build_id_size ||
      header.build_id != wanted.build_id) {
    return {};
  }
  const u64 columns_size = u64{header.count} * kBytesOfOne, size = bytes.size() - kHeaderSize;
  if (columns_size > size || header.names_size != size - columns_size) return {};
  if (header.checksum != checksum_of(bytes.subspan(kCheckedFrom))) return {};
  FunctionCache out;
  out.count_ = header.count;
  const EndianBytes columns = EndianBytes(bytes, false).from(kHeaderSize);
  const u64 count = header.count;
  out.begins_ = columns.slice(0, count * 8);
  out.ends_ = columns.slice(count * 8, count * 8);
  out.name_places_ = columns.slice(count * 16, count * 8);
  out.enclosing_ = columns.slice(count * 24, count * 4);
  out.tables_ = columns.slice(count * 28, count);
  out.names_ = columns.from(columns_size);
  return out;
}

std::optional<ElfSymbol> FunctionCache::find(u64 address) const {
  u64 low = 0, high = count_;  // the first symbol that begins after the address is in [low, high]
  while (low < high) {
    const u64 middle = low + (high - low) / 2;
    if (begins_.at_or_zero<u64>(middle * 8) <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  u64 at = low;
  while (at != 0 && ends_.at_or_zero<u64>((at - 1) * 8) <= address) {
    const u64 next = enclosing_.at_or_zero<u32>((at - 1) * 4);
    if (next >= at) return {};  // write() never produces such an index
    at = next;
  }
  if (at == 0) return {};
  const u64 found = at - 1, begin = begins_.at_or_zero<u64>(found * 8);
  const u64 name_at = name_places_.at_or_zero<u32>(found * 8);
  const u64 name_size = name_places_.at_or_zero<u32>(found * 8 + 4);
  const u8 table = tables_.at_or_zero<u8>(found);
  if (begin > address || !names_.holds(name_at, name_size) || table > static_cast<u8>(ElfSymbolTable::plt)) return {};
  return ElfSymbol{
      .begin = begin,
      .end = ends_.at_or_zero<u64>(found * 8),
      .name = std::string_view(reinterpret_cast<const char*>(names_.data() + name_at), static_cast<usize>(name_size)),
      .table = static_cast<ElfSymbolTable>(table)};
}

}  // namespace wperf::symbols
