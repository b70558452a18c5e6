// SPDX-License-Identifier: BSD-3-Clause
// The rights of the user who runs the installer, and this Windows' requirements for a driver.
#include <windows.h>

#include <atomic>

#include "devgen/codes.h"
#include "devgen/windows_machine.h"
#include "ground/os/machine_facts.h"

namespace wperf::devgen {
namespace {

std::atomic<int> interrupts_seen{0};

BOOL WINAPI on_console_event(DWORD event) {
  if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT) return FALSE;
  interrupts_seen.fetch_add(1);
  return TRUE;  // also for the second Ctrl-C, because a program that ends half-way leaves half an installation
}

Switch switch_of(const std::optional<bool>& fact) {
  if (!fact.has_value()) return Switch::unknown;
  return *fact ? Switch::on : Switch::off;
}

}  // namespace

Facts WindowsMachine::facts() {
  Facts facts;
  const auto windows = os::windows_facts();
  if (!windows.has_value()) return facts;
  facts.elevated = windows->administrator;
  facts.test_mode = switch_of(windows->test_signing);
  facts.secure_boot = switch_of(windows->secure_boot);
  facts.memory_integrity = switch_of(windows->memory_integrity);
  if (windows->machine == "ARM64") facts.processor = code::kMachineArm64;
  if (windows->machine == "x64") facts.processor = code::kMachineX64;
  return facts;
}

bool WindowsMachine::interrupted() {
  return interrupts_seen.load() > 0;
}

void catch_interrupt() {
  SetConsoleCtrlHandler(on_console_event, TRUE);
}

}  // namespace wperf::devgen
