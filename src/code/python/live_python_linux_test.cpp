// SPDX-License-Identifier: BSD-3-Clause
// Reads interpreters on this machine while they run a script whose stacks are known, and compares names and lines.
// Skipped if there is no interpreter, or if the system does not allow it.
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "code/python/code_objects.h"
#include "code/python/debug_offsets.h"
#include "code/python/interpreter_image_test.h"
#include "code/python/runtime.h"
#include "code/python/threads.h"
#include "ground/os/process.h"

extern char** environ;

namespace wperf::python {
namespace {

constexpr char kScript[] = R"(import functools
class Worker:
    def leaf(self, rounds):
        total = 0
        for i in range(rounds):
            total += i * i
        return total
def items():
    worker = Worker()
    while True:
        yield worker.leaf(100000)
def middle():
    for item in items():
        pass
def by_c(x, y):
    return middle()
def příčka():
    functools.reduce(by_c, [1, 2])
print("ready", flush=True)
příčka()
)";
constexpr u32 kLeafLines[] = {3, 4, 5, 6, 7};

std::string script_path() {
  const auto path = std::filesystem::path(testing::TempDir()) / ("python_live_" + std::to_string(getpid()) + ".py");
  std::ofstream(path) << kScript;
  return path.string();
}

// A script that runs as long as this object exists.
class RunningScript {
 public:
  explicit RunningScript(const std::string& python) : script_(script_path()) {
    int ends[2];
    if (pipe(ends) != 0) return;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    char* const words[] = {const_cast<char*>(python.c_str()), const_cast<char*>("-S"), script_.data(), nullptr};
    if (posix_spawn(&process_, python.c_str(), &actions, nullptr, words, environ) != 0) process_ = 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    output_ = ends[0];
    char byte = 0;
    while (byte != '\n' && process_ != 0 && ::read(output_, &byte, 1) == 1) {
    }
    is_ready_ = byte == '\n';
  }
  ~RunningScript() {
    if (process_ != 0) {
      kill(process_, SIGKILL);
      waitpid(process_, nullptr, 0);
    }
    if (output_ >= 0) close(output_);
    std::filesystem::remove(script_);
  }
  RunningScript(const RunningScript&) = delete;
  RunningScript& operator=(const RunningScript&) = delete;

  u32 process() const { return static_cast<u32>(process_); }
  bool is_ready() const { return is_ready_; }
  const std::string& path() const { return script_; }

 private:
  std::string script_;
  pid_t process_ = 0;
  int output_ = -1;
  bool is_ready_ = false;
};

struct Seen {
  int all = 0, whole = 0, with_leaf = 0, with_known_line = 0;
  std::map<std::string, int> others;
};

// "Worker.leaf < items < …": the same for all versions, except for the marks of entries.
constexpr char kCallers[] = "items < middle < by_c < příčka < <module>";

void look_at(const RawStack& stack, CodeObjects& code, const std::string& script, Seen& seen) {
  std::string text;
  u32 leaf_line = 0;
  for (usize i = 0; i < stack.frames.size(); ++i) {
    const auto id = code.id_of(stack.frames[i]);
    if (i != 0) text += " < ";
    text += id.has_value() ? code[*id].qualified_name : "?";
    EXPECT_TRUE(!id.has_value() || code[*id].file == script);
    if (i == 0 && id.has_value()) leaf_line = line_of(code, *id, stack.frames[0]);
  }
  ++seen.all;
  if (stack.end == StackEnd::outermost) ++seen.whole;
  if (text != std::string("Worker.leaf < ") + kCallers) {
    ++seen.others[text];
    return;
  }
  ++seen.with_leaf;
  if (std::ranges::find(kLeafLines, leaf_line) != std::end(kLeafLines)) ++seen.with_known_line;
}

void expect_stacks(ProcessMemory& memory, const PythonRuntime& runtime, const RunningScript& script) {
  const auto read = read_layout(memory, runtime.address, runtime.version);
  ASSERT_TRUE(read.has_value()) << read.error().text;
  const Layout& layout = read.value();
  const PythonThreads threads = list_threads(memory, layout, runtime.address);
  ASSERT_TRUE(threads.is_whole);
  ASSERT_EQ(threads.threads.size(), 1u);
  EXPECT_EQ(threads.threads[0].native_id, script.process());
  CodeObjects code(memory, layout);
  RawStack stack;
  Seen seen;
  for (int i = 0; i < 500; ++i) {
    stack = read_stack(memory, layout, threads.threads[0].state, script.process());
    look_at(stack, code, script.path(), seen);
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  EXPECT_EQ(seen.whole, seen.all);
  EXPECT_EQ(seen.with_known_line, seen.with_leaf);
  EXPECT_GE(seen.with_leaf * 10, seen.all * 9) << seen.others.begin()->first;
  EXPECT_TRUE(!stack.frames.empty() && stack.frames.back().is_entry);
}

// The system's interpreter, one that the tests fetched, or one in the user's folder of versions; empty if there is
// none.
std::string interpreter(const std::string& version) {
  const std::string name = "python" + version;
  for (const std::string folder : {"/usr/bin/", "/usr/local/bin/", WPERF_SOURCE_DIR "/build/tools/pythons/usr/bin/"}) {
    if (std::filesystem::exists(folder + name)) return folder + name;
  }
  const auto home = os::environment("HOME");
  if (!home.has_value()) return {};
  std::error_code missing;
  for (const auto& one : std::filesystem::directory_iterator(*home + "/.pyenv/versions", missing)) {
    const auto path = one.path() / "bin" / name;
    if (std::filesystem::exists(path, missing)) return path.string();
  }
  return {};
}

class LivePython : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Versions, LivePython, testing::Values("3.11", "3.12", "3.13", "3.14", "3.15"));

TEST_P(LivePython, IsReadWhileItRuns) {
  const std::string python = interpreter(GetParam());
  if (python.empty()) GTEST_SKIP() << "there is no python" << GetParam();
  const RunningScript script(python);
  if (!script.is_ready()) GTEST_SKIP() << python << " does not run the script";
  RunningMemory memory(script.process());
  const auto runtime = find_runtime(os::file_mappings(script.process()), memory, script.process());
  ASSERT_TRUE(runtime.has_value()) << runtime.error().text;
  u64 word = 0;
  if (!memory.read_number(runtime.value().address, word)) GTEST_SKIP() << "no right to read another process";
  ASSERT_FALSE(runtime.value().evaluation.empty());
  EXPECT_GT(runtime.value().evaluation[0].end, runtime.value().evaluation[0].begin);
  expect_stacks(memory, runtime.value(), script);
}

}  // namespace
}  // namespace wperf::python
