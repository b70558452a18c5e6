// SPDX-License-Identifier: BSD-3-Clause
#include "machine/pmu/formula.h"

#include <cmath>
#include <optional>

namespace wperf::pmu {
namespace {

constexpr usize kMaxDepth = 32;  // the generator allows catalogued formulas half of it

std::string_view take_token(std::string_view& text) {
  const usize begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) {
    text = {};
    return {};
  }
  text.remove_prefix(begin);
  const std::string_view token = text.substr(0, text.find(' '));
  text.remove_prefix(token.size());
  return token;
}

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

// A plain decimal such as 1000 or 0.5; anything else is 0. (std::from_chars for double is missing in libc++ 16 and
// strtod depends on the locale.)
double parse_decimal(std::string_view token) {
  double value = 0;
  usize i = 0;
  for (; i < token.size() && is_digit(token[i]); ++i) value = value * 10 + (token[i] - '0');
  if (i == 0) return 0;
  if (i < token.size() && token[i] == '.') {
    double digits = 0;
    double scale = 1;
    for (++i; i < token.size() && is_digit(token[i]); ++i) {
      digits = digits * 10 + (token[i] - '0');
      scale *= 10;
    }
    value += digits / scale;
  }
  return i == token.size() ? value : 0;
}

double operand(std::string_view token, std::span<const NamedCount> counts) {
  for (const NamedCount& count : counts) {
    if (count.name == token) return static_cast<double>(count.value);
  }
  return parse_decimal(token);
}

bool is_operator(std::string_view token) {
  return token.size() == 1 && (token[0] == '+' || token[0] == '-' || token[0] == '*' || token[0] == '/');
}

// Absent when dividing by zero or leaving the range of double.
std::optional<double> apply(char operation, double left, double right) {
  double result = 0;
  switch (operation) {
    case '+':
      result = left + right;
      break;
    case '-':
      result = left - right;
      break;
    case '*':
      result = left * right;
      break;
    default:
      if (right == 0) return std::nullopt;
      result = left / right;
  }
  if (!std::isfinite(result)) return std::nullopt;
  return result;
}

}  // namespace

std::optional<double> value_of_postfix(std::string_view postfix, std::span<const NamedCount> counts) {
  double stack[kMaxDepth];
  usize depth = 0;
  for (std::string_view token = take_token(postfix); !token.empty(); token = take_token(postfix)) {
    if (is_operator(token)) {
      if (depth < 2) return std::nullopt;
      const std::optional<double> result = apply(token[0], stack[depth - 2], stack[depth - 1]);
      if (!result) return std::nullopt;
      depth -= 1;
      stack[depth - 1] = *result;
    } else {
      if (depth == kMaxDepth) return std::nullopt;
      const double value = operand(token, counts);
      if (!std::isfinite(value)) return std::nullopt;
      stack[depth] = value;
      depth += 1;
    }
  }
  if (depth != 1) return std::nullopt;
  return stack[0];
}

double evaluate_postfix(std::string_view postfix, std::span<const NamedCount> counts) {
  return value_of_postfix(postfix, counts).value_or(0);
}

}  // namespace wperf::pmu
