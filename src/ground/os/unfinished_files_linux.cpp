// SPDX-License-Identifier: BSD-3-Clause
#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "ground/os/unfinished_files.h"

namespace wperf::os {
namespace {

std::atomic<pid_t> caring{0};  // the process that registered the handler; in a child, which will become another
                               // program, the handler does nothing

// The raised signal is delivered when this returns, and then ends the process as usual.
void on_end(int number) {
  if (getpid() == caring.load()) remove_unfinished_files();
  signal(number, SIG_DFL);
  raise(number);
}

}  // namespace

namespace unfinished_files {

void remove(const char* path) {
  ::unlink(path);
}

void reinstall_handlers() {
  if (caring.load() == 0) return;
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    struct sigaction found{};
    const bool is_default =
        sigaction(number, nullptr, &found) == 0 && (found.sa_flags & SA_SIGINFO) == 0 && found.sa_handler == SIG_DFL;
    if (!is_default) continue;
    struct sigaction action{};
    action.sa_handler = on_end;
    sigaction(number, &action, nullptr);
  }
}

}  // namespace unfinished_files

void remove_unfinished_when_ended() {
  caring.store(getpid());
  unfinished_files::reinstall_handlers();
}

}  // namespace wperf::os
