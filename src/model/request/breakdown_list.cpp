// SPDX-License-Identifier: BSD-3-Clause
#include "model/request/breakdown_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ints.h"

namespace wperf::request {
namespace {

struct Name {
  std::string_view name;
  Breakdown breakdown;
};
constexpr Name kNames[] = {{"process", Breakdown::process},
                           {"thread", Breakdown::thread},
                           {"module", Breakdown::module},
                           {"core", Breakdown::core},
                           {"caller", Breakdown::caller}};

diag::Result<Breakdown> parse_breakdown(std::string_view text) {
  for (const Name& name : kNames) {
    if (name.name == text) return name.breakdown;
  }
  return diag::Error{.text = fmt::format("unknown table '{}' for --by", text),
                     .hint = "use process, thread, module, core and caller, separated by commas",
                     .code = diag::ExitCode::usage};
}

}  // namespace

diag::Result<std::vector<Breakdown>> parse_breakdown_list(std::string_view text) {
  std::vector<Breakdown> list;
  while (true) {
    const usize comma = text.find(',');
    WPERF_TRY(const Breakdown breakdown, parse_breakdown(text.substr(0, comma)));
    if (std::find(list.begin(), list.end(), breakdown) == list.end()) list.push_back(breakdown);
    if (comma == std::string_view::npos) return list;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace wperf::request
