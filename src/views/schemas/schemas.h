// SPDX-License-Identifier: BSD-3-Clause
// The JSON Schemas of the documents that --json prints: the files in data/schemas, which the build embeds.
#pragma once
#include <span>
#include <string_view>
#include <vector>

namespace wperf::schemas {

struct Schema {
  std::string_view name, title, description;
  std::string_view text;  // complete: includes all schemas to which it refers
};

std::span<const Schema> all();
const Schema* find(std::string_view name);
// The command lines that print the document, without `wperf`. The schema's description has these in quotes.
std::vector<std::string_view> printed_by(const Schema& schema);

}  // namespace wperf::schemas
