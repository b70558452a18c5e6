// SPDX-License-Identifier: BSD-3-Clause
// Counters around a section of a program, for benchmarks and tests: one header of C++17 and no library. Explained in
// docs/user/section.md.
//
//   wperf::Counters counters({"instructions", "branch-misses", "page-faults"});
//   {
//     wperf::Section section(counters);
//     work();
//   }
//   std::cout << wperf::text(counters.counts());
//
// Only the thread that constructs the Counters is counted. The processor's events are one group of the Linux kernel, so
// all of them are counted during the same time. An event that cannot be counted has a reason instead of a value. On
// systems other than Linux every value is absent. The only exception thrown is std::bad_alloc.
#ifndef WPERF_SECTION_H
#define WPERF_SECTION_H

#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <fstream>
#define WPERF_SECTION_NOT_INLINED __attribute__((noinline))
#endif

namespace wperf {

// One event over all sections since the last reset().
struct Count {
  std::string event;
  std::optional<std::uint64_t> value;  // without the overhead; nullopt: see `absent`
  std::string absent;                  // the reason if there is no value
  double share = 1;            // the part of the sections' time in which the event was counted; if less than 1, value
                               // is an estimate
  std::uint64_t counted = 0;   // as the kernel counted it, with the overhead
  std::uint64_t overhead = 0;  // the overhead in `counted`: the count of an empty section times the number of sections
  std::string note;            // how the count differs from the requested one, for example user mode only
};

#if defined(__linux__)
namespace section_detail {

// The arguments of perf_event_open().
struct Event {
  std::uint32_t type = 0;
  std::uint64_t config = 0, config1 = 0, config2 = 0;
  enum class Modes { user, both_if_allowed, both } modes = Modes::user;
  bool is_known = false;
};

struct Named {
  const char* name;
  std::uint32_t type;
  std::uint64_t config;
  Event::Modes modes;
};

// task-clock covers both modes anyway. Switches happen in the kernel, and so do page faults of a read() into new
// memory.
inline constexpr Named kNames[] = {
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, Event::Modes::user},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, Event::Modes::user},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, Event::Modes::user},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, Event::Modes::user},
    {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, Event::Modes::user},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, Event::Modes::user},
    {"stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, Event::Modes::user},
    {"stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, Event::Modes::user},
    {"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, Event::Modes::user},
    {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, Event::Modes::user},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, Event::Modes::both_if_allowed},
    {"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, Event::Modes::both_if_allowed},
    {"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, Event::Modes::both_if_allowed},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, Event::Modes::both},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, Event::Modes::both},
};

inline constexpr char kUnits[] = "/sys/bus/event_source/devices/";

inline std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// Parses "0x1b" or "27". Returns false for any other text.
inline bool parse_number(const std::string& text, int base, std::uint64_t& number) {
  if (text.empty() || std::isxdigit(static_cast<unsigned char>(text[0])) == 0) return false;
  char* end = nullptr;
  number = std::strtoull(text.c_str(), &end, base);
  return *end == '\0';
}

// Puts the bits of a value where a unit's format wants them: "config:0-7,32-35", "config1:9".
inline bool place_bits(const std::string& format, std::uint64_t value, Event& event) {
  const std::size_t colon = format.find(':');
  if (colon == std::string::npos) return false;
  const std::string field = format.substr(0, colon);
  std::uint64_t* const to = field == "config"    ? &event.config
                            : field == "config1" ? &event.config1
                            : field == "config2" ? &event.config2
                                                 : nullptr;
  if (to == nullptr) return false;
  const char* at = format.c_str() + colon;
  do {
    if (std::isdigit(static_cast<unsigned char>(at[1])) == 0) return false;
    char* end = nullptr;
    const unsigned long first = std::strtoul(at + 1, &end, 10);
    unsigned long last = first;
    if (*end == '-') last = std::strtoul(end + 1, &end, 10);
    if (last > 63 || first > last || (*end != ',' && *end != '\0')) return false;
    for (unsigned long bit = first; bit <= last; ++bit, value >>= 1) *to |= (value & 1) << bit;
    at = end;
  } while (*at != '\0');
  return value == 0;
}

// "event=0xc0,umask=1" of a unit in sysfs.
inline bool parse_terms(const std::string& unit, const std::string& terms, Event& event) {
  std::size_t at = 0;
  while (at < terms.size()) {
    const std::size_t end = std::min(terms.find(',', at), terms.size());
    const std::string term = terms.substr(at, end - at);
    const std::size_t equals = std::min(term.find('='), term.size());
    std::uint64_t value = 1;
    if (equals != term.size() && !parse_number(term.substr(equals + 1), 0, value)) return false;
    const std::string format = first_line(unit + "/format/" + term.substr(0, equals));
    if (!place_bits(format, value, event)) return false;
    at = end + 1;
  }
  return true;
}

// The PMUs of the cores: cpu, cpu_core, armv8_pmuv3_0 …. Each core has the counters of one of these PMUs.
inline std::vector<std::string> core_units() {
  std::vector<std::string> units;
  DIR* const folder = opendir(kUnits);
  if (folder == nullptr) return units;
  while (const dirent* entry = readdir(folder)) {
    const std::string name = entry->d_name;
    const bool is_arm = name.compare(0, 3, "arm") == 0 && !first_line(kUnits + name + "/cpus").empty() &&
                        access((kUnits + name + "/events/inst_retired").c_str(), F_OK) == 0;
    if (name == "cpu" || name == "cpu_core" || is_arm) units.push_back(kUnits + name);
  }
  closedir(folder);
  std::sort(units.begin(), units.end());
  return units;
}

// Finds one of the kernel's names, rNN as a raw number, or an event that the cores' PMU lists.
inline Event find_event(const std::string& name) {
  Event event;
  for (const Named& one : kNames) {
    if (name == one.name) return {one.type, one.config, 0, 0, one.modes, true};
  }
  if (name.size() > 1 && name[0] == 'r' && parse_number(name.substr(1), 16, event.config)) {
    event.type = PERF_TYPE_RAW;
    event.is_known = true;
    return event;
  }
  if (name.find('/') != std::string::npos) return event;
  for (const std::string& unit : core_units()) {
    Event of_unit;
    const std::string terms = first_line(unit + "/events/" + name);
    std::uint64_t type = 0;
    if (terms.empty() || !parse_number(first_line(unit + "/type"), 10, type)) continue;
    if (!parse_terms(unit, terms, of_unit)) continue;
    of_unit.type = static_cast<std::uint32_t>(type);
    of_unit.is_known = true;
    return of_unit;
  }
  return event;
}

inline std::string refusal(int error, const Event& event, bool is_first) {
  const bool of_hardware = event.type != PERF_TYPE_SOFTWARE;
  switch (error) {
    case EACCES:
    case EPERM:
      return "this user may not count it: kernel.perf_event_paranoid is " +
             first_line("/proc/sys/kernel/perf_event_paranoid");
    case ENOSYS:
      return "this kernel or sandbox has no perf events";
    case EINVAL:
    case ENOSPC:
      if (!is_first && of_hardware) return "the processor cannot count it together with the events before it";
      return "the kernel refuses it: " + std::string(strerror(error));
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      return of_hardware ? "this machine shows no hardware counter for it" : "this kernel does not have it";
    default:
      return strerror(error);
  }
}

}  // namespace section_detail

// Counters of the thread that constructs this object. They are opened and calibrated once. Then each section of this
// thread adds to the sums. A section within another section with the same Counters belongs to the outer one.
class Counters {
 public:
  explicit Counters(std::initializer_list<const char*> events) {
    for (const char* event : events) open(event);
    calibrate();
  }
  explicit Counters(const std::vector<std::string>& events) {
    for (const std::string& event : events) open(event);
    calibrate();
  }
  ~Counters() {
    for (const One& one : events_) {
      if (one.descriptor >= 0) close(one.descriptor);
    }
  }
  Counters(const Counters&) = delete;
  Counters& operator=(const Counters&) = delete;

  // Section calls these two. They are never inlined, so that each section has the overhead that was calibrated. start()
  // reads the processor's counters last and stop() reads them first, so that only the section is between them.
  WPERF_SECTION_NOT_INLINED void start() {
    if (open_sections_++ != 0) return;
    for (Group& group : groups_) group.read_into(group.begin);
  }
  WPERF_SECTION_NOT_INLINED void stop() {
    if (open_sections_ == 0 || --open_sections_ != 0) return;
    for (std::size_t i = groups_.size(); i-- > 0;) groups_[i].read_into(groups_[i].end);
    // After a fork, the child runs in a different thread, too. Its counts would be 0.
    if (syscall(SYS_gettid) == thread_)
      add_section();
    else
      is_of_others_ = true;
  }

  // Forgets the sections so far.
  void reset() {
    for (Group& group : groups_) group.enabled_ns = group.running_ns = 0;
    for (One& one : events_) one.sum = 0;
    sections_ = 0;
    is_of_others_ = false;
  }
  std::uint64_t sections() const { return sections_; }

  std::vector<Count> counts() const {
    std::vector<Count> counts;
    for (const One& one : events_) counts.push_back(count_of(one));
    return counts;
  }
  // Returns the count of one event, or a count without a value if the event is not in this object.
  Count operator[](const std::string& event) const {
    for (const One& one : events_) {
      if (one.name == event) return count_of(one);
    }
    Count none;
    none.event = event;
    none.absent = "it is not one of these counters";
    return none;
  }

 private:
  static constexpr std::size_t kMostEvents = 32;
  // The counts of a group, as the kernel gives them.
  struct Reading {
    std::uint64_t number = 0, enabled_ns = 0, running_ns = 0;
    std::uint64_t values[kMostEvents] = {};
  };
  // Events of one source. All of the processor's events are on its counters at the same time, or none of them. The
  // kernel's events need no counter. On some kernels, a group of several sources would lose its members when it is
  // switched on.
  struct Group {
    int leader = -1;
    std::uint64_t size = 0;
    bool is_read = true;
    std::uint64_t enabled_ns = 0, running_ns = 0;  // of all sections
    Reading begin, end;

    void read_into(Reading& reading) {
      if (leader < 0) return;
      const std::size_t bytes = (3 + size) * sizeof(std::uint64_t);
      is_read &= read(leader, &reading, bytes) == static_cast<ssize_t>(bytes);
    }
  };
  struct One {
    std::string name, absent, note;
    int descriptor = -1;
    std::size_t group = 0, place = 0;
    std::uint64_t sum = 0;    // of all sections
    std::uint64_t empty = 0;  // of an empty section
    bool is_calibrated = false;
  };

  enum Source : std::size_t { of_kernel, of_clock, of_processor };
  static Source source_of(const section_detail::Event& event) {
    if (event.type != PERF_TYPE_SOFTWARE) return of_processor;
    return event.config == PERF_COUNT_SW_TASK_CLOCK ? of_clock : of_kernel;
  }

  void open(const std::string& name);
  static int open_event(const section_detail::Event& event, bool with_kernel, int leader);
  void add_section();
  void calibrate();
  Count count_of(const One& one) const;

  std::vector<One> events_;
  std::array<Group, 3> groups_;  // by Source
  std::uint64_t sections_ = 0, open_sections_ = 0;
  long thread_ = syscall(SYS_gettid);  // the thread that is counted
  bool is_of_others_ = false;          // was there a section of another thread?
};

inline int Counters::open_event(const section_detail::Event& event, bool with_kernel, int leader) {
  perf_event_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.size = sizeof attributes;
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.config1 = event.config1;
  attributes.config2 = event.config2;
  if (!with_kernel) attributes.exclude_kernel = attributes.exclude_hv = 1;
  attributes.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, leader, PERF_FLAG_FD_CLOEXEC));
}

