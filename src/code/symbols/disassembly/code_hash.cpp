// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/disassembly/code_hash.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "code/symbols/disassembly/decoder.h"

namespace wperf::symbols {
namespace {

class Hash {
 public:
  void add(u64 value) {
    state_ = (state_ ^ value) * 0x9e3779b97f4a7c15u;
    state_ ^= state_ >> 29;
  }
  u64 value() const { return state_ == 0 ? 1 : state_; }

 private:
  u64 state_ = 0x243f6a8885a308d3u;
};

std::int64_t signed_field(u32 word, u32 lowest, u32 bits) {
  const u64 value = u64{word >> lowest} << (64 - bits);
  return static_cast<std::int64_t>(value) >> (64 - bits);
}

// Hashes Arm64 instructions one after the other, without the parts that depend on addresses. Jumps within the function
// are included, because they are the same at any address.
class Arm64Masks {
 public:
  explicit Arm64Masks(usize code_size) : code_size_(static_cast<std::int64_t>(code_size)) {}

  u32 masked(u32 word, std::int64_t at) {
    if ((word & 0x7c000000u) == 0x14000000u) {  // B, BL
      if ((word & 0x80000000u) != 0) pages_ &= ~kLostByCalls;
      return without_target(word, at, 0, 26);
    }
    if ((word & 0xfe000000u) == 0x54000000u) return without_target(word, at, 5, 19);  // B.cond
    if ((word & 0x7e000000u) == 0x34000000u) return without_target(word, at, 5, 19);  // CBZ, CBNZ
    if ((word & 0x7e000000u) == 0x36000000u) return without_target(word, at, 5, 14);  // TBZ, TBNZ
    if ((word & 0x1f000000u) == 0x10000000u) {                                        // ADR, ADRP
      if ((word & 0x80000000u) != 0) pages_ |= bit(word);
      return word & ~0x60ffffe0u;
    }
    if ((word & 0x3b000000u) == 0x18000000u) return without_target(word, at, 5, 19);  // LDR of a literal
    if ((word & 0xfe000000u) == 0xd6000000u) pages_ &= ~kLostByCalls;                 // BLR, RET
    const bool is_sum = (word & 0xff800000u) == 0x91000000u;                          // ADD of a number
    const bool is_access = (word & 0x3b000000u) == 0x39000000u;                       // LDR, STR with a number
    const bool is_of_page = (pages_ & bit(word >> 5)) != 0;
    forget_written(word, is_access);
    return (is_sum || is_access) && is_of_page ? word & ~0x003ffc00u : word;
  }

 private:
  static constexpr u32 kLostByCalls = 0x4007ffffu;
  static u32 bit(u32 reg) { return u32{1} << (reg & 31); }

  u32 without_target(u32 word, std::int64_t at, u32 lowest, u32 bits) const {
    const std::int64_t target = at + 4 * signed_field(word, lowest, bits);
    return target >= 0 && target < code_size_ ? word : word & ~(((u32{1} << bits) - 1) << lowest);
  }
  // Forgets the page address of a register that the instruction overwrites.
  void forget_written(u32 word, bool is_access) {
    const bool is_memory = (word & 0x0a000000u) == 0x08000000u;
    const bool is_load = is_access && (word & 0x00c00000u) != 0;
    if (!is_memory || is_load) pages_ &= ~bit(word);
  }

  std::int64_t code_size_;
  u32 pages_ = 0;  // registers with a page address, to which a later instruction adds an offset
};

u64 arm64_hash(std::span<const std::byte> bytes) {
  Arm64Masks masks(bytes.size());
  Hash hash;
  for (usize at = 0; at + 4 <= bytes.size(); at += 4) {
    u32 word = 0;
    for (usize i = 4; i-- > 0;) word = word << 8 | std::to_integer<u32>(bytes[at + i]);
    hash.add(masks.masked(word, static_cast<std::int64_t>(at)));
  }
  return hash.value();
}

// Is this field of an instruction an address within the file?
bool is_address(const CodeToHash& code, std::span<const std::byte> field) {
  if (code.image_begin == 0 || field.size() < 4) return false;
  u64 value = 0;
  for (usize i = field.size(); i-- > 0;) value = value << 8 | std::to_integer<u64>(field[i]);
  return value >= code.image_begin && value < code.image_end;
}

diag::Result<u64> x64_hash(const CodeToHash& code) {
  WPERF_TRY(const std::unique_ptr<Decoder> decoder, make_decoder(InstructionSet::x64));
  Hash hash;
  Decoded decoded;
  for (usize at = 0; at < code.bytes.size();) {
    const u64 address = code.address + at;
    if (!decoder->decode(code.bytes.subspan(at), address, decoded) || decoded.size == 0) {
      hash.add(std::to_integer<u64>(code.bytes[at++]));
      continue;
    }
    std::array<std::byte, 16> own{};
    const usize size = std::min<usize>({decoded.size, own.size(), code.bytes.size() - at});
    std::copy_n(code.bytes.begin() + static_cast<std::ptrdiff_t>(at), size, own.begin());
    const auto field = [&](InstructionField one) {
      return one.offset + one.size <= size ? std::span(own).subspan(one.offset, one.size) : std::span<std::byte>();
    };
    const std::span<std::byte> displacement = field(decoded.displacement), immediate = field(decoded.immediate);
    const auto clear = [](std::span<std::byte> bytes) { std::fill(bytes.begin(), bytes.end(), std::byte{0}); };
    if (decoded.relative_to_code || is_address(code, displacement)) clear(displacement);
    const bool leaves = decoded.target.has_value() &&
                        (*decoded.target < code.address || *decoded.target - code.address >= code.bytes.size());
    if (leaves || (!decoded.target.has_value() && is_address(code, immediate))) clear(immediate);
    u64 word = size;
    for (usize i = 0; i < own.size(); ++i) {
      word = word << 8 | std::to_integer<u64>(own[i]);
      if (i % 7 == 6) {
        hash.add(word);
        word = 0;
      }
    }
    hash.add(word);
    at += size;
  }
  return hash.value();
}

}  // namespace

diag::Result<u64> code_hash(const CodeToHash& code) {
  if (code.bytes.size() < kFewestHashedBytes) return u64{0};
  if (code.instructions == InstructionSet::arm64) return arm64_hash(code.bytes);
  return x64_hash(code);
}

}  // namespace wperf::symbols
