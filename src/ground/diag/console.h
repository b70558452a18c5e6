// SPDX-License-Identifier: BSD-3-Clause
// Where the running tool speaks to a person. Stages below cli get this face and never touch stdout or stderr. Downloads
// tell of themselves from any thread.
#pragma once
#include <string_view>

namespace wperf::diag {

class Console {
 public:
  virtual ~Console() = default;
  // Results and progress; nothing appears with -q/--json. Lines end in LF.
  virtual void out(std::string_view text) = 0;
  // What -q does not silence: the one document that was asked for, or a part of it.
  virtual void document(std::string_view text) = 0;
  // The same in JSON, which is ASCII without any control character but line ends: nothing in it needs a look.
  virtual void json(std::string_view ascii) { document(ascii); }
  // Bytes as they are, of a document that nobody reads as text.
  virtual void bytes(std::string_view bytes) { document(bytes); }
  // Would bytes() go to a terminal?
  virtual bool bytes_are_seen() const { return false; }
  // Warnings, a whole line without its end.
  virtual void warn(std::string_view line) = 0;
  // True where moving progress (backspaces) is welcome: stdout is a terminal and not quiet.
  virtual bool animated() const = 0;
  // How many characters fit into a line of the terminal; 0 where there is none.
  virtual unsigned width() const { return 0; }
  // Rows may be coloured: stdout is a terminal whose reader did not say no.
  virtual bool coloured() const { return false; }
  // Somebody sees what progress() shows: stderr is a terminal, and -q was not given.
  virtual bool shows_progress() const { return false; }
  // It is time to say how far something is that takes long: a person waits at the terminal of stderr, and did not hear
  // for a moment. Cheap enough to be asked in a loop.
  virtual bool progress_due() { return false; }
  // Shows the line in place of the last one, until anything else is shown; "" takes it away.
  virtual void progress(std::string_view /*line*/) {}
  // Ctrl-C was pressed since the start.
  virtual bool interrupted() const = 0;
};

}  // namespace wperf::diag
