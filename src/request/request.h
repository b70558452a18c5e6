// SPDX-License-Identifier: BSD-3-Clause
// What the user asked, as plain structs, checked only against itself: no device, no catalogue, no file was looked at.
// Made by cli; read by plan and pipeline.
#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/event_class.h"
#include "base/ints.h"

namespace wperf::request {

enum class Command { none, help, version, stat, sample, record, list, test, man, detect, doctor };

// One token of a counting list (contract 3.1): a name or a number, its class, and its group.
struct EventToken {
  EventClass event_class = EventClass::core;
  std::string text;           // as typed, without prefix and braces
  std::optional<u32> number;  // raw: r1b, 27, 0x1b
  std::optional<u32> group;   // index of the group within this list, 0-based
};
struct EventList {
  std::vector<EventToken> tokens;
};
struct MetricName {
  std::string name;  // a metric or a group of metrics
};
// -e and -m in the order of the command line: it decides the numbers of the groups.
using CountItem = std::variant<EventList, MetricName>;

struct CoreRange {
  u32 first = 0, last = 0;  // inclusive, first <= last
};

struct Duration {
  u64 milliseconds = 0;
};

struct Timeline {
  bool enabled = false;
  Duration interval{60'000};
  u64 count = 0;  // 0 = endless
};

// A setting that the parser found acceptable (contract 11.1). Only the period can be set; its value is a 32-bit
// decimal.
inline constexpr char kPeriodSetting[] = "count.period";
struct ConfigSetting {
  std::string name, value;
};

struct Outputs {
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  std::optional<std::string> json_file;  // --output/-o (with -t see contract 6.3)
  std::optional<std::string> csv_file;   // --output-csv
  std::optional<std::string> directory;  // --cwd/--output-prefix
};

struct Program {
  std::string path;          // of the image
  std::string command_line;  // "PROG ARG…"
  bool after_dashes = false;
};

struct Request {
  Command command = Command::none;
  std::string device;  // --device or WPERF_DEVICE, as given; empty = the machine's own
  std::vector<CountItem> items;
  std::vector<std::string> extra_events;  // -E texts or file paths
  std::vector<std::string> metric_files;  // -C
  std::vector<CoreRange> cores;           // empty = all
  std::optional<Duration> timeout;        // none or 0 = until Ctrl-C
  Timeline timeline;
  bool kernel = false;
  std::optional<u32> dmc_channel;  // none = all
  std::vector<ConfigSetting> config;
  Outputs outputs;
  std::optional<std::string> man_topic;
  std::optional<std::string> pe_file, pdb_file, image_name;
  std::optional<Program> program;
  std::optional<u32> spawn_delay_ms;  // none: count from the first instruction of the program on
  bool force_lock = false;
  std::vector<std::string> unexpected;  // unknown tokens, to be warned about
  std::vector<std::string> warnings;    // whole lines for stderr that do not end the run
};

}  // namespace wperf::request
