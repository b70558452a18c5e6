// SPDX-License-Identifier: BSD-3-Clause
// Shared by the program's files: functions that compilers inline into each of them. Needs no library, so that it can be
// built for machines whose libraries are not installed.
#pragma once

extern volatile int sink;

namespace shapes {

struct Point {
  int x, y;
  int scaled(int factor) const {
    sink = x;
    return x * factor + y;
  }
};

template <typename T, int size>
struct Ring {
  T items[size];
  int at = 0;
  void push(const T& item) {
    items[at % size] = item;
    at = at + 1;
    sink = at;
  }
  template <typename Visitor>
  int visit(Visitor visitor) const {
    int sum = 0;
    for (int i = 0; i < size; ++i) {
      sum += visitor(items[i]);
    }
    return sum;
  }
};

inline int twice(int value) {
  sink = value;
  return value * 2;
}

__attribute__((always_inline)) inline int four_times(int value) {
  sink = value + 1;
  return twice(value) + twice(value + sink);
}

class Shape {
 public:
  virtual int area() const = 0;
};

int total(const Shape* const* all, int count);

}  // namespace shapes

extern "C" int in_c(int value);
