// SPDX-License-Identifier: BSD-3-Clause
// A console for commands that measure repeatedly and do not need the output of each run: prints only warnings, each
// line once. Can be called by any thread.
#pragma once
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/ints.h"
#include "ground/diag/console.h"

namespace wperf::measure {

class WarningsOnlyConsole final : public diag::Console {
 public:
  explicit WarningsOnlyConsole(diag::Console& console) : console_(console) {}
  void out(std::string_view) override {}
  void document(std::string_view) override {}
  void warn(std::string_view line) override {
    // Limited because a run may take months.
    constexpr usize kMostLines = 200;
    const std::lock_guard lock(mutex_);
    if (said_.size() >= kMostLines) said_.clear();
    if (said_.emplace(line).second) console_.warn(line);
  }
  bool animated() const override { return false; }
  bool interrupted() const override { return console_.interrupted(); }

 private:
  diag::Console& console_;
  std::mutex mutex_;
  std::set<std::string> said_;
};

// Keeps the warnings until they can be shown.
class KeptWarnings final : public diag::Console {
 public:
  explicit KeptWarnings(const diag::Console& console) : console_(console) {}
  void out(std::string_view) override {}
  void document(std::string_view) override {}
  void warn(std::string_view line) override { lines_.emplace_back(line); }
  bool animated() const override { return false; }
  bool interrupted() const override { return console_.interrupted(); }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  const diag::Console& console_;
  std::vector<std::string> lines_;
};

}  // namespace wperf::measure
