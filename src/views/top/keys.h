// SPDX-License-Identifier: BSD-3-Clause
// Reads a terminal's input as keys: characters, and the escape sequences of arrows and similar keys. Pure: a fuzz
// target.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"

namespace wperf::top {

enum class KeyKind : u8 {
  character,
  enter,
  escape,
  backspace,
  tab,
  up,
  down,
  left,
  right,
  page_up,
  page_down,
  home,
  end,
  interrupt,  // Ctrl-C
  suspend,    // Ctrl-Z
  redraw,     // Ctrl-L
  erase_all,  // Ctrl-U
};

struct Key {
  KeyKind kind = KeyKind::character;
  std::string text = {};  // for a character, in UTF-8
  bool operator==(const Key&) const = default;
};

class KeyReader {
 public:
  // Takes input; an escape sequence can arrive in several pieces.
  std::vector<Key> take(std::string_view bytes);
  // Called if there was no input for a short time: then an escape character without a sequence counts as the Escape
  // key.
  std::vector<Key> pause();

 private:
  bool take_one(std::vector<Key>& keys);
  bool take_sequence(std::vector<Key>& keys);

  std::string waiting_;
};

}  // namespace wperf::top
