// SPDX-License-Identifier: BSD-3-Clause
#include "machine/live/machine_server_linux.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <list>
#include <optional>
#include <utility>

#include "machine/live/client_socket_linux.h"
#include "machine/live/messages.h"
#include "machine/live/sample_moments_linux.h"
#include "machine/live/socket_place_linux.h"
#include "machine/live/wall_clock_pace_linux.h"

namespace wperf::live {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

constexpr size_t kMostClients = 64;
// A long wait is answered before it is over, so that Ctrl-C is noticed.
constexpr nanoseconds kLongestWait{100'000'000};

volatile std::sig_atomic_t stop_requested = 0;

struct ClientsProgram {
  u32 pid = 0;
  bool detached = false;
  bool crash_reported = false;
};

struct Waiting {
  u64 until_ns = 0;
  u32 until_pid = 0;
  Clock::time_point answered_by;
};

struct Client : ClientSocket {
  std::unique_ptr<wperf_driver::SimulatedMachine> machine;  // null before its greeting
  std::vector<ClientsProgram> programs;
  std::optional<Waiting> waiting;
  bool watches_schedule = false;
};

class Server final : public MachineServer {
 public:
  Server(std::string options, std::unique_ptr<wperf_driver::SimulatedMachine> machine, Descriptor socket)
      : options_(std::move(options)),
        machine_(std::move(machine)),
        pace_(*machine_),
        moments_(*machine_),
        socket_(std::move(socket)) {}

  void run() override;

 private:
  void exchange(int timeout_ms);
  void accept_clients();
  void answer_requests(Client& client);
  void answer(Client& client, What what, Fields fields);
  void end_waits();
  void drop_sleeping_watchers();
  void forget(Client& client);
  std::optional<diag::Error> new_crash(Client& client);

  Writer greet(Client& client, Fields& fields);
  Writer control(Client& client, Fields& fields);
  Writer start(Client& client, Fields& fields);
  Writer process(Fields& fields);
  Writer plain(What what, Fields& fields);

