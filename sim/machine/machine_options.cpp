// SPDX-License-Identifier: BSD-3-Clause
#include "sim/machine/machine_options.h"

#include <charconv>
#include <optional>
#include <vector>

#include "abi/wire.h"
#include "ground/diag/nearest.h"
#include "sim/runtime_folder.h"

namespace wperf::sim {
namespace {

constexpr std::string_view kKeys =
    "cpu, cores, counters, free, cluster, dsu, dmc, spe, mhz, seed, pace, rights, interrupt, machine, instance, "
    "folder, writes, console, windows, startup, run";

// The values of the keys as given, before they are checked against each other.
struct GivenOptions {
  MachineOptions options;
  std::vector<const Product*> pattern;  // from cpu=
  bool counts_given = false;            // cpu=a*4+b*4
  std::optional<u32> cores, free_counters, cluster;
  bool dsu = true;
};

struct Setting {
  std::string_view key, value;
};

std::string quoted(const Setting& setting) {
  return "simulator option '" + std::string(setting.key) + "=" + std::string(setting.value) + "'";
}

template <class Number>
bool parse_number(std::string_view text, Number least, Number most, Number& out) {
  int base = 10;
  if (text.starts_with("0x")) {
    text.remove_prefix(2);
    base = 16;
  }
  Number value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (code != std::errc() || end != text.data() + text.size() || value < least || value > most) return false;
  out = value;
  return true;
}

std::string take_number(const Setting& setting, u32 least, u32 most, u32& out) {
  if (parse_number(setting.value, least, most, out)) return {};
  return quoted(setting) + " is not a number from " + std::to_string(least) + " to " + std::to_string(most);
}

std::string take_optional(const Setting& setting, u32 least, u32 most, std::optional<u32>& out) {
  u32 value = 0;
  std::string problem = take_number(setting, least, most, value);
  if (problem.empty()) out = value;
  return problem;
}

std::string take_cpu(const Setting& setting, GivenOptions& said) {
  said.pattern.clear();
  said.counts_given = false;
  std::string_view rest = setting.value;
  while (true) {
    const usize plus = rest.find('+');
    const std::string_view part = rest.substr(0, plus);
    const usize star = part.find('*');
    const Product* product = find_product(part.substr(0, star));
    if (product == nullptr)
      return quoted(setting) + " names an unknown core '" + std::string(part.substr(0, star)) + "'";
    u32 count = 1;
    if (star != std::string_view::npos) {
      if (!parse_number<u32>(part.substr(star + 1), 1, WPERF_MAX_CORES, count))
        return quoted(setting) + " needs a number of cores from 1 to 256 after '*'";
      said.counts_given = true;
    }
    said.pattern.insert(said.pattern.end(), count, product);
    if (said.pattern.size() > WPERF_MAX_CORES) return quoted(setting) + " makes more than 256 cores";
    if (plus == std::string_view::npos) break;
    rest.remove_prefix(plus + 1);
  }
  if (said.pattern.size() > 1) said.counts_given = true;
  return {};
}

std::string take_switch(const Setting& setting, bool& out) {
  if (setting.value != "on" && setting.value != "off") return quoted(setting) + " is neither on nor off";
  out = setting.value == "on";
  return {};
}

std::string take_dsu(const Setting& setting, GivenOptions& said) {
  if (setting.value == "on" || setting.value == "off") return take_switch(setting, said.dsu);
  said.dsu = true;
  if (parse_number<u32>(setting.value, 1, 31, said.options.dsu_counters)) return {};
  return quoted(setting) + " is neither on, off nor a number of counters from 1 to 31";
}

std::string take_pace(const Setting& setting, Pace& out) {
  if (setting.value != "real" && setting.value != "free") return quoted(setting) + " is neither real nor free";
  out = setting.value == "real" ? Pace::real : Pace::free;
  return {};
}

std::string take_rights(const Setting& setting, Rights& out) {
  if (setting.value != "administrator" && setting.value != "user")
    return quoted(setting) + " is neither administrator nor user";
  out = setting.value == "user" ? Rights::user : Rights::administrator;
  return {};
}

std::string take_interrupt(const Setting& setting, OverflowInterrupt& out) {
  if (setting.value == "given") {
    out = OverflowInterrupt::given;
  } else if (setting.value == "refused") {
    out = OverflowInterrupt::refused;
  } else if (setting.value == "not-again") {
    out = OverflowInterrupt::not_again;
  } else {
    return quoted(setting) + " is neither given, refused nor not-again";
  }
  return {};
}

std::string take_kind(const Setting& setting, MachineKind& out) {
  if (setting.value == "real") {
    out = MachineKind::real;
  } else if (setting.value == "virtual") {
    out = MachineKind::virtual_machine;
  } else if (setting.value == "trapping") {
    out = MachineKind::trapping;
  } else {
    return quoted(setting) + " is neither real, virtual nor trapping";
  }
  return {};
}

std::string take_instance(std::string_view name, std::string& out) {
  if (!is_instance_name(name))
    return "simulator instance '" + std::string(name) + "' is not 1 to 64 letters, digits, '_' or '-'";
  out = name;
  return {};
}

std::string take_run(const Setting& setting, GivenOptions& said) {
  const usize colon = setting.value.find(':');
  RunOption run;
  if (colon == std::string_view::npos ||
      !parse_number<u32>(setting.value.substr(0, colon), 0, WPERF_MAX_CORES - 1, run.core))
    return quoted(setting) + " is not CORE:PROGRAM ARGUMENTS";
  run.arguments = setting.value.substr(colon + 1);
  run.image = run.arguments.substr(0, run.arguments.find(' '));
  if (run.image.empty()) return quoted(setting) + " has no program";
  said.options.programs.push_back(std::move(run));
  return {};
}

std::string take_folder(const Setting& setting, std::string& out) {
  if (setting.value.empty()) return quoted(setting) + " has no folder";
  out = setting.value;
  return {};
}

std::string take_startup(const Setting& setting, bool& out) {
  if (setting.value != "counted" && setting.value != "left-out")
    return quoted(setting) + " is neither counted nor left-out";
  out = setting.value == "counted";
  return {};
}

std::string take_console(const Setting& setting, bool& out) {
  if (setting.value != "shown" && setting.value != "hidden") return quoted(setting) + " is neither shown nor hidden";
  out = setting.value == "shown";
  return {};
}

std::string take(const Setting& setting, GivenOptions& said) {
  MachineOptions& options = said.options;
  if (setting.key == "cpu") return take_cpu(setting, said);
  if (setting.key == "cores") return take_optional(setting, 1, WPERF_MAX_CORES, said.cores);
  if (setting.key == "counters") return take_number(setting, 1, WPERF_MAX_COUNTERS, options.counters);
  if (setting.key == "free") return take_optional(setting, 0, WPERF_MAX_COUNTERS, said.free_counters);
  if (setting.key == "cluster") return take_optional(setting, 1, WPERF_MAX_CORES, said.cluster);
  if (setting.key == "dsu") return take_dsu(setting, said);
  if (setting.key == "dmc") return take_number(setting, 0, WPERF_MAX_DMC_CHANNELS, options.dmc_channels);
  if (setting.key == "spe") return take_switch(setting, options.spe);
  if (setting.key == "mhz") return take_number(setting, 1, 10000, options.mhz);
  if (setting.key == "pace") return take_pace(setting, options.pace);
  if (setting.key == "rights") return take_rights(setting, options.rights);
  if (setting.key == "interrupt") return take_interrupt(setting, options.interrupt);
  if (setting.key == "machine") return take_kind(setting, options.kind);
  if (setting.key == "instance") return take_instance(setting.value, options.instance);
  if (setting.key == "folder") return take_folder(setting, options.surroundings.folder);
  if (setting.key == "writes") return take_switch(setting, options.surroundings.writes);
  if (setting.key == "windows") return take_folder(setting, options.system_folder);
  if (setting.key == "startup") return take_startup(setting, options.startup_counted);
  if (setting.key == "console") return take_console(setting, options.console_shown);
  if (setting.key == "run") return take_run(setting, said);
  if (setting.key == "seed")
    return parse_number<u64>(setting.value, 0, ~u64{0}, options.seed) ? ""
                                                                      : quoted(setting) + " is not a 64-bit number";
  return "unknown simulator option '" + std::string(setting.key) + "'";
}

bool is_known_key(std::string_view key) {
  for (std::string_view rest = kKeys; !rest.empty();) {
    const usize comma = rest.find(", ");
    if (rest.substr(0, comma) == key) return true;
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 2);
  }
  return false;
}

// The end of the value at the start of `text`: the first comma. The arguments of `run` may contain commas; its value
// ends at the first comma that a known key and '=' follow.
usize value_end(std::string_view key, std::string_view text) {
  usize comma = text.find(',');
  if (key != "run") return comma;
  while (comma != std::string_view::npos) {
    const std::string_view after = text.substr(comma + 1);
    const usize equals = after.find('=');
    if (equals != std::string_view::npos && is_known_key(after.substr(0, equals))) return comma;
    comma = text.find(',', comma + 1);
  }
  return comma;
}

// Applies the rules that involve several keys.
std::string settle(GivenOptions& said) {
  MachineOptions& options = said.options;
  if (said.pattern.empty()) said.pattern.assign(1, find_product("neoverse-n1"));
  if (!said.counts_given) said.pattern.assign(said.cores.value_or(8), said.pattern.front());
  if (said.cores && *said.cores != said.pattern.size())
    return "simulator options 'cores=" + std::to_string(*said.cores) + "' and 'cpu=' (" +
           std::to_string(said.pattern.size()) + " cores) contradict each other";
  options.cores = std::move(said.pattern);
  u32 least = WPERF_MAX_COUNTERS;
  for (u32 core = 0; core < options.cores.size(); ++core)
    if (options.counters_of(core) < least) least = options.counters_of(core);
  options.free_counters = said.free_counters.value_or(least);
  if (options.free_counters > least)
    return "simulator option 'free=" + std::to_string(options.free_counters) + "' is more than the " +
           std::to_string(least) + " counters of the core";
  if (options.surroundings.writes && options.surroundings.folder.empty())
    return "simulator option 'writes=on' needs 'folder=', the folder to write in";
  options.cluster_size = said.dsu ? said.cluster.value_or(2) : 0;
  if (options.cluster_count() > WPERF_MAX_CLUSTERS)
    return "simulator option 'cluster=' makes more than 128 clusters of " + std::to_string(options.cores.size()) +
           " cores";
  for (const RunOption& run : options.programs)
    if (run.core >= options.cores.size())
      return "simulator option 'run=' names core " + std::to_string(run.core) + " of a machine with " +
             std::to_string(options.cores.size()) + " cores";
  return {};
}

// "did you mean neoverse-v2? known cores: …"
std::string hint_of_cores(std::string_view name) {
  const std::vector<std::string_view> known = product_names();
  std::string hint = diag::did_you_mean(diag::nearest(name, known));
  hint += hint.empty() ? "known cores:" : " known cores:";
  for (const std::string_view one : known) hint += " " + std::string(one);
  return hint;
}

std::string hint_for(const Setting& setting) {
  if (setting.key != "cpu") return "known keys: " + std::string(kKeys);
  for (std::string_view rest = setting.value; !rest.empty();) {
    const usize plus = rest.find('+');
    const std::string_view part = rest.substr(0, plus);
    const std::string_view name = part.substr(0, part.find('*'));
    if (find_product(name) == nullptr) return hint_of_cores(name);
    rest = plus == std::string_view::npos ? std::string_view() : rest.substr(plus + 1);
  }
  return hint_of_cores({});
}

}  // namespace

