// SPDX-License-Identifier: BSD-3-Clause
// The lines on which functions are declared. Where debug information has only the first line of a function's code,
// which is that of its brace, the source text says where its name is.
#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "code/modules/source_files.h"
#include "code/symbols/symbolization.h"

namespace wperf::pgo {

class Declarations {
 public:
  // Sources are also searched in `folders`, which outlive this.
  explicit Declarations(std::span<const std::string> folders) : folders_(folders) {}

  // 0 if nothing is known. Without the source, the first line of the code.
  u32 line_of(const symbols::SymbolizedFrame& frame);
  // Is the line only that of the code?
  bool is_guess(const symbols::SymbolizedFrame& frame) { return frame.is_first_line && found(frame).is_guess; }

 private:
  struct Found {
    u32 line = 0;
    bool is_guess = false;
  };
  class Source {
   public:
    explicit Source(std::string text);
    // The nearest line, from `line` upwards, that has `name` before a parenthesis. 0 if the function above `line` comes
    // first.
    u32 find(std::string_view name, u32 line) const;

   private:
    std::string_view line(u32 number) const;
    std::string text_;
    std::vector<usize> begins_;  // of lines
  };
  const Found& found(const symbols::SymbolizedFrame& frame);

  std::span<const std::string> folders_;
  std::map<std::string, Source, std::less<>> sources_;
  // By file, function and first line: two files may have static functions of one name on one line.
  std::map<std::tuple<std::string_view, std::string_view, u32>, Found> found_;
};

}  // namespace wperf::pgo
