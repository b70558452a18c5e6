// SPDX-License-Identifier: BSD-3-Clause
// Some hundred functions, all different; compiled once for each PART.
#include "shapes.h"

namespace many {
using geometry::Number;

template <int number>
__attribute__((noinline)) Number one(Number x) {
  if (x % (number + 3) == 0) {
    return geometry::detail::hashed(x) - number;
  }
  geometry::Array<Number, number % 5 + 1> array{};
  array.each([x](Number& item) { item = geometry::doubled(x + number); });
  return array.total() ^ geometry::tower<number % 3>(x);
}

template <class T, T... numbers>
struct Sequence {
  static Number call_all(Number x) {
    Number sum = 0;
    ((sum += one<numbers>(x + numbers)), ...);
    return sum;
  }
};

constexpr int kCount = 500;

template <int part>
struct Part {
  template <class T, T... numbers>
  struct From {
    static Number call_all(Number x) { return Sequence<T, part * kCount + numbers...>::call_all(x); }
  };
};

template <int part>
Number all(Number x);
template <>
Number all<PART>(Number x) {
  return __make_integer_seq<Part<PART>::From, int, kCount>::call_all(x);
}
}  // namespace many
