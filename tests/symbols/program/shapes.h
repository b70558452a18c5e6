// SPDX-License-Identifier: BSD-3-Clause
// Code to be inlined: nested, from namespaces, classes, templates and lambdas. The line numbers do not matter, but must
// not all be 1.
#pragma once

namespace geometry {

using Number = unsigned;
extern volatile Number sink;

inline Number doubled(Number x) {
  sink = x;
  return x + x;
}

namespace detail {
inline Number hashed(Number x) {
  x ^= x >> 16;
  x *= 0x45d9f3b;
  if (x & 1) {
    sink = doubled(x);
  }
  return x ^ (x >> 13);
}
}  // namespace detail

class Point {
 public:
  Point(Number x, Number y) : x_(x), y_(y) { sink = detail::hashed(x ^ y); }
  Number x() const { return x_; }
  Number sum() const {
    return detail::hashed(x_) +  // two calls, two lines
           detail::hashed(y_);
  }
  static Number count(Number of) { return doubled(of) + 1; }

 private:
  Number x_, y_;
};

template <class T, int size>
struct Array {
  T items[size];

  T total() const {
    T sum{};
    for (const T& item : items) {
      sum += item;
    }
    return sum;
  }

  template <class Function>
  void each(Function function) {
    for (T& item : items) {
      function(item);
    }
  }

  struct Nested {
    static Number depth(Number x) { return detail::hashed(x + size); }
  };
};

template <int depth>
inline Number tower(Number x) {
  sink = x;
  if constexpr (depth > 0) {
    return tower<depth - 1>(x + depth) ^ detail::hashed(x);
  } else {
    return doubled(x);
  }
}

}  // namespace geometry