MachineOptions parse_options(std::string_view text, std::string_view instance_default, OptionError& error) {
  GivenOptions said;
  error = {};
  if (!instance_default.empty()) error.text = take_instance(instance_default, said.options.instance);
  if (!error.text.empty()) {
    error.hint = "set WPERF_SIM_INSTANCE to a name of letters, digits, '_' or '-', or unset it";
    return {};
  }
  for (std::string_view rest = text; !rest.empty();) {
    const usize equals = rest.find('=');
    const usize comma = rest.find(',');
    Setting setting;
    if (equals == std::string_view::npos || comma < equals) {
      error.text = "simulator option '" + std::string(rest.substr(0, comma)) + "' is not KEY=VALUE";
    } else {
      setting.key = rest.substr(0, equals);
      const std::string_view after = rest.substr(equals + 1);
      const usize end = value_end(setting.key, after);
      setting.value = after.substr(0, end);
      rest = end == std::string_view::npos ? std::string_view() : after.substr(end + 1);
      error.text = take(setting, said);
    }
    if (!error.text.empty()) {
      error.hint = hint_for(setting);
      return {};
    }
  }
  error.text = settle(said);
  if (!error.text.empty()) {
    error.hint = hint_for(Setting());
    return {};
  }
  return std::move(said.options);
}

}  // namespace wperf::sim
