// SPDX-License-Identifier: BSD-3-Clause
// The work of EL2: gives each core its identity, answers trapped accesses to identification and PMU registers from
// PmuModel, and pends the PMU interrupt (PPI 23) as the line of a real PMU would. Two counters of QEMU's PMU, which EL1
// cannot reach, count the instructions executed at EL0 and EL1; EL2's own instructions are not counted.
#include "tests/nthost/machine/bare_machine.h"
#include "tests/nthost/machine/register_access.h"
#include "tests/nthost/trapped/pmu_model.h"
#include "tests/nthost/trapped/trapped.h"

namespace wperf::nthost {
namespace {

constexpr u32 kMostCores = 8;
constexpr u64 kHypervisorConfiguration = (u64{1} << 31) | (u64{1} << 18);  // HCR_EL2: EL1 is AArch64; TID3
constexpr u64 kTrapPmu = 1u << 6;                                          // MDCR_EL2.TPM
constexpr u64 kSystemRegisterTrap = 0x18, kHypervisorCall = 0x16;          // ESR_EL2.EC
constexpr u64 kRedistributors = 0x080a'0000, kRedistributorStride = 0x2'0000;
constexpr u64 kSetPending = 0x1'0200, kClearPending = 0x1'0280;
constexpr u32 kPmuInterrupt = 23;
constexpr u64 kInstRetiredAtUser = 0x8000'0008, kInstRetiredAtKernel = 0x4000'0008;  // PMEVTYPER of QEMU's PMU

constexpr u64 kWrite = 0x04, kExit = 0x20, kApplicationExit = 0x2'0026;  // operations of semihosting

extern "C" u64 semihosting_call(u64 operation, u64 argument);
extern "C" const u8 trapped_vectors[];

enum : u64 { kCallHeartbeat = 1, kCallWork = 2, kCallUndefined = 3 };  // x0 of an HVC
u64 undefined_on;                                                      // a bit for each core; see make_pmu_undefined

struct Core {
  PmuModel pmu;
  Work work;
  u64 user_before, kernel_before;  // values of QEMU's counters
};
constinit Core cores[kMostCores] = {
    {PmuModel(kTrappedCores[0].counters), {}, 0, 0}, {PmuModel(kTrappedCores[1].counters), {}, 0, 0},
    {PmuModel(kTrappedCores[2].counters), {}, 0, 0}, {PmuModel(kTrappedCores[3].counters), {}, 0, 0},
    {PmuModel(kTrappedCores[0].counters), {}, 0, 0}, {PmuModel(kTrappedCores[1].counters), {}, 0, 0},
    {PmuModel(kTrappedCores[2].counters), {}, 0, 0}, {PmuModel(kTrappedCores[3].counters), {}, 0, 0},
};
static_assert(sizeof kTrappedCores / sizeof kTrappedCores[0] == 4);

u32 this_core() {
  return static_cast<u32>(WPERF_READ_SYSREG("mpidr_el1") & 0xff) % kMostCores;
}

[[noreturn]] void die(const char* text) {
  semihosting_call(kWrite, reinterpret_cast<u64>(text));
  const u64 reason[2] = {kApplicationExit, 3};
  for (;;) {
    semihosting_call(kExit, reinterpret_cast<u64>(reason));
  }
}

void look_at_work(Core& core) {
  const u64 user = WPERF_READ_SYSREG("pmevcntr0_el0") & 0xffff'ffff;
  const u64 kernel = WPERF_READ_SYSREG("pmevcntr1_el0") & 0xffff'ffff;
  core.work.user += (user - core.user_before) & 0xffff'ffff;
  core.work.kernel += (kernel - core.kernel_before) & 0xffff'ffff;
  core.user_before = user;
  core.kernel_before = kernel;
  core.pmu.advance(core.work);
}

// The interrupt line is level-sensitive: it is pending as long as a counter requests it.
void drive_interrupt(u32 number) {
  const u64 offset = cores[number].pmu.interrupt() ? kSetPending : kClearPending;
  *reinterpret_cast<volatile u32*>(kRedistributors + number * kRedistributorStride + offset) = 1u << kPmuInterrupt;
}

struct Access {
  u32 op0, op1, crn, crm, op2, rt;
  bool read;
};

Access access_of(u64 syndrome) {
  const auto field = [syndrome](u32 shift, u32 bits) {
    return static_cast<u32>((syndrome >> shift) & ((1u << bits) - 1));
  };
  return {field(20, 2), field(14, 3), field(10, 4), field(1, 4), field(17, 3), field(5, 5), field(0, 1) == 1};
}

struct PmuAccess {
  bool known;
  PmuRegister reg;
  u32 index;
  bool read_only;
};

PmuAccess pmu_access_of(const Access& access) {
  using enum PmuRegister;
  const u32 group = (access.op0 << 12) | (access.op1 << 8) | (access.crn << 4);
  if (group == 0x33e0 && access.crm >= 8) {
    if (access.crm == 15 && access.op2 == 7) {
      return {true, ccfiltr, 0, false};
    }
    return {true, access.crm >= 12 ? evtyper : evcntr, (access.crm & 3) * 8 + access.op2, false};
  }
  constexpr PmuRegister kControls[] = {pmcr, cntenset, cntenclr, ovsclr, swinc, selr, ceid0, ceid1};
  constexpr PmuRegister kValues[] = {ccntr, xevtyper, xevcntr};
  if (group == 0x3390 && access.crm == 12) {
    return {true, kControls[access.op2], 0, access.op2 >= 6};
  }
  if (group == 0x3390 && access.crm == 13 && access.op2 < 3) {
    return {true, kValues[access.op2], 0, false};
  }
  if (group == 0x3390 && access.crm == 14 && (access.op2 == 0 || access.op2 == 3)) {
    return {true, access.op2 == 0 ? userenr : ovsset, 0, false};
  }
  if (group == 0x3090 && access.crm == 14) {
    switch (access.op2) {
      case 1:
        return {true, intenset, 0, false};
      case 2:
        return {true, intenclr, 0, false};
      case 6:
        return {true, pmmir, 0, true};
      default:
        break;
    }
  }
  return {false, pmcr, 0, false};
}

bool is_of_driver(u64 address) {  // the address ranges of README.md
  constexpr u64 kDriver = 0xffff'f805;
  return address >> 32 == kDriver;
}

// Makes the trapped access an undefined instruction at EL1.
void undefine() {
  constexpr u64 kUnknownReason = u64{1} << 25;  // ESR_ELx: EC 0, IL
  constexpr u64 kSyncOfCurrentLevel = 0x200, kSyncWithSp0 = 0;
  constexpr u64 kPan = u64{1} << 22, kEl1WithAllMasked = 0x3c5, kOwnStack = 1;
  const u64 interrupted = WPERF_READ_SYSREG("spsr_el2");
  WPERF_WRITE_SYSREG("esr_el1", kUnknownReason);
  WPERF_WRITE_SYSREG("elr_el1", WPERF_READ_SYSREG("elr_el2"));
  WPERF_WRITE_SYSREG("spsr_el1", interrupted);
  const u64 vector = (interrupted & kOwnStack) != 0 ? kSyncOfCurrentLevel : kSyncWithSp0;
  WPERF_WRITE_SYSREG("elr_el2", WPERF_READ_SYSREG("vbar_el1") + vector);
  WPERF_WRITE_SYSREG("spsr_el2", (interrupted & kPan) | kEl1WithAllMasked);
}

bool access_pmu(Core& core, const Access& access, u64* x) {
  const PmuAccess pmu = pmu_access_of(access);
  if (!pmu.known || (pmu.read_only && !access.read) || !core.pmu.has(pmu.reg, pmu.index)) {
    return false;
  }
  if (!access.read) {
    const u64 value = access.rt == 31 ? 0 : x[access.rt];
    if (is_of_driver(WPERF_READ_SYSREG("elr_el2")) && core.pmu.is_of_windows(pmu.reg, value)) {
      die("EL2: the driver writes what belongs to Windows: the cycle counter, or how all counters count\n");
    }
    core.pmu.write(pmu.reg, pmu.index, value);
  } else if (access.rt != 31) {
    x[access.rt] = core.pmu.read(pmu.reg, pmu.index);
  }
  return true;
}

// The registers that HCR_EL2.TID3 traps: op0 3, op1 0, CRn 0, CRm 1..7. The AArch32 registers read as zero.
bool read_identification(const Access& access, u64* x) {
  if (access.op0 != 3 || access.op1 != 0 || access.crn != 0 || access.crm == 0 || access.crm > 7 || !access.read) {
    return false;
  }
  u64 value = 0;
  switch ((access.crm << 4) | access.op2) {
    case 0x40:
      value = WPERF_READ_SYSREG("id_aa64pfr0_el1");
      break;
    case 0x41:
      value = WPERF_READ_SYSREG("id_aa64pfr1_el1");
      break;
    case 0x50:  // the model's PMUVer and PMSVer
      value = (WPERF_READ_SYSREG("id_aa64dfr0_el1") & ~0xf'0000'0f00ull) | (kTrappedPmuVersion << 8) | (u64{1} << 32);
      break;
    case 0x60:
      value = WPERF_READ_SYSREG("id_aa64isar0_el1");
      break;
    case 0x61:
      value = WPERF_READ_SYSREG("id_aa64isar1_el1");
      break;
    case 0x70:
      value = WPERF_READ_SYSREG("id_aa64mmfr0_el1");
      break;
    case 0x71:
      value = WPERF_READ_SYSREG("id_aa64mmfr1_el1");
      break;
    case 0x72:
      value = WPERF_READ_SYSREG("id_aa64mmfr2_el1");
      break;
    default:
      break;
  }
  if (access.rt != 31) {
    x[access.rt] = value;
  }
  return true;
}

u64 hypervisor_call(u64 function) {
  register u64 x0 asm("x0") = function;
  asm volatile("hvc #1" : "+r"(x0)::"x1", "memory");
  return x0;
}

}  // namespace

// Start-up code calls this on every core, at EL2, before it enters EL1.
extern "C" void trapped_prepare_el2(u64 number) {
  const TrappedCore& identity = kTrappedCores[number % (sizeof kTrappedCores / sizeof kTrappedCores[0])];
  const u64 real_counters = (WPERF_READ_SYSREG("pmcr_el0") >> 11) & 31;
  WPERF_WRITE_SYSREG("vpidr_el2", identity.midr);
  WPERF_WRITE_SYSREG("sctlr_el1", 0x30d0'0800);  // its RES1 bits: MMU and caches off
  WPERF_WRITE_SYSREG("vbar_el2", reinterpret_cast<u64>(trapped_vectors));
  WPERF_WRITE_SYSREG("pmevtyper0_el0", kInstRetiredAtUser);
  WPERF_WRITE_SYSREG("pmevtyper1_el0", kInstRetiredAtKernel);
  WPERF_WRITE_SYSREG("pmcntenset_el0", 3);
  WPERF_WRITE_SYSREG("pmcr_el0", 3);  // enabled, counters from 0
  WPERF_WRITE_SYSREG("mdcr_el2", real_counters | kTrapPmu);
  WPERF_WRITE_SYSREG("hcr_el2", kHypervisorConfiguration);
  instruction_barrier();
}

extern "C" void trapped_unexpected(u64, u64) {
  die("EL2: an exception that is not a trap of EL1\n");
}

// x: the general registers of EL1 or EL0, which this function reads and changes.
extern "C" void trapped_exit(u64* x) {
  const u32 number = this_core();
  Core& core = cores[number];
  const u64 syndrome = WPERF_READ_SYSREG("esr_el2");
  look_at_work(core);
  if ((syndrome >> 26) == kHypervisorCall) {
    if (x[0] == kCallWork) {
      x[0] = core.work.user;
      x[1] = core.work.kernel;
    } else if (x[0] == kCallUndefined) {
      __atomic_store_n(&undefined_on, x[1], __ATOMIC_RELAXED);
    }
  } else if ((syndrome >> 26) == kSystemRegisterTrap) {
    const Access access = access_of(syndrome);
    const bool undefined = ((__atomic_load_n(&undefined_on, __ATOMIC_RELAXED) >> number) & 1) != 0;
    if (undefined && pmu_access_of(access).known && is_of_driver(WPERF_READ_SYSREG("elr_el2"))) {
      undefine();
      drive_interrupt(number);
      return;
    }
    if (!access_pmu(core, access, x) && !read_identification(access, x)) {
      die("EL2: access to a register that the PMU of the trapped mode lacks\n");
    }
    WPERF_WRITE_SYSREG("elr_el2", WPERF_READ_SYSREG("elr_el2") + 4);
  } else {
    die("EL2: neither a register access nor a call\n");
  }
  drive_interrupt(number);
}

Work work_done() {
  register u64 x0 asm("x0") = kCallWork;
  register u64 x1 asm("x1") = 0;
  asm volatile("hvc #1" : "+r"(x0), "+r"(x1)::"memory");
  return {x0, x1};
}

void make_pmu_undefined(u64 cores_mask) {
  register u64 x0 asm("x0") = kCallUndefined;
  register u64 x1 asm("x1") = cores_mask;
  asm volatile("hvc #1" : "+r"(x0), "+r"(x1)::"memory");
}

void trapped_heartbeat() {
  if (started_at_el2()) {
    hypervisor_call(kCallHeartbeat);
  }
}

}  // namespace wperf::nthost
