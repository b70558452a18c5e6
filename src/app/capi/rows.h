// SPDX-License-Identifier: BSD-3-Clause
// The rows that a function returns one by one, and the texts they point to.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ground/text/unicode.h"

namespace wperf::capi {

// Wide copies at fixed addresses; a text that repeats is stored once.
class WideTexts {
 public:
  const wchar_t* keep(std::string_view text) {
    auto found = texts_.find(text);
    if (found == texts_.end()) found = texts_.emplace(std::string(text), text::wide_of(text)).first;
    return found->second.c_str();
  }

 private:
  std::map<std::string, std::wstring, std::less<>> texts_;
};

template <typename Row>
class Rows {
 public:
  WideTexts texts;

  void add(const Row& row) { rows_.push_back(row); }
  size_t size() const { return rows_.size(); }
  void rewind() { next_ = 0; }
  // Returns false if there are no more rows.
  bool next(Row& row) {
    if (next_ == rows_.size()) return false;
    row = rows_[next_++];
    return true;
  }

 private:
  std::vector<Row> rows_;
  size_t next_ = 0;
};

}  // namespace wperf::capi
