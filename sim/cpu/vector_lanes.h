// SPDX-License-Identifier: BSD-3-Clause
// Lanes of a vector register as values of one type, operations on one lane, and the fields of vector instructions.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <type_traits>

#include "sim/cpu/core_engine.h"
#include "sim/cpu/vector_operations.h"

namespace wperf::sim {

template <std::integral T>
using Lanes = std::array<T, 16 / sizeof(T)>;
template <std::integral T>
using Narrow = std::conditional_t<
    std::is_signed_v<T>,
    std::conditional_t<sizeof(T) == 8, std::int32_t, std::conditional_t<sizeof(T) == 4, std::int16_t, std::int8_t>>,
    std::conditional_t<sizeof(T) == 8, u32, std::conditional_t<sizeof(T) == 4, u16, u8>>>;

struct VectorFields {
  u32 code;

  u32 to() const { return code & 31; }
  u32 first() const { return code >> 5 & 31; }
  u32 second() const { return code >> 16 & 31; }
  u32 size() const { return code >> 22 & 3; }
  bool scalar() const { return (code >> 28 & 1) != 0; }
  bool whole() const { return (code >> 30 & 1) != 0 && !scalar(); }  // all 128 bits
  bool upper() const { return (code >> 30 & 1) != 0; }               // of narrow lanes: the upper half
  bool is_unsigned() const { return (code >> 29 & 1) != 0; }
};

template <std::integral T>
Lanes<T> lanes(const ThreadState& thread, u32 number) {
  return std::bit_cast<Lanes<T>>(thread.v[number]);
}
template <std::integral T>
void put(ThreadState& thread, VectorFields fields, const Lanes<T>& value) {
  auto& to = thread.v[fields.to()] = std::bit_cast<std::array<u64, 2>>(value);
  if (!fields.whole()) to[1] = 0;
}

template <typename T>
constexpr u32 kBits = sizeof(T) * 8;
template <typename T>
constexpr std::make_unsigned_t<T> plain(T value) {
  return static_cast<std::make_unsigned_t<T>>(value);
}
template <typename T>
constexpr T mask(bool all) {
  return all ? static_cast<T>(~T{0}) : T{0};
}
template <typename T>
constexpr T shifted_right(T value, u32 amount) {  // by 1 to the number of bits
  return amount < kBits<T> ? static_cast<T>(value >> amount) : mask<T>(value < 0);
}
template <typename T>
constexpr T rounded_right(T value, u32 amount) {
  return static_cast<T>(plain(shifted_right(value, amount)) + plain(static_cast<T>(value >> (amount - 1) & 1)));
}
template <typename T>
constexpr T sum(T a, T b) {
  return static_cast<T>(plain(a) + plain(b));
}
template <typename T>
constexpr T difference_of(T a, T b) {
  return static_cast<T>(plain(a) - plain(b));
}
template <typename T>
constexpr T product(T a, T b) {
  return static_cast<T>(u64{plain(a)} * plain(b));
}
template <typename T>
constexpr T distance_of(T a, T b) {
  return a < b ? difference_of(b, a) : difference_of(a, b);
}
constexpr u64 polynomial_product(u32 a, u32 b) {  // of eight bits each
  u64 result = 0;
  for (u32 i = 0; i < 8; ++i) result ^= (b >> i & 1) != 0 ? u64{a} << i : 0;
  return result;
}

// Returns the function that a family has for lanes of 1 << `log` bytes.
template <typename Family>
VectorOperation function_of(u32 log, bool is_unsigned) {
  static constexpr VectorOperation kSigned[] = {Family::template run<std::int8_t>, Family::template run<std::int16_t>,
                                                Family::template run<std::int32_t>, Family::template run<std::int64_t>};
  static constexpr VectorOperation kUnsigned[] = {Family::template run<u8>, Family::template run<u16>,
                                                  Family::template run<u32>, Family::template run<u64>};
  return is_unsigned ? kUnsigned[log] : kSigned[log];
}

enum class LaneOperation : u8 {
  larger,
  smaller,
  distance,
  distance_added,
  sum,
  difference,
  product,
  product_added,
  product_subtracted,
  polynomial_product,
  halved,
  rounded_halved,
  halved_difference,
  greater,
  greater_or_equal,
  equal,
  tested,
  shifted_by_lane,
  greater_than_zero,
  at_least_zero,
  equal_to_zero,
  at_most_zero,
  less_than_zero,
  absolute,
  negated,
  leading_sign_bits,
  leading_zeros,
  bit_count,
  inverted,
  bits_reversed,
};
// The new value of a lane; operations with one operand use the first.
template <LaneOperation kOperation, typename T>
constexpr T apply(T a, T b, T old) {
  switch (kOperation) {
    case LaneOperation::larger:
      return std::max(a, b);
    case LaneOperation::smaller:
      return std::min(a, b);
    case LaneOperation::distance:
      return distance_of(a, b);
    case LaneOperation::distance_added:
      return sum(old, distance_of(a, b));
    case LaneOperation::sum:
      return sum(a, b);
    case LaneOperation::difference:
      return difference_of(a, b);
    case LaneOperation::product:
      return product(a, b);
    case LaneOperation::product_added:
      return sum(old, product(a, b));
    case LaneOperation::product_subtracted:
      return difference_of(old, product(a, b));
    case LaneOperation::polynomial_product:
      return static_cast<T>(polynomial_product(static_cast<u8>(a), static_cast<u8>(b)));
    case LaneOperation::halved:
      return static_cast<T>((static_cast<int64_t>(a) + static_cast<int64_t>(b)) >> 1);
    case LaneOperation::rounded_halved:
      return static_cast<T>((static_cast<int64_t>(a) + static_cast<int64_t>(b) + 1) >> 1);
    case LaneOperation::halved_difference:
      return static_cast<T>((static_cast<int64_t>(a) - static_cast<int64_t>(b)) >> 1);
    case LaneOperation::greater:
      return mask<T>(a > b);
    case LaneOperation::greater_or_equal:
      return mask<T>(a >= b);
    case LaneOperation::equal:
      return mask<T>(a == b);
    case LaneOperation::tested:
      return mask<T>((a & b) != 0);
    case LaneOperation::shifted_by_lane: {
      const int amount = int{static_cast<u8>(b)} - ((b & 0x80) != 0 ? 256 : 0);  // its lowest byte, signed
      if (amount >= static_cast<int>(kBits<T>)) return 0;
      if (amount >= 0) return static_cast<T>(plain(a) << amount);
      return shifted_right(a, std::min(static_cast<u32>(-amount), kBits<T>));
    }
    case LaneOperation::greater_than_zero:
      return mask<T>(a > 0);
    case LaneOperation::at_least_zero:
      return mask<T>(a >= 0);
    case LaneOperation::equal_to_zero:
      return mask<T>(a == 0);
    case LaneOperation::at_most_zero:
      return mask<T>(a <= 0);
    case LaneOperation::less_than_zero:
      return mask<T>(a < 0);
    case LaneOperation::absolute:
      return a < 0 ? difference_of(T{0}, a) : a;
    case LaneOperation::negated:
      return difference_of(T{0}, a);
    case LaneOperation::leading_sign_bits:
      return static_cast<T>(std::countl_zero(plain(static_cast<T>(a < 0 ? ~a : a))) - 1);
    case LaneOperation::leading_zeros:
      return static_cast<T>(std::countl_zero(plain(a)));
    case LaneOperation::bit_count:
      return static_cast<T>(std::popcount(plain(a)));
    case LaneOperation::inverted:
      return static_cast<T>(~a);
    case LaneOperation::bits_reversed: {
      u32 result = 0;
      for (u32 i = 0; i < 8; ++i) result |= (u32{static_cast<u8>(a)} >> i & 1) << (7 - i);
      return static_cast<T>(result);
    }
  }
}

}  // namespace wperf::sim
