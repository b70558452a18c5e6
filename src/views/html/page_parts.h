// SPDX-License-Identifier: BSD-3-Clause
// The style sheet and the scripts of the page, and the SHA-256 of each as hexadecimal digits. The build embeds them
// from page/ (embed_page.cmake).
#pragma once

namespace wperf::html {

extern const char* const kStyle;
extern const char* const kStyleHash;
extern const char* const kScript;      // everything except the end
extern const char* const kScriptEnd;   // the end, which starts the views
extern const char* const kScriptHash;  // of kScript and kScriptEnd together
// Pages with two sides, and pages of waits, have one more script between the two. Its hash covers all three scripts.
extern const char* const kDifferenceScript;
extern const char* const kDifferenceScriptHash;
extern const char* const kWaitsScript;
extern const char* const kWaitsScriptHash;

}  // namespace wperf::html
