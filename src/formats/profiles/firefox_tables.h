// SPDX-License-Identifier: BSD-3-Clause
// The tables of Firefox Profiler's processed format: strings, stacks, frames, functions and their origins.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "formats/profiles/profile_builder.h"
#include "ground/text/json_reader.h"

namespace wperf::profiles {

struct FirefoxTables {
  std::vector<std::string> strings;
  std::vector<u32> stack_frame, stack_prefix;
  bool has_offsets = false;  // a prefix is the distance to an earlier stack, 0: no prefix (since version 66)
  std::vector<u32> frame_function, frame_line, frame_library;
  std::vector<u64> frame_address;  // ~0: no address
  std::vector<u32> function_name, function_resource, function_file, function_source;
  std::vector<u32> resource_library, resource_name;
  std::vector<u32> source_file;  // since version 58

  // Takes the table that is next, where `name` is one.
  void read(text::JsonReader& json, std::string_view name);
  // By stack: its node, or kNothing if it points to something that does not exist. `others`: strings, if there are none
  // here.
  std::vector<u32> make_nodes(ProfileBuilder& builder, const std::vector<std::string>& libraries,
                              const std::vector<std::string>& others) const;

 private:
  u32 place_of(ProfileBuilder& builder, u32 frame, const std::vector<std::string>& libraries,
               const std::vector<std::string>& texts) const;
};

// A column of indices; null and -1 become kNothing.
void read_firefox_indices(text::JsonReader& json, std::vector<u32>& out);
// Paths of files of code.
void read_firefox_libraries(text::JsonReader& json, std::vector<std::string>& out);

}  // namespace wperf::profiles
