// SPDX-License-Identifier: BSD-3-Clause
// Writes one JSON document, compact and in pure ASCII (contract 1.6), to the end of a string. It adds the commas; the
// caller must match each begin with an end. It stores nothing else, so documents may have any size.
#pragma once
#include <string>
#include <string_view>
#include <type_traits>

#include "base/ints.h"

namespace wperf::text {

class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  void key(std::string_view name);

  // `utf8` is escaped; bytes that are not UTF-8 become U+FFFD.
  void string(std::string_view utf8);
  void integer(u64 value);
  // Writes a number that is already text, for example from a table cell.
  void digits(std::string_view decimal) { written(decimal); }
  // Writes a value that is already JSON.
  void written(std::string_view json);
  // Writes up to six significant digits; a value that is not finite becomes 0.
  void real(double value);
  // Writes the shortest decimal form that reads back as the same value.
  void shortest(double value);
  // Writes a fixed number of decimals.
  void fixed(double value, int decimals);

  // These write a member of an object.
  void begin_object(std::string_view name) { key(name), begin_object(); }
  void begin_array(std::string_view name) { key(name), begin_array(); }
  void string(std::string_view name, std::string_view utf8) { key(name), string(utf8); }
  void integer(std::string_view name, u64 value) { key(name), integer(value); }
  void digits(std::string_view name, std::string_view decimal) { key(name), digits(decimal); }
  void written(std::string_view name, std::string_view json) { key(name), written(json); }
  void real(std::string_view name, double value) { key(name), real(value); }
  void fixed(std::string_view name, double value, int decimals) { key(name), fixed(value, decimals); }
  // These are templates so that a pointer does not silently become `true`.
  template <typename T>
    requires std::is_same_v<T, bool>
  void boolean(T value) {
    separate();
    out_ += value ? "true" : "false";
  }
  template <typename T>
    requires std::is_same_v<T, bool>
  void boolean(std::string_view name, T value) {
    key(name);
    boolean(value);
  }

 private:
  void open(char bracket);
  void close(char bracket);
  void separate();

  std::string& out_;
  bool need_comma_ = false;
};

}  // namespace wperf::text
