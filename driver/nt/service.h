// SPDX-License-Identifier: BSD-3-Clause
// The driver for one device: the core, its hal and its clients. It follows the rules of driver/README.md. Requests come
// at IRQL PASSIVE_LEVEL on any thread and are handled one at a time.
#pragma once
#include "driver/core/core.h"
#include "driver/nt/access.h"
#include "driver/nt/etw.h"
#include "driver/nt/hal_nt.h"
#include "driver/nt/mutex.h"

namespace wperf::driver {

// One open handle; the file object's context.
struct Client {
  ClientId id;
  u32 process;
  Requester requester;
  bool gone;
  Client* next;
};

class Service final : private ClientBook {
 public:
  Service();
  ~Service();  // end() was called before

  // Clients may open the device after admit_clients(true). Open handles stay open.
  void admit_clients(bool admit);

  [[nodiscard]] NTSTATUS open(const IO_SECURITY_CONTEXT& context, KPROCESSOR_MODE mode, Client** client);
  // `buffer` as for Core::dispatch. Returns STATUS_SUCCESS, or the status that the request ends with.
  [[nodiscard]] NTSTATUS control(Client& client, u32 code, void* buffer, u32 input_size, u32 capacity, u32* returned);
  void leave(Client& client);  // the last handle was closed; may be called any number of times
  void close(Client* client);  // frees the client

  void stop_measuring();  // called when the machine goes to sleep or the device is stopped
  void end();             // returns all resources for good; handles may still be open and may be closed later

 private:
  bool owns_process(ClientId client, u32 process, u64 start) override;
  void leave_locked(Client& client);

  Mutex requests_;
  Etw etw_;
  HalNt hal_;
  LockState lock_;
  Core core_;
  Client* clients_ = nullptr;
  ClientId last_client_ = 0;
  bool admits_ = false;
  bool ended_ = false;
};

}  // namespace wperf::driver
