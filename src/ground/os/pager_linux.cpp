// SPDX-License-Identifier: BSD-3-Clause
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "ground/os/pager.h"

namespace wperf::os {
namespace {

constexpr int kNotFound = 127, kNotExecutable = 126;  // exit codes of a shell

// Signals from the reader's keys are for the pager; quitting it early is not an error.
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
  // As git sets them: quit where all fits, show colours, leave the text on the screen.
  setenv("LESS", "FRX", 0);
  setenv("LV", "-c", 0);
  std::FILE* pager = popen(command.c_str(), "w");
  if (pager == nullptr) return false;
  const Ignored interrupt(SIGINT), pipe(SIGPIPE);
  std::fwrite(text.data(), 1, text.size(), pager);
  const int status = pclose(pager);
  return !WIFEXITED(status) || (WEXITSTATUS(status) != kNotFound && WEXITSTATUS(status) != kNotExecutable);
}

}  // namespace wperf::os
