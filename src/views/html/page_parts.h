// SPDX-License-Identifier: BSD-3-Clause
// The style sheet and the scripts of the page, and the SHA-256 of each as hexadecimal digits: page/ as the build has
// embedded it (embed_page.cmake).
#pragma once

namespace wperf::html {

extern const char* const kStyle;
extern const char* const kStyleHash;
extern const char* const kScript;      // all but its end
extern const char* const kScriptEnd;   // the end, which starts the views
extern const char* const kScriptHash;  // of kScriptEnd and kScript
// Pages of two sides and pages of waits have one more script between the two; its hash is of all three.
extern const char* const kDifferenceScript;
extern const char* const kDifferenceScriptHash;
extern const char* const kWaitsScript;
extern const char* const kWaitsScriptHash;

}  // namespace wperf::html