inline void Counters::open(const std::string& name) {
  using Modes = section_detail::Event::Modes;
  One one;
  one.name = name;
  const section_detail::Event event = section_detail::find_event(name);
  one.group = source_of(event);
  Group& group = groups_[one.group];
  if (!event.is_known) {
    one.absent = "this machine has no event of this name";
  } else if (group.size == kMostEvents) {
    one.absent = "there are more than 32 such events";
  } else {
    one.descriptor = open_event(event, event.modes != Modes::user, group.leader);
    const bool is_refused = one.descriptor < 0 && (errno == EACCES || errno == EPERM);
    if (is_refused && event.modes == Modes::both_if_allowed) {
      one.descriptor = open_event(event, false, group.leader);
      if (one.descriptor >= 0) one.note = "user mode only: this user may not count the kernel";
    }
    if (one.descriptor < 0) one.absent = section_detail::refusal(errno, event, group.leader < 0);
  }
  if (one.descriptor >= 0) {
    one.place = group.size++;
    if (group.leader < 0) group.leader = one.descriptor;
  }
  events_.push_back(std::move(one));
}

inline void Counters::add_section() {
  ++sections_;
  for (Group& group : groups_) {
    group.enabled_ns += group.end.enabled_ns - group.begin.enabled_ns;
    group.running_ns += group.end.running_ns - group.begin.running_ns;
  }
  for (One& one : events_) {
    const Group& group = groups_[one.group];
    if (one.descriptor >= 0) one.sum += group.end.values[one.place] - group.begin.values[one.place];
  }
}

