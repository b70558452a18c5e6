// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/event_class.h"
#include "base/ints.h"

namespace wperf::answers {

// The answers of the small commands about the tool and the machine: --version, detect and doctor.
struct Component {
  std::string name;  // "wperf", "wperf-driver"
  std::string version;
  std::string git;       // hexadecimal
  std::string features;  // "+trace+spe", may be empty
};

struct DeviceInstance {
  std::string instance_id, hardware_ids;
};

// A program of a simulated machine that stays on.
struct MachineProgram {
  u32 pid = 0;
  std::string image;  // path
  u32 core = 0;       // the core where its first thread started
  u64 threads = 0;    // the number of threads that it has started
  bool running = false;
  u32 exit_code = 0;  // its exit code, once it has ended
  u64 user_ns = 0, system_ns = 0;
};

enum class CheckStatus { ok, warn, fail };

struct Check {
  std::string name;
  CheckStatus status = CheckStatus::ok;
  std::string detail;
  std::string fix;  // the remedy; empty if nothing is wrong or no remedy is known
};

// The rows that `list` shows in addition to the product's own tables (contract 8.4).
struct ListedMetric {
  std::string name;
  std::string definition;                  // "{a,b}" or "/dsu/x,/dsu/y"
  std::string formula, unit, description;  // only for metrics that the product defines; otherwise empty
};

struct ListedWord {
  std::string name, kind;        // "page-faults", "[software]"
  std::string description = {};  // empty if there is none
};

struct CatalogueListing {
  std::array<bool, kEventClassCount> classes{};  // the classes that this machine can count
  std::vector<ListedMetric> metrics;             // alphabetical
  bool product_events = true;                    // false: the numbers of these events have another meaning on this
                                                 // machine
  std::vector<u16> absent_events;                // numbers of events that the hardware reports as missing
  std::vector<ListedWord> words;                 // the names of the kernel's own events
  std::optional<std::string> spe_version;        // "FEAT_SPE…"; nullopt if SPE is not listed
};

// One page of `man` (contract 8.6): fields in the order they are shown.
struct ManualField {
  std::string type;  // "CPU", "NAME", …
  std::string text;  // not wrapped; a newline ends a paragraph
};
using ManualPage = std::vector<ManualField>;

// The answer of `test`: the machine's abilities, and the schedule of the requested events (contract 8.5). Made from the
// device's capabilities and the plan.
struct ScheduledEvent {
  u16 code = 0;
  std::string note;  // contract 3.2; "p" for padding
};

struct TestReport {
  u64 midr = 0, id_aa64dfr0 = 0, pmsidr = 0, pmbidr = 0;
  u32 core_count = 0;
  // The number of programmable counters: in the hardware (class core only), and free ones for each class. Then the
  // number of fixed counters for each class.
  u32 counters_total = 0;
  std::array<u32, kEventClassCount> counters_free{}, counters_fixed{};
  std::array<bool, kEventClassCount> classes{};  // the classes that this machine can count
  std::array<u8, 32> counter_map{};
  std::string device_id;
  std::array<bool, kEventClassCount> requested{};  // the classes of the requested events
  std::array<std::vector<ScheduledEvent>, kEventClassCount> schedules;
  u32 period_ms = 0, period_max_ms = 0, period_min_ms = 0;
  u32 sampling_interval = 0x4000000;
  std::vector<std::pair<std::string, std::string>> session;  // the arguments for a session of Windows' tracing
  bool spe = false;                                          // tool, driver and machine can sample with SPE
};

// The results of `wperf doctor --selftest`: device by device, check by check.
enum class Outcome { ok, failed, not_possible };

struct Finding {
  std::string check;
  Outcome outcome = Outcome::ok;
  std::string detail;  // numbers, or the reason
};

struct TestedDevice {
  std::string name;  // the name for --device
  std::vector<Finding> findings;
};

struct Selftest {
  std::vector<std::pair<std::string, std::string>> facts;  // about the tool and the system
  std::vector<TestedDevice> devices;
};

}  // namespace wperf::answers
