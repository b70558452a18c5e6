// SPDX-License-Identifier: BSD-3-Clause
// Samples of the machine's driver, for the client that watches them. At each sample the machine stands still until the
// client has read the data of the stopped thread that it needs.
#pragma once
#include <chrono>

#include "machine/device/driver_machine.h"
#include "machine/live/client_socket_linux.h"
#include "machine/live/messages.h"

namespace wperf::live {

class SampleMoments final : public device::SampleWatcher {
 public:
  // How long the machine waits for a client, which may be busy with earlier samples, or stopped.
  static constexpr std::chrono::milliseconds kPatience{1000};
  explicit SampleMoments(device::Programs& programs, std::chrono::milliseconds patience = kPatience)
      : programs_(programs), patience_(patience) {}

  // A client that watches replaces a client that watched before.
  void set_watching(ClientSocket& client, bool watches);
  bool is_watched() const { return client_ != nullptr; }

  // Reports the sample to the client, and answers its requests until it has finished. A client that is too slow misses
  // this sample, and all further samples until it has finished.
  void see(const Moment& moment) override;
  // Answers a request that belongs to a sample. If the machine has already continued, the request is refused.
  void answer(ClientSocket& client);

 private:
  Writer answer_to(const ClientSocket& client, What what, Fields& fields);
  Writer read_memory(Fields& fields);

  device::Programs& programs_;
  std::chrono::milliseconds patience_;
  ClientSocket* client_ = nullptr;
  bool is_now_ = false;      // the machine stands still for the client
  bool is_finished_ = true;  // the client has finished with the last moment
};

}  // namespace wperf::live
