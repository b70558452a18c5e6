// SPDX-License-Identifier: BSD-3-Clause
// Functions with every kind of frame that a compiler creates: leaf functions, few and many saved registers,
// floating-point registers, large and variable frames, several exits, tail calls. Part of the test images, see
// CMakeLists.txt.
#define KEEP __declspec(noinline)
#define EXPORT extern "C" __declspec(dllexport)

volatile int sink;

namespace shapes {

template <class T>
KEEP T sum_of(const T* values, int count) {
  T sum = 0;
  for (int i = 0; i < count; ++i) sum += values[i];
  return sum;
}

struct Counter {
  int value = 0;
  KEEP int add(int step) { return value += step; }
  KEEP int add_twice(int step) {
    sink = add(step);
    return add(step) + sink;
  }
};

KEEP int leaf(int a) {
  return a * 3 + 1;
}
KEEP int tail_call(int a) {
  sink = leaf(a);
  return leaf(a + sink);
}

KEEP int many_registers(int a, int b, int c, int d, int e) {
  const int f = leaf(a), g = leaf(b), h = leaf(c), i = leaf(d), j = leaf(e);
  return leaf(a + b) + leaf(c + d) + e * f + g * h + i * j + a + b + c + d;
}

KEEP double leaf_of(double a) {
  sink = static_cast<int>(a);
  return a * 0.5;
}
KEEP double floating_point(double a, double b, double c) {
  const double x = leaf_of(a), y = leaf_of(b), z = leaf_of(c);
  return leaf_of(a + b) * x + leaf_of(b + c) * y + leaf_of(c + a) * z + a + b + c;
}

KEEP int large_frame(int a) {
  volatile int table[900];
  for (int i = 0; i < 900; ++i) table[i] = a + i;
  return leaf(table[leaf(a) & 511]) + table[7];
}

KEEP int variable_frame(int count) {
  auto* table = static_cast<volatile int*>(__builtin_alloca(static_cast<unsigned>(count) * sizeof(int)));
  for (int i = 0; i < count; ++i) table[i] = leaf(i);
  return table[count / 2];
}

KEEP int several_exits(int a, int b) {
  if (a < 0) return leaf(b) + 1;
  int sum = 0;
  while (b-- > 0) {
    sum += leaf(sum + a);
    if (sum > 1000) return sum;
  }
  return leaf(sum) - b;
}

KEEP int varargs(int count, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, count);
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += leaf(__builtin_va_arg(list, int));
  __builtin_va_end(list);
  return sum;
}

}  // namespace shapes

EXPORT int exported_leaf(int a) {
  return a + sink;
}
EXPORT int exported_value;
EXPORT int exported_sum(int a) {
  const int ints[] = {a, 2, 3};
  const double doubles[] = {1.0, 2.0, static_cast<double>(a)};
  shapes::Counter counter;
  return shapes::sum_of(ints, 3) + static_cast<int>(shapes::sum_of(doubles, 3)) + counter.add_twice(a) +
         shapes::tail_call(a) + shapes::many_registers(a, 2, 3, 4, 5) +
         static_cast<int>(shapes::floating_point(a, 2, 3)) + shapes::large_frame(a) + shapes::variable_frame(a) +
         shapes::several_exits(a, 9) + shapes::varargs(3, a, a, a);
}

extern "C" {
int exported_value = 1;
int _fltused = 0;
void __chkstk() {}
void ___chkstk_ms() {}
void __chkstk_arm64ec() {}
}
