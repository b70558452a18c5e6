// SPDX-License-Identifier: BSD-3-Clause
// Test support: tests that execute the example programs of sim/workloads.
#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "sim/cpu/core_engine.h"
#include "sim/nt/nt_process.h"

namespace wperf::sim {

inline std::string workload(const std::string& command_line) {
  return std::string(WPERF_WORKLOADS) + "/" + command_line;
}

// Returns an empty text if the programs can run, or the reason why not.
inline std::string why_programs_cannot_run() {
  if (!std::filesystem::exists(workload("fib.exe"))) return "the workloads were not built";
  if (!std::filesystem::exists(nt::system_folder_of_build())) return "scripts/windows-dlls fetches the DLLs";
  return CoreEngine::unavailable();
}

class ProgramTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_programs_cannot_run(); !why.empty()) GTEST_SKIP() << why;
  }
};

}  // namespace wperf::sim
