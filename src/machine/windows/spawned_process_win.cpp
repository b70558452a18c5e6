// SPDX-License-Identifier: BSD-3-Clause
#include "machine/windows/spawned_process_win.h"

#include <fmt/format.h>
#include <windows.h>

#include "ground/os/wide_text_win.h"
#include "machine/plan/plan.h"
#include "machine/windows/processor_place.h"

namespace wperf::windows {
namespace {

// Contract 5.7.
diag::Error spawn_error(DWORD error, const std::string& command_line) {
  return {.text = fmt::format("CreateProcess failed (0x{:x}).\nCreateProcess failed", error),
          .hint = command_line + ": " + os::system_error_text(error),
          .verbatim = true};
}

diag::Error pin_error(u32 core) {
  return {.text = fmt::format("CreateProcess failed: the program cannot be bound to core {}: {}", core,
                              os::system_error_text(GetLastError())),
          .hint = "wperf doctor lists the cores"};
}

std::optional<ProcessorPlace> place_of(u32 core) {
  std::vector<u32> sizes;
  const WORD groups = GetActiveProcessorGroupCount();
  for (WORD group = 0; group < groups; ++group) sizes.push_back(GetActiveProcessorCount(group));
  return place_of_core(core, sizes);
}

// All threads, those to come included. With one group of processors this is the process's own mask; with more, a
// process may spread over groups, so its job confines it.
bool confine(const SpawnedProcess& spawned, const ProcessorPlace& place) {
  GROUP_AFFINITY affinity{};
  affinity.Group = place.group;
  affinity.Mask = static_cast<KAFFINITY>(place.mask);
  if (GetActiveProcessorGroupCount() > 1 &&
      SetInformationJobObject(spawned.job.get(), JobObjectGroupInformationEx, &affinity, sizeof affinity) == 0) {
    return false;
  }
  if (SetThreadGroupAffinity(spawned.thread.get(), &affinity, nullptr) == 0) return false;
  return GetActiveProcessorGroupCount() > 1 ||
         SetProcessAffinityMask(spawned.process.get(), static_cast<DWORD_PTR>(place.mask)) != 0;
}

OwnedHandle make_job() {
  OwnedHandle job(CreateJobObjectW(nullptr, nullptr));
  if (job == nullptr) return job;
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
  SetInformationJobObject(job.get(), JobObjectExtendedLimitInformation, &limits, sizeof limits);
  return job;
}

}  // namespace

diag::Result<SpawnedProcess> spawn_suspended(const std::string& command_line, u32 core) {
  const bool anywhere = core == plan::kAnyCore;
  const auto place = anywhere ? std::nullopt : place_of(core);
  if (!anywhere && !place.has_value()) {
    SetLastError(ERROR_INVALID_PARAMETER);
    return pin_error(core);
  }
  SpawnedProcess spawned;
  spawned.job = make_job();
  STARTUPINFOW startup{};
  startup.cb = sizeof startup;
  PROCESS_INFORMATION made{};
  std::wstring line = os::wide_of(command_line);  // CreateProcess writes into it
  if (CreateProcessW(nullptr, line.data(), nullptr, nullptr, FALSE, CREATE_SUSPENDED | CREATE_NEW_CONSOLE, nullptr,
                     nullptr, &startup, &made) == 0) {
    return spawn_error(GetLastError(), command_line);
  }
  spawned.pid = made.dwProcessId;
  spawned.process.reset(made.hProcess);
  spawned.thread.reset(made.hThread);
  // Before it runs, so that no child escapes; if the job cannot have it, it is still ended the usual way.
  if (spawned.job != nullptr) AssignProcessToJobObject(spawned.job.get(), spawned.process.get());
  if (place.has_value() && !confine(spawned, *place)) {
    const diag::Error error = pin_error(core);
    TerminateProcess(spawned.process.get(), 1);
    return error;
  }
  return spawned;
}

}  // namespace wperf::windows
