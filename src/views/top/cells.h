// SPDX-License-Identifier: BSD-3-Clause
// Lines of a screen, made from any text: they contain no control characters, and each line knows its width in columns.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"

namespace wperf::top {

enum class Style : u8 { plain, bold, faint, chosen, hot, warm };

struct Piece {
  std::string text;
  Style style = Style::plain;
  bool operator==(const Piece&) const = default;
};

// Columns of a character: 0 for one that joins the one before, 2 for wide ones such as East Asian characters and
// pictures.
usize columns_of(u32 code_point);
// The columns of text, as put() writes it.
usize columns_of(std::string_view utf8);

class Line {
 public:
  // At most so many columns.
  explicit Line(usize most = 0) : most_(most) {}
  // Text that does not fit is cut, and the last column then shows that. Control characters are shown as \xNN.
  void put(std::string_view utf8, Style style = Style::plain);
  // The text in so many columns, with spaces added after it, or in front of it.
  void put_left(std::string_view utf8, usize columns, Style style = Style::plain);
  void put_right(std::string_view utf8, usize columns, Style style = Style::plain);
  void fill(Style style);  // blanks to the end

  usize columns() const { return columns_; }
  usize left() const { return most_ - columns_; }
  const std::vector<Piece>& pieces() const { return pieces_; }
  std::string text() const;
  bool operator==(const Line&) const = default;

 private:
  void append(std::string_view clean, usize columns, Style style);

  usize most_ = 0, columns_ = 0;
  std::vector<Piece> pieces_;
};

}  // namespace wperf::top
