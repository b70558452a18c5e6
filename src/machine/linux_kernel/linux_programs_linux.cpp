// SPDX-License-Identifier: BSD-3-Clause
#include "machine/linux_kernel/linux_programs_linux.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <system_error>

#include "ground/os/files.h"
#include "ground/os/process.h"
#include "ground/text/shell_words.h"
#include "machine/perf_events/system_files.h"

namespace wperf::linux_kernel {
namespace {

using perf_events::Descriptor;

constexpr u64 kNanosecondsPerSecond = 1'000'000'000;
constexpr u64 kPatienceNs = kNanosecondsPerSecond / 5;  // time for a program to end after it was asked to

u64 nanoseconds_of(const timeval& time) {
  return static_cast<u64>(time.tv_sec) * kNanosecondsPerSecond + static_cast<u64>(time.tv_usec) * 1000;
}

Descriptor open_handle(u32 pid) {
  return Descriptor(static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0)));
}

// The path of the process's program, or its short name if the path may not be read.
std::string image_of(u32 pid) {
  std::error_code error;
  const auto path = std::filesystem::read_symlink(fmt::format("/proc/{}/exe", pid), error);
  if (!error) return path.string();
  return perf_events::SystemFiles().text(fmt::format("/proc/{}/comm", pid)).value_or("");
}

readings::Process described(u32 pid, const std::string& image) {
  readings::Process process;
  process.pid = pid;
  process.image = image;
  readings::Module module;
  module.path = image;
  module.name = image.substr(image.find_last_of('/') + 1);
  process.modules.push_back(std::move(module));
  return process;
}

// Does the kernel have an interpreter for such files, for example Wine?
bool has_interpreter_of_windows_programs() {
  const perf_events::SystemFiles files;
  constexpr std::string_view kFolder = "/proc/sys/fs/binfmt_misc";
  for (const std::string& name : files.names(std::string(kFolder))) {
    const std::string text = files.text(fmt::format("{}/{}", kFolder, name)).value_or("");
    if (text.starts_with("enabled") && text.find("magic 4d5a") != std::string::npos) return true;
  }
  return false;
}

// "#!/usr/bin/env python3" → "/usr/bin/env"
std::string interpreter_of(std::string_view script) {
  script.remove_prefix(std::min(script.find_first_not_of(" \t", 2), script.size()));
  return std::string(script.substr(0, script.find_first_of(" \t\r\n")));
}

// Reports an error before the recording replaces an old file. A shell would run a Windows program as a script. Some
// programs have this header and are also scripts, so that they run on all systems.
diag::Result<void> check_file(const std::string& path) {
  constexpr std::string_view kWindows = "MZ", kForAllSystems = "MZqFpD='", kScript = "#!";
  char begin[256] = {};
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return {};  // executable, but not readable
  const ssize_t got = read(file.number(), begin, sizeof begin);
  if (got < 0 && errno == EISDIR) return diag::system_error(path + " cannot be executed", EISDIR);
  const std::string_view text(begin, got > 0 ? static_cast<usize>(got) : 0);
  if (text.starts_with(kScript)) {
    const std::string interpreter = interpreter_of(text);
    if (!interpreter.empty() && access(interpreter.c_str(), X_OK) != 0)
      return diag::system_error(path + " cannot be executed: its interpreter " + interpreter, errno);
  }
  if (!text.starts_with(kWindows) || text.starts_with(kForAllSystems) || has_interpreter_of_windows_programs())
    return {};
  return diag::usage_error(path + " is a Windows program, but this device runs Linux programs",
                           "run ARM64 Windows programs on a simulated machine with `--device sim`");
}

// A file without execute permission may still be a program, or a script for an interpreter.
diag::Error may_not_execute(const std::string& path) {
  diag::Error error = diag::system_error(path, EACCES);
  struct stat facts{};
  if (stat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode) || access(path.c_str(), R_OK) != 0) return error;
  error.hint = "make it executable with `chmod +x " + text::quoted_word(path) + "`";
  if (path.ends_with(".py")) error.hint += ", or start it with `-- python3 " + text::quoted_word(path) + "`";
  if (path.ends_with(".sh")) error.hint += ", or start it with `-- sh " + text::quoted_word(path) + "`";
  return error;
}

