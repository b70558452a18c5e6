// SPDX-License-Identifier: BSD-3-Clause
#include "shapes.h"

volatile int sink;

namespace {

class Square final : public shapes::Shape {
 public:
  explicit Square(int side) : side_(side) {}
  int area() const override { return shapes::twice(side_) * side_ / 2; }

 private:
  int side_;
};

int deep(int n) {
  const auto inner = [&](int m) {
    sink = m;
    return shapes::four_times(m) + n;
  };
  if (n % 3 == 0) {
    int local = inner(n);
    for (int i = 0; i < n; ++i) {
      local += shapes::twice(local + i);
    }
    return local;
  }
  return inner(n + 1);
}

}  // namespace

__attribute__((noinline)) int with_ring(int n) {
  shapes::Ring<shapes::Point, 7> ring;
  for (int i = 0; i < n; ++i) {
    ring.push({i, n});
  }
  struct Local {
    int factor;
    __attribute__((noinline)) int apply(const shapes::Point& point) const {
      return point.scaled(shapes::twice(factor));
    }
  };
  const Local local{n};
  return ring.visit([&](const shapes::Point& point) { return local.apply(point) + shapes::four_times(point.y); });
}

__attribute__((cold, noinline)) int rarely(int n) {
  return shapes::four_times(deep(n));
}

extern "C" void _start() {
  const Square a(sink), b(sink + 1);
  const shapes::Shape* const all[] = {&a, &b};
  int sum = 0;
  while (sink < 100) {
    sum += deep(sink) + with_ring(sink) + in_c(sum) + shapes::total(all, 2);
    if (__builtin_expect(sum == 12345, 0)) sum = rarely(sum);
    sink = sum;
  }
}

extern "C" void __cxa_pure_virtual() {}  // usually in a library, but this program uses none
extern "C" void* memset(void* to, int value, unsigned long size) {
  for (unsigned long i = 0; i < size; ++i) static_cast<volatile char*>(to)[i] = static_cast<char>(value);
  return to;
}
