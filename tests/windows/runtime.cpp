// SPDX-License-Identifier: BSD-3-Clause
// Functions that clang may call on its own, for programs that are linked without a C library.

using size_t = decltype(sizeof 0);

extern "C" {
__attribute__((no_builtin)) void* memset(void* to, int value, size_t size) {
  auto* out = static_cast<unsigned char*>(to);
  for (size_t i = 0; i < size; ++i) out[i] = static_cast<unsigned char>(value);
  return to;
}

__attribute__((no_builtin)) void* memcpy(void* to, const void* from, size_t size) {
  auto* out = static_cast<unsigned char*>(to);
  const auto* in = static_cast<const unsigned char*>(from);
  for (size_t i = 0; i < size; ++i) out[i] = in[i];
  return to;
}

__attribute__((no_builtin)) int memcmp(const void* left, const void* right, size_t size) {
  const auto* a = static_cast<const unsigned char*>(left);
  const auto* b = static_cast<const unsigned char*>(right);
  for (size_t i = 0; i < size; ++i)
    if (a[i] != b[i]) return a[i] - b[i];
  return 0;
}
}
