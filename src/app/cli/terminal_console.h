// SPDX-License-Identifier: BSD-3-Clause
// The console for users and scripts: stdout and stderr of this process. Thread-safe, because modules are loaded in
// parallel and each may report a download.
#pragma once
#include <chrono>
#include <mutex>
#include <string>

#include "app/cli/terminal_text.h"
#include "ground/diag/console.h"
#include "model/request/request.h"

namespace wperf::cli {

class TerminalConsole final : public diag::Console {
 public:
  explicit TerminalConsole(const request::Outputs& outputs);
  ~TerminalConsole() override { take_progress_away(); }
  TerminalConsole(const TerminalConsole&) = delete;
  TerminalConsole& operator=(const TerminalConsole&) = delete;

  void out(std::string_view text) override;
  void document(std::string_view text) override;
  void json(std::string_view ascii) override;
  void bytes(std::string_view bytes) override;
  bool bytes_are_seen() const override;
  void warn(std::string_view line) override;
  bool animated() const override { return animated_; }
  unsigned width() const override;
  bool coloured() const override { return coloured_; }
  bool shows_progress() const override { return shows_progress_; }
  bool progress_due() override;
  void progress(std::string_view line) override;
  bool interrupted() const override;
  // 0, or the errno of the first write to stdout that failed.
  int output_error() const { return output_error_; }

 private:
  using Clock = std::chrono::steady_clock;

  bool page(const std::string& text) const;
  void write(std::string_view text, AllowedControls allowed);
  void put(std::string_view text);
  void take_progress_away();

  std::mutex mutex_;
  bool quiet_;
  bool paged_;
  bool animated_;
  bool coloured_;
  bool shows_progress_;
  bool progress_is_shown_ = false;
  Clock::time_point last_output_ = Clock::now();  // last output of any kind
  int output_error_ = 0;
};

}  // namespace wperf::cli