// Keeps the smallest count of many empty sections: each section counts at least this much.
inline void Counters::calibrate() {
  constexpr int kTries = 64;
  for (int i = 0; i < kTries; ++i) {
    reset();
    start();
    stop();
    for (One& one : events_) {
      const Group& group = groups_[one.group];
      if (group.running_ns < group.enabled_ns) continue;  // other users had the counters
      one.empty = one.is_calibrated ? std::min(one.empty, one.sum) : one.sum;
      one.is_calibrated = true;
    }
  }
  for (One& one : events_) {
    if (one.descriptor >= 0 && !one.is_calibrated) {
      one.note += one.note.empty() ? "" : ", ";
      one.note += "overhead not known and not subtracted: others used the counters";
    }
  }
  reset();
}

inline Count Counters::count_of(const One& one) const {
  Count count;
  count.event = one.name;
  count.absent = one.absent;
  count.note = one.note;
  if (one.descriptor < 0) return count;
  const Group& group = groups_[one.group];
  count.counted = one.sum;
  count.overhead = one.empty * sections_;
  if (group.running_ns < group.enabled_ns)
    count.share = static_cast<double>(group.running_ns) / static_cast<double>(group.enabled_ns);
  if (is_of_others_) {
    count.absent = "another thread or process used these counters";
  } else if (!group.is_read) {
    count.absent = "the kernel does not return the counts";
  } else if (count.share == 0) {
    count.absent = "it was never on a counter: others use them, or the thread ran on another kind of core";
  } else {
    std::uint64_t scaled = one.sum;
    if (count.share < 1) scaled = static_cast<std::uint64_t>(static_cast<double>(one.sum) / count.share + 0.5);
    count.value = scaled - std::min(scaled, count.overhead);
  }
  return count;
}

