// SPDX-License-Identifier: BSD-3-Clause
// Keeps Windows from sleeping while something is measured: in Modern Standby, and where a machine sleeps, cores power
// down and forget their counters. `powercfg /requests` shows it.
#pragma once
namespace wperf::os {

class AwakeRequest {
 public:
  AwakeRequest();  // from here until it goes; where Windows refuses, nothing happens
  ~AwakeRequest();
  AwakeRequest(const AwakeRequest&) = delete;
  AwakeRequest& operator=(const AwakeRequest&) = delete;

 private:
  void* request_;  // null: no request
};

}  // namespace wperf::os
