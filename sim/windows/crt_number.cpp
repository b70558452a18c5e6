// SPDX-License-Identifier: BSD-3-Clause
// Numbers and times of the C runtime: texts to numbers, the functions of a scientific calculator (the host's own), the
// calendar (the simulated machine is in Greenwich).
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <ctime>

#include "sim/windows/crt_call.h"
#include "sim/windows/win32_surface.h"

namespace wperf::sim {
namespace {

// Doubles are passed and returned in vector registers.
double vector_argument(const Win32Call& call, u32 index) {
  return std::bit_cast<double>(call.state.current->registers.v[index][0]);
}

u64 vector_result(Win32Call& call, double value) {
  call.state.current->registers.v[0] = {std::bit_cast<u64>(value), 0};
  return call.argument(0);
}

template <double (*function)(double)>
u64 of_one(Win32Call& call) {
  return vector_result(call, function(vector_argument(call, 0)));
}

template <double (*function)(double, double)>
u64 of_two(Win32Call& call) {
  return vector_result(call, function(vector_argument(call, 0), vector_argument(call, 1)));
}

u64 scale(Win32Call& call) {
  return vector_result(call, std::ldexp(vector_argument(call, 0), static_cast<int>(call.argument32(0))));
}

u64 split_exponent(Win32Call& call) {
  int exponent = 0;
  const double part = std::frexp(vector_argument(call, 0), &exponent);
  return call.write_value(call.argument(0), exponent) ? vector_result(call, part) : 0;
}

u64 split_fraction(Win32Call& call) {
  double whole = 0;
  const double part = std::modf(vector_argument(call, 0), &whole);
  return call.write_value(call.argument(0), whole) ? vector_result(call, part) : 0;
}

// Stores the address after the number.
bool put_end(Win32Call& call, const std::string& text, const char* end) {
  const u64 place = call.argument(0) + static_cast<u64>(end - text.c_str());
  return call.argument(1) == 0 || call.write_value(call.argument(1), place);
}

template <class Value, class Parse>
u64 parse_whole(Win32Call& call, Value least, Value most, Parse parse) {
  const auto text = text_at(call, call.argument(0));
  if (!text) return 0;
  char* end = nullptr;
  const int base = static_cast<int>(call.argument32(2));
  errno = 0;
  Value value = parse(text->c_str(), &end, base == 1 || base > 36 || base < 0 ? 10 : base);
  if (value < least || value > most) {
    value = value < least ? least : most;
    errno = ERANGE;
  }
  if (errno == ERANGE) set_errno(call, kRange);
  return put_end(call, *text, end) ? static_cast<u64>(value) : 0;
}

u64 to_long(Win32Call& call) {
  return static_cast<u32>(parse_whole<long long>(call, INT32_MIN, INT32_MAX, std::strtoll));
}
u64 to_unsigned_long(Win32Call& call) {
  const auto text = text_at(call, call.argument(0));
  if (!text) return 0;
  // The negative of a number that fits is also accepted.
  const bool negative = text->find('-') < text->find_first_of("0123456789");
  return negative ? static_cast<u32>(parse_whole<long long>(call, -0xffffffffLL, 0xffffffffLL, std::strtoll))
                  : static_cast<u32>(parse_whole<unsigned long long>(call, 0, 0xffffffff, std::strtoull));
}
u64 to_long_long(Win32Call& call) {
  return parse_whole<long long>(call, INT64_MIN, INT64_MAX, std::strtoll);
}
u64 to_unsigned_long_long(Win32Call& call) {
  return parse_whole<unsigned long long>(call, 0, ~0ull, std::strtoull);
}

u64 to_double(Win32Call& call) {
  const auto text = text_at(call, call.argument(0));
  if (!text) return 0;
  char* end = nullptr;
  errno = 0;
  const double value = std::strtod(text->c_str(), &end);
  if (errno == ERANGE) set_errno(call, kRange);
  return put_end(call, *text, end) ? vector_result(call, value) : 0;
}

u64 to_double_alone(Win32Call& call) {
  const auto text = text_at(call, call.argument(0));
  return text ? vector_result(call, std::strtod(text->c_str(), nullptr)) : 0;
}

constexpr std::int64_t kBootSeconds = 1'735'689'600;  // as in win32_time.cpp
constexpr u64 kNsPerSecond = 1'000'000'000;

u64 time_now(Win32Call& call) {
  const std::int64_t now = kBootSeconds + static_cast<std::int64_t>(call.now_ns / kNsPerSecond);
  if (call.argument(0) != 0 && !call.write_value(call.argument(0), now)) return 0;
  return static_cast<u64>(now);
}

u64 clock_now(Win32Call& call) {
  return static_cast<u32>(call.now_ns / 1'000'000);  // CLOCKS_PER_SEC is 1000
}

u64 time_difference(Win32Call& call) {
  return vector_result(call, static_cast<double>(static_cast<std::int64_t>(call.argument(0) - call.argument(1))));
}

struct TimeB {
  std::int64_t seconds;
  u16 milliseconds;
  std::int16_t zone, summer;
  u16 padding;
};

u64 time_with_milliseconds(Win32Call& call) {
  TimeB now{};
  now.seconds = kBootSeconds + static_cast<std::int64_t>(call.now_ns / kNsPerSecond);
  now.milliseconds = static_cast<u16>(call.now_ns / 1'000'000 % 1000);
  (void)call.write_value(call.argument(0), now);
  return 0;
}

struct Calendar {  // struct tm of Windows
  int second, minute, hour, day, month, year, weekday, yearday, summer;
};

Calendar calendar_of(const std::tm& time) {
  return {
      time.tm_sec, time.tm_min, time.tm_hour, time.tm_mday, time.tm_mon, time.tm_year, time.tm_wday, time.tm_yday, 0};
}

std::tm host_calendar(const Calendar& calendar) {
  std::tm time{};
  time.tm_sec = calendar.second;
  time.tm_min = calendar.minute;
  time.tm_hour = calendar.hour;
  time.tm_mday = calendar.day;
  time.tm_mon = calendar.month;
  time.tm_year = calendar.year;
  time.tm_wday = calendar.weekday;
  time.tm_yday = calendar.yearday;
  return time;
}

u64 to_calendar(Win32Call& call) {
  std::int64_t seconds = 0;
  std::tm time{};
  if (!call.read_value(call.argument(0), seconds)) return 0;
  constexpr std::int64_t kLatest = 32'535'215'999;  // the end of the year 3000, as on Windows
  if (seconds < 0 || seconds > kLatest || ::gmtime_r(&seconds, &time) == nullptr) return fail_with(call, kInvalid, 0);
  const u64 place = call.state.current->teb + kTebTime;
  return call.write_value(place, calendar_of(time)) ? place : 0;
}

u64 from_calendar(Win32Call& call) {
  Calendar calendar{};
  if (!call.read_value(call.argument(0), calendar)) return 0;
  std::tm time = host_calendar(calendar);
  const std::int64_t seconds = ::timegm(&time);
  if (seconds < 0) return fail_with(call, kInvalid, kMinusOne);
  return call.write_value(call.argument(0), calendar_of(time)) ? static_cast<u64>(seconds) : 0;
}

u64 format_time(Win32Call& call) {  // arguments: place, capacity, format, calendar
  constexpr usize kLargest = 64 << 10;
  Calendar calendar{};
  const auto format = text_at(call, call.argument(2));
  if (!format || !call.read_value(call.argument(3), calendar)) return 0;
  const auto within = [](int value, int last) { return value >= 0 && value <= last; };
  if (!within(calendar.weekday, 6) || !within(calendar.month, 11)) return fail_with(call, kInvalid, 0);
  const std::tm time = host_calendar(calendar);
  std::string text(std::min<u64>(call.argument(1), kLargest), '\0');
  text.resize(text.empty() ? 0 : std::strftime(text.data(), text.size(), format->c_str(), &time));
  if (text.empty()) return 0;
  return call.write(call.argument(0), text.c_str(), text.size() + 1) ? text.size() : 0;
}

constexpr Win32Function kNumber[] = {
    {"acos", kCrtDll, of_one<std::acos>},
    {"asin", kCrtDll, of_one<std::asin>},
    {"atan", kCrtDll, of_one<std::atan>},
    {"atan2", kCrtDll, of_two<std::atan2>},
    {"ceil", kCrtDll, of_one<std::ceil>},
    {"cos", kCrtDll, of_one<std::cos>},
    {"cosh", kCrtDll, of_one<std::cosh>},
    {"exp", kCrtDll, of_one<std::exp>},
    {"fabs", kCrtDll, of_one<std::fabs>},
    {"floor", kCrtDll, of_one<std::floor>},
    {"fmod", kCrtDll, of_two<std::fmod>},
    {"log", kCrtDll, of_one<std::log>},
    {"log10", kCrtDll, of_one<std::log10>},
    {"pow", kCrtDll, of_two<std::pow>},
    {"sin", kCrtDll, of_one<std::sin>},
    {"sinh", kCrtDll, of_one<std::sinh>},
    {"sqrt", kCrtDll, of_one<std::sqrt>},
    {"tan", kCrtDll, of_one<std::tan>},
    {"tanh", kCrtDll, of_one<std::tanh>},
    {"frexp", kCrtDll, split_exponent},
    {"ldexp", kCrtDll, scale},
    {"modf", kCrtDll, split_fraction},
    {"strtol", kCrtDll, to_long},
    {"strtoul", kCrtDll, to_unsigned_long},
    {"_strtoi64", kCrtDll, to_long_long},
    {"_strtoi64_l", kCrtDll, to_long_long},
    {"_strtoui64", kCrtDll, to_unsigned_long_long},
    {"_strtoui64_l", kCrtDll, to_unsigned_long_long},
    {"strtod", kCrtDll, to_double},
    {"_strtod_l", kCrtDll, to_double},
    {"atof", kCrtDll, to_double_alone},
    {"_time64", kCrtDll, time_now},
    {"_ftime64", kCrtDll, time_with_milliseconds},
    {"clock", kCrtDll, clock_now},
    {"_difftime64", kCrtDll, time_difference},
    {"_gmtime64", kCrtDll, to_calendar},
    {"_localtime64", kCrtDll, to_calendar},
    {"_mktime64", kCrtDll, from_calendar},
    {"strftime", kCrtDll, format_time},
};

}  // namespace

std::span<const Win32Function> crt_number_functions() {
  return kNumber;
}

}  // namespace wperf::sim
