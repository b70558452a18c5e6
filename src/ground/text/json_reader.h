// SPDX-License-Identifier: BSD-3-Clause
// Reads JSON (RFC 8259) forward, value by value; the caller decides what to read next. It stores no values, so a file
// of half a gigabyte needs only memory for the values that the caller takes. Malformed JSON ends the reading for good;
// sound() is then false.
#pragma once
#include <string>
#include <string_view>

#include "ground/bytes/bytes.h"

namespace wperf::text {

using Bytes = bytes::Span;

class JsonReader {
 public:
  enum class Kind : u8 { nothing, object, array, string, number, word };  // word: true, false, null

  explicit JsonReader(Bytes text);

  // The kind of the next value, which is not consumed.
  Kind kind();
  // Calls visit(key) for each member of the next object; the key is valid until the reader is used again. Values that
  // visit does not read are skipped. If the next value is not an object, it is skipped.
  template <class Visit>
  void for_each_member(Visit visit) {
    if (!enter('{')) return;
    std::string key;
    while (sound_ && next_in('}')) {
      if (kind() != Kind::string) return fail();
      key.assign(string());
      if (!take(':')) return;
      pass_blanks();
      const usize before = at_;
      visit(std::string_view(key));
      if (at_ == before) skip();
    }
    leave();
  }
  // Calls visit() for each value of the next array.
  template <class Visit>
  void for_each(Visit visit) {
    if (!enter('[')) return;
    while (sound_ && next_in(']')) {
      const usize before = at_;
      visit();
      if (at_ == before) skip();
    }
    leave();
  }
  // The unescaped string, valid until the reader is used again. Empty for a value of another kind, which is skipped.
  std::string_view string();
  // Returns `otherwise` for a value of another kind, which is skipped, and for a number that a double cannot hold.
  double number(double otherwise = 0);
  void skip();
  // Ends the reading: every loop over members or elements ends, as after an error.
  void stop() { fail(); }

  bool sound() const { return sound_; }
  usize position() const { return at_; }

 private:
  static constexpr u32 kDeepest = 200;  // the deepest nesting that is read; known formats use far less
  void pass_blanks();
  bool take(char c);
  bool enter(char open);
  bool next_in(char close);
  void leave() { --depth_; }
  void fail() {
    sound_ = false;
    at_ = text_.size();
  }
  int take_digits(u64& digits);
  bool take_one_of(std::string_view characters);
  bool skip_string();
  void append_escaped();

  std::string_view text_;
  usize at_ = 0;
  u32 depth_ = 0;
  bool sound_ = true, is_first_ = false;
  std::string unescaped_;
};

}  // namespace wperf::text
