// SPDX-License-Identifier: BSD-3-Clause
// wperf-lib-timeline CORE N I METRIC PE_FILE PARAM: counts METRIC on CORE N times, with pauses of I seconds, while
// PE_FILE runs with PARAM. Prints the library's messages, including the name of the CSV file.
#include <wperf-lib.h>

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

std::wstring wide(const char* word) {
  const std::size_t length = std::mbstowcs(nullptr, word, 0);
  if (length == static_cast<std::size_t>(-1)) return {};
  std::wstring text(length, L'\0');
  std::mbstowcs(text.data(), word, length);
  return text;
}

int run(char** words) {
  uint8_t core = static_cast<uint8_t>(std::strtoul(words[1], nullptr, 10));
  const std::wstring metric = wide(words[4]), program = wide(words[5]), parameter = wide(words[6]);
  const wchar_t* metrics[] = {metric.c_str()};
  STAT_CONF conf{};
  conf.num_cores = 1;
  conf.cores = &core;
  conf.num_metrics = 1;
  conf.metric_events = metrics;
  conf.duration = 1;
  conf.period = 100;
  conf.timeline = true;
  conf.count_timeline = static_cast<int>(std::strtol(words[2], nullptr, 10));
  conf.counting_interval = std::strtod(words[3], nullptr);
  conf.pe_file = program.c_str();
  conf.record_commandline = parameter.c_str();
  if (!wperf_stat(&conf, nullptr)) return 1;
  STAT_INFO row{};
  while (wperf_stat(&conf, &row)) {
    const bool of_metric = row.evt_note.type == METRIC_EVT_NOTE;
    std::printf("wperf_stat: core=%u, counter_value=%llu, event_idx=0x%x, metric=%ls\n",
                static_cast<unsigned>(row.core_idx), static_cast<unsigned long long>(row.counter_value), row.event_idx,
                of_metric ? row.evt_note.note.metric_note.name : L"");
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  std::setlocale(LC_ALL, "");
  if (count != 7) {
    std::fprintf(stderr, "usage: wperf-lib-timeline CORE N I METRIC PE_FILE PARAM\n");
    return 2;
  }
  wperf_set_verbose(true);
  const int status = wperf_init() ? run(words) : 1;
  if (status != 0) std::fprintf(stderr, "wperf-lib-timeline: %s\n", wperf_last_error());
  wperf_close();
  return status;
}
