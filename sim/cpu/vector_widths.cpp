// SPDX-License-Identifier: BSD-3-Clause
// Vector instructions whose results are wider or narrower than their operands, sums and maxima of all lanes, and shifts
// by constants.
#include "sim/cpu/vector_lanes.h"
#include "sim/cpu/vector_operations.h"

namespace wperf::sim {
namespace {

using std::int16_t, std::int32_t, std::int64_t, std::int8_t;

// Sums pairs of lanes into lanes of twice the width.
template <typename Wide, bool kAdds>
void pairs_widened(ThreadState& thread, u32 code) {
  const VectorFields fields{code};
  const Lanes<Narrow<Wide>> a = lanes<Narrow<Wide>>(thread, fields.first());
  Lanes<Wide> result = lanes<Wide>(thread, fields.to());
  for (usize i = 0; i < result.size(); ++i) {
    const Wide both = sum(Wide{a[2 * i]}, Wide{a[2 * i + 1]});
    result[i] = kAdds ? sum(result[i], both) : both;
  }
  put(thread, fields, result);
}
template <bool kAdds>
VectorOperation pairs_widened_of(u32 code) {
  static constexpr VectorOperation kSigned[] = {pairs_widened<int16_t, kAdds>, pairs_widened<int32_t, kAdds>,
                                                pairs_widened<int64_t, kAdds>, nullptr};
  static constexpr VectorOperation kUnsigned[] = {pairs_widened<u16, kAdds>, pairs_widened<u32, kAdds>,
                                                  pairs_widened<u64, kAdds>, nullptr};
  const u32 row = VectorFields{code}.size();
  return VectorFields{code}.is_unsigned() ? kUnsigned[row] : kSigned[row];
}

// Reduces all lanes to one result, in the lowest lane of `Result`.
template <typename T, typename Result, LaneOperation kOperation>
void across(ThreadState& thread, u32 code) {
  const VectorFields fields{code};
  const Lanes<T> a = lanes<T>(thread, fields.first());
  Result result{a[0]};
  for (usize i = 1; i < (fields.whole() ? a.size() : a.size() / 2); ++i) {
    result = apply<kOperation, Result>(result, Result{a[i]}, Result{});
  }
  thread.v[fields.to()] = {u64{plain(result)}, 0};
}
template <LaneOperation kOperation>
VectorOperation across_of(u32 size, bool is_unsigned) {
  static constexpr VectorOperation kSigned[] = {
      across<int8_t, int8_t, kOperation>, across<int16_t, int16_t, kOperation>, across<int32_t, int32_t, kOperation>};
  static constexpr VectorOperation kUnsigned[] = {across<u8, u8, kOperation>, across<u16, u16, kOperation>,
                                                  across<u32, u32, kOperation>};
  return is_unsigned ? kUnsigned[size] : kSigned[size];
}

VectorOperation all_lanes(u32 code) {
  static constexpr VectorOperation kLongSums[] = {across<int8_t, int16_t, LaneOperation::sum>,
                                                  across<int16_t, int32_t, LaneOperation::sum>,
                                                  across<int32_t, int64_t, LaneOperation::sum>};
  static constexpr VectorOperation kUnsignedLongSums[] = {
      across<u8, u16, LaneOperation::sum>, across<u16, u32, LaneOperation::sum>, across<u32, u64, LaneOperation::sum>};
  const VectorFields fields{code};
  const u32 size = fields.size();
  const bool u = fields.is_unsigned();
  if (size == 3 || (size == 2 && !fields.whole())) return nullptr;
  switch (code >> 12 & 31) {
    case 0x03:
      return u ? kUnsignedLongSums[size] : kLongSums[size];
    case 0x0a:
      return across_of<LaneOperation::larger>(size, u);
    case 0x1a:
      return across_of<LaneOperation::smaller>(size, u);
    case 0x1b:
      return u ? nullptr : across_of<LaneOperation::sum>(size, true);
    default:
      return nullptr;
  }
}

// Makes wide lanes from two narrow lanes, or from a wide and a narrow lane (`kWideFirst`).
template <typename Wide, LaneOperation kOperation, bool kWideFirst>
void widened(ThreadState& thread, u32 code) {
  const VectorFields fields{code};
  const Lanes<Narrow<Wide>> a = lanes<Narrow<Wide>>(thread, fields.first());
  const Lanes<Narrow<Wide>> b = lanes<Narrow<Wide>>(thread, fields.second());
  const Lanes<Wide> wide = lanes<Wide>(thread, fields.first());
  Lanes<Wide> result = lanes<Wide>(thread, fields.to());
  const usize from = fields.upper() ? result.size() : 0;
  for (usize i = 0; i < result.size(); ++i) {
    result[i] = apply<kOperation, Wide>(kWideFirst ? wide[i] : Wide{a[from + i]}, Wide{b[from + i]}, result[i]);
  }
  thread.v[fields.to()] = std::bit_cast<std::array<u64, 2>>(result);
}
template <LaneOperation kOperation, bool kWideFirst = false>
VectorOperation widened_of(u32 code) {
  static constexpr VectorOperation kSigned[] = {widened<int16_t, kOperation, kWideFirst>,
                                                widened<int32_t, kOperation, kWideFirst>,
                                                widened<int64_t, kOperation, kWideFirst>};
  static constexpr VectorOperation kUnsigned[] = {
      widened<u16, kOperation, kWideFirst>, widened<u32, kOperation, kWideFirst>, widened<u64, kOperation, kWideFirst>};
  const u32 row = VectorFields{code}.size();
  return VectorFields{code}.is_unsigned() ? kUnsigned[row] : kSigned[row];
}
VectorOperation three_different(u32 code) {
  const u32 operation = code >> 12 & 15;
  const bool u = VectorFields{code}.is_unsigned();
  if (VectorFields{code}.size() == 3) return nullptr;
  switch (operation) {
    case 0x0:
      return widened_of<LaneOperation::sum>(code);
    case 0x1:
      return widened_of<LaneOperation::sum, true>(code);
    case 0x2:
      return widened_of<LaneOperation::difference>(code);
    case 0x3:
      return widened_of<LaneOperation::difference, true>(code);
    case 0x5:
      return widened_of<LaneOperation::distance_added>(code);
    case 0x7:
      return widened_of<LaneOperation::distance>(code);
    case 0x8:
      return widened_of<LaneOperation::product_added>(code);
    case 0xa:
      return widened_of<LaneOperation::product_subtracted>(code);
    case 0xc:
      return widened_of<LaneOperation::product>(code);
    case 0xe:
      return u || VectorFields{code}.size() != 0 ? nullptr : widened<u16, LaneOperation::polynomial_product, false>;
    default:
      return nullptr;
  }
}

enum class ShiftOperation : u8 {
  right,
  right_added,
  rounded_right,
  rounded_right_added,
  right_inserted,
  left,
  left_inserted,
};
// The new value of a lane.
template <ShiftOperation kOperation, typename T>
constexpr T shifted(T a, T old, u32 amount) {
  switch (kOperation) {
    case ShiftOperation::right:
      return shifted_right(a, amount);
    case ShiftOperation::right_added:
      return sum(old, shifted_right(a, amount));
    case ShiftOperation::rounded_right:
      return rounded_right(a, amount);
    case ShiftOperation::rounded_right_added:
      return sum(old, rounded_right(a, amount));
    case ShiftOperation::right_inserted: {
      const T kept = amount < kBits<T> ? static_cast<T>(~(mask<T>(true) >> amount)) : mask<T>(true);
      return static_cast<T>((old & kept) | (amount < kBits<T> ? a >> amount : 0));
    }
    case ShiftOperation::left:
      return static_cast<T>(a << amount);
    case ShiftOperation::left_inserted:
      return static_cast<T>((old & ((T{1} << amount) - 1)) | a << amount);
  }
}

u32 highest_bit_of_shift(u32 code) {
  return std::bit_width(code >> 19 & 15) - 1;  // the logarithm of the lane's bytes
}
template <ShiftOperation kOperation>
struct Shift {
  template <typename T>
  static void run(ThreadState& thread, u32 code) {
    constexpr bool kLeft = kOperation == ShiftOperation::left || kOperation == ShiftOperation::left_inserted;
    const VectorFields fields{code};
    const u32 field = code >> 16 & 0x7f, amount = kLeft ? field - kBits<T> : 2 * kBits<T> - field;
    const Lanes<T> a = lanes<T>(thread, fields.first());
    Lanes<T> result = lanes<T>(thread, fields.to());
    for (usize i = 0; i < result.size(); ++i) result[i] = shifted<kOperation, T>(a[i], result[i], amount);
    put(thread, fields, result);
  }
};
template <ShiftOperation kOperation>
VectorOperation shift_of(u32 code, bool is_unsigned) {
  return function_of<Shift<kOperation>>(highest_bit_of_shift(code), is_unsigned);
}

// SHRN, RSHRN: the lower or upper half of the register is written.
template <typename Wide, bool kRounds>
void narrowed(ThreadState& thread, u32 code) {
  const VectorFields fields{code};
  const u32 amount = kBits<Wide> - (code >> 16 & 0x7f);
  const Lanes<Wide> a = lanes<Wide>(thread, fields.first());
  Lanes<Narrow<Wide>> result = lanes<Narrow<Wide>>(thread, fields.to());
  for (usize i = 0; i < a.size(); ++i) {
    const Wide value = kRounds ? rounded_right(a[i], amount) : shifted_right(a[i], amount);
    result[(fields.upper() ? a.size() : 0) + i] = static_cast<Narrow<Wide>>(value);
  }
  put(thread, fields, result);
}

VectorOperation shift_by_constant(u32 code) {
  static constexpr VectorOperation kNarrowed[] = {narrowed<u16, false>, narrowed<u32, false>, narrowed<u64, false>};
  static constexpr VectorOperation kRounded[] = {narrowed<u16, true>, narrowed<u32, true>, narrowed<u64, true>};
  const VectorFields fields{code};
  if ((code >> 19 & 15) == 0) return nullptr;
  const bool u = fields.is_unsigned(), wide = highest_bit_of_shift(code) == 3;
  const u32 operation = code >> 11 & 31;
  if (operation == 0x10 || operation == 0x11) {
    if (u || wide || fields.scalar()) return nullptr;
    const u32 row = highest_bit_of_shift(code);
    return operation == 0x10 ? kNarrowed[row] : kRounded[row];
  }
  if (fields.scalar() ? !wide : wide && !fields.whole()) return nullptr;
  switch (operation) {
    case 0x00:
      return shift_of<ShiftOperation::right>(code, u);
    case 0x02:
      return shift_of<ShiftOperation::right_added>(code, u);
    case 0x04:
      return shift_of<ShiftOperation::rounded_right>(code, u);
    case 0x06:
      return shift_of<ShiftOperation::rounded_right_added>(code, u);
    case 0x08:
      return u ? shift_of<ShiftOperation::right_inserted>(code, true) : nullptr;
    case 0x0a:
      return u ? shift_of<ShiftOperation::left_inserted>(code, true) : shift_of<ShiftOperation::left>(code, true);
    default:
      return nullptr;
  }
}

// XTN, SHLL
template <typename Wide>
void lower_parts(ThreadState& thread, u32 code) {
  const VectorFields fields{code};
  const Lanes<Wide> a = lanes<Wide>(thread, fields.first());
  Lanes<Narrow<Wide>> result = lanes<Narrow<Wide>>(thread, fields.to());
  for (usize i = 0; i < a.size(); ++i) {
    result[(fields.upper() ? a.size() : 0) + i] = static_cast<Narrow<Wide>>(a[i]);
  }
  put(thread, fields, result);
}
template <typename Wide>
void widened_to_upper_parts(ThreadState& thread, u32 code) {
  const VectorFields fields{code};
  const Lanes<Narrow<Wide>> a = lanes<Narrow<Wide>>(thread, fields.first());
  Lanes<Wide> result{};
  for (usize i = 0; i < result.size(); ++i) {
    result[i] = static_cast<Wide>(Wide{a[(fields.upper() ? result.size() : 0) + i]} << kBits<Wide> / 2);
  }
  thread.v[fields.to()] = std::bit_cast<std::array<u64, 2>>(result);
}

VectorOperation narrowed_or_widened(u32 code) {
  static constexpr VectorOperation kLower[] = {lower_parts<u16>, lower_parts<u32>, lower_parts<u64>};
  static constexpr VectorOperation kUpper[] = {widened_to_upper_parts<u16>, widened_to_upper_parts<u32>,
                                               widened_to_upper_parts<u64>};
  const VectorFields fields{code};
  if (fields.size() == 3) return nullptr;
  switch (code >> 12 & 31) {
    case 0x02:
      return pairs_widened_of<false>(code);
    case 0x06:
      return pairs_widened_of<true>(code);
    case 0x12:
      return fields.is_unsigned() ? nullptr : kLower[fields.size()];
    case 0x13:
      return fields.is_unsigned() ? kUpper[fields.size()] : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace

VectorOperation find_width_operation(u32 code) {
  const bool scalar = VectorFields{code}.scalar();
  const u32 top = code >> 30;
  if (scalar ? top != 1 : top > 1) return nullptr;
  if ((code & 0x0f800400) == 0x0f000400) return shift_by_constant(code);
  if (scalar) return nullptr;
  if ((code & 0x0f3e0c00) == 0x0e200800) return narrowed_or_widened(code);
  if ((code & 0x0f3e0c00) == 0x0e300800) return all_lanes(code);
  return (code & 0x0f200c00) == 0x0e200000 ? three_different(code) : nullptr;
}

}  // namespace wperf::sim
