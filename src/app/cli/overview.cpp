// SPDX-License-Identifier: BSD-3-Clause
// The help without a command: the commands by purpose, and where to find more. With the header, at most 40 lines of 80
// characters.
#include <fmt/format.h>

#include "app/cli/help.h"
#include "app/cli/terminal_text.h"

namespace wperf::cli {
namespace {

using request::Command;

struct Line {
  Command command;
  std::string_view does;
  std::string_view linux_example;
  std::string_view driver_example;  // empty: the same example for the driver
};

struct Purpose {
  std::string_view title;
  std::span<const Line> lines;
};

constexpr Line kTime[] = {
    {Command::record, "start and sample a program", "wperf record -g --tree -- ./program",
     "wperf record --freq 999 -- prog.exe"},
    {Command::sample, "sample a running program", "wperf sample -g -p 4711 --timeout 10",
     "wperf sample -c 1 --pe_file prog.exe"},
    {Command::report, "show a recording", "wperf report perf.data --children", ""},
    {Command::top, "hot functions, live", "wperf top", "wperf top -- prog.exe"},
    {Command::topdown, "what holds a program back", "wperf topdown --device sim -- p.exe", "wperf topdown -- prog.exe"},
    {Command::waits, "why threads did not run", "wperf waits -- ./program", "wperf waits trace.etl"},
    {Command::push, "send a recording to a server", "wperf push perf.data --url https://s", ""},
    {Command::pgo, "profile for a compiler", "wperf pgo a.etl --format spt -o a.spt", ""},
    {Command::diff, "compare recordings", "wperf diff old.data new.data", ""},
};
constexpr Line kOften[] = {
    {Command::stat, "count events", "wperf stat -- ./program", "wperf stat -m imix -c 1 --timeout 3"},
    {Command::bench, "compare two programs", "wperf bench -- ./old --- ./new", ""},
    {Command::list, "list events and metrics", "wperf list", ""},
    {Command::man, "explain an event or metric", "wperf man neoverse-v2/ipc", "wperf man ld_spec"},
};
constexpr Line kMachine[] = {
    {Command::doctor, "find out what is missing", "wperf doctor", ""},
    {Command::guide, "how to find a problem", "wperf guide", ""},
    {Command::mcp, "answer an assistant", "wperf mcp", ""},
    {Command::machine, "keep a simulated machine on", "wperf machine start", ""},
    {Command::test, "counters and settings", "wperf test", ""},
    {Command::detect, "devices of the driver", "wperf detect", ""},
    {Command::schema, "shapes of the JSON documents", "wperf schema stat", ""},
    {Command::version, "versions of wperf and driver", "wperf --version", ""},
};
constexpr Purpose kPurposes[] = {
    {"Where the time goes", kTime}, {"How often events happen", kOften}, {"This machine", kMachine}};

constexpr std::string_view kGoOn =
    "\nTo go on:\n  wperf COMMAND --help      help for one command (or wperf help COMMAND)\n  wperf --help --all       "
    " all commands and options, as in man wperf\n  wperf list -v             all events and metrics, explained\n  "
    "docs/user/README.md       user documentation\n";

}  // namespace

std::vector<std::string_view> overview_examples(bool linux_device) {
  std::vector<std::string_view> examples;
  for (const Purpose& purpose : kPurposes) {
    for (const Line& line : purpose.lines) {
      examples.push_back(linux_device || line.driver_example.empty() ? line.linux_example : line.driver_example);
    }
  }
  return examples;
}

std::string render_overview(bool linux_device) {
  std::string out = wrap_words("wperf - " + std::string(kPurpose), 0);
  const auto examples = overview_examples(linux_device);
  auto example = examples.begin();
  for (const Purpose& purpose : kPurposes) {
    out += fmt::format("\n{}:\n", purpose.title);
    for (const Line& line : purpose.lines) {
      out += fmt::format("  {:<9}  {:<28}  {}\n", row_of(line.command).name, line.does, *example++);
    }
  }
  return out.append(kGoOn);
}

}  // namespace wperf::cli
