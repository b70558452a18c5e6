// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/terminal_console.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "app/cli/terminal_text.h"
#include "ground/os/process.h"
#include "ground/os/terminal.h"
#include "ground/text/unicode.h"

namespace wperf::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 1s;  // the longest time without any output
constexpr auto kProgressStep = 200ms;

// Follows https://no-color.org. Terminals without escape sequences get no colours.
bool colours_are_welcome(request::Colours asked, bool on_terminal) {
  if (asked != request::Colours::on_terminals) return asked == request::Colours::always;
  return on_terminal && os::environment("NO_COLOR").value_or("").empty() &&
         os::environment("TERM").value_or("") != "dumb";
}

// The longest beginning with at most `most` bytes that does not cut a character.
std::string_view first_characters(std::string_view utf8, usize most) {
  usize at = 0;
  for (usize characters = 0; at < utf8.size(); ++at) {
    if (!text::continues_character(utf8[at]) && characters++ == most) break;
  }
  return utf8.substr(0, at);
}

}  // namespace

TerminalConsole::TerminalConsole(const request::Outputs& outputs)
    : quiet_(outputs.quiet || outputs.json),
      paged_(outputs.paged),
      animated_(!quiet_ && os::prepare_terminal(stdout)),
      coloured_(!quiet_ && colours_are_welcome(outputs.colours, animated_)),
      shows_progress_(!quiet_ && os::prepare_terminal(stderr)) {}

void TerminalConsole::out(std::string_view text) {
  if (quiet_) return;
  const std::lock_guard lock(mutex_);
  take_progress_away();
  const std::string folded = fold_lines(text, width());
  if (!page(folded)) write(folded, {.backspace = animated_, .colours = coloured_});
}

// As in git, a pager is used on a terminal if the text does not fit on the screen. Pieces of a progress line are never
// that long.
bool TerminalConsole::page(const std::string& text) const {
  if (!paged_ || !animated_ || output_error_ != 0) return false;
  const auto lines = static_cast<usize>(std::count(text.begin(), text.end(), '\n'));
  const unsigned height = os::terminal_height(stdout);
  if (height == 0 || lines < height) return false;
  const std::string command = os::pager_command();
  if (command.empty()) return false;
  std::string scratch;
  return os::show_in_pager(command, sanitize_text(text, {.colours = coloured_}, scratch));
}

void TerminalConsole::document(std::string_view text) {
  const std::lock_guard lock(mutex_);
  write(text, {});
}

void TerminalConsole::write(std::string_view text, AllowedControls allowed) {
  std::string scratch;
  put(sanitize_text(text, allowed, scratch));
}

void TerminalConsole::json(std::string_view ascii) {
  const std::lock_guard lock(mutex_);
  put(ascii);
}

void TerminalConsole::bytes(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  take_progress_away();
  if (output_error_ == 0) output_error_ = os::write_bytes(stdout, bytes);
}

bool TerminalConsole::bytes_are_seen() const {
  return os::prepare_terminal(stdout);
}

// After a piece that could not be written completely, nothing more is written, so that the output has no gap.
void TerminalConsole::put(std::string_view text) {
  take_progress_away();
  if (output_error_ == 0) output_error_ = os::write_text(stdout, text);
  last_output_ = Clock::now();
}

void TerminalConsole::warn(std::string_view line) {
  const std::lock_guard lock(mutex_);
  take_progress_away();
  std::string scratch;
  os::write_text(stderr, std::string(sanitize_text(line, {}, scratch)) + "\n");
}

unsigned TerminalConsole::width() const {
  return os::terminal_width(stdout);
}

bool TerminalConsole::progress_due() {
  if (!shows_progress_) return false;
  const std::lock_guard lock(mutex_);
  return Clock::now() - last_output_ >=
         (progress_is_shown_ ? Clock::duration(kProgressStep) : Clock::duration(kPatience));
}

void TerminalConsole::progress(std::string_view line) {
  if (!shows_progress_) return;
  const std::lock_guard lock(mutex_);
  if (line.empty()) return take_progress_away();
  const unsigned columns = os::terminal_width(stderr);
  std::string scratch;
  line = sanitize_text(line, {}, scratch);
  if (columns > 1) line = first_characters(line, columns - 1);
  os::write_text(stderr, "\r" + std::string(line) + "\x1b[K");
  progress_is_shown_ = true;
  last_output_ = Clock::now();
}

void TerminalConsole::take_progress_away() {
  if (!progress_is_shown_) return;
  os::write_text(stderr, "\r\x1b[K");
  progress_is_shown_ = false;
}

bool TerminalConsole::interrupted() const {
  return os::interrupted();
}

}  // namespace wperf::cli
