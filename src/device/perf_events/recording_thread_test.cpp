// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>

#include "device/perf_events/recording_thread_linux.h"

namespace wperf::perf_events {
namespace {

TEST(RecordingThread, TakesWhatWasThereBeforeWhileItRuns) {
  const std::string path = testing::TempDir() + "wperf_recording_thread_" + std::to_string(getpid());
  {
    auto created = os::RecordingFile::create(path);
    ASSERT_TRUE(created.has_value());
    os::RecordingFile file = std::move(created).value();
    std::vector<SampleRing> none;
    RecordingThread thread(none, file);
    ASSERT_TRUE(thread.start().has_value());
    thread.add_earlier("what was there");
    thread.stop();
    EXPECT_FALSE(file.trouble().has_value());
  }
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::remove(path.c_str());
  EXPECT_EQ(bytes, "what was there");  // nobody sampled: no mark of a round
}

}  // namespace
}  // namespace wperf::perf_events
