// SPDX-License-Identifier: BSD-3-Clause
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "ground/os/process.h"
#include "ground/os/terminal.h"

namespace wperf::os {

bool prepare_terminal(std::FILE* stream) {
  return isatty(fileno(stream)) == 1;
}

unsigned terminal_width(std::FILE* stream) {
  winsize size{};
  return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0u;
}

unsigned terminal_height(std::FILE* stream) {
  winsize size{};
  return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 ? size.ws_row : 0u;
}

int write_text(std::FILE* stream, std::string_view text) {
  errno = 0;
  const bool whole = std::fwrite(text.data(), 1, text.size(), stream) == text.size() && std::fflush(stream) == 0;
  return whole ? 0 : errno != 0 ? errno : EIO;
}

bool has_lost_reader(std::FILE* stream) {
  pollfd one{.fd = fileno(stream), .events = POLLOUT, .revents = 0};
  return poll(&one, 1, 0) > 0 && (one.revents & POLLERR) != 0;
}

int write_bytes(std::FILE* stream, std::string_view bytes) {
  return write_text(stream, bytes);
}

namespace {

constexpr int kNotFound = 127, kNotExecutable = 126;  // exit codes of a shell

// Ignores signals that the user's keys send to the pager. Leaving the pager early is not an error.
class Ignored {
 public:
  explicit Ignored(int number) : number_(number), before_(signal(number, SIG_IGN)) {}
  ~Ignored() { signal(number_, before_); }
  Ignored(const Ignored&) = delete;
  Ignored& operator=(const Ignored&) = delete;

 private:
  int number_;
  sighandler_t before_;
};

}  // namespace

bool has_less() {
  const char* list = std::getenv("PATH");
  std::string_view folders = list != nullptr ? list : "/bin:/usr/bin";
  while (!folders.empty()) {
    const std::string_view folder = folders.substr(0, folders.find(':'));
    folders.remove_prefix(folder.size() == folders.size() ? folders.size() : folder.size() + 1);
    if (!folder.empty() && access((std::string(folder) + "/less").c_str(), X_OK) == 0) return true;
  }
  return false;
}

bool show_in_pager(const std::string& command, std::string_view text) {
  // The options that git gives its pager: quit if everything fits, show colours, leave the text on the screen.
  setenv("LESS", "FRX", 0);
  setenv("LV", "-c", 0);
  std::FILE* pager = popen(command.c_str(), "w");
  if (pager == nullptr) return false;
  const Ignored interrupt(SIGINT), pipe(SIGPIPE);
  std::fwrite(text.data(), 1, text.size(), pager);
  const int status = pclose(pager);
  return !WIFEXITED(status) || (WEXITSTATUS(status) != kNotFound && WEXITSTATUS(status) != kNotExecutable);
}

namespace {

termios usual_settings{};
const char* enter_text = "";
const char* leave_text = "";

// Signals that end a process that does not handle them.
constexpr int kEndings[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
// These signals ask the process to end, so they are handled like SIGTERM, which also ends the started program.
constexpr int kRequests[] = {SIGHUP, SIGQUIT};
volatile sig_atomic_t is_end_requested = 0;

void write_all(const char* text, usize size) {
  while (size != 0) {
    const ssize_t done = ::write(STDOUT_FILENO, text, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return;
    text += done;
    size -= static_cast<usize>(done);
  }
}

// Calls only functions that a signal handler may call.
void restore() {
  write_all(leave_text, std::strlen(leave_text));
  tcsetattr(STDIN_FILENO, TCSANOW, &usual_settings);
}

void on_ending(int signal_number) {
  restore();
  raise(signal_number);  // SA_RESETHAND has restored the default action
}

// Runs once: closing a terminal may send the signal twice. A second SIGTERM ends the process at once.
void on_request(int) {
  if (is_end_requested == 0) raise(SIGTERM);
  is_end_requested = 1;
}

void on_resize(int) {}

void set_raw() {
  termios raw = usual_settings;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG | IEXTEN);
  raw.c_iflag &= ~static_cast<tcflag_t>(IXON | ICRNL | INLCR | IGNCR | ISTRIP);
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  write_all(enter_text, std::strlen(enter_text));
}

void handle_signals() {
  struct sigaction action{};
  action.sa_handler = on_ending;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
  for (const int one : kEndings) sigaction(one, &action, nullptr);
  struct sigaction request{};
  request.sa_handler = on_request;
  for (const int one : kRequests) sigaction(one, &request, nullptr);
  struct sigaction resize{};
  resize.sa_handler = on_resize;  // it only has to interrupt poll()
  sigaction(SIGWINCH, &resize, nullptr);
}

}  // namespace

diag::Result<TerminalScreen> TerminalScreen::open(const char* enter, const char* leave) {
  const std::string kind = environment("TERM").value_or("");
  const bool is_terminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
  if (!is_terminal || kind.empty() || kind == "dumb" || tcgetattr(STDIN_FILENO, &usual_settings) != 0) {
    return diag::usage_error(is_terminal ? "this terminal (TERM=" + kind + ") cannot update its display"
                                         : "a live display needs a terminal on both stdin and stdout",
                             "use `wperf top --once` to sample once");
  }
  enter_text = enter;
  leave_text = leave;
  handle_signals();
  set_raw();
  return TerminalScreen();
}

TerminalScreen::~TerminalScreen() {
  if (!is_open_) return;
  restore();
  for (const int one : kEndings) signal(one, SIG_DFL);
  if (is_end_requested == 0) {
    for (const int one : kRequests) signal(one, SIG_DFL);
  }
  signal(SIGWINCH, SIG_DFL);
}

TerminalScreen::Size TerminalScreen::size() const {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return {};
  return {size.ws_col, size.ws_row};
}

std::string TerminalScreen::read(u32 timeout_ms) {
  pollfd waited{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  if (poll(&waited, 1, static_cast<int>(timeout_ms)) <= 0) return {};
  char bytes[256];
  const ssize_t got = ::read(STDIN_FILENO, bytes, sizeof bytes);
  if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) has_ended_ = true;
  return got > 0 ? std::string(bytes, static_cast<usize>(got)) : std::string();
}

void TerminalScreen::write(std::string_view text) {
  write_all(text.data(), text.size());
}

void TerminalScreen::suspend() {
  restore();
  // The default action stops the process, except in a process group without a shell, which could not continue it.
  raise(SIGTSTP);
  set_raw();
}

}  // namespace wperf::os
