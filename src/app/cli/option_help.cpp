// SPDX-License-Identifier: BSD-3-Clause
// Help texts of options that differ for one command. The numbers in them come from machine/plan/sample_plan and the
// devices.
#include <algorithm>
#include <iterator>

#include "app/cli/options.h"

namespace wperf::cli {
namespace {

using request::Command;

struct OwnHelp {
  Option option;
  CommandSet commands;
  std::string_view help;
  std::string_view device = {};  // the word before the colon of --device; empty: all devices
};

// These take precedence over the general texts.
constexpr OwnHelp kOwnHelp[] = {
    {Option::output, Command::sample | Command::record | Command::waits,
     "FILE.data keeps the recording for `wperf report`; another name gets the report as JSON. -o - means --json."},
    {Option::output, Command::stat,
     "Write the JSON to FILE; -o - means --json. With -t but without --json, FILE gets the CSV instead."},
    {Option::output, Command::report, "Write the JSON to FILE, or the output of --export; -o - writes it to stdout."},
    {Option::output, Command::pgo, "Write the profile to FILE; with --json, the JSON. -o - means --json."},
    {Option::cores, Command::stat | Command::topdown | Command::bench,
     "Cores to count on: numbers and ranges such as 0,4-7. A program that wperf starts runs on this core. Default: all "
     "cores. If given twice, the last one applies.",
     "linux"},
    {Option::cores, Command::stat | Command::topdown | Command::bench,
     "Cores to count on: numbers and ranges such as 0,4-7. Default: all cores, or core 0 if wperf starts a program. If "
     "given twice, the last one applies."},
    {Option::cores, Command::sample,
     "The core to sample; there is no default. --cores takes several. If given twice, the last one applies."},
    {Option::cores, Command::record | Command::top,
     "The core to sample, on which wperf also starts the program. --cores takes several. If given twice, the last one "
     "applies."},
    {Option::cores, Command::machine, "The core on which `machine run` keeps the program."},
    {Option::events, Command::sample | Command::record,
     "Events, separated by commas: NAME or NAME:INTERVAL, one sample every INTERVAL events. NAME is a name from `wperf "
     "list` or a raw number such as r1b, without groups or prefixes. Modifiers follow the name: cycles:u or "
     "cycles:u:100000 samples user mode only. May be given several times. Without INTERVAL, 4000 samples per second "
     "are taken (see --freq). Without -e: cycles, or CPU time if there is no cycle counter. arm_spe_0/NAME=VALUE,.../ "
     "samples with SPE instead.",
     "linux"},
    {Option::events, Command::sample | Command::record,
     "Events, separated by commas: NAME or NAME:INTERVAL, one sample every INTERVAL events. NAME is a name from `wperf "
     "list`. May be given several times. Without INTERVAL, one sample in 65536 events is taken. Without -e: the timer.",
     "etw"},
    {Option::events, Command::sample | Command::record,
     "Events, separated by commas: NAME or NAME:INTERVAL, one sample every INTERVAL events. NAME is a name from `wperf "
     "list` or a raw number such as r1b, without groups or prefixes. May be given several times. Without INTERVAL, one "
     "sample in 0x4000000 events is taken. Without -e: cycles, one sample in 24000. arm_spe_0/NAME=VALUE,.../ samples "
     "with SPE instead.",
     "sim"},
    {Option::events, Command::sample | Command::record,
     "Events, separated by commas: NAME or NAME:INTERVAL, one sample every INTERVAL events. NAME is a name from `wperf "
     "list` or a raw number such as r1b, without groups or prefixes. May be given several times. Without INTERVAL, one "
     "sample in 0x4000000 events is taken. Without -e: cycles, one sample in 0x8000000. arm_spe_0/NAME=VALUE,.../ "
     "samples with SPE instead.",
     "driver"},
    {Option::events, Command::stat,
     "Events, separated by commas: names from `wperf list`, raw numbers such as r1b or 0x1b, and groups in braces. "
     "Events of a group are always counted at the same time. The prefixes /dsu/, /dmc_clk/ and /dmc_clkdiv2/ select "
     "counters outside the cores. On the linux device a name may end in modifiers: instructions:u counts user mode "
     "only, cycles:k the kernel only. May be given several times. Without -e and -m, the linux and etw devices count a "
     "default set (time, switches, cycles, instructions, branches); a driver counts only the events you name."},
    {Option::events, Command::test,
     "Events to schedule, separated by commas: names from `wperf list`, raw numbers such as r1b or 0x1b, and groups in "
     "braces. Events of a group are always counted at the same time. The prefixes /dsu/, /dmc_clk/ and /dmc_clkdiv2/ "
     "select counters outside the cores. May be given several times. Nothing is counted."},
    {Option::events, Command::bench,
     "Events to count, separated by commas, written as for stat. May be given several times. Without -e the linux and "
     "etw devices count the default events of stat. A driver then counts instructions, branches, mispredictions and "
     "misses of the first-level caches, as far as they fit on the counters at once."},
    {Option::events, Command::sample | Command::record,
     "Events, separated by commas: NAME or NAME:INTERVAL, one sample every INTERVAL events. NAME is a name from `wperf "
     "list` or a raw number such as r1b, without groups or prefixes. On the linux device modifiers follow the name: "
     "cycles:u or cycles:u:100000 samples user mode only. May be given several times. Without INTERVAL, the linux "
     "device takes 4000 samples per second (see --freq), etw one sample in 65536 events, a driver one sample in "
     "0x4000000. Without -e: on linux cycles, or CPU time if there is no cycle counter; on etw the timer; with a "
     "driver cycles, one sample in 0x8000000, on the simulated machine one in 24000. arm_spe_0/NAME=VALUE,.../ samples "
     "with SPE instead."},
    {Option::events, Command::top,
     "Events, separated by commas: NAME or NAME:INTERVAL, one sample every INTERVAL events. NAME is a name from `wperf "
     "list` or a raw number such as r1b, without groups or prefixes. May be given several times. Without INTERVAL, the "
     "linux device takes 4000 samples per second, a driver 1000 (see --freq). Without -e: cycles, or CPU time if there "
     "is no cycle counter; on etw the timer."},
};

}  // namespace

std::string_view help_for(const OptionRow& row, request::Command command, std::string_view device) {
  const std::string_view word = device.substr(0, device.find(':'));
  const auto* const own = std::find_if(std::begin(kOwnHelp), std::end(kOwnHelp), [&](const OwnHelp& one) {
    return one.option == row.option && one.commands.has(command) && (one.device.empty() || one.device == word);
  });
  return own == std::end(kOwnHelp) ? row.help : own->help;
}

}  // namespace wperf::cli
