// SPDX-License-Identifier: BSD-3-Clause
// Errors as values. Result<T> is T or an Error; it cannot be ignored, and cannot be tested as a bool by accident.
#pragma once
#include <string>
#include <utility>
#include <variant>

namespace wperf::diag {

// Exit codes of the tool (contract 1.2 and wperf's own).
enum class ExitCode : int {
  ok = 0,
  failed = 1,
  usage = 2,
  no_device = 3,
  damaged_input = 4,
  gate_failed = 5,
  no_event = 255
};

struct Error {
  std::string text;  // one sentence; the cli prints it (see `verbatim`)
  std::string hint;  // the remedy, if known
  ExitCode code = ExitCode::failed;
  bool verbatim = false;  // true: text is a contract string, printed unchanged; false: printed as "error: text"
  // the errno of the cause, or on Windows the nearest one; callers test this number, not the text
  int system_error = 0;
};

// "text: ", followed by the system's text for that errno.
Error system_error(std::string text, int number, std::string hint = {});

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}
  explicit operator bool() const = delete;

  bool has_value() const { return state_.index() == 0; }
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)), failed_(true) {}
  explicit operator bool() const = delete;

  bool has_value() const { return !failed_; }
  const Error& error() const& { return error_; }
  Error&& error() && { return std::move(error_); }

 private:
  Error error_;
  bool failed_ = false;
};

// The command line is wrong.
inline Error usage_error(std::string text, std::string hint = {}) {
  return {.text = std::move(text), .hint = std::move(hint), .code = ExitCode::usage};
}

// A contract string, printed to stderr unchanged, exit status 1.
inline Error contract_error(std::string text) {
  return {.text = std::move(text), .hint = {}, .verbatim = true};
}

// Runs several steps; the result is the error of the first one that failed.
class FirstFailure {
 public:
  void add(Result<void> one) {
    if (first_.has_value()) first_ = std::move(one);
  }
  Result<void> result() && { return std::move(first_); }

 private:
  Result<void> first_;
};

}  // namespace wperf::diag

#define WPERF_CONCAT_2(a, b) a##b
#define WPERF_CONCAT(a, b) WPERF_CONCAT_2(a, b)
// WPERF_TRY(auto x, f()): sets x to the value, or returns the error.
#define WPERF_TRY_AS(temporary, target, expression)                \
  auto temporary = (expression);                                   \
  if (!temporary.has_value()) return std::move(temporary).error(); \
  target = std::move(temporary).value()
#define WPERF_TRY(target, expression) WPERF_TRY_AS(WPERF_CONCAT(wperf_try_, __LINE__), target, expression)
#define WPERF_CHECK_OK(expression)                                             \
  do {                                                                         \
    auto wperf_check_ok = (expression);                                        \
    if (!wperf_check_ok.has_value()) return std::move(wperf_check_ok).error(); \
  } while (false)
