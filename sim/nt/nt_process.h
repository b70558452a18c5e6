// SPDX-License-Identifier: BSD-3-Clause
// A Windows process whose DLLs are real ones: the ARM64 builds of Wine's ntdll, kernelbase and so on are loaded by
// ntdll's own loader, and this layer answers their system calls.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sim/nt/guest_files.h"
#include "sim/nt/program.h"
#include "sim/nt/registry.h"

namespace wperf::sim::nt {

struct System;

struct ProcessOptions {
  std::string image_path, command_line;  // a path on the host; the program sees it in C:\app
  std::string system_folder;             // the host folder with the DLLs of Windows
  u64 seed = 0;
  u32 process_id = 1000;
  u32 core = 0, core_count = 1;
  u64 affinity = 0;  // the cores on which its threads may run; 0: all
  Surroundings surroundings;
  std::shared_ptr<System> system;                  // the same for all processes of a machine
  std::shared_ptr<const Inheritance> inheritance;  // null without a creator
};

// The parts of Windows that the processes of one machine share. `host` must outlive them.
std::shared_ptr<System> make_system(ProgramHost* host, std::vector<ProcessorFacts> processors);

// The folder of scripts/windows-dlls: build/tools/windows, found from this library.
std::string system_folder_of_build();

// Null if the program or the DLLs cannot be loaded; `error` then says why.
std::unique_ptr<Program> load_process(const ProcessOptions& options, LoadError& error);

}  // namespace wperf::sim::nt
