// SPDX-License-Identifier: BSD-3-Clause
// The client of a machine that stays on: finds and boots such a machine.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <utility>

#include "machine/live/live_machine.h"
#include "machine/live/machine_server_linux.h"
#include "machine/live/messages.h"
#include "machine/live/program_path.h"
#include "machine/live/socket_place_linux.h"
#include "machine/live/terminal_settings_linux.h"

namespace wperf::live {
namespace {

class Connection final : public LiveMachine {
 public:
  explicit Connection(Descriptor socket) : socket_(std::move(socket)) {}

  diag::Result<void> greet() {
    WPERF_TRY(Answer answer, ask(Writer(What::hello).put_text(greeting())));
    process_ = answer.fields.take<u32>();
    options_ = answer.fields.take_text();
    model_ = answer.fields.take_text();
    seed_ = answer.fields.take<u64>();
    channels_ = answer.fields.take_list<device::DeviceMemory>();
    return sound(answer);
  }

  u32 process_of_machine() const override { return process_; }
  const std::string& options() const override { return options_; }

  diag::Result<device::DriverAnswer> control(u32 code, std::span<std::byte> buffer, size_t input) override {
    WPERF_TRY(Answer answer,
              ask(Writer(What::control).put(code).put(u64{buffer.size()}).put_bytes(buffer.first(input))));
    const auto status = answer.fields.take<WperfStatus>();
    const bytes::Span bytes = answer.fields.take_bytes();
    WPERF_CHECK_OK(sound(answer));
    std::copy_n(bytes.begin(), std::min(bytes.size(), buffer.size()), buffer.begin());
    return device::DriverAnswer{status, bytes.size()};
  }

  diag::Result<std::unique_ptr<SimulatedMachine>> join() override {
    WPERF_TRY(auto other, find_machine());
    if (other == nullptr) return ended();
    return std::unique_ptr<SimulatedMachine>(std::move(other));
  }

  diag::Result<u32> spawn(const std::string& image, const std::string& command_line, u32 core) override {
    std::array<int, 3> streams = {STDIN_FILENO, stdout_is_free_ ? STDERR_FILENO : STDOUT_FILENO, STDERR_FILENO};
    const Descriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
    if (terminal_is_free_) streams.fill(nothing.number());
    auto started =
        send_program({.program = {image, command_line, core, 0, streams}, .at_once = false, .detached = false});
    return started.has_value() ? std::move(started) : wperf_driver::refused_program(std::move(started).error());
  }
  diag::Result<u32> start(const wperf_driver::SimulatedProgram& program) override {
    return send_program({.program = program, .at_once = false, .detached = false});
  }
  diag::Result<u32> run(const wperf_driver::SimulatedProgram& program, bool detached) override {
    return send_program({.program = program, .at_once = true, .detached = detached});
  }
  void keep_stdout_free() override { stdout_is_free_ = true; }
  void keep_terminal_free() override { terminal_is_free_ = true; }
  bool shares_console() const override { return true; }

  device::ProcessState process(u32 pid) override {
    auto answer = ask(Writer(What::process).put(pid));
    if (!answer.has_value()) return {};
    Fields& fields = answer.value().fields;
    device::ProcessState state;
    state.running = fields.take<u32>() != 0;
    state.exit_code = fields.take<u32>();
    state.has_times = fields.take<u32>() != 0;
    state.user_ns = fields.take<u64>();
    state.system_ns = fields.take<u64>();
    return fields.sound() ? state : device::ProcessState{};
  }
  void kill(u32 pid) override { static_cast<void>(ask(Writer(What::kill).put(pid))); }
  bool interrupt(u32 pid) override {
    auto answer = ask(Writer(What::interrupt).put(pid));
    return answer.has_value() && answer.value().fields.take<u32>() != 0;
  }
  std::optional<diag::Error> crash_of(u32 /*pid*/) override { return std::nullopt; }  // wait() reports it
  std::vector<readings::Process> processes() override {
    auto answer = ask(Writer(What::processes));
    return answer.has_value() ? read_processes(answer.value().fields) : std::vector<readings::Process>();
  }

  diag::Result<void> wait(u64 nanoseconds, u32 until_pid) override {
    WPERF_TRY(const Answer answer, ask(Writer(What::wait).put(nanoseconds).put(until_pid)));
    return {};
  }
  // Returns the last known time if the machine has ended.
  u64 now_ns() override {
    auto answer = ask(Writer(What::now));
    if (answer.has_value()) now_ns_ = answer.value().fields.take<u64>();
    return now_ns_;
  }
  std::optional<u64> seed() const override { return seed_; }
  u32 usual_cycle_interval() const override { return wperf_driver::kSimulatedCycleInterval; }
  std::vector<device::DeviceMemory> dmc_channels() override { return channels_; }
  u32 dsu_clusters() override { return 0; }
  device::DeviceIdentity identity() override { return wperf_driver::simulated_identity(); }
  std::string model() override { return model_; }