// Searches as execvp does, to report an error before the measurement.
diag::Result<void> check_executable(const std::string& image) {
  if (image.find('/') != std::string::npos) {
    if (access(image.c_str(), X_OK) == 0) return check_file(image);
    return errno == EACCES ? may_not_execute(image) : diag::system_error(image, errno);
  }
  const char* list = std::getenv("PATH");
  std::string_view folders = list != nullptr ? list : "/bin:/usr/bin";
  while (!folders.empty()) {
    const std::string_view folder = folders.substr(0, folders.find(':'));
    folders.remove_prefix(std::min(folder.size() + 1, folders.size()));
    const std::string path = (folder.empty() ? "." : std::string(folder)) + "/" + image;
    if (access(path.c_str(), X_OK) == 0 && !os::is_folder(path)) return check_file(path);
  }
  return diag::Error{.text = fmt::format("{}: no such program in the folders of PATH", image),
                     .hint = "for a program in the current folder write ./" + image,
                     .system_error = ENOENT};
}

struct Child {
  int release, failure;  // ends of pipes: the child waits for a byte from the first, and writes the error of exec to
                         // the second
  u32 core;
  bool stdout_is_free, terminal_is_free;
};

// Runs in the child until the exec; may only call functions that are safe after fork.
[[noreturn]] void become_program(char* const* words, const Child& child) {
  if (child.stdout_is_free) dup2(STDERR_FILENO, STDOUT_FILENO);
  const int nowhere = child.terminal_is_free ? open("/dev/null", O_RDWR | O_CLOEXEC) : -1;
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (nowhere >= 0) dup2(nowhere, stream);
  }
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  signal(SIGPIPE, SIG_DFL);
  if (child.core < CPU_SETSIZE) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(child.core, &set);
    sched_setaffinity(0, sizeof set, &set);
  }
  char go = 0;
  ssize_t got = 0;
  do {
    got = read(child.release, &go, 1);
  } while (got < 0 && errno == EINTR);
  if (got == 1) {
    execvp(words[0], words);
    const int error = errno;
    static_cast<void>(!write(child.failure, &error, sizeof error));
  }
  _exit(127);
}

// A file name may contain quotes on Linux, but not in a Windows command line.
std::vector<std::string> words_of(const std::string& image, const std::string& command_line) {
  const std::string begin = os::join_command_line({&image, 1});
  if (image.find('"') == std::string::npos || !command_line.starts_with(begin)) {
    std::vector<std::string> words = os::split_command_line(command_line);
    if (words.empty()) words.push_back(image);
    return words;
  }
  std::vector<std::string> words = os::split_command_line("program" + command_line.substr(begin.size()));
  words.front() = image;
  return words;
}

}  // namespace

LinuxPrograms::~LinuxPrograms() {
  for (auto& [pid, known] : known_) {
    if (!known.child || !known.running) continue;
    kill(pid);
  }
}

diag::Result<u32> LinuxPrograms::spawn(const std::string& image, const std::string& command_line, u32 core) {
  WPERF_CHECK_OK(check_executable(image));
  std::vector<std::string> words = words_of(image, command_line);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  int release[2], failure[2];
  if (pipe2(release, O_CLOEXEC) != 0) return diag::system_error(image + " cannot be started", errno);
  Known known;
  known.release = Descriptor(release[1]);
  const Descriptor release_end(release[0]);
  if (pipe2(failure, O_CLOEXEC) != 0) return diag::system_error(image + " cannot be started", errno);
  known.failure = Descriptor(failure[0]);
  const Descriptor failure_end(failure[1]);
  const pid_t pid = fork();
  if (pid < 0) return diag::system_error(image + " cannot be started", errno);
  if (pid == 0) {
    close(release[1]);  // otherwise the program would wait forever if wperf is killed
    become_program(pointers.data(), {.release = release[0],
                                     .failure = failure[1],
                                     .core = core,
                                     .stdout_is_free = stdout_is_free_,
                                     .terminal_is_free = terminal_is_free_});
  }
  known.image = image;
  known.child = true;
  known.handle = open_handle(static_cast<u32>(pid));
  known_[static_cast<u32>(pid)] = std::move(known);
  return static_cast<u32>(pid);
}

diag::Result<void> LinuxPrograms::release(u32 pid, Known& known) {
  const char go = 1;
  const ssize_t sent = write(known.release.number(), &go, 1);
  known.release.reset();
  int error = 0;
  ssize_t got = 0;
  do {
    got = read(known.failure.number(), &error, sizeof error);  // the pipe is closed when the program starts
  } while (got < 0 && errno == EINTR);
  known.failure.reset();
  if (sent == 1 && got != sizeof error) return {};
  known.has_started = false;
  look_at(pid, known);
  return diag::system_error(known.image + " cannot be executed", error);
}

bool LinuxPrograms::shares_console() const {
  return std::any_of(known_.begin(), known_.end(), [](const auto& one) { return one.second.child; });
}

bool LinuxPrograms::has_started(u32 pid) const {
  const auto found = known_.find(pid);
  return found == known_.end() || found->second.has_started;
}

