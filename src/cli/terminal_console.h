// SPDX-License-Identifier: BSD-3-Clause
// The console of a person or a script: stdout and stderr of this process.
#pragma once
#include "diag/console.h"

namespace wperf::cli {

class TerminalConsole final : public diag::Console {
 public:
  explicit TerminalConsole(bool quiet);
  void out(std::string_view text) override;
  void document(std::string_view text) override;
  void warn(std::string_view line) override;
  bool animated() const override { return animated_; }
  unsigned width() const override;
  bool interrupted() const override;

 private:
  bool quiet_;
  bool animated_;
};

}  // namespace wperf::cli
