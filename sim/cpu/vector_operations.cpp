// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic on vector lanes that keeps their width (Arm ARM C4.1.96). Each operation is written once, for one lane;
// tables instantiate it for all types of lanes.
#include "sim/cpu/vector_operations.h"

#include "sim/cpu/vector_lanes.h"

namespace wperf::sim {
namespace {

template <LaneOperation kOperation>
struct Lanewise {
  template <typename T>
  static void run(ThreadState& thread, u32 code) {
    const VectorFields fields{code};
    const Lanes<T> a = lanes<T>(thread, fields.first()), b = lanes<T>(thread, fields.second());
    Lanes<T> result = lanes<T>(thread, fields.to());
    for (usize i = 0; i < result.size(); ++i) result[i] = apply<kOperation, T>(a[i], b[i], result[i]);
    put(thread, fields, result);
  }
};
template <LaneOperation kOperation>
VectorOperation lanewise_of(u32 code, bool is_unsigned) {
  return function_of<Lanewise<kOperation>>(VectorFields{code}.size(), is_unsigned);
}

// Combines pairs of neighbours, first the pairs of the first operand.
template <LaneOperation kOperation>
struct Pairwise {
  template <typename T>
  static void run(ThreadState& thread, u32 code) {
    const VectorFields fields{code};
    const Lanes<T> a = lanes<T>(thread, fields.first()), b = lanes<T>(thread, fields.second());
    const usize half = (fields.whole() ? a.size() : a.size() / 2) / 2;
    Lanes<T> result{};
    for (usize i = 0; i < half; ++i) {
      result[i] = apply<kOperation, T>(a[2 * i], a[2 * i + 1], T{});
      result[half + i] = apply<kOperation, T>(b[2 * i], b[2 * i + 1], T{});
    }
    put(thread, fields, result);
  }
};
template <LaneOperation kOperation>
VectorOperation pairwise_of(u32 code) {
  return function_of<Pairwise<kOperation>>(VectorFields{code}.size(), VectorFields{code}.is_unsigned());
}
void pair_sum_of_scalar(ThreadState& thread, u32 code) {
  const Lanes<u64> a = lanes<u64>(thread, VectorFields{code}.first());
  thread.v[VectorFields{code}.to()] = {a[0] + a[1], 0};
}

VectorOperation three_equal(u32 code) {
  const VectorFields fields{code};
  const bool u = fields.is_unsigned(), wide = fields.size() == 3;
  if (wide && !fields.whole() && !fields.scalar()) return nullptr;
  const u32 operation = code >> 11 & 31;
  switch (operation) {  // operations that also exist for lanes of 64 bits
    case 0x06:
      return lanewise_of<LaneOperation::greater>(code, u);
    case 0x07:
      return lanewise_of<LaneOperation::greater_or_equal>(code, u);
    case 0x08:
      return lanewise_of<LaneOperation::shifted_by_lane>(code, u);
    case 0x10:
      return u ? lanewise_of<LaneOperation::difference>(code, u) : lanewise_of<LaneOperation::sum>(code, u);
    case 0x11:
      return u ? lanewise_of<LaneOperation::equal>(code, u) : lanewise_of<LaneOperation::tested>(code, u);
    case 0x17:
      return u || fields.scalar() ? nullptr : pairwise_of<LaneOperation::sum>(code);
    default:
      break;
  }
  if (wide) return nullptr;
  switch (operation) {
    case 0x00:
      return lanewise_of<LaneOperation::halved>(code, u);
    case 0x02:
      return lanewise_of<LaneOperation::rounded_halved>(code, u);
    case 0x04:
      return lanewise_of<LaneOperation::halved_difference>(code, u);
    case 0x0c:
      return lanewise_of<LaneOperation::larger>(code, u);
    case 0x0d:
      return lanewise_of<LaneOperation::smaller>(code, u);
    case 0x0e:
      return lanewise_of<LaneOperation::distance>(code, u);
    case 0x0f:
      return lanewise_of<LaneOperation::distance_added>(code, u);
    case 0x12:
      return u ? lanewise_of<LaneOperation::product_subtracted>(code, u)
               : lanewise_of<LaneOperation::product_added>(code, u);
    case 0x13:
      if (u) return fields.size() == 0 ? lanewise_of<LaneOperation::polynomial_product>(code, u) : nullptr;
      return lanewise_of<LaneOperation::product>(code, u);
    case 0x14:
      return pairwise_of<LaneOperation::larger>(code);
    case 0x15:
      return pairwise_of<LaneOperation::smaller>(code);
    default:
      return nullptr;
  }
}

VectorOperation one_operand(u32 code) {
  const VectorFields fields{code};
  const u32 size = fields.size(), operation = code >> 12 & 31;
  const bool u = fields.is_unsigned(), scalar = fields.scalar();
  if (size != 3 || fields.whole() || scalar) {
    switch (operation) {
      case 0x08:
        return u ? lanewise_of<LaneOperation::at_least_zero>(code, false)
                 : lanewise_of<LaneOperation::greater_than_zero>(code, false);
      case 0x09:
        return u ? lanewise_of<LaneOperation::at_most_zero>(code, false)
                 : lanewise_of<LaneOperation::equal_to_zero>(code, false);
      case 0x0a:
        return u ? nullptr : lanewise_of<LaneOperation::less_than_zero>(code, false);
      case 0x0b:
        return u ? lanewise_of<LaneOperation::negated>(code, false) : lanewise_of<LaneOperation::absolute>(code, false);
      default:
        break;
    }
  }
  if (scalar) return nullptr;
  switch (operation) {
    case 0x04:
      if (size == 3) return nullptr;
      return u ? lanewise_of<LaneOperation::leading_zeros>(code, true)
               : lanewise_of<LaneOperation::leading_sign_bits>(code, false);
    case 0x05:
      if (!u) return size == 0 ? Lanewise<LaneOperation::bit_count>::run<u8> : nullptr;
      return size == 0   ? Lanewise<LaneOperation::inverted>::run<u8>
             : size == 1 ? Lanewise<LaneOperation::bits_reversed>::run<u8>
                         : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace

VectorOperation find_lane_operation(u32 code) {
  if ((code & 0xfffffc00) == 0x5ef1b800) return pair_sum_of_scalar;
  const VectorFields fields{code};
  const u32 top = code >> 30;
  if (fields.scalar() ? top != 1 || fields.size() != 3 : top > 1) return nullptr;
  if ((code & 0x0f3e0c00) == 0x0e200800) return one_operand(code);
  return (code & 0x0f200400) == 0x0e200400 ? three_equal(code) : nullptr;
}

VectorOperation find_vector_operation(u32 code) {
  if (const VectorOperation found = find_lane_operation(code)) return found;
  if (const VectorOperation found = find_width_operation(code)) return found;
  return find_vector_move(code);
}

}  // namespace wperf::sim
