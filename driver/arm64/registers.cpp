// SPDX-License-Identifier: BSD-3-Clause
#include "driver/arm64/registers.h"

#include "driver/core/pmu_registers.h"

// Registers are given by encoding (op0, op1, CRn, CRm, op2), because assemblers and compilers know different names.
#if defined(_MSC_VER) && !defined(__clang__)
extern "C" __int64 _ReadStatusReg(int);
extern "C" void _WriteStatusReg(int, __int64);
extern "C" void __isb(unsigned int);
extern "C" void __dsb(unsigned int);
extern "C" void wperf_psb_csync();  // in assembly, because cl has no intrinsic for it
#define WPERF_ENCODED(op0, op1, crn, crm, op2) \
  ((((op0) & 1) << 14) | ((op1) << 11) | ((crn) << 7) | ((crm) << 3) | (op2))
#define WPERF_READ(...) static_cast<wperf::u64>(_ReadStatusReg(WPERF_ENCODED(__VA_ARGS__)))
#define WPERF_WRITE(value, ...) _WriteStatusReg(WPERF_ENCODED(__VA_ARGS__), static_cast<__int64>(value))
#define WPERF_OWN_FUNCTION __declspec(noinline)
#else
#define WPERF_READ(op0, op1, crn, crm, op2)                                                          \
  ([] {                                                                                              \
    wperf::u64 read;                                                                                 \
    __asm__ volatile("mrs %0, S" #op0 "_" #op1 "_C" #crn "_C" #crm "_" #op2 : "=r"(read)::"memory"); \
    return read;                                                                                     \
  }())
#define WPERF_WRITE(value, op0, op1, crn, crm, op2) \
  __asm__ volatile("msr S" #op0 "_" #op1 "_C" #crn "_C" #crm "_" #op2 ", %0" ::"r"(value) : "memory")
#define WPERF_OWN_FUNCTION __attribute__((noinline))
#endif

// X(name in driver/hal.h, encoding): Arm ARM for A-profile (DDI 0487), chapter D19; cluster registers: Arm DynamIQ
// Shared Unit TRM (100453), "PMU registers".
#define WPERF_WRITABLE_REGISTERS(X)    \
  X(pmcr, 3, 3, 9, 12, 0)              \
  X(pmcntenset, 3, 3, 9, 12, 1)        \
  X(pmcntenclr, 3, 3, 9, 12, 2)        \
  X(pmovsclr, 3, 3, 9, 12, 3)          \
  X(pmintenset, 3, 0, 9, 14, 1)        \
  X(pmintenclr, 3, 0, 9, 14, 2)        \
  X(pmccntr, 3, 3, 9, 13, 0)           \
  X(pmccfiltr, 3, 3, 14, 15, 7)        \
  X(pmscr, 3, 0, 9, 9, 0)              \
  X(pmsnevfr, 3, 0, 9, 9, 1)           \
  X(pmsicr, 3, 0, 9, 9, 2)             \
  X(pmsirr, 3, 0, 9, 9, 3)             \
  X(pmsfcr, 3, 0, 9, 9, 4)             \
  X(pmsevfr, 3, 0, 9, 9, 5)            \
  X(pmslatfr, 3, 0, 9, 9, 6)           \
  X(pmblimitr, 3, 0, 9, 10, 0)         \
  X(pmbptr, 3, 0, 9, 10, 1)            \
  X(pmbsr, 3, 0, 9, 10, 3)             \
  X(clusterpmcr, 3, 0, 15, 5, 0)       \
  X(clusterpmcntenset, 3, 0, 15, 5, 1) \
  X(clusterpmcntenclr, 3, 0, 15, 5, 2) \
  X(clusterpmovsclr, 3, 0, 15, 5, 4)   \
  X(clusterpmselr, 3, 0, 15, 5, 5)     \
  X(clusterpmxevtyper, 3, 0, 15, 6, 1) \
  X(clusterpmxevcntr, 3, 0, 15, 6, 2)
#define WPERF_READ_ONLY_REGISTERS(X) \
  X(midr, 3, 0, 0, 0, 0)             \
  X(id_aa64dfr0, 3, 0, 0, 5, 0)      \
  X(pmceid0, 3, 3, 9, 12, 6)         \
  X(pmceid1, 3, 3, 9, 12, 7)         \
  X(pmsidr, 3, 0, 9, 9, 7)           \
  X(pmbidr, 3, 0, 9, 10, 7)          \
  X(cntfrq, 3, 3, 14, 0, 0)          \
  X(cntvct, 3, 3, 14, 0, 2)
// X(n, CRm of PMEVCNTR<n>_EL0, CRm of PMEVTYPER<n>_EL0, op2 of both)
// clang-format off
#define WPERF_EVENT_COUNTERS(X) \
  X(0, 8, 12, 0) X(1, 8, 12, 1) X(2, 8, 12, 2) X(3, 8, 12, 3) \
  X(4, 8, 12, 4) X(5, 8, 12, 5) X(6, 8, 12, 6) X(7, 8, 12, 7) \
  X(8, 9, 13, 0) X(9, 9, 13, 1) X(10, 9, 13, 2) X(11, 9, 13, 3) \
  X(12, 9, 13, 4) X(13, 9, 13, 5) X(14, 9, 13, 6) X(15, 9, 13, 7) \
  X(16, 10, 14, 0) X(17, 10, 14, 1) X(18, 10, 14, 2) X(19, 10, 14, 3) \
  X(20, 10, 14, 4) X(21, 10, 14, 5) X(22, 10, 14, 6) X(23, 10, 14, 7) \
  X(24, 11, 15, 0) X(25, 11, 15, 1) X(26, 11, 15, 2) X(27, 11, 15, 3) \
  X(28, 11, 15, 4) X(29, 11, 15, 5) X(30, 11, 15, 6)
// clang-format on

namespace wperf::driver {
namespace {

constexpr u32 number_of(Register reg) {
  return static_cast<u32>(reg);
}
constexpr u32 kCounters = static_cast<u32>(Register::event_counter_0);
constexpr u32 kTypes = static_cast<u32>(Register::event_type_0);

}  // namespace

WPERF_OWN_FUNCTION u64 read_system_register(Register reg) {
  switch (number_of(reg)) {
#define WPERF_CASE(name, ...)            \
  case static_cast<u32>(Register::name): \
    return WPERF_READ(__VA_ARGS__);
    WPERF_WRITABLE_REGISTERS(WPERF_CASE)
    WPERF_READ_ONLY_REGISTERS(WPERF_CASE)
#undef WPERF_CASE
#define WPERF_CASE(n, counter, type, op2)      \
  case kCounters + n:                          \
    return WPERF_READ(3, 3, 14, counter, op2); \
  case kTypes + n:                             \
    return WPERF_READ(3, 3, 14, type, op2);
    WPERF_EVENT_COUNTERS(WPERF_CASE)
#undef WPERF_CASE
    default:
      return 0;
  }
}

void write_system_register(Register reg, u64 value) {
  switch (number_of(reg)) {
#define WPERF_CASE(name, ...)            \
  case static_cast<u32>(Register::name): \
    WPERF_WRITE(value, __VA_ARGS__);     \
    return;
    WPERF_WRITABLE_REGISTERS(WPERF_CASE)
#undef WPERF_CASE
#define WPERF_CASE(n, counter, type, op2)       \
  case kCounters + n:                           \
    WPERF_WRITE(value, 3, 3, 14, counter, op2); \
    return;                                     \
  case kTypes + n:                              \
    WPERF_WRITE(value, 3, 3, 14, type, op2);    \
    return;
    WPERF_EVENT_COUNTERS(WPERF_CASE)
#undef WPERF_CASE
    default:
      return;
  }
}

void instruction_barrier() {
#if defined(_MSC_VER) && !defined(__clang__)
  __isb(15);
#else
  __asm__ volatile("isb" ::: "memory");
#endif
}

// PSB CSYNC is written as hint #17, because assemblers know its name only if an extension is enabled.
void profiling_barrier() {
#if defined(_MSC_VER) && !defined(__clang__)
  wperf_psb_csync();
  __dsb(7);
#else
  __asm__ volatile("hint #17\n\tdsb nsh" ::: "memory");
#endif
}

}  // namespace wperf::driver
