// SPDX-License-Identifier: BSD-3-Clause
// The JSON Schemas of the documents that --json prints: the files of data/schemas, which the build puts in.
#pragma once
#include <span>
#include <string_view>
#include <vector>

namespace wperf::schemas {

struct Schema {
  std::string_view name, title, description;
  std::string_view text;  // whole: the schemas that it refers to are parts of it
};

std::span<const Schema> all();
const Schema* find(std::string_view name);
// The command lines that print the document, without `wperf`. Its description quotes them.
std::vector<std::string_view> printed_by(const Schema& schema);

}  // namespace wperf::schemas
