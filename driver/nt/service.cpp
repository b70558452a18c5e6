// SPDX-License-Identifier: BSD-3-Clause
#include "driver/nt/service.h"

#include "abi/device_interface.h"
#include "driver/nt/overflow_interrupt.h"
#include "driver/nt/pool.h"
#include "wperf_version.h"

namespace wperf::driver {
namespace {

CoreConfig config(bool stacks) {
  return {WPERF_VERSION_MAJOR, WPERF_VERSION_MINOR, WPERF_VERSION_PATCH, kGitVersion,
          stacks ? "+trace+etw-drv+spe+stacks" : "+trace+etw-drv+spe"};
}

u32 current_process() {
  return static_cast<u32>(reinterpret_cast<ULONG_PTR>(PsGetCurrentProcessId()));
}

}  // namespace

Service::Service()
    : hal_(*this,
           {.take = [](void* core, u32 number,
                       const InterruptedContext& it) { return static_cast<Core*>(core)->on_overflow(number, it); },
            .core = &core_},
           [](void* core) { static_cast<Core*>(core)->on_timer(); },
           {.take = [](void* core, u32 ticket,
                       const WalkedStack& stack) { static_cast<Core*>(core)->on_user_walk(ticket, stack); },
            .lose = [](void* core, u32 ticket) { static_cast<Core*>(core)->on_user_walk_lost(ticket); }}),
      core_(hal_, lock_, config(hal_.can_walk())) {}

Service::~Service() {
  for (Client* client = clients_; client != nullptr;) {
    Client* next = client->next;
    release_user(client->requester.user);
    delete_object(client);
    client = next;
  }
}

void Service::admit_clients(bool admit) {
  const Guard guard(requests_);
  admits_ = admit;
}

NTSTATUS Service::open(const IO_SECURITY_CONTEXT& context, KPROCESSOR_MODE mode, Client** client) {
  Requester requester;
  if (const NTSTATUS status = admit(context, mode, &requester); !NT_SUCCESS(status)) {
    return status;
  }
  Client* fresh = new_object<Client>();
  const Guard guard(requests_);
  if (fresh == nullptr || !admits_ || ended_) {
    release_user(requester.user);
    if (fresh == nullptr) {
      return STATUS_INSUFFICIENT_RESOURCES;
    }
    delete_object(fresh);
    return STATUS_DEVICE_NOT_READY;
  }
  *fresh = {++last_client_, current_process(), requester, false, clients_};
  clients_ = fresh;
  *client = fresh;
  return STATUS_SUCCESS;
}

NTSTATUS Service::control(Client& client, u32 code, void* buffer, u32 input_size, u32 capacity, u32* returned) {
  *returned = 0;
  const Guard guard(requests_);
  if (ended_ || client.gone) {
    return STATUS_DELETE_PENDING;  // while this request waited, its handle was closed or the device was removed
  }
  const WperfStatus status =
      core_.dispatch(client.id, client.requester.rights, code, buffer, input_size, capacity, returned);
  if (status != WPERF_OK) {
    return static_cast<NTSTATUS>(WPERF_NT_STATUS(status));
  }
  etw_.request_succeeded(client.id, client.process, code, buffer);
  return STATUS_SUCCESS;
}

void Service::leave(Client& client) {
  const Guard guard(requests_);
  leave_locked(client);
}

void Service::close(Client* client) {
  const Guard guard(requests_);
  leave_locked(*client);
  for (Client** link = &clients_; *link != nullptr; link = &(*link)->next) {
    if (*link == client) {
      *link = client->next;
      break;
    }
  }
  release_user(client->requester.user);
  delete_object(client);
}

void Service::stop_measuring() {
  const Guard guard(requests_);
  if (!ended_) {
    core_.end_measurement();
  }
}

void Service::end() {
  const Guard guard(requests_);
  if (!ended_) {
    ended_ = true;
    core_.shutdown();
    disconnect_overflow_interrupt();
  }
}

// Called within a request, so the clients do not change.
bool Service::owns_process(ClientId client, u32 process, u64 start) {
  for (const Client* known = clients_; known != nullptr; known = known->next) {
    if (known->id == client) {
      return is_process_of(known->requester.user, process, start);
    }
  }
  return false;
}

void Service::leave_locked(Client& client) {
  if (client.gone) {
    return;
  }
  client.gone = true;
  if (ended_) {
    return;
  }
  const bool held = lock_.holder == client.id;
  core_.client_gone(client.id);
  if (held) {
    etw_.client_left(client.id, client.process);
  }
}

}  // namespace wperf::driver
