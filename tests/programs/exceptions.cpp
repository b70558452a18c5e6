// SPDX-License-Identifier: BSD-3-Clause
// Throws and catches exceptions in all ways that differ in unwinding. The output and the exit status are the same on
// every system. "exceptions uncaught" ends with an exception that is not caught.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Trace {
  const char* name;
  explicit Trace(const char* given) : name(given) {}
  ~Trace() { std::printf("  ~%s\n", name); }
};

struct Base {
  virtual ~Base() = default;
  int code = 1;
};
struct Derived : Base {
  Derived() { code = 2; }
};

__attribute__((noinline)) int deep(int n) {
  Trace trace("deep");
  if (n == 0) throw std::runtime_error("at the bottom");
  return deep(n - 1) + 1;
}

__attribute__((noinline)) void throw_one(int kind) {
  Trace trace("throw_one");
  if (kind == 0) throw 42;
  if (kind == 1) throw Derived();
  if (kind == 2) throw std::string("text");
  if (kind == 3) deep(5);
}

// Its frame saves many registers of both kinds. All registers must have their values again where the exception is
// caught.
__attribute__((noinline)) double keep_registers(int kind, double a, double b, double c, double d, long e, long f,
                                                long g, long h, long i) {
  for (int round = 0; round < 3; ++round) {
    try {
      throw_one(kind);
    } catch (...) {
      a += 1.5 * static_cast<double>(e), b *= 2, c -= static_cast<double>(f), d += a;
      e += 3, f ^= g, g += h, h -= i, i *= 5;
    }
  }
  return a + b + c + d + static_cast<double>(e + f + g + h + i);
}

__attribute__((noinline)) int large_frame(unsigned n) {
  volatile char large[70000];
  large[n] = 7;
  try {
    throw_one(0);
  } catch (int value) {
    return value + large[n];
  }
  return 0;
}

// The exception passes through a function of the C runtime.
int compare_and_throw(const void* left, const void* right) {
  Trace trace("compare");
  if (std::memcmp(left, right, sizeof(int)) != 0) throw std::logic_error("in the middle of qsort");
  return 0;
}

// The exception is caught inside a callback of another runtime function.
int compare_by_sorting(const void* left, const void* right) {
  try {
    int numbers[] = {2, 1};
    std::qsort(numbers, 2, sizeof(int), compare_and_throw);
  } catch (const std::logic_error&) {
  }
  return *static_cast<const int*>(left) - *static_cast<const int*>(right);
}

struct ThrowsInCleanup {
  ~ThrowsInCleanup() {
    try {
      throw_one(1);
    } catch (const Base& base) {
      std::printf("  in a destructor: %d\n", base.code);
    }
  }
};

void catch_all_kinds() {
  for (int kind = 0; kind < 5; ++kind) {
    try {
      try {
        throw_one(kind);
        std::printf("none %d\n", kind);
      } catch (int value) {
        std::printf("int %d\n", value);
      } catch (const Base& base) {
        std::printf("base %d\n", base.code);
        throw;
      }
    } catch (const Derived& derived) {
      std::printf("derived %d\n", derived.code);
    } catch (const std::exception& exception) {
      std::printf("exception %s\n", exception.what());
    } catch (...) {
      std::printf("other\n");
    }
  }
}

}  // namespace

int main(int count, char**) {
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  if (count > 1) {
    Trace trace("main");
    throw_one(1);
  }
  catch_all_kinds();
  std::printf("registers %.3f\n", keep_registers(2, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  std::printf("large frame %d\n", large_frame(69999));
  try {
    int numbers[] = {3, 1, 2};
    std::qsort(numbers, 3, sizeof(int), compare_and_throw);
  } catch (const std::logic_error& error) {
    std::printf("qsort: %s\n", error.what());
  }
  int sorted[] = {3, 1, 2};
  std::qsort(sorted, 3, sizeof(int), compare_by_sorting);
  std::printf("sorted %d %d %d\n", sorted[0], sorted[1], sorted[2]);
  try {
    ThrowsInCleanup cleanup;
    throw std::out_of_range("outer");
  } catch (const std::out_of_range& error) {
    std::printf("%s\n", error.what());
  }
  std::exception_ptr kept;
  std::thread worker([&] {
    try {
      std::vector<int>().at(3);
    } catch (const std::exception&) {
      kept = std::current_exception();
    }
  });
  worker.join();
  try {
    std::rethrow_exception(kept);
  } catch (const std::out_of_range&) {
    std::printf("from another thread\n");
  }
  for (int i = 0; i < 400; ++i) {
    try {
      throw i;
    } catch (int value) {
      if (value % 100 == 0) std::printf("%d\n", value);
    }
  }
  return 3;
}