bool LinuxPrograms::is_held(u32 pid) const {
  const auto found = known_.find(pid);
  return found != known_.end() && found->second.release.is_open();
}

std::vector<int> LinuxPrograms::threads_to_watch(u32 pid) const {
  std::vector<int> threads;
  if (!is_held(pid)) {
    for (const u32 thread : perf_events::SystemFiles().numbers(fmt::format("/proc/{}/task", pid))) {
      threads.push_back(static_cast<int>(thread));
    }
  }
  if (threads.empty()) threads.push_back(static_cast<int>(pid));
  return threads;
}

void LinuxPrograms::look_at(u32 pid, Known& known) {
  if (!known.running) return;
  if (known.child) {
    int status = 0;
    rusage used{};
    if (wait4(static_cast<pid_t>(pid), &status, WNOHANG, &used) != static_cast<pid_t>(pid)) return;
    known.running = false;
    known.user_ns = nanoseconds_of(used.ru_utime);
    known.system_ns = nanoseconds_of(used.ru_stime);
    known.signal = WIFSIGNALED(status) ? static_cast<u32>(WTERMSIG(status)) : 0;
    known.exit_code = static_cast<u32>(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
    return;
  }
  pollfd ended{.fd = known.handle.number(), .events = POLLIN, .revents = 0};
  const bool gone = known.handle.is_open() ? poll(&ended, 1, 0) == 1 : ::kill(static_cast<pid_t>(pid), 0) != 0;
  known.running = !gone;
}

device::ProcessState LinuxPrograms::process(u32 pid) {
  auto found = known_.find(pid);
  if (found == known_.end()) {
    if (!perf_events::SystemFiles().exists(fmt::format("/proc/{}", pid))) return {};
    Known known;
    known.image = image_of(pid);
    known.handle = open_handle(pid);
    found = known_.emplace(pid, std::move(known)).first;
  }
  look_at(pid, found->second);
  const Known& known = found->second;
  return {.running = known.running,
          .exit_code = known.exit_code,
          .signal = known.signal,
          .has_times = known.child && !known.running,
          .user_ns = known.user_ns,
          .system_ns = known.system_ns};
}

void LinuxPrograms::kill(u32 pid) {
  const auto found = known_.find(pid);
  if (found == known_.end() || !found->second.child) return;
  Known& known = found->second;
  known.release.reset();  // if the child is still held, it ends by itself
  look_at(pid, known);
  if (!known.running) return;
  ::kill(static_cast<pid_t>(pid), SIGTERM);
  const u64 end = now_ns() + kPatienceNs;
  while (known.running && now_ns() < end) {
    static_cast<void>(wait(end - now_ns(), pid));
    look_at(pid, known);
  }
  if (!known.running) return;
  ::kill(static_cast<pid_t>(pid), SIGKILL);
  waitpid(static_cast<pid_t>(pid), nullptr, 0);
  known.running = false;
}

// Returns the programs that were requested before, or all programs if none were requested. Reading all programs of a
// machine takes longer than a short measurement.
std::vector<readings::Process> LinuxPrograms::processes() {
  std::vector<readings::Process> processes;
  for (auto& [pid, known] : known_) {
    look_at(pid, known);
    readings::Process& one = processes.emplace_back(described(pid, known.image));
    one.running = known.running;
    one.exit_code = known.exit_code;
  }
  if (!processes.empty()) return processes;
  for (const u32 pid : perf_events::SystemFiles().numbers("/proc")) {
    if (pid == static_cast<u32>(getpid())) continue;
    processes.push_back(described(pid, image_of(pid)));
    processes.back().running = true;
  }
  return processes;
}

diag::Result<void> LinuxPrograms::wait(u64 nanoseconds, u32 until_pid) {
  for (auto& [pid, known] : known_) {
    if (known.release.is_open()) WPERF_CHECK_OK(release(pid, known));
  }
  const auto found = known_.find(until_pid);
  pollfd ended{.fd = found != known_.end() ? found->second.handle.number() : -1, .events = POLLIN, .revents = 0};
  // Without process handles (kernels before 5.3), the end of a program is polled every millisecond.
  const bool blind = found != known_.end() && !found->second.handle.is_open();
  const u64 slice = blind ? std::min<u64>(nanoseconds, 1'000'000) : nanoseconds;
  const timespec time{.tv_sec = static_cast<time_t>(slice / kNanosecondsPerSecond),
                      .tv_nsec = static_cast<long>(slice % kNanosecondsPerSecond)};
  static_cast<void>(ppoll(&ended, 1, &time, nullptr));
  return {};
}

u64 LinuxPrograms::now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<u64>(time.tv_sec) * kNanosecondsPerSecond + static_cast<u64>(time.tv_nsec);
}

}  // namespace wperf::linux_kernel
