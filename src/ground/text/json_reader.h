// SPDX-License-Identifier: BSD-3-Clause
// JSON (RFC 8259) read forward, in pieces that its caller asks for; nothing is kept, so a file of half a gigabyte needs
// the memory of what is taken from it. Whatever is no JSON ends the walk for good, and sound() tells. Called by the
// readers of this room.
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

  // What comes next; nothing is taken.
  Kind kind();
  // visit(key) for each member of the object that is next; the key lives until the reader is used. What visit does not
  // take is skipped. A value of another kind is skipped.
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
  // visit() for each value of the array that is next.
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
  // Unescaped; lives until the reader is used. Of another kind: empty, and skipped.
  std::string_view string();
  // Of another kind: `otherwise`, and skipped.
  double number(double otherwise = 0);
  void skip();
  // Nothing more is wanted: every walk ends, as where it cannot go on.
  void stop() { fail(); }

  bool sound() const { return sound_; }
  usize position() const { return at_; }

 private:
  static constexpr u32 kDeepest = 200;  // of what is entered: no format comes near
  void pass_blanks();
  bool take(char c);
  bool enter(char open);
  bool next_in(char close);
  void leave() { --depth_; }
  void fail() {
    sound_ = false;
    at_ = text_.size();
  }
  bool skip_string();
  void append_escaped();

  std::string_view text_;
  usize at_ = 0;
  u32 depth_ = 0;
  bool sound_ = true, is_first_ = false;
  std::string unescaped_;
};

}  // namespace wperf::text
