// SPDX-License-Identifier: BSD-3-Clause
#include "model/request/call_graph.h"

#include <fmt/format.h>

#include "model/request/number.h"

namespace wperf::request {

diag::Result<CallStacks> parse_call_graph(std::string_view text) {
  if (text == "auto") return automatic_stacks();
  if (text == "fp") return CallStacks{.source = StackSource::frame_pointers};
  if (text == "dwarf") return CallStacks{.source = StackSource::stack_copies};
  constexpr std::string_view kWithSize = "dwarf,";
  if (!text.starts_with(kWithSize)) {
    return diag::Error{.text = fmt::format("unknown way to record call stacks: '{}'", text),
                       .hint = "use auto, fp, dwarf or dwarf,BYTES with --call-graph",
                       .code = diag::ExitCode::usage};
  }
  const std::optional<u64> bytes = parse_decimal(text.substr(kWithSize.size()));
  if (!bytes.has_value() || *bytes == 0 || *bytes > kMostStackBytes || *bytes % 8 != 0) {
    return diag::Error{.text = fmt::format("invalid size of the stack copy: '{}'", text.substr(kWithSize.size())),
                       .hint = fmt::format("use a multiple of 8, at most {}", kMostStackBytes),
                       .code = diag::ExitCode::usage};
  }
  return CallStacks{.source = StackSource::stack_copies, .stack_bytes = static_cast<u32>(*bytes)};
}

}  // namespace wperf::request
