// SPDX-License-Identifier: BSD-3-Clause
// The single entry for requests: everything that a client sends is checked here by a table. Only this file handles
// untyped bytes. To add a request, add its structs to abi/wire.h, a handler to Core and a row below.
#include "base/raw_bytes.h"
#include "driver/core/core.h"

namespace wperf::driver {

struct Core::DispatchTable {
  enum class Needs : u8 { nothing, lock, lock_and_administrator };

  struct Row {
    u32 code;
    u32 least_input, greatest_input;
    u32 least_output, greatest_output;  // the minimum and the maximum length of the answer
    Needs needs;
    bool any_version;
    WperfStatus (*handle)(Core& core, Caller caller);
  };

  template <typename Request, typename Reply, WperfStatus (Core::*handler)(Caller, const Request&, Reply&)>
  static WperfStatus handle(Core& core, Caller caller) {
    const Request& request = *reinterpret_cast<const Request*>(core.request_);
    Reply& reply = *reinterpret_cast<Reply*>(core.reply_);
    return (core.*handler)(caller, request, reply);
  }

  template <auto handler, typename Request, typename Reply>
  static constexpr Row row(u32 code, Needs needs, WperfStatus (Core::*)(Caller, const Request&, Reply&)) {
    static_assert(sizeof(Request) <= sizeof(Core::request_) && alignof(Request) <= 8);
    static_assert(sizeof(Reply) <= sizeof(Core::reply_) && alignof(Reply) <= 8);
    constexpr u32 input = sizeof(Request);
    constexpr u32 output = answers(static_cast<Reply*>(nullptr)) ? sizeof(Reply) : 0;
    return {code, input, input, output, output, needs, any_version(code), &handle<Request, Reply, handler>};
  }

  // A client with another wire version asks for the driver's version with one of these requests, and releases the
  // driver with the other. Their layout is the same in every version.
  static constexpr bool any_version(u32 code) {
    return code == static_cast<u32>(WPERF_CODE_VERSION) || code == static_cast<u32>(WPERF_CODE_LOCK);
  }

  static const Row kRows[];
  static const Row* find(u32 code);

 private:
  static constexpr bool answers(const NoReply*) { return false; }
  static constexpr bool answers(const void*) { return true; }
};

#define WPERF_ROW(code, needs, handler) row<&Core::handler>(static_cast<u32>(code), Needs::needs, &Core::handler)
constexpr Core::DispatchTable::Row Core::DispatchTable::kRows[] = {
    WPERF_ROW(WPERF_CODE_VERSION, nothing, version),
    WPERF_ROW(WPERF_CODE_LOCK, nothing, lock),
    WPERF_ROW(WPERF_CODE_INTERRUPT, nothing, interrupt),
    WPERF_ROW(WPERF_CODE_HARDWARE, lock, hardware),
    WPERF_ROW(WPERF_CODE_CORE, lock, core),
    WPERF_ROW(WPERF_CODE_DMC_SETUP, lock_and_administrator, dmc_setup),
    WPERF_ROW(WPERF_CODE_DSU_SETUP, lock_and_administrator, dsu_setup),
    WPERF_ROW(WPERF_CODE_COUNT_CONFIGURE, lock, count_configure),
    WPERF_ROW(WPERF_CODE_COUNT_START, lock, count_start),
    WPERF_ROW(WPERF_CODE_COUNT_STOP, lock, count_stop),
    WPERF_ROW(WPERF_CODE_COUNT_READ, lock, count_read),
    WPERF_ROW(WPERF_CODE_SAMPLE_CONFIGURE, lock, sample_configure),
    WPERF_ROW(WPERF_CODE_SAMPLE_START, lock, sample_start),
    WPERF_ROW(WPERF_CODE_SAMPLE_STOP, lock, sample_stop),
    WPERF_ROW(WPERF_CODE_SAMPLE_DRAIN, lock, sample_drain),
    WPERF_ROW(WPERF_CODE_SAMPLE_STACK_DRAIN, lock, sample_stack_drain),
    WPERF_ROW(WPERF_CODE_SPE_CONFIGURE, lock_and_administrator, spe_configure),
    WPERF_ROW(WPERF_CODE_SPE_START, lock_and_administrator, spe_start),
    WPERF_ROW(WPERF_CODE_SPE_STOP, lock, spe_stop),
    WPERF_ROW(WPERF_CODE_SPE_DRAIN, lock_and_administrator, spe_drain),
    WPERF_ROW(WPERF_CODE_SPE_CORE, lock, spe_core),
};
#undef WPERF_ROW

const Core::DispatchTable::Row* Core::DispatchTable::find(u32 code) {
  for (const Row& row : kRows) {
    if (row.code == code) {
      return &row;
    }
  }
  return nullptr;
}

WperfStatus Core::dispatch(ClientId client, Rights rights, u32 code, void* buffer, u32 input_size, u32 capacity,
                           u32* returned) {
  *returned = 0;
  release_if_lock_moved();
  const DispatchTable::Row* row = DispatchTable::find(code);
  if (row == nullptr) {
    return WPERF_UNKNOWN_CODE;
  }
  if (client == 0) {
    return WPERF_BAD_ARGUMENT;
  }
  if (input_size < row->least_input || input_size > row->greatest_input || capacity < row->least_output) {
    return WPERF_BAD_SIZE;
  }
  copy_bytes(request_, buffer, input_size);
  const WperfHeader& header = *reinterpret_cast<const WperfHeader*>(request_);
  if (header.size != input_size || (header.version != WPERF_WIRE_VERSION && !row->any_version)) {
    return WPERF_BAD_VERSION;
  }
  if (row->needs == DispatchTable::Needs::lock_and_administrator && !rights.administrator) {
    return WPERF_ACCESS_DENIED;
  }
  if (row->needs != DispatchTable::Needs::nothing) {
    if (const WperfStatus status = check_lock(lock_, client); status != WPERF_OK) {
      return status;
    }
  }
  zero_bytes(reply_, row->greatest_output);
  const WperfStatus status = row->handle(*this, {client, rights});
  if (status != WPERF_OK || row->greatest_output == 0) {
    return status;
  }
  const WperfHeader answer = {row->greatest_output, WPERF_WIRE_VERSION};
  copy_bytes(reply_, &answer, sizeof answer);
  copy_bytes(buffer, reply_, row->greatest_output);
  *returned = row->greatest_output;
  return WPERF_OK;
}

}  // namespace wperf::driver
