// SPDX-License-Identifier: BSD-3-Clause
#include "tests/nthost/server/residents.h"

#include "tests/nthost/driver_under_test.h"
#include "tests/nthost/kernel/processes.h"
#include "tests/nthost/machine/bare_machine.h"
#include "tests/nthost/workload.h"

namespace wperf::nthost {
namespace {

constexpr u32 kMostClients = 48, kMostResidents = 48;
constexpr u32 kUser = 1001;  // all processes belong to one user, with more or fewer rights
constexpr u64 kLowestBase = 0x1'0000, kHighestBase = u64{1} << 47;
constexpr u64 kPage = 4096;
constexpr u32 kMostCode = 256 * 1024;

struct Resident {
  Process* process = nullptr;
  u32 id = 0;
  u32 uses = 0;  // files and programs
};
struct OpenClient {
  u32 number = 0;
  File* file = nullptr;
  Resident* owner = nullptr;
};
struct RunningProgram {
  Workload* work = nullptr;
  Resident* owner = nullptr;
  u64 base = 0;
  u64 size = 0;
};

Resident residents[kMostResidents];
OpenClient clients[kMostClients];
RunningProgram programs[kMostCpus];

Resident* enter(u32 process, u32 rights) {
  Resident* place = nullptr;
  for (Resident& resident : residents) {
    if (resident.uses != 0 && resident.id == process) {
      ++resident.uses;
      return &resident;
    }
    place = resident.uses == 0 && place == nullptr ? &resident : place;
  }
  if (place == nullptr || process == 0 || find_process(process) != nullptr) {
    return nullptr;
  }
  const Person person = {kUser, rights == kRightsAdministrator, rights == kRightsLogUser, false};
  *place = {create_process(process, person), process, 1};
  return place;
}

void leave(Resident& resident) {
  if (--resident.uses == 0) {
    end_process(*resident.process);
    resident = {};
  }
}

OpenClient* find_client(u32 number) {
  for (OpenClient& client : clients) {
    if (client.number == number) {
      return &client;
    }
  }
  return nullptr;
}

RunningProgram* find_program(u32 process, u32 cpu) {
  if (cpu >= kMostCpus || programs[cpu].work == nullptr || programs[cpu].owner->id != process) {
    return nullptr;
  }
  return &programs[cpu];
}

bool is_sound(const RunRequest& request) {
  if (request.cpu == 0 || request.cpu >= cpu_count() || request.code_size == 0 || request.code_size > kMostCode) {
    return false;
  }
  if (request.base % kPage != 0 || request.base < kLowestBase || request.base > kHighestBase - kMostCode) {
    return false;
  }
  return request.entry_offset % 4 == 0 && request.entry_offset < request.code_size && request.reserved == 0;
}

RunState end_program(RunningProgram& program) {
  RunState state = {kStopped, 0, 0};
  if (has_ended(*program.work)) {
    state.result = finish(program.work);
    state.condition = state.result == ~u64{0} ? kFaulted : kReturned;
  } else {
    stop(program.work);
  }
  unmap_user(*program.owner->process, program.base, program.size);
  leave(*program.owner);
  program = {};
  return state;
}

}  // namespace

u32 open_client(u32 number, u32 process, u32 rights) {
  if (number == 0 || find_client(number) != nullptr || rights > kRightsAdministrator) {
    return kBadFrameArgument;
  }
  OpenClient* client = find_client(0);  // a free place
  Resident* owner = client != nullptr ? enter(process, rights) : nullptr;
  if (owner == nullptr) {
    return kNoRoom;
  }
  const Opened opened = open(*owner->process);
  if (opened.file == nullptr) {
    leave(*owner);
    return opened.status;
  }
  *client = {number, opened.file, owner};
  return opened.status;
}

File* file_of_client(u32 number) {
  OpenClient* client = number != 0 ? find_client(number) : nullptr;
  return client != nullptr ? client->file : nullptr;
}

u32 close_client(u32 number) {
  if (file_of_client(number) == nullptr) {
    return kNoSuchClient;
  }
  OpenClient& client = *find_client(number);
  close(client.file);
  leave(*client.owner);
  client = {};
  return kDone;
}

u32 run_program(u32 process, u32 rights, const RunRequest& request, const void* code) {
  if (!is_sound(request) || rights > kRightsAdministrator) {
    return kBadFrameArgument;
  }
  RunningProgram& program = programs[request.cpu];
  Resident* owner = program.work == nullptr ? enter(process, rights) : nullptr;
  if (owner == nullptr) {
    return kNoRoom;
  }
  if (!map_user_code(*owner->process, request.base, code, request.code_size)) {
    leave(*owner);
    return kNoRoom;
  }
  program.owner = owner;
  program.base = request.base;
  program.size = request.code_size;
  program.work = start_user_work(request.cpu, *owner->process, request.base + request.entry_offset, request.argument,
                                 request.thread);
  return kDone;
}

u32 state_of_program(u32 process, u32 cpu, RunState& state) {
  const RunningProgram* program = find_program(process, cpu);
  state = {kNotRun, 0, 0};
  if (program != nullptr) {
    state.condition = has_ended(*program->work) ? kReturned : kRunning;
  }
  return kDone;
}

u32 stop_program(u32 process, u32 cpu, RunState& state) {
  RunningProgram* program = find_program(process, cpu);
  state = program != nullptr ? end_program(*program) : RunState{kNotRun, 0, 0};
  return kDone;
}

void close_everything() {
  for (RunningProgram& program : programs) {
    if (program.work != nullptr) {
      end_program(program);
    }
  }
  for (OpenClient& client : clients) {
    if (client.file != nullptr) {
      close_client(client.number);
    }
  }
}

}  // namespace wperf::nthost
