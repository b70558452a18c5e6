// SPDX-License-Identifier: BSD-3-Clause
// Functions of equal code, which the linker folds into one address (/opt:icf).
#include "shapes.h"

namespace folded {
using geometry::Number;

__attribute__((noinline)) Number first(Number x) {
  return geometry::detail::hashed(x) + 17;
}

__attribute__((noinline)) Number second(Number x) {
  return geometry::detail::hashed(x) + 17;
}

template <class T>
struct Holder {
  T* pointer;
  __attribute__((noinline)) bool is_empty() const { return pointer == nullptr; }
  __attribute__((noinline)) void clear() {
    geometry::sink = geometry::doubled(geometry::sink);
    pointer = nullptr;
  }
};

template struct Holder<int>;
template struct Holder<long long>;
template struct Holder<Holder<char>>;

Number all(Number x) {
  return first(x) + second(x + 1);
}
}  // namespace folded
