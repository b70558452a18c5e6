// SPDX-License-Identifier: BSD-3-Clause
#include "tests/nthost/check.h"

#include "tests/nthost/machine/bare_machine.h"
#include "tests/nthost/machine/memory.h"
#include "tests/nthost/machine/register_access.h"
#include "tests/nthost/machine/semihosting.h"
#include "tests/nthost/report.h"

namespace wperf::nthost {
namespace {

constexpr u32 kMostFailuresShown = 20;

SpinLock console_lock;
const char* running = nullptr;
u32 failures = 0, passed = 0, failed = 0, skipped = 0;
const char* expected[4] = {};
bool giving_up = false;

class Line {
 public:
  void add(char c) {
    if (length_ + 2 < sizeof text_) text_[length_++] = c;
  }
  void add(const char* text) {
    if (text == nullptr) text = "(null)";
    while (*text != 0) add(*text++);
  }
  void add_number(u64 value, u32 base) {
    char digits[24];
    u32 count = 0;
    do {
      digits[count++] = "0123456789abcdef"[value % base];
      value /= base;
    } while (value != 0);
    if (base == 16) add("0x");
    while (count > 0) add(digits[--count]);
  }
  void add_argument(const Argument& argument, bool hexadecimal) {
    switch (argument.kind) {
      case Argument::Kind::none:
        add("?");
        break;
      case Argument::Kind::text:
        add(argument.text);
        break;
      case Argument::Kind::negative:
        add('-');
        [[fallthrough]];
      case Argument::Kind::number:
        add_number(argument.number, hexadecimal ? 16 : 10);
        break;
    }
  }
  void add_format(const char* format, const Argument* arguments) {
    while (*format != 0) {
      const bool hexadecimal = begins_with(format, "{x}");
      if (hexadecimal || begins_with(format, "{}")) {
        add_argument(*arguments++, hexadecimal);
        format += hexadecimal ? 3 : 2;
      } else {
        add(*format++);
      }
    }
  }
  const char* finish() {
    text_[length_] = 0;
    return text_;
  }
  void write() {
    text_[length_++] = '\n';
    const Guard guard(console_lock);
    write_console(finish());
  }

 private:
  char text_[400];
  u32 length_ = 0;
};

void print_failure(const char* text) {
  if (++failures > kMostFailuresShown) return;
  Line line;
  line.add("  FAILED: ");
  line.add(text);
  line.write();
  if (failures == kMostFailuresShown) print("  FAILED: more failures are not shown");
}

bool was_expected(const char* text) {
  for (const char*& beginning : expected) {
    if (beginning == nullptr || !begins_with(text, beginning)) continue;
    beginning = nullptr;
    return true;
  }
  return false;
}

}  // namespace

void print(const char* format, Argument a, Argument b, Argument c, Argument d, Argument e, Argument f) {
  const Argument arguments[] = {a, b, c, d, e, f};
  Line line;
  line.add_format(format, arguments);
  line.write();
}

void note(const char* format, Argument a, Argument b, Argument c, Argument d) {
  const Argument arguments[] = {a, b, c, d};
  Line line;
  line.add("    note: ");
  line.add_format(format, arguments);
  line.write();
}

void fail(const char* format, Argument a, Argument b, Argument c, Argument d, Argument e) {
  const Argument arguments[] = {a, b, c, d, e};
  Line line;
  line.add_format(format, arguments);
  const char* text = line.finish();
  if (!was_expected(text)) print_failure(text);
}

void give_up(const char* format, Argument a, Argument b, Argument c, Argument d, Argument e) {
  mask_interrupts();
  if (giving_up) power_off(2);
  giving_up = true;
  const Argument arguments[] = {a, b, c, d, e};
  Line line;
  line.add_format(format, arguments);
  print_failure(line.finish());
  if (running != nullptr) {
    ++failed;
    print("FAIL {} (the run ends here)", running);
  }
  print("{} passed, {} failed, {} skipped", passed, failed, skipped);
  power_off(2);
}

bool scenario_failed() {
  return failures != 0;
}

void expect_failure(const char* text) {
  for (const char*& beginning : expected) {
    if (beginning != nullptr) continue;
    beginning = text;
    return;
  }
  give_up("more than four failures are expected");
}

bool check_that(bool holds, const char* file, int line, const char* expression) {
  if (!holds) fail("{}:{}: {}", file, line, expression);
  return holds;
}

bool check_equal(u64 left, u64 right, const char* file, int line, const char* left_text, const char* right_text) {
  if (left == right) return true;
  Line text;
  const Argument first[] = {file, line, left_text, left};
  text.add_format("{}:{}: {} is {}", first);
  const Argument second[] = {left, right_text, right, right};
  text.add_format(" ({x}), not {}: {} ({x})", second);
  const char* finished = text.finish();
  if (!was_expected(finished)) print_failure(finished);
  return false;
}

bool check_within(u64 value, u64 low, u64 high, const char* file, int line, const char* text) {
  if (value >= low && value <= high) return true;
  Line complaint;
  const Argument first[] = {file, line, text, value};
  complaint.add_format("{}:{}: {} is {}", first);
  const Argument second[] = {low, high};
  complaint.add_format(", not from {} to {}", second);
  const char* finished = complaint.finish();
  if (!was_expected(finished)) print_failure(finished);
  return false;
}

void begin_report(const char* scenario) {
  running = scenario;
  failures = 0;
  for (const char*& text : expected) text = nullptr;
  if (has_word("verbose")) print("RUN  {}", scenario);
}

void end_report() {
  for (const char*& text : expected) {
    if (text == nullptr) continue;
    Line line;
    line.add("a failure was expected and did not come: ");
    line.add(text);
    text = nullptr;
    print_failure(line.finish());
  }
  ++(failures == 0 ? passed : failed);
  print(failures == 0 ? "PASS {}" : "FAIL {}", running);
  running = nullptr;
}

void report_skipped(const char* scenario, const char* why) {
  ++skipped;
  print("SKIP {}: {}", scenario, why);
}

void finish_report() {
  print("{} passed, {} failed, {} skipped", passed, failed, skipped);
  power_off(failed != 0 || passed + skipped == 0 ? 1 : 0);
}

}  // namespace wperf::nthost