#undef WPERF_SECTION_NOT_INLINED

#else  // no Linux

// Counts nothing: programs compile and run, and each value is absent.
class Counters {
 public:
  explicit Counters(std::initializer_list<const char*> events) : events_(events.begin(), events.end()) {}
  explicit Counters(const std::vector<std::string>& events) : events_(events) {}
  void start() { sections_ += open_sections_++ == 0; }
  void stop() { open_sections_ -= open_sections_ != 0; }
  void reset() { sections_ = 0; }
  std::uint64_t sections() const { return sections_; }
  std::vector<Count> counts() const {
    std::vector<Count> counts;
    for (const std::string& event : events_) counts.push_back((*this)[event]);
    return counts;
  }
  Count operator[](const std::string& event) const {
    Count count;
    count.event = event;
    count.absent = "this header counts on Linux only; libwperf and `wperf stat` count on this system";
    return count;
  }

 private:
  std::vector<std::string> events_;
  std::uint64_t sections_ = 0, open_sections_ = 0;
};

#endif

// Counts from its construction to its destruction.
class Section {
 public:
  explicit Section(Counters& counters) : counters_(counters) { counters_.start(); }
  ~Section() { counters_.stop(); }
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;

 private:
  Counters& counters_;
};

// Returns one readable line for each event.
inline std::string text(const std::vector<Count>& counts) {
  std::string lines;
  for (const Count& count : counts) {
    char line[128];
    if (!count.value.has_value()) {
      lines += "           absent  " + count.event + ": " + count.absent + "\n";
      continue;
    }
    std::snprintf(line, sizeof line, "%17llu  ", static_cast<unsigned long long>(*count.value));
    lines += line + count.event;
    std::snprintf(line, sizeof line, ", overhead of %llu subtracted", static_cast<unsigned long long>(count.overhead));
    if (count.overhead != 0) lines += line;
    std::snprintf(line, sizeof line, ", estimated: counted %.1f %% of the time", count.share * 100);
    if (count.share < 1) lines += line;
    if (!count.note.empty()) lines += ", " + count.note;
    lines += "\n";
  }
  return lines;
}

}  // namespace wperf

#endif
