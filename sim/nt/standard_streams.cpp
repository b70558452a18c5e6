// SPDX-License-Identifier: BSD-3-Clause
#include "sim/nt/standard_streams.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <mutex>
#include <string>
#include <utility>

namespace wperf::sim {
namespace {

// If poll() reports a pipe or a terminal as ready, at least this many bytes fit.
constexpr usize kPipePiece = 4096, kTerminalPiece = 256;

ssize_t read_again(int stream, std::span<char> out) {
  ssize_t got = -1;
  do got = ::read(stream, out.data(), out.size());
  while (got < 0 && errno == EINTR);
  return got;
}

usize read_own(u64 place, std::span<char> out) {
  static std::mutex one_at_a_time;
  static std::string kept;
  const std::lock_guard<std::mutex> guard(one_at_a_time);
  if (place < kept.size()) return kept.copy(out.data(), out.size(), place);
  const ssize_t got = read_again(StandardStreams::kInput, out);
  if (got > 0) kept.append(out.data(), static_cast<usize>(got));
  return got < 0 ? 0 : static_cast<usize>(got);
}

StandardStreams::Written write_own(int stream, std::span<const char> bytes) {
  FILE* const file = stream == StandardStreams::kError ? stderr : stdout;
  errno = 0;
  if (std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() && std::fflush(file) == 0)
    return {bytes.size(), 0};
  return {0, errno != 0 ? errno : EIO};
}

bool same(const termios& left, const termios& right) {
  return left.c_iflag == right.c_iflag && left.c_oflag == right.c_oflag && left.c_cflag == right.c_cflag &&
         left.c_lflag == right.c_lflag && std::ranges::equal(left.c_cc, right.c_cc);
}

}  // namespace

StandardStreams::StandardStreams(const std::array<int, 3>& given) : given_(true), streams_(given) {}

StandardStreams::~StandardStreams() {
  if (!given_) return;
  set_input_mode(kUsualMode);
  for (const int stream : streams_) ::close(stream);
}

usize StandardStreams::read(u64 place, std::span<char> out) const {
  if (!given_) return read_own(place, out);
  const ssize_t got = read_again(streams_[kInput], out);
  return got < 0 ? 0 : static_cast<usize>(got);
}

StandardStreams::Written StandardStreams::write(int stream, std::span<const char> bytes) const {
  if (!given_) return shown_ ? write_own(stream, bytes) : Written{bytes.size(), 0};
  const usize piece = is_terminal(stream) ? kTerminalPiece : kPipePiece;
  usize done = 0;
  while (done < bytes.size() && is_ready(stream)) {
    const ssize_t put = ::write(streams_[stream], bytes.data() + done, std::min(piece, bytes.size() - done));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0 && errno == EAGAIN) break;
    if (put <= 0) return {done, put < 0 ? errno : EIO};
    done += static_cast<usize>(put);
  }
  return {done, 0};
}

// If another program, such as the user's shell, has changed the terminal meanwhile, the present settings become the
// usual settings. Ctrl-C keeps its effect in all modes.
void StandardStreams::set_input_mode(u32 mode) {
  const bool changes = mode != std::exchange(input_mode_, mode);
  termios now{};
  if (!given_ || !changes || ::tcgetattr(streams_[kInput], &now) != 0) return;
  if (!ours_ || !same(now, *ours_)) usual_ = now;
  termios wanted = *usual_;
  if (!reads_lines()) {
    wanted.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    wanted.c_iflag &= ~static_cast<tcflag_t>(ICRNL);
    wanted.c_cc[VMIN] = 1;
    wanted.c_cc[VTIME] = 0;
  } else if ((mode & kEchoInput) == 0) {
    wanted.c_lflag &= ~static_cast<tcflag_t>(ECHO);
  }
  if (!same(now, wanted)) ::tcsetattr(streams_[kInput], TCSANOW, &wanted);
  ours_ = wanted;
}

bool StandardStreams::is_terminal(int stream) const {
  return (shown_ || stream == kInput) && ::isatty(streams_[stream]) == 1;
}

std::pair<u16, u16> StandardStreams::window(int stream) const {
  constexpr u16 kColumns = 80, kRows = 25;
  winsize size{};
  if (::ioctl(streams_[stream], TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
    return {kColumns, kRows};
  return {size.ws_col, size.ws_row};
}

bool StandardStreams::is_ready(int stream) const {
  if (!given_) return true;
  pollfd one = {
      .fd = streams_[stream], .events = static_cast<short>(stream == kInput ? POLLIN : POLLOUT), .revents = 0};
  return ::poll(&one, 1, 0) != 0;
}

}  // namespace wperf::sim
