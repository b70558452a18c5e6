// SPDX-License-Identifier: BSD-3-Clause
// Values of options of `report` and `waits`: --sort, lists of names and numbers, --time, --min.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ground/diag/result.h"
#include "model/request/recording_view.h"

namespace wperf::request {

// "comm,pid,symbol"; each once.
diag::Result<std::vector<SortBy>> parse_sort_list(std::string_view text);
// "a,b"; no empty ones.
std::vector<std::string> parse_name_list(std::string_view text);
// "1,22,333"; `option` names it in errors.
diag::Result<std::vector<u32>> parse_number_list(std::string_view text, std::string_view option);
// "1.5-3", "1.5-", "-3": seconds after the first sample.
diag::Result<TimeSpan> parse_time_span(std::string_view text);

// --parallelism: "2", "2-4"; from 1 on.
diag::Result<ThreadNumbers> parse_thread_numbers(std::string_view text);

// --percent-limit: 0 to 100, with a fraction or without.
diag::Result<double> parse_percent(std::string_view text, std::string_view spelling);

// --min: "1ms", "0.5", "200us", "2s" → nanoseconds.
diag::Result<u64> parse_length(std::string_view text, std::string_view spelling);

}  // namespace wperf::request
