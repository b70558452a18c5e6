// SPDX-License-Identifier: BSD-3-Clause
// The part of a request that plans and devices need: the subject of the measurement. It is checked only for
// contradictions.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/ints.h"
#include "model/request/counted_items.h"
#include "model/request/number.h"
#include "model/request/sampling_options.h"

namespace wperf::request {

enum class Command {
  none,
  help,
  version,
  stat,
  sample,
  record,
  report,
  waits,
  push,
  pgo,
  topdown,
  list,
  test,
  man,
  detect,
  doctor,
  diff,
  bench,
  top,
  machine,
  guide,
  mcp,
  schema
};

struct Timeline {
  bool enabled = false;
  Duration interval{60'000};
  u64 count = 0;  // 0 = endless
};

// A setting that the parser accepted (contract 11.1). Its value is a 32-bit decimal number.
inline constexpr char kPeriodSetting[] = "count.period";
inline constexpr u32 kLeastPeriodMs = 10, kGreatestPeriodMs = 100;
inline constexpr char kSampleLimitSetting[] = "sample.limit";  // samples per second on each core
struct ConfigSetting {
  std::string name, value;
};

struct Program {
  std::string path;          // the path of the image
  std::string command_line;  // "PROG ARG…"
  bool after_dashes = false;
};

// The subject of a measurement: the device, the events, the program or cores, and the time.
struct Measurement {
  Command command = Command::none;  // some rules and defaults depend on it
  std::string device;               // --device or WPERF_DEVICE as given; empty: the default device
  bool force_lock = false;
  std::vector<CountItem> items;
  std::vector<std::string> extra_events;  // values of -E: texts or file paths
  std::vector<std::string> metric_files;  // -C
  std::vector<CoreRange> cores;           // -c; empty: all cores, or the first core for a program
  std::optional<Duration> timeout;        // nullopt or 0 means until Ctrl-C
  Timeline timeline;
  bool kernel = false;
  std::optional<u32> dmc_channel;  // nullopt: all
  std::vector<ConfigSetting> config;
  std::optional<std::string> pe_file, pdb_file, image_name;
  std::optional<Program> program;
  std::optional<u32> process;         // -p: the process id of a running program
  std::optional<u32> spawn_delay_ms;  // nullopt: measures from the program's first instruction on
  Sampling sampling;

  u64 duration_ms() const { return timeout.has_value() ? timeout->milliseconds : 0; }
  bool of_program() const { return program.has_value() || process.has_value(); }
};

// The program that `sample` and `record` sample, and the defaults that follow from the command line (contract 2.5,
// 9.1).
struct SampleTarget {
  std::string pe_file;
  std::string image_name;  // base name of the running program to find
  std::string pdb_file;    // the PDB of the program
};

// Requires pe_file.
SampleTarget sample_target(const Measurement& request);

// The lines that -v prints first, followed by a blank line. Empty if there is no PE file.
std::string deduced_text(const Measurement& request);

}  // namespace wperf::request
