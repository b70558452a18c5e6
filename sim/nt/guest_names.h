// SPDX-License-Identifier: BSD-3-Clause
// Names of files as programs write them. The user's folder is the program's current folder, C:\work, and no file
// outside of it can be named.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wperf::sim {

inline constexpr std::string_view kGuestFolder = "C:\\work";

// The parts of a program's name "..\work\a/b.txt" below the folder: {"a", "b.txt"}. Returns nullopt if the name leads
// out of the folder, or is not a name that Windows allows.
std::optional<std::vector<std::string>> parts_of_guest_name(std::string_view name);
// The path of a file as the program sees it: "C:\work\a\b.txt".
std::string guest_name_of(const std::vector<std::string>& parts);
// Windows drops dots and spaces at the end of a part. Such parts are not plain, so a file has only one name.
bool is_plain_part(std::string_view part);

}  // namespace wperf::sim
