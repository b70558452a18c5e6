// SPDX-License-Identifier: BSD-3-Clause
// Functions with every kind of name: free, static, member, template, lambda, in an unnamed namespace, C.
#include "shapes.h"

namespace geometry {
volatile Number sink;

namespace {
__attribute__((noinline)) Number hidden(Number x) {
  return detail::hashed(x) + Point(x, x + 1).sum();
}
}  // namespace

__attribute__((noinline)) static Number local_one(const Point& point) {
  Number result = point.sum();
  for (Number i = 0; i < result; ++i) {
    result -= doubled(i);
    sink = result;
  }
  return result;
}

__attribute__((noinline)) Number free_one(Number x) {
  Array<Number, 7> array{};
  Number step = x;
  array.each([&](Number& item) {
    item = detail::hashed(step);
    step = doubled(step);
  });
  auto twice = [](Number y) { return Point::count(y) + Array<Number, 3>::Nested::depth(y); };
  return array.total() + twice(x) + twice(step);
}

struct Base {
  virtual Number area() const = 0;
  virtual Number edge(Number x) const { return tower<2>(x); }
};

struct Square final : Base {
  explicit Square(Number side) : side_(side) {}
  Number area() const override { return detail::hashed(side_ * side_); }
  Number side_;
};

template <class T>
__attribute__((noinline)) T largest(const T* values, Number count) {
  T best = values[0];
  for (Number i = 1; i < count; ++i) {
    if (values[i] > best) {
      best = values[i];
      sink = static_cast<Number>(best);
    }
  }
  return best;
}

template int largest<int>(const int*, Number);
template unsigned long long largest<unsigned long long>(const unsigned long long*, Number);
template unsigned char largest<unsigned char>(const unsigned char*, Number);

__attribute__((noinline)) Number use_base(const Base& base, Number x) {
  return base.area() + base.edge(x);
}

Number shapes(Number x) {
  const Square square(x);
  const Point point(x, doubled(x));
  const int values[3] = {1, static_cast<int>(x), 3};
  const unsigned long long wide[2] = {x, x + 1};
  return hidden(x) + local_one(point) + free_one(x) + use_base(square, x) + tower<6>(x) +
         static_cast<Number>(largest(values, 3)) + static_cast<Number>(largest(wide, 2));
}
}  // namespace geometry

extern "C" __attribute__((noinline)) unsigned c_function(unsigned x) {
#line 4000 "generated/part.inc"
  return geometry::tower<3>(x);
#line 80 "shapes.cpp"
}
