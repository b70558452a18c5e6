// SPDX-License-Identifier: BSD-3-Clause
namespace geometry {
unsigned shapes(unsigned);
}
namespace folded {
unsigned all(unsigned);
}
namespace many {
template <int part>
unsigned all(unsigned);
}
extern "C" unsigned c_function(unsigned);

extern "C" void* memset(void* to, int byte, unsigned long long count) {
  for (unsigned long long i = 0; i < count; ++i) static_cast<volatile char*>(to)[i] = static_cast<char>(byte);
  return to;
}
extern "C" void* memcpy(void* to, const void* from, unsigned long long count) {
  for (unsigned long long i = 0; i < count; ++i) {
    static_cast<volatile char*>(to)[i] = static_cast<const char*>(from)[i];
  }
  return to;
}

extern "C" int start() {
  return static_cast<int>(geometry::shapes(1) + folded::all(2) + c_function(4) + many::all<0>(3) + many::all<1>(3) +
                          many::all<2>(3) + many::all<3>(3) + many::all<4>(3) + many::all<5>(3));
}
