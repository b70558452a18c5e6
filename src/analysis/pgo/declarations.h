// SPDX-License-Identifier: BSD-3-Clause
// Finds the lines on which functions are declared. If the debug information only has the first line of the code, which
// is that of the opening brace, the name is looked up in the source text.
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
  // Sources are also searched in `folders`, which must outlive this object.
  explicit Declarations(std::span<const std::string> folders) : folders_(folders) {}

  // Returns 0 if nothing is known. Without the source, returns the first line of the code.
  u32 line_of(const symbols::SymbolizedFrame& frame);
  // Is the line just the first line of the code?
  bool is_guess(const symbols::SymbolizedFrame& frame) { return frame.is_first_line && found(frame).is_guess; }

 private:
  struct Found {
    u32 line = 0;
    bool is_guess = false;
  };
  class Source {
   public:
    explicit Source(std::string text);
    // The nearest line, from `line` upwards, that has `name` and a parenthesis. 0 if another function comes first.
    u32 find(std::string_view name, u32 line) const;

    // For names that a macro made: the nearest line, from `line` upwards, that begins like a declaration and has a
    // parenthesis.
    u32 guess(u32 line) const;

   private:
    static constexpr u32 kMostLines = 50;  // of parameter lists
    std::string_view line(u32 number) const;
    std::string text_;
    std::vector<usize> begins_;  // positions of the lines
  };
  const Found& found(const symbols::SymbolizedFrame& frame);

  std::span<const std::string> folders_;
  std::map<std::string, Source, std::less<>> sources_;
  // Keyed by file, function and first line, because two files may have static functions with the same name on the same
  // line.
  std::map<std::tuple<std::string_view, std::string_view, u32>, Found> found_;
};

}  // namespace wperf::pgo
