// SPDX-License-Identifier: BSD-3-Clause
#include "app/commands/program_hint.h"

#include <fmt/format.h>

#include <algorithm>

#include "ground/os/files.h"
#include "ground/os/mapped_file.h"
#include "ground/text/shell_words.h"

namespace wperf::commands {

diag::Error with_program_hint(diag::Error error, const std::string& file, std::string_view command) {
  if (error.code != diag::ExitCode::damaged_input) return error;
  constexpr usize kLongestMark = 4;
  // A stream cannot be read a second time.
  if (os::is_stream(file)) return error;
  const auto mapped = os::MappedFile::open(file);
  if (!mapped.has_value()) return error;
  const auto bytes = mapped.value().bytes().first(std::min(kLongestMark, mapped.value().bytes().size()));
  const std::string_view begin(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  // Programs of Linux and Windows, and scripts.
  for (const std::string_view one : {"\x7f"
                                     "ELF",
                                     "MZ", "#!"}) {
    if (begin.starts_with(one))
      error.hint = fmt::format("'{}' is a program; `{} -- {}` runs it", file, command, text::quoted_word(file));
  }
  return error;
}

}  // namespace wperf::commands
