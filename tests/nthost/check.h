// SPDX-License-Identifier: BSD-3-Clause
// Scenarios, their checks and the output. Under -icount, the output of a scenario is the same in every run. Without
// -icount, only numbers that a scenario prints itself may differ.
#pragma once
#include "base/ints.h"

namespace wperf::nthost {

// A scenario's requirements. On a machine that does not meet them, the scenario is reported as skipped.
enum Need : u32 {
  kNeedsNothing = 0,
  kNeedsIcount = 1,     // exact counts
  kNeedsTrapped = 2,    // the PMU emulated at EL2
  kNeedsUntrapped = 4,  // QEMU's own PMU
  kNeedsSpeed = 8,      // not under -icount
  kOnlyByName = 16,     // runs only when named on the command line
};

struct Scenario {
  const char* name;
  u32 needs;
  void (*run)();
};

// SCENARIO(counts_are_exact, kNeedsIcount) { ... }: runs in a thread on core 0 at PASSIVE_LEVEL in the system's
// process. The driver is not loaded at the start. At the end everything must have been released, or the scenario fails.
#define SCENARIO(name_, needs_)                                                                        \
  static void scenario_##name_();                                                                      \
  __attribute__((section("scenarios"), used)) static const ::wperf::nthost::Scenario entry_##name_ = { \
      #name_, needs_, &scenario_##name_};                                                              \
  static void scenario_##name_()

// Printing: {} is replaced by the next argument; integers in decimal, {x} in hexadecimal, const char* as text.
struct Argument {
  enum class Kind : u32 { none, number, negative, text } kind = Kind::none;
  u64 number = 0;
  const char* text = nullptr;

  constexpr Argument() = default;
  constexpr Argument(const char* t) : kind(Kind::text), text(t) {}  // NOLINT: implicit on purpose
  constexpr Argument(char* t) : kind(Kind::text), text(t) {}        // NOLINT: likewise
  constexpr Argument(bool b) : kind(Kind::text), text(b ? "true" : "false") {}
  template <class Integer>
    requires(__is_integral(Integer))
  constexpr Argument(Integer v)
      : kind(v < 0 ? Kind::negative : Kind::number), number(v < 0 ? 0 - static_cast<u64>(v) : static_cast<u64>(v)) {}
  template <class Enum>
    requires(__is_enum(Enum))
  constexpr Argument(Enum v) : kind(Kind::number), number(static_cast<u64>(v)) {}
  template <class Pointee>
  Argument(Pointee* p) : kind(Kind::number), number(reinterpret_cast<u64>(p)) {}
};

// One line on the console, with a newline.
void print(const char* format, Argument a = {}, Argument b = {}, Argument c = {}, Argument d = {}, Argument e = {},
           Argument f = {});
// One line "    note: ..." below the scenario that runs.
void note(const char* format, Argument a = {}, Argument b = {}, Argument c = {}, Argument d = {});

// Marks the running scenario as failed and prints why; the scenario continues. May be called on any core and level.
void fail(const char* format, Argument a = {}, Argument b = {}, Argument c = {}, Argument d = {}, Argument e = {});
// Like fail(), for a scenario that cannot continue: prints the reason and the summary, and powers off.
[[noreturn]] void give_up(const char* format, Argument a = {}, Argument b = {}, Argument c = {}, Argument d = {},
                          Argument e = {});
bool scenario_failed();
// For tests of the host itself: from now on one failure whose text begins with `text` is expected and does not count.
// If that failure does not happen, the scenario fails at its end.
void expect_failure(const char* text);

bool check_that(bool holds, const char* file, int line, const char* expression);
bool check_equal(u64 left, u64 right, const char* file, int line, const char* left_text, const char* right_text);
bool check_within(u64 value, u64 low, u64 high, const char* file, int line, const char* text);

// Each is also a bool expression: if (!CHECK(...)) return;
#define CHECK(condition) \
  (::wperf::nthost::check_that(static_cast<bool>(condition), __FILE_NAME__, __LINE__, #condition))
#define CHECK_EQUAL(left, right)                                                                                  \
  (::wperf::nthost::check_equal(static_cast<::wperf::u64>(left), static_cast<::wperf::u64>(right), __FILE_NAME__, \
                                __LINE__, #left, #right))
#define CHECK_WITHIN(value, low, high)                                                             \
  (::wperf::nthost::check_within(static_cast<::wperf::u64>(value), static_cast<::wperf::u64>(low), \
                                 static_cast<::wperf::u64>(high), __FILE_NAME__, __LINE__, #value))

}  // namespace wperf::nthost
