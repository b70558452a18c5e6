// SPDX-License-Identifier: BSD-3-Clause
// The terminal of stdout and stderr.
#pragma once
#include <cstdio>
#include <string_view>

namespace wperf::os {

// Is this stream a terminal that understands escape sequences? On Windows asking makes it so, until the process ends.
bool prepare_terminal(std::FILE* stream);
// Characters in a line of it; 0 if it is not a terminal, or does not say.
unsigned terminal_width(std::FILE* stream);
// Lines of it; 0 likewise.
unsigned terminal_height(std::FILE* stream);
// UTF-8 text to a terminal, file or pipe, at once. Lines end in LF and are written in the system's form: a Windows file
// or pipe gets CR LF, a Windows console the characters whatever its code page. 0, or the errno of the failure.
int write_text(std::FILE* stream, std::string_view text);
// The same for bytes, unchanged. The stream must not be used for text as well.
int write_bytes(std::FILE* stream, std::string_view bytes);

}  // namespace wperf::os