  void watch_schedule(std::span<const u16> events) override {
    static_cast<void>(ask(Writer(What::watch_schedule).put_list(events)));
  }
  std::vector<WperfSimScheduleEvent> take_schedule() override {
    return ask_list<WperfSimScheduleEvent>(Writer(What::take_schedule));
  }
  usize schedule_notes() override { return 0; }  // only the machine's own process uses it
  void unwatch_schedule() override {}            // ends together with this client
  void visit_cores(u32 process, u32 thread) override {
    static_cast<void>(ask(Writer(What::visit_cores).put(process).put(thread)));
  }
  std::vector<WperfSimThreadTruth> schedule_truth() override {
    return ask_list<WperfSimThreadTruth>(Writer(What::schedule_truth));
  }

  bool watch_samples(device::SampleWatcher* watcher) override {
    if (watcher == watcher_) return true;
    const bool is_done = ask(Writer(What::watch_samples).put(u32{watcher != nullptr})).has_value();
    watcher_ = watcher;
    return is_done;
  }
  bool read_memory(u32 pid, u64 address, std::span<std::byte> to) override {
    if (!is_in_moment_ || to.size() > kMostMemory) return false;
    Writer writer(What::read_memory);
    put_memory_request(writer, {.process = pid, .address = address, .size = to.size()});
    auto answer = ask(writer);
    if (!answer.has_value()) return false;
    const bytes::Span bytes = answer.value().fields.take_bytes();
    if (bytes.size() != to.size()) return false;
    std::ranges::copy(bytes, to.begin());
    return true;
  }

  diag::Result<void> stop() override {
    WPERF_TRY(const Answer answer, ask(Writer(What::stop)));
    // The machine closes the socket after it has ended.
    std::array<char, 64> rest{};
    std::vector<Descriptor> none;
    while (receive_some(socket_.number(), rest.data(), rest.size(), none) > 0) {
    }
    return {};
  }

 private:
  struct Answer {
    std::vector<char> bytes;
    Fields fields;  // point into `bytes`, even after a move
  };

  diag::Error ended() const {
    return {.text = "the simulated machine" +
                    (process_ == 0 ? std::string() : " (process " + std::to_string(process_) + ")") +
                    " has ended, or does not answer this wperf any more",
            .hint = "`wperf machine start` boots one if none is up"};
  }
  diag::Result<void> sound(const Answer& answer) const {
    if (answer.fields.sound()) return {};
    return diag::Error{.text = "the simulated machine sent an invalid answer", .hint = {}};
  }

  diag::Result<Answer> ask(Writer&& request, const std::vector<int>& descriptors = {}) {
    return ask(request, descriptors);
  }
  diag::Result<Answer> ask(Writer& request, const std::vector<int>& descriptors = {}) {
    const bool in_moment = is_in_moment_;
    if (in_moment) request.in_moment();
    const std::string message = std::move(request).take();
    for (size_t sent = 0; sent < message.size();) {
      const long now = send_some(socket_.number(), std::string_view(message).substr(sent),
                                 sent == 0 ? descriptors : std::vector<int>());
      if (now < 0) return ended();
      sent += static_cast<size_t>(now);
    }
    while (true) {
      WPERF_TRY(std::vector<char> bytes, next_message(in_moment));
      const FoundMessage found = find_message({bytes.data(), bytes.size()}, in_moment);
      Fields fields(found.fields);
      if (found.header.what == kMoment) {
        see(fields);
        continue;
      }
      if ((found.header.what & ~kInMoment) != 0) return read_error(fields);
      return Answer{std::move(bytes), fields};
    }
  }

  // Takes the next message from the bytes that have arrived.
  diag::Result<std::vector<char>> next_message(bool in_moment) {
    std::vector<Descriptor> none;
    FoundMessage found;
    while (!(found = find_message(in_, in_moment)).complete) {
      constexpr size_t kStep = 1u << 16;
      const size_t before = in_.size();
      in_.resize(before + kStep);
      const long got = found.damaged ? -1 : receive_some(socket_.number(), in_.data() + before, kStep, none);
      in_.resize(before + static_cast<size_t>(std::max(got, 0L)));
      if (got <= 0) return ended();
    }
    const auto begin = in_.begin() + static_cast<std::ptrdiff_t>(found.begin);
    const auto end = begin + static_cast<std::ptrdiff_t>(sizeof(Header) + found.header.size);
    std::vector<char> message(begin, end);
    in_.erase(begin, end);
    return message;
  }

  // The machine stands still until the answer to `end_moment`.
  void see(Fields& fields) {
    const auto moment = read_moment(fields);
    is_in_moment_ = true;
    if (moment.has_value() && watcher_ != nullptr) watcher_->see(*moment);
    static_cast<void>(ask(Writer(What::end_moment)));
    is_in_moment_ = false;
  }

  template <typename T>
  std::vector<T> ask_list(Writer&& request) {
    auto answer = ask(std::move(request));
    return answer.has_value() ? answer.value().fields.template take_list<T>() : std::vector<T>();
  }

