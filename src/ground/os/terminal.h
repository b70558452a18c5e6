// SPDX-License-Identifier: BSD-3-Clause
// The terminal behind stdout and stderr. Called by cli alone.
#pragma once
#include <cstdio>
#include <string_view>

namespace wperf::os {

// Is this stream a terminal that understands escape sequences? On Windows asking makes it so, until the process ends.
bool prepare_terminal(std::FILE* stream);
// Characters in a line of it; 0 when it is no terminal, or does not say.
unsigned terminal_width(std::FILE* stream);
// Lines of it; 0 likewise.
unsigned terminal_height(std::FILE* stream);
// UTF-8 text to a terminal, file or pipe, at once. Lines end in LF and go out as the system wants them: a Windows file
// or pipe gets CR LF, a Windows console the characters whatever its code page. 0, or the errno of what went wrong.
int write_text(std::FILE* stream, std::string_view text);
// The same of bytes as they are. Nothing else may be written to the stream.
int write_bytes(std::FILE* stream, std::string_view bytes);

}  // namespace wperf::os
