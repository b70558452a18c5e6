// SPDX-License-Identifier: BSD-3-Clause
// The open handles of the bridge, and the programs they run on the emulated machine. Used from one thread.
#pragma once
#include "tests/nthost/server/protocol.h"

namespace wperf::bridge {

inline constexpr wperf_u32 kMaxClients = 32;
inline constexpr wperf_u32 kMaxCpus = 64;

struct Client {
  wperf_u32 number = 0;  // the host's number of the client; 0: this entry is free
  wperf_u32 process = 0;
  int refused = 0;  // the NTSTATUS of its open request, if that failed
  bool cleaned_up = false;
  wperf_u64 running = 0;  // bit n: cpu n runs a program of this client
};

class Clients {
 public:
  // Returns null if there is no room.
  Client* add(wperf_u32 process) {
    for (Client& client : clients_) {
      if (client.number != 0) continue;
      client = {};
      client.number = ++last_number_;
      client.process = process;
      return &client;
    }
    return nullptr;
  }
  static void remove(Client& client) { client = {}; }

 private:
  Client clients_[kMaxClients];
  wperf_u32 last_number_ = 0;
};

}  // namespace wperf::bridge
