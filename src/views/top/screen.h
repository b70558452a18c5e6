// SPDX-License-Identifier: BSD-3-Clause
// Draws lines on a terminal by writing only the differences from the previous picture, as VT sequences, which Windows'
// consoles also accept. Pure.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"

namespace wperf::top {

// A line of a screen. It contains no control characters, whatever text is put into it, and knows its width in columns.
enum class Style : u8 { plain, bold, faint, chosen, hot, warm };

struct Piece {
  std::string text;
  Style style = Style::plain;
  bool operator==(const Piece&) const = default;
};

// The width of a character: 0 if it joins the previous one, 2 for wide characters such as East Asian ones and
// pictograms.
usize columns_of(u32 code_point);
// The width that put() gives to a text.
usize columns_of(std::string_view utf8);

class Line {
 public:
  // A line with at most this many columns.
  explicit Line(usize most = 0) : most_(most) {}
  // Text that does not fit is cut, and the last column shows an ellipsis. Control characters are shown as \xNN.
  void put(std::string_view utf8, Style style = Style::plain);
  // put_left() and put_right() fill exactly this many columns, with blanks after or before the text.
  void put_left(std::string_view utf8, usize columns, Style style = Style::plain);
  void put_right(std::string_view utf8, usize columns, Style style = Style::plain);
  void fill(Style style);  // adds blanks up to the end of the line

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

struct Picture {
  usize columns = 0;
  std::vector<Line> lines;  // the lines of the screen
};

// The sequences to send before the first picture and after the last one.
extern const char kEnterScreen[];
extern const char kLeaveScreen[];

class Screen {
 public:
  explicit Screen(bool coloured) : coloured_(coloured) {}
  // The sequences that change the current picture to `next`.
  std::string change_to(const Picture& next);
  // Called if the contents of the screen are unknown.
  void forget() { is_known_ = false; }

 private:
  void append_line(std::string& out, const Line& line, usize columns) const;

  bool coloured_;
  bool is_known_ = false;
  Picture shown_;
};

}  // namespace wperf::top
