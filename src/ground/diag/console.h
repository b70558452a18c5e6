// SPDX-License-Identifier: BSD-3-Clause
// The tool's output for a person. The rooms below cli get this interface and never touch stdout or stderr. Downloads
// report their progress from any thread.
#pragma once
#include <string_view>

namespace wperf::diag {

class Console {
 public:
  virtual ~Console() = default;
  // Results and progress; with -q and --json nothing is shown. Lines end in LF.
  virtual void out(std::string_view text) = 0;
  // Prints output that -q does not silence: the requested document, or a part of it.
  virtual void document(std::string_view text) = 0;
  // Like document(), for JSON: it is ASCII without control characters except line ends, so it is not checked for them.
  virtual void json(std::string_view ascii) { document(ascii); }
  // Prints the bytes of a document that is not text, unchanged.
  virtual void bytes(std::string_view bytes) { document(bytes); }
  // Would bytes() write to a terminal?
  virtual bool bytes_are_seen() const { return false; }
  // Prints a warning: a whole line without its end.
  virtual void warn(std::string_view line) = 0;
  // True if moving progress (backspaces) is welcome: stdout is a terminal and not quiet.
  virtual bool animated() const = 0;
  // How many characters fit into a line of the terminal; 0 if there is no terminal.
  virtual unsigned width() const { return 0; }
  // Rows may be coloured: stdout is a terminal and the user did not turn colours off.
  virtual bool coloured() const { return false; }
  // Whether progress() is visible: stderr is a terminal, and -q was not given.
  virtual bool shows_progress() const { return false; }
  // True if it is time to show the progress of long work: a person waits at the terminal of stderr, and some time has
  // passed since the last output. Cheap enough to call in a loop.
  virtual bool progress_due() { return false; }
  // Shows the line in place of the previous one, until other text is shown; "" removes it.
  virtual void progress(std::string_view /*line*/) {}
  // True if Ctrl-C was pressed since the start.
  virtual bool interrupted() const = 0;
};

}  // namespace wperf::diag
