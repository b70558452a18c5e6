// SPDX-License-Identifier: BSD-3-Clause
#include "machine/live/socket_place_linux.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "ground/os/process.h"
#include "sim/runtime_folder.h"

namespace wperf::live {
namespace {

constexpr size_t kMostDescriptors = 3;

// The address has room for about 100 characters, so a longer path is reached through an open folder.
diag::Result<sockaddr_un> address_of(const std::string& path, Descriptor& folder) {
  const size_t slash = path.rfind('/');
  folder = Descriptor(::open(path.substr(0, slash).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open()) return diag::system_error("cannot open the folder " + path.substr(0, slash), errno);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = "/proc/self/fd/" + std::to_string(folder.number()) + path.substr(slash);
  if (name.size() >= sizeof address.sun_path)
    return diag::Error{.text = "the name of the machine is too long", .hint = {}};
  name.copy(address.sun_path, name.size());
  return address;
}

}  // namespace

diag::Result<std::string> path_of_machine(std::string_view extension) {
  const std::string instance = os::environment("WPERF_SIM_INSTANCE").value_or("default");
  if (!sim::is_instance_name(instance)) {
    return diag::usage_error("WPERF_SIM_INSTANCE is not 1 to 64 letters, digits, '_' or '-'",
                             "set it to a name of letters, digits, '_' or '-', or unset it");
  }
  const sim::RuntimeFolder folder = sim::runtime_folder();
  if (!folder.error.empty()) return diag::Error{.text = folder.error, .hint = folder.hint};
  return folder.path + "/wperf-machine-" + instance + std::string(extension);
}

diag::Result<Descriptor> connect_to_machine() {
  WPERF_TRY(const std::string path, path_of_machine(".socket"));
  Descriptor folder;
  WPERF_TRY(const sockaddr_un address, address_of(path, folder));
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) return diag::system_error("cannot make a socket", errno);
  if (::connect(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return socket;
  if (errno == ENOENT || errno == ECONNREFUSED) return Descriptor();
  return diag::system_error("cannot reach the simulated machine at " + path, errno);
}

diag::Result<Descriptor> listen_as_machine() {
  WPERF_TRY(const std::string path, path_of_machine(".socket"));
  Descriptor folder;
  WPERF_TRY(const sockaddr_un address, address_of(path, folder));
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.is_open()) return diag::system_error("cannot make a socket", errno);
  ::unlink(path.c_str());
  const mode_t before = ::umask(S_IRWXG | S_IRWXO);
  const bool bound = ::bind(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  const int error = errno;
  ::umask(before);
  if (!bound) return diag::system_error("cannot listen at " + path, error);
  if (::listen(socket.number(), SOMAXCONN) != 0) return diag::system_error("cannot listen at " + path, errno);
  return socket;
}

long send_some(int socket, std::string_view bytes, const std::vector<int>& descriptors) {
  iovec part = {.iov_base = const_cast<char*>(bytes.data()), .iov_len = bytes.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMostDescriptors)> room{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!descriptors.empty()) {
    const size_t size = sizeof(int) * std::min(descriptors.size(), kMostDescriptors);
    message.msg_control = room.data();
    message.msg_controllen = CMSG_SPACE(size);
    cmsghdr* const head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(size);
    std::memcpy(CMSG_DATA(head), descriptors.data(), size);
  }
  ssize_t sent = -1;
  do sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent;
}

long receive_some(int socket, char* bytes, unsigned long room, std::vector<Descriptor>& descriptors) {
  iovec part = {.iov_base = bytes, .iov_len = room};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMostDescriptors)> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t got = -1;
  do got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  if (got < 0) return got;
  for (cmsghdr* head = CMSG_FIRSTHDR(&message); head != nullptr; head = CMSG_NXTHDR(&message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t index = 0; index < count; ++index) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(head) + index * sizeof number, sizeof number);
      descriptors.emplace_back(number);
    }
  }
  return got;
}

}  // namespace wperf::live
