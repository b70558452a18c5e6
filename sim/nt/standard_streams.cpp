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

}  // namespace

StandardStreams::StandardStreams(const std::array<int, 3>& given) : given_(true), streams_(given) {}

StandardStreams::~StandardStreams() {
  if (!given_) return;
  for (const int stream : streams_) ::close(stream);
}

usize StandardStreams::read(u64 place, std::span<char> out) const {
  if (!given_) return read_own(place, out);
  const ssize_t got = read_again(streams_[kInput], out);
  return got < 0 ? 0 : static_cast<usize>(got);
}

usize StandardStreams::write(int stream, std::span<const char> bytes) const {
  if (!given_) {
    if (!shown_) return bytes.size();
    FILE* const file = stream == kError ? stderr : stdout;
    std::fwrite(bytes.data(), 1, bytes.size(), file);
    std::fflush(file);
    return bytes.size();
  }
  const usize piece = is_terminal(stream) ? kTerminalPiece : kPipePiece;
  usize done = 0;
  while (done < bytes.size() && is_ready(stream)) {
    const ssize_t put = ::write(streams_[stream], bytes.data() + done, std::min(piece, bytes.size() - done));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return bytes.size();
    done += static_cast<usize>(put);
  }
  return done;
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
