// SPDX-License-Identifier: BSD-3-Clause
// Vector instructions that move lanes or bytes without arithmetic, AES, and accesses by structures.
#include <cstring>

#include "sim/cpu/vector_lanes.h"
#include "sim/cpu/vector_operations.h"

namespace wperf::sim {
namespace {

using Bytes = Lanes<u8>;

// UZP, TRN, ZIP
template <typename T>
void permuted(ThreadState& thread, u32 code) {
  const VectorFields fields{code};
  const Lanes<T> a = lanes<T>(thread, fields.first()), b = lanes<T>(thread, fields.second());
  const usize count = fields.whole() ? a.size() : a.size() / 2, odd = code >> 14 & 1;
  const auto of_both = [&](usize i) { return i < count ? a[i] : b[i - count]; };
  Lanes<T> result{};
  for (usize i = 0; i < count; ++i) {
    switch (code >> 12 & 3) {
      case 1:
        result[i] = of_both(2 * i + odd);
        break;
      case 2:
        result[i] = i % 2 == 0 ? a[i + odd] : b[i - 1 + odd];
        break;
      default:
        result[i] = (i % 2 == 0 ? a : b)[i / 2 + odd * count / 2];
        break;
    }
  }
  put(thread, fields, result);
}

void extracted(ThreadState& thread, u32 code) {
  const VectorFields fields{code};
  const Bytes a = lanes<u8>(thread, fields.first()), b = lanes<u8>(thread, fields.second());
  const usize count = fields.whole() ? 16 : 8, from = code >> 11 & 15;
  Bytes result{};
  for (usize i = 0; i < count; ++i) result[i] = from + i < count ? a[from + i] : b[from + i - count];
  put(thread, fields, result);
}

// TBL, TBX
void looked_up(ThreadState& thread, u32 code) {
  const VectorFields fields{code};
  const usize registers = (code >> 13 & 3) + 1;
  const bool keeps = (code >> 12 & 1) != 0;
  std::array<u8, 64> table{};
  for (u32 i = 0; i < registers; ++i) std::memcpy(&table[i * 16], &thread.v[(fields.first() + i) % 32], 16);
  const Bytes indices = lanes<u8>(thread, fields.second());
  Bytes result = keeps ? lanes<u8>(thread, fields.to()) : Bytes{};
  for (usize i = 0; i < 16; ++i)
    if (indices[i] < registers * 16) result[i] = table[indices[i]];
  put(thread, fields, result);
}

// REV64, REV32, REV16: reverses the lanes within each group of bytes.
void reversed(ThreadState& thread, u32 code) {
  const VectorFields fields{code};
  const usize lane = usize{1} << fields.size();
  const usize group = (code >> 12 & 1) != 0 ? 2 : fields.is_unsigned() ? 4 : 8;
  const Bytes a = lanes<u8>(thread, fields.first());
  Bytes result{};
  for (usize i = 0; i < 16; ++i) {
    const usize within = i % group;
    result[i] = a[i - within + (group - lane - within / lane * lane) + within % lane];
  }
  put(thread, fields, result);
}

// MOV (scalar): one lane, the others zero.
void lane_to_scalar(ThreadState& thread, u32 code) {
  const u32 place = code >> 16 & 31, bytes = place & (~place + 1), index = place / (2 * bytes);
  const Bytes a = lanes<u8>(thread, VectorFields{code}.first());
  Bytes result{};
  for (u32 i = 0; i < bytes; ++i) result[i] = a[index * bytes + i];
  put(thread, VectorFields{code}, result);
}

// ORR and BIC with a constant
template <typename T, bool kClears>
void combined_with_constant(ThreadState& thread, u32 code) {
  const VectorFields fields{code};
  const u32 shift = (code >> 13 & (sizeof(T) == 2 ? 1 : 3)) * 8;
  const T constant = static_cast<T>(((code >> 16 & 7) << 5 | (code >> 5 & 31)) << shift);
  Lanes<T> result = lanes<T>(thread, fields.to());
  for (T& lane : result) lane = static_cast<T>(kClears ? lane & ~constant : lane | constant);
  put(thread, fields, result);
}

constexpr u8 doubled(u8 value) {
  return static_cast<u8>(value << 1 ^ ((value & 0x80) != 0 ? 0x1b : 0));
}
constexpr u8 product(u8 a, u8 b) {
  u8 result = 0;
  for (; b != 0; b >>= 1, a = doubled(a))
    if ((b & 1) != 0) result ^= a;
  return result;
}
// The substitution of AES: the inverse in its field, and then a rotation of bits.
constexpr Lanes<u8>::size_type kValues = 256;
constexpr std::array<u8, kValues> kSubstitutes = [] {
  std::array<u8, kValues> result{};
  for (u32 value = 0; value < kValues; ++value) {
    u8 inverse = 1;  // value to the power of 254
    u8 power = static_cast<u8>(value);
    for (u32 exponent = 254; exponent != 0; exponent >>= 1, power = product(power, power))
      if ((exponent & 1) != 0) inverse = product(inverse, power);
    const u8 one = inverse;
    result[value] =
        static_cast<u8>(one ^ std::rotl(one, 1) ^ std::rotl(one, 2) ^ std::rotl(one, 3) ^ std::rotl(one, 4) ^ 0x63);
  }
  return result;
}();
constexpr std::array<u8, kValues> kOriginals = [] {
  std::array<u8, kValues> result{};
  for (u32 value = 0; value < kValues; ++value) result[kSubstitutes[value]] = static_cast<u8>(value);
  return result;
}();

// AESE, AESD
template <bool kDecrypts>
void encrypted(ThreadState& thread, u32 code) {
  const VectorFields fields{code};
  const Bytes state = lanes<u8>(thread, fields.to()), key = lanes<u8>(thread, fields.first());
  Bytes result{};
  for (usize i = 0; i < 16; ++i) {
    const usize from = (kDecrypts ? i + 16 - i % 4 * 4 : i + i % 4 * 4) % 16;
    result[i] = (kDecrypts ? kOriginals : kSubstitutes)[state[from] ^ key[from]];
  }
  put(thread, fields, result);
}
// AESMC, AESIMC
template <bool kInverse>
void columns_mixed(ThreadState& thread, u32 code) {
  static constexpr std::array<u8, 4> kFactors =
      kInverse ? std::array<u8, 4>{14, 11, 13, 9} : std::array<u8, 4>{2, 3, 1, 1};
  const VectorFields fields{code};
  const Bytes a = lanes<u8>(thread, fields.first());
  Bytes result{};
  for (usize i = 0; i < 16; ++i)
    for (usize k = 0; k < 4; ++k) result[i] ^= product(a[i - i % 4 + (i + k) % 4], kFactors[k]);
  put(thread, fields, result);
}

VectorOperation find_aes(u32 code) {
  switch (code >> 12 & 31) {
    case 4:
      return encrypted<false>;
    case 5:
      return encrypted<true>;
    case 6:
      return columns_mixed<false>;
    case 7:
      return columns_mixed<true>;
    default:
      return nullptr;
  }
}

VectorOperation find_reversal(u32 code) {
  const VectorFields fields{code};
  const u32 operation = code >> 12 & 31;
  if (operation > 1 || (operation == 1 && fields.is_unsigned())) return nullptr;
  const u32 sizes = operation == 1 ? 1 : fields.is_unsigned() ? 2 : 3;
  return fields.size() < sizes ? reversed : nullptr;
}

VectorOperation find_combination(u32 code) {
  const u32 cmode = code >> 12 & 15;
  if ((cmode & 1) == 0 || cmode > 11) return nullptr;
  if (VectorFields{code}.is_unsigned())
    return cmode < 8 ? combined_with_constant<u32, true> : combined_with_constant<u16, true>;
  return cmode < 8 ? combined_with_constant<u32, false> : combined_with_constant<u16, false>;
}

// The number of registers of an access by structures: their lanes alternate in memory.
u32 registers_of(u32 code) {
  static constexpr u8 kRegisters[16] = {4, 0, 0, 0, 3, 0, 0, 0, 2};
  return kRegisters[code >> 12 & 15];
}

void move_lane(ThreadState& thread, u32 number, usize at, u8* memory, u32 bytes, bool write) {
  auto* const lane = reinterpret_cast<u8*>(&thread.v[number % 32]) + at;
  write ? std::memcpy(memory, lane, bytes) : std::memcpy(lane, memory, bytes);
}

void move_structures(ThreadState& thread, u32 code, u8* memory) {
  const VectorFields fields{code};
  const u32 bytes = 1U << (code >> 10 & 3), registers = registers_of(code);
  const bool write = (code >> 22 & 1) == 0;
  for (usize at = 0; at < (fields.whole() ? 16U : 8U); at += bytes) {
    for (u32 i = 0; i < registers; ++i, memory += bytes) move_lane(thread, fields.to() + i, at, memory, bytes, write);
  }
  if (write || fields.whole()) return;
  for (u32 i = 0; i < registers; ++i) thread.v[(fields.to() + i) % 32][1] = 0;
}

struct OneStructure {
  u32 registers, bytes, lane;
  bool repeats;
};
// LD1 to LD4 of one lane, and the variants that repeat it. `bytes` is 0 if the instruction is undefined.
OneStructure one_structure(u32 code) {
  const u32 operation = code >> 13 & 7, size = code >> 10 & 3, select = code >> 12 & 1;
  const u32 registers = ((operation & 1) << 1 | (code >> 21 & 1)) + 1;
  const bool repeats = operation >= 6;
  u32 log = repeats ? size : operation / 2;
  if (repeats && (select != 0 || (code >> 22 & 1) == 0)) return {};
  if (!repeats && log == 1 && (size & 1) != 0) return {};
  if (!repeats && log == 2) {
    if (size > 1 || (size == 1 && select != 0)) return {};
    log += size;
  }
  const u32 place = (code >> 30 & 1) << 3 | select << 2 | size;
  return {registers, 1U << log, repeats ? 0 : place >> log, repeats};
}

void move_one_structure(ThreadState& thread, u32 code, u8* memory) {
  const VectorFields fields{code};
  const OneStructure one = one_structure(code);
  const bool write = (code >> 22 & 1) == 0;
  for (u32 i = 0; i < one.registers; ++i, memory += one.bytes) {
    if (!one.repeats) {
      move_lane(thread, fields.to() + i, usize{one.lane} * one.bytes, memory, one.bytes, write);
      continue;
    }
    for (usize at = 0; at < 16; at += one.bytes) move_lane(thread, fields.to() + i, at, memory, one.bytes, false);
    if (!fields.whole()) thread.v[(fields.to() + i) % 32][1] = 0;
  }
}

}  // namespace

VectorOperation find_vector_move(u32 code) {
  static constexpr VectorOperation kPermuted[] = {permuted<u8>, permuted<u16>, permuted<u32>, permuted<u64>};
  const VectorFields fields{code};
  const bool wide_half = fields.size() == 3 && !fields.whole();
  if ((code & 0xbf208c00) == 0x0e000800) {
    return (code >> 12 & 3) == 0 || wide_half ? nullptr : kPermuted[fields.size()];
  }
  if ((code & 0xbfe08400) == 0x2e000000) return (code >> 14 & 1) != 0 && !fields.whole() ? nullptr : extracted;
  if ((code & 0xbfe08c00) == 0x0e000000) return looked_up;
  if ((code & 0x9f3e0c00) == 0x0e200800) return find_reversal(code);
  if ((code & 0x9ff80c00) == 0x0f000400) return find_combination(code);
  if ((code & 0xffe0fc00) == 0x5e000400) return (code >> 16 & 15) == 0 ? nullptr : lane_to_scalar;
  return (code & 0xffff0c00) == 0x4e280800 ? find_aes(code) : nullptr;
}

StructureAccess find_structure_access(u32 code) {
  const bool writes_back = (code >> 23 & 1) != 0;
  if ((code >> 31) != 0 || (!writes_back && (code >> 16 & 31) != 0)) return {};
  if ((code & 0x3f200000) == 0x0c000000) {
    const u32 size = code >> 10 & 3, registers = registers_of(code);
    const bool whole = (code >> 30 & 1) != 0;
    if (registers == 0 || (size == 3 && !whole)) return {};
    return {1U << size, registers * ((whole ? 16U : 8U) >> size), move_structures};
  }
  if ((code & 0x3f000000) != 0x0d000000) return {};
  const OneStructure one = one_structure(code);
  return one.bytes == 0 ? StructureAccess{} : StructureAccess{one.bytes, one.registers, move_one_structure};
}

}  // namespace wperf::sim