  // The streams still belong to the caller; the machine gets copies.
  diag::Result<u32> send_program(StartRequest request) {
    make_absolute(request.program);
    if (request.program.streams.has_value()) terminal_.emplace(request.program.streams->front());
    Writer writer(What::start);
    put_start(writer, request);
    std::vector<int> streams;
    if (request.program.streams.has_value())
      streams.assign(request.program.streams->begin(), request.program.streams->end());
    WPERF_TRY(Answer answer, ask(writer, streams));
    const auto pid = answer.fields.take<u32>();
    WPERF_CHECK_OK(sound(answer));
    return pid;
  }

  Descriptor socket_;
  u32 process_ = 0;
  std::string options_, model_;
  u64 seed_ = 0, now_ns_ = 0;
  std::string in_;  // bytes after the last message that was taken
  device::SampleWatcher* watcher_ = nullptr;
  bool is_in_moment_ = false;
  std::vector<device::DeviceMemory> channels_;
  bool stdout_is_free_ = false, terminal_is_free_ = false;
  std::optional<TerminalSettings> terminal_;  // of its latest program
};

// The booting process writes its error for the process that waits for it. Without an error it only closes the pipe.
void send_error(int pipe, const diag::Error& error) {
  const std::string message = Writer::refusal(error).take();
  static_cast<void>(!::write(pipe, message.data(), message.size()));
}

diag::Result<Descriptor> take_lock() {
  WPERF_TRY(const std::string path, path_of_machine(".lock"));
  Descriptor lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
  if (!lock.is_open()) return diag::system_error("cannot open " + path, errno);
  std::array<char, 16> holder{};
  if (::flock(lock.number(), LOCK_EX | LOCK_NB) == 0) {
    const std::string own = std::to_string(::getpid());
    own.copy(holder.data(), holder.size() - 1);
    if (::pwrite(lock.number(), holder.data(), holder.size(), 0) < 0)
      return diag::system_error("cannot write " + path, errno);
    return lock;
  }
  if (::pread(lock.number(), holder.data(), holder.size() - 1, 0) < 0)
    return diag::system_error("cannot read " + path, errno);
  return diag::usage_error(
      "a simulated machine is up already (process " + std::to_string(std::atoi(holder.data())) + ")",
      "`wperf machine stop` ends it; with another WPERF_SIM_INSTANCE a second one can be up");
}

// The machine's process: keeps nothing from its parent except the current folder.
[[noreturn]] void be_the_machine(const std::string& options, int pipe) {
  ::setsid();
  const int nothing = ::open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, stream);
  constexpr int kPipe = 3;
  ::dup2(pipe, kPipe);
  ::fcntl(kPipe, F_SETFD, FD_CLOEXEC);
  ::close_range(kPipe + 1, ~0u, 0);
  const auto serve = [&]() -> diag::Result<void> {
    WPERF_TRY(Descriptor lock, take_lock());
    WPERF_TRY(auto server, MachineServer::boot(options));
    ::close(kPipe);
    server->run();
    lock = Descriptor();  // released before the clients' sockets close, because `stop` then assumes that another
                          // machine can start
    return {};
  };
  const diag::Result<void> done = serve();
  if (!done.has_value()) send_error(kPipe, done.error());
  std::_Exit(done.has_value() ? 0 : 1);
}

// Reads the error from the pipe; null if there is none.
std::optional<diag::Error> hear(int pipe) {
  std::string bytes;
  std::array<char, 4096> part{};
  while (true) {
    const ssize_t got = ::read(pipe, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    bytes.append(part.data(), static_cast<size_t>(got));
  }
  const FoundMessage found = find_message(bytes);
  if (!found.complete) return std::nullopt;
  Fields fields(found.fields);
  return read_error(fields);
}

}  // namespace

diag::Result<std::unique_ptr<LiveMachine>> find_machine() {
  WPERF_TRY(Descriptor socket, connect_to_machine());
  if (!socket.is_open()) return std::unique_ptr<LiveMachine>();
  auto connection = std::make_unique<Connection>(std::move(socket));
  WPERF_CHECK_OK(connection->greet());
  return std::unique_ptr<LiveMachine>(std::move(connection));
}

diag::Result<std::unique_ptr<LiveMachine>> boot_machine(const std::string& options) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return diag::system_error("cannot make a pipe", errno);
  const Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) return diag::system_error("cannot start the process of the machine", errno);
  if (child == 0) {
    // Forks again, so that the machine is not a child of this process.
    if (::fork() == 0) be_the_machine(options, writing.number());
    std::_Exit(0);
  }
  writing = Descriptor();
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (auto error = hear(reading.number()); error.has_value()) return std::move(*error);
  WPERF_TRY(auto machine, find_machine());
  if (machine != nullptr) return machine;
  return diag::Error{.text = "the simulated machine ended while it booted", .hint = {}};
}

}  // namespace wperf::live
