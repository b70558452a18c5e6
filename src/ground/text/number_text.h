// SPDX-License-Identifier: BSD-3-Clause
// Numbers as reports spell them (contract 1.5). Independent of any locale.
#pragma once
#include <string>
#include <string_view>

#include "base/ints.h"

namespace wperf::text {

std::string with_commas(u64 value);                      // 1,234,567
std::string times(u64 count);                            // "once", "1,234 times"
std::string counted(u64 count, std::string_view thing);  // "1 thread", "1,234 threads"
std::string hex(u64 value, int digits);                  // 0x001b
std::string fixed(double value, int decimals);           // 0 for a value that is not finite
double percent_of(u64 part, u64 whole);                  // 0 if `whole` is 0
std::string share(double part, double whole);            // "12.3 %"; "0 %" if `whole` is 0
std::string duration(double seconds);                    // for a person: "2.7 ms", "302 ms", "1.302 s"
std::string scaled_number(double value);                 // for a person: "823", "60.9 K", "1.25 M"
u64 whole_count(double value);                           // a limit as a whole number, from 0 to the largest i64
std::string elapsed(double seconds);                     // up to 6 significant digits, always with a decimal point

}  // namespace wperf::text