  std::string options_;
  std::unique_ptr<wperf_driver::SimulatedMachine> machine_;
  WallClockPace pace_;
  SampleMoments moments_;
  Descriptor socket_;
  std::list<Client> clients_;
  bool stopping_ = false;
};

void Server::run() {
  while (!stopping_ && stop_requested == 0) {
    const auto waits = [](const Client& one) { return one.waiting.has_value(); };
    const bool is_awaited = std::any_of(clients_.begin(), clients_.end(), waits);
    // end_waits() reports a crash to the client that started the program.
    const int timeout_ms = pace_.pass(moments_.is_watched() ? &moments_ : nullptr, is_awaited);
    end_waits();
    drop_sleeping_watchers();
    exchange(timeout_ms);
    std::erase_if(clients_, [&](Client& client) {
      if (client.gone) forget(client);
      return client.gone;
    });
  }
  const auto path = path_of_machine(".socket");
  if (path.has_value()) ::unlink(path.value().c_str());
  machine_.reset();
}

void Server::exchange(int timeout_ms) {
  std::vector<pollfd> awaited = {{.fd = socket_.number(), .events = POLLIN, .revents = 0}};
  for (Client& client : clients_) {
    answer_requests(client);  // some may have arrived while the client watched a sample
    awaited.push_back({.fd = client.socket.number(),
                       .events = static_cast<short>(client.out.empty() ? POLLIN : POLLOUT),
                       .revents = 0});
  }
  if (::poll(awaited.data(), awaited.size(), timeout_ms) <= 0) return;
  auto one = awaited.begin() + 1;
  for (Client& client : clients_) {
    if ((one->revents & POLLOUT) != 0) {
      client.send();
    } else if (one->revents != 0) {
      client.receive();
      answer_requests(client);
    }
    ++one;
  }
  if (awaited.front().revents != 0) accept_clients();
}

void Server::accept_clients() {
  while (true) {
    Descriptor socket(::accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket.is_open()) return;
    ucred peer{};
    socklen_t size = sizeof peer;
    const bool own =
        ::getsockopt(socket.number(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == ::geteuid();
    if (!own || clients_.size() >= kMostClients) continue;
    clients_.emplace_back().socket = std::move(socket);
  }
}

// A client makes one request at a time: further messages wait until it has its answer.
void Server::answer_requests(Client& client) {
  moments_.answer(client);
  while (!client.gone && client.out.empty() && !client.waiting.has_value()) {
    const FoundMessage found = find_message(client.in);
    client.gone |= found.damaged;
    if (!found.complete || found.damaged) return;
    answer(client, static_cast<What>(found.header.what), Fields(found.fields));
    client.in.erase(found.begin, sizeof(Header) + found.header.size);
    client.send();
  }
}

// The driver forgets the client, whose programs have lost their console.
void Server::forget(Client& client) {
  for (const ClientsProgram& program : client.programs)
    if (!program.detached) machine_->kill(program.pid);  // if the program has ended, this ends its children
  moments_.set_watching(client, false);
  const bool watched = std::exchange(client.watches_schedule, false);
  const auto watches = [](const Client& one) { return one.watches_schedule; };
  if (watched && std::none_of(clients_.begin(), clients_.end(), watches)) machine_->unwatch_schedule();
}

std::optional<diag::Error> Server::new_crash(Client& client) {
  for (ClientsProgram& program : client.programs) {
    if (program.crash_reported || machine_->process(program.pid).running) continue;
    program.crash_reported = true;
    if (auto crash = machine_->crash_of(program.pid); crash.has_value()) return crash;
  }
  return std::nullopt;
}

void Server::end_waits() {
  const u64 now_ns = machine_->now_ns();
  const Clock::time_point wall = Clock::now();
  for (Client& client : clients_) {
    if (!client.waiting.has_value()) continue;
    const Waiting& waiting = *client.waiting;
    const bool ended = waiting.until_pid != 0 && !machine_->process(waiting.until_pid).running;
    auto crash = new_crash(client);
    if (!crash.has_value() && !ended && now_ns < waiting.until_ns && wall < waiting.answered_by) continue;
    client.waiting.reset();
    client.out += crash.has_value() ? Writer::refusal(*crash).take() : Writer::answer().take();
    client.send();
  }
}

// Schedule notes are kept until their client fetches them.
void Server::drop_sleeping_watchers() {
  constexpr usize kMostNotes = 1'000'000;
  if (machine_->schedule_notes() <= kMostNotes) return;
  for (Client& client : clients_) client.gone |= client.watches_schedule;
}

Writer Server::greet(Client& client, Fields& fields) {
  if (fields.take_text() != greeting()) {
    return Writer::refusal(
        {.text = "the simulated machine belongs to another build of wperf",
         .hint = "end it with `wperf machine stop` of that build, or kill process " + std::to_string(::getpid())});
  }
  auto joined = machine_->join();
  if (!joined.has_value()) return Writer::refusal(joined.error());
  client.machine = std::move(joined).value();
  Writer writer = Writer::answer();
  writer.put(static_cast<u32>(::getpid())).put_text(options_).put_text(machine_->model());
  writer.put(machine_->seed().value_or(0)).put_list(std::span<const device::DeviceMemory>(machine_->dmc_channels()));
  return writer;
}

Writer Server::control(Client& client, Fields& fields) {
  const auto code = fields.take<u32>();
  const auto capacity = fields.take<u64>();
  const bytes::Span input = fields.take_bytes();
  if (!fields.sound() || capacity > kMostBytes / 2 || input.size() > capacity) return refusal_of_damage();
  std::vector<std::byte> buffer(static_cast<size_t>(capacity));
  std::copy(input.begin(), input.end(), buffer.begin());
  const auto done = client.machine->control(code, buffer, input.size());
  if (!done.has_value()) return Writer::refusal(done.error());
  Writer writer = Writer::answer();
  writer.put(done.value().first).put_bytes(std::span(buffer).first(std::min(done.value().second, buffer.size())));
  return writer;
}

// A program without streams reads and writes nothing.
Writer Server::start(Client& client, Fields& fields) {
  std::vector<Descriptor> given = std::exchange(client.descriptors, {});
  std::optional<StartRequest> request = read_start(fields);
  if (!request.has_value()) return refusal_of_damage();
  given.resize(kStreams);
  std::array<int, kStreams> streams{};
  for (size_t index = 0; index < kStreams; ++index)
    streams[index] = given[index].is_open() ? given[index].release() : ::open("/dev/null", O_RDWR | O_CLOEXEC);
  request->program.streams = streams;
  auto started = client.machine->start(request->program);
  if (!started.has_value()) return Writer::refusal(started.error());
  pace_.expect_programs();
  client.programs.push_back({.pid = started.value(), .detached = request->detached, .crash_reported = false});
  if (request->at_once) static_cast<void>(client.machine->wait(0, 0));
  Writer writer = Writer::answer();
  writer.put(started.value());
  return writer;
}

Writer Server::process(Fields& fields) {
  const device::ProcessState state = machine_->process(fields.take<u32>());
  Writer writer = Writer::answer();
  writer.put(u32{state.running}).put(state.exit_code).put(u32{state.has_times}).put(state.user_ns).put(state.system_ns);
  return writer;
}

Writer Server::plain(What what, Fields& fields) {
  Writer writer = Writer::answer();
  switch (what) {
    case What::kill:
      machine_->kill(fields.take<u32>());
      break;
    case What::interrupt:
      writer.put(u32{machine_->interrupt(fields.take<u32>())});
      break;
    case What::processes:
      put_processes(writer, machine_->processes());
      break;
    case What::now:
      writer.put(machine_->now_ns());
      break;
    case What::take_schedule:
      writer.put_list(std::span<const WperfSimScheduleEvent>(machine_->take_schedule()));
      break;
    case What::visit_cores: {
      const auto process = fields.take<u32>();
      machine_->visit_cores(process, fields.take<u32>());
      break;
    }
    case What::schedule_truth:
      writer.put_list(std::span<const WperfSimThreadTruth>(machine_->schedule_truth()));
      break;
    case What::stop:
      stopping_ = true;
      break;
    default:
      return refusal_of_damage();
  }
  return writer;
}

void Server::answer(Client& client, What what, Fields fields) {
  if (client.machine == nullptr && what != What::hello) {
    client.out = refusal_of_damage().take();
    return;
  }
  switch (what) {
    case What::hello:
      client.out = greet(client, fields).take();
      break;
    case What::control:
      client.out = control(client, fields).take();
      break;
    case What::start:
      client.out = start(client, fields).take();
      break;
    case What::process:
      client.out = process(fields).take();
      break;
    case What::watch_schedule:
      machine_->watch_schedule(fields.take_list<u16>());
      client.watches_schedule = true;
      client.out = Writer::answer().take();
      break;
    case What::watch_samples:
      moments_.set_watching(client, fields.take<u32>() != 0);
      client.out = Writer::answer().take();
      break;
    case What::wait: {
      const auto duration_ns = fields.take<u64>();
      const auto until_pid = fields.take<u32>();
      static_cast<void>(client.machine->wait(0, 0));  // its programs keep running
      const u64 now_ns = machine_->now_ns();
      client.waiting = Waiting{.until_ns = duration_ns > ~now_ns ? ~u64{0} : now_ns + duration_ns,
                               .until_pid = until_pid,
                               .answered_by = Clock::now() + kLongestWait};
      break;
    }
    default:
      client.out = plain(what, fields).take();
  }
}

void on_signal(int /*number*/) {
  stop_requested = 1;
}

// Such a machine follows the wall clock by default, because its clients must be answered even if nothing happens.
diag::Result<std::string> options_for_staying_on(std::string options) {
  for (const std::string key : {"pace", "instance"}) {
    if (!wperf_driver::option_of(options, key).has_value()) continue;
    return diag::usage_error(
        "a machine that stays on takes no option '" + key + "='",
        key == "pace" ? "its time follows the wall clock" : "set WPERF_SIM_INSTANCE, for its clients, too");
  }
  return options;
}

diag::Result<void> open_folders(const std::string& options) {
  for (const std::string key : {"folder", "windows"}) {
    const auto folder = wperf_driver::option_of(options, key);
    if (!folder.has_value() || Descriptor(::open(folder->c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)).is_open())
      continue;
    return diag::system_error("the folder " + *folder + " of the option '" + key + "=' cannot be opened", errno);
  }
  return {};
}

}  // namespace

diag::Result<std::unique_ptr<MachineServer>> MachineServer::boot(const std::string& options) {
  struct sigaction action{};
  action.sa_handler = on_signal;
  ::sigaction(SIGTERM, &action, nullptr);
  ::sigaction(SIGINT, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);  // a program's reader may end
  WPERF_TRY(const std::string settled, options_for_staying_on(options));
  WPERF_TRY(auto machine, wperf_driver::open_simulated_machine("pace=free" + (settled.empty() ? "" : "," + settled)));
  WPERF_CHECK_OK(open_folders(settled));  // otherwise each program would fail
  WPERF_TRY(Descriptor socket, listen_as_machine());
  return std::unique_ptr<MachineServer>(std::make_unique<Server>(settled, std::move(machine), std::move(socket)));
}

}  // namespace wperf::live
