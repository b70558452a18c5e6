// SPDX-License-Identifier: BSD-3-Clause
#include "shapes.h"

namespace shapes {

int total(const Shape* const* all, int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += all[i]->area() + four_times(i);
  }
  return sum;
}

template <typename T>
__attribute__((noinline)) T largest(T a, T b) {
  return twice(a > b ? a : b);
}

__attribute__((noinline)) int uses_largest() {
  return largest<int>(sink, 3) + static_cast<int>(largest<long>(sink, 4));
}

}  // namespace shapes
