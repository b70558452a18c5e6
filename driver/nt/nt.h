// SPDX-License-Identifier: BSD-3-Clause
// The part of the NT kernel's interface that driver/nt uses, declared here so that the driver builds anywhere. Names,
// layouts and rules follow Microsoft's documentation of ntddk.h, ntifs.h and wdm.h; only members that are used have a
// name. nt_layout_test compares the layouts with the headers of mingw-w64.
//
//   WPERF_WDK      the headers of the real kit are used instead of all of this
//   WPERF_NT_HOST  for tests/nthost, which defines the functions itself
#pragma once
#ifdef WPERF_WDK
#include <ntifs.h>
// clang-format off
#include <ntddk.h>
#include <evntprov.h>
// clang-format on
#else

#ifdef WPERF_NT_HOST
#define NTKERNELAPI
#define NTHALAPI
#else
#define NTKERNELAPI __declspec(dllimport)
#define NTHALAPI __declspec(dllimport)
#endif

// ---- Words ----
using UCHAR = unsigned char;
using CCHAR = char;
using USHORT = unsigned short;
using ULONG = unsigned int;
using LONG = int;
using ULONG64 = unsigned long long;
using ULONGLONG = unsigned long long;
using LONGLONG = long long;
using ULONG_PTR = unsigned long long;
using SIZE_T = unsigned long long;
using BOOLEAN = unsigned char;
using WCHAR = wchar_t;
using PVOID = void*;
using HANDLE = void*;
using NTSTATUS = LONG;
using KIRQL = UCHAR;
using KPRIORITY = LONG;
using ACCESS_MASK = ULONG;
using POOL_FLAGS = ULONG64;
using REGHANDLE = ULONGLONG;
using PSID = void*;
using PSECURITY_DESCRIPTOR = void*;
using PACCESS_TOKEN = void*;
using KSPIN_LOCK = ULONG_PTR;
using KPROCESSOR_MODE = CCHAR;
static_assert(sizeof(WCHAR) == 2 && sizeof(PVOID) == 8);

inline constexpr BOOLEAN FALSE = 0;
inline constexpr BOOLEAN TRUE = 1;
enum MODE { KernelMode, UserMode };

#define NT_SUCCESS(status) ((status) >= 0)
#define WPERF_NT_CODE(name, value) inline constexpr NTSTATUS name = static_cast<NTSTATUS>(value)
WPERF_NT_CODE(STATUS_SUCCESS, 0);
WPERF_NT_CODE(STATUS_WAIT_0, 0);
WPERF_NT_CODE(STATUS_TIMEOUT, 0x102);
WPERF_NT_CODE(STATUS_UNSUCCESSFUL, 0xC0000001u);
WPERF_NT_CODE(STATUS_INVALID_PARAMETER, 0xC000000Du);
WPERF_NT_CODE(STATUS_INVALID_DEVICE_REQUEST, 0xC0000010u);
WPERF_NT_CODE(STATUS_ACCESS_DENIED, 0xC0000022u);
WPERF_NT_CODE(STATUS_BUFFER_TOO_SMALL, 0xC0000023u);
WPERF_NT_CODE(STATUS_OBJECT_NAME_NOT_FOUND, 0xC0000034u);
WPERF_NT_CODE(STATUS_OBJECT_NAME_COLLISION, 0xC0000035u);
WPERF_NT_CODE(STATUS_DELETE_PENDING, 0xC0000056u);
WPERF_NT_CODE(STATUS_INSUFFICIENT_RESOURCES, 0xC000009Au);
WPERF_NT_CODE(STATUS_DEVICE_NOT_READY, 0xC00000A3u);
WPERF_NT_CODE(STATUS_NOT_SUPPORTED, 0xC00000BBu);
WPERF_NT_CODE(STATUS_NO_SUCH_DEVICE, 0xC000000Eu);
WPERF_NT_CODE(STATUS_POWER_STATE_INVALID, 0xC00002D3u);
WPERF_NT_CODE(STATUS_INVALID_CID, 0xC000000Bu);
#undef WPERF_NT_CODE

struct GUID {
  ULONG Data1;
  USHORT Data2, Data3;
  UCHAR Data4[8];
};
using LPCGUID = const GUID*;
union LARGE_INTEGER {
  struct {
    ULONG LowPart;
    LONG HighPart;
  } u;
  LONGLONG QuadPart;
};
using PHYSICAL_ADDRESS = LARGE_INTEGER;
struct LUID {
  ULONG LowPart;
  LONG HighPart;
};
struct UNICODE_STRING {
  USHORT Length, MaximumLength;  // bytes
  WCHAR* Buffer;
};
struct LIST_ENTRY {
  LIST_ENTRY *Flink, *Blink;
};

// ---- Objects, registry ----
struct OBJECT_ATTRIBUTES {
  ULONG Length;
  HANDLE RootDirectory;
  UNICODE_STRING* ObjectName;
  ULONG Attributes;
  PVOID SecurityDescriptor;
  PVOID SecurityQualityOfService;
};
inline constexpr ULONG OBJ_CASE_INSENSITIVE = 0x40, OBJ_KERNEL_HANDLE = 0x200;
inline constexpr ACCESS_MASK KEY_READ = 0x20019;
inline constexpr ACCESS_MASK FILE_READ_DATA = 1, FILE_WRITE_DATA = 2, SYNCHRONIZE = 0x100000;
inline constexpr ACCESS_MASK THREAD_ALL_ACCESS = 0x1FFFFF;
enum KEY_VALUE_INFORMATION_CLASS {
  KeyValueBasicInformation,
  KeyValueFullInformation,
  KeyValuePartialInformation,
};
struct KEY_VALUE_PARTIAL_INFORMATION {
  ULONG TitleIndex, Type, DataLength;
  UCHAR Data[1];
};
inline constexpr ULONG REG_DWORD = 4, REG_OPTION_VOLATILE = 1;
struct CLIENT_ID {
  HANDLE UniqueProcess, UniqueThread;
};
struct OBJECT_TYPE;
struct KTHREAD;
struct OBJECT_HANDLE_INFORMATION;
struct EPROCESS;
using PEPROCESS = EPROCESS*;

// ---- Waiting ----
struct DISPATCHER_HEADER {
  UCHAR Type, Signalling, Size, Reserved;
  LONG SignalState;
  LIST_ENTRY WaitListHead;
};
struct KEVENT {
  DISPATCHER_HEADER Header;
};
struct KDPC;
using KDEFERRED_ROUTINE = void(KDPC* dpc, PVOID context, PVOID argument1, PVOID argument2);
struct KDPC {
  ULONG TargetInfoAsUlong;
  PVOID DpcListEntry;
  ULONG_PTR ProcessorHistory;
  KDEFERRED_ROUTINE* DeferredRoutine;
  PVOID DeferredContext, SystemArgument1, SystemArgument2, DpcData;
};
struct KTIMER {
  DISPATCHER_HEADER Header;
  ULONGLONG DueTime;
  LIST_ENTRY TimerListEntry;
  KDPC* Dpc;
  ULONG Processor, Period;
};
struct ERESOURCE {
  ULONG_PTR Rest[13];
};
struct KAPC {
  UCHAR Type, SpareByte0, Size, SpareByte1;
  ULONG SpareLong0;
  KTHREAD* Thread;
  LIST_ENTRY ApcListEntry;
  PVOID KernelRoutine, RundownRoutine, NormalRoutine;
  PVOID NormalContext, SystemArgument1, SystemArgument2;
  CCHAR ApcStateIndex;
  KPROCESSOR_MODE ApcMode;
  BOOLEAN Inserted;
};
struct CALLBACK_OBJECT;
using CALLBACK_FUNCTION = void(PVOID context, PVOID argument1, PVOID argument2);
inline constexpr ULONG PO_CB_SYSTEM_STATE_LOCK = 3;
struct KWAIT_BLOCK;
enum EVENT_TYPE { NotificationEvent, SynchronizationEvent };
enum TIMER_TYPE { NotificationTimer, SynchronizationTimer };
enum WAIT_TYPE { WaitAll, WaitAny };
enum KWAIT_REASON { Executive = 0 };
enum KDPC_IMPORTANCE { LowImportance, MediumImportance, HighImportance, MediumHighImportance };
struct PROCESSOR_NUMBER {
  USHORT Group;
  UCHAR Number, Reserved;
};
struct GROUP_AFFINITY {
  ULONG_PTR Mask;
  USHORT Group;
  USHORT Reserved[3];
};
inline constexpr USHORT ALL_PROCESSOR_GROUPS = 0xffff;
inline constexpr KPRIORITY LOW_REALTIME_PRIORITY = 16;
using KSTART_ROUTINE = void(PVOID context);
static_assert(sizeof(KEVENT) == 0x18 && sizeof(KDPC) == 0x40 && sizeof(KTIMER) == 0x40 && sizeof(KAPC) == 0x58);
static_assert(sizeof(GROUP_AFFINITY) == 16);

// ---- Drivers, devices, requests ----
struct DEVICE_OBJECT;
struct DRIVER_OBJECT;
struct IRP;
struct IO_SECURITY_CONTEXT;
using DRIVER_DISPATCH = NTSTATUS(DEVICE_OBJECT* device, IRP* irp);
using DRIVER_UNLOAD = void(DRIVER_OBJECT* driver);
using DRIVER_ADD_DEVICE = NTSTATUS(DRIVER_OBJECT* driver, DEVICE_OBJECT* physical_device);

struct IO_STATUS_BLOCK {
  union {
    NTSTATUS Status;
    PVOID Pointer;
  };
  ULONG_PTR Information;
};
struct FILE_OBJECT {
  USHORT Type, Size;
  DEVICE_OBJECT* DeviceObject;
  PVOID Vpb;
  PVOID FsContext;
  PVOID FsContext2;
  UCHAR Rest[0xd8 - 0x28];
};
struct DEVICE_OBJECT {
  USHORT Type, Size;
  LONG ReferenceCount;
  DRIVER_OBJECT* DriverObject;
  DEVICE_OBJECT* NextDevice;
  DEVICE_OBJECT* AttachedDevice;
  IRP* CurrentIrp;
  PVOID Timer;
  ULONG Flags, Characteristics;
  PVOID Vpb;
  PVOID DeviceExtension;
  ULONG DeviceType;
  CCHAR StackSize;
  UCHAR Rest[0x150 - 0x4d];
};
struct DRIVER_EXTENSION {
  DRIVER_OBJECT* DriverObject;
  DRIVER_ADD_DEVICE* AddDevice;
  ULONG Count;
  UNICODE_STRING ServiceKeyName;
};
enum : UCHAR {
  IRP_MJ_CREATE = 0x00,
  IRP_MJ_CLOSE = 0x02,
  IRP_MJ_DEVICE_CONTROL = 0x0e,
  IRP_MJ_CLEANUP = 0x12,
  IRP_MJ_POWER = 0x16,
  IRP_MJ_SYSTEM_CONTROL = 0x17,
  IRP_MJ_PNP = 0x1b,
  IRP_MJ_MAXIMUM_FUNCTION = 0x1b,
};
enum : UCHAR {  // minor functions of IRP_MJ_PNP
  IRP_MN_START_DEVICE = 0x00,
  IRP_MN_QUERY_REMOVE_DEVICE = 0x01,
  IRP_MN_REMOVE_DEVICE = 0x02,
  IRP_MN_CANCEL_REMOVE_DEVICE = 0x03,
  IRP_MN_STOP_DEVICE = 0x04,
  IRP_MN_QUERY_STOP_DEVICE = 0x05,
  IRP_MN_CANCEL_STOP_DEVICE = 0x06,
  IRP_MN_SURPRISE_REMOVAL = 0x17,
};
enum : UCHAR { IRP_MN_SET_POWER = 0x02, IRP_MN_QUERY_POWER = 0x03 };  // minor functions of IRP_MJ_POWER
struct DRIVER_OBJECT {
  USHORT Type, Size;
  DEVICE_OBJECT* DeviceObject;
  ULONG Flags;
  PVOID DriverStart;
  ULONG DriverSize;
  PVOID DriverSection;
  DRIVER_EXTENSION* DriverExtension;
  UNICODE_STRING DriverName;
  UNICODE_STRING* HardwareDatabase;
  PVOID FastIoDispatch, DriverInit, DriverStartIo;
  DRIVER_UNLOAD* DriverUnload;
  DRIVER_DISPATCH* MajorFunction[IRP_MJ_MAXIMUM_FUNCTION + 1];
};
enum POWER_STATE_TYPE { SystemPowerState, DevicePowerState };
enum SYSTEM_POWER_STATE { PowerSystemUnspecified, PowerSystemWorking, PowerSystemSleeping1 };
enum DEVICE_POWER_STATE { PowerDeviceUnspecified, PowerDeviceD0, PowerDeviceD1, PowerDeviceD2, PowerDeviceD3 };
union POWER_STATE {
  SYSTEM_POWER_STATE SystemState;
  DEVICE_POWER_STATE DeviceState;
};
struct IO_STACK_LOCATION {
  UCHAR MajorFunction, MinorFunction, Flags, Control;
  union {
    struct {
      IO_SECURITY_CONTEXT* SecurityContext;
      ULONG Options;
      alignas(8) USHORT FileAttributes;
      USHORT ShareAccess;
      alignas(8) ULONG EaLength;
    } Create;
    struct {
      ULONG OutputBufferLength;
      alignas(8) ULONG InputBufferLength;
      alignas(8) ULONG IoControlCode;
      PVOID Type3InputBuffer;
    } DeviceIoControl;
    struct {
      ULONG SystemContext;
      alignas(8) POWER_STATE_TYPE Type;
      alignas(8) POWER_STATE State;
      alignas(8) ULONG ShutdownType;
    } Power;
    struct {
      PVOID Argument1, Argument2, Argument3, Argument4;
    } Others;
  } Parameters;
  DEVICE_OBJECT* DeviceObject;
  FILE_OBJECT* FileObject;
  PVOID CompletionRoutine;
  PVOID Context;
};
struct IRP {
  USHORT Type, Size;
  PVOID MdlAddress;
  ULONG Flags;
  union {
    IRP* MasterIrp;
    PVOID SystemBuffer;
  } AssociatedIrp;
  LIST_ENTRY ThreadListEntry;
  IO_STATUS_BLOCK IoStatus;
  KPROCESSOR_MODE RequestorMode;
  BOOLEAN PendingReturned;
  CCHAR StackCount, CurrentLocation;
  BOOLEAN Cancel;
  KIRQL CancelIrql;
  CCHAR ApcEnvironment;
  UCHAR AllocationFlags;
  IO_STATUS_BLOCK* UserIosb;
  KEVENT* UserEvent;
  PVOID Overlay[2];
  PVOID CancelRoutine;
  PVOID UserBuffer;
  union {
    struct {
      PVOID DriverContext[4];
      PVOID Thread;
      CCHAR* AuxiliaryBuffer;
      LIST_ENTRY ListEntry;
      IO_STACK_LOCATION* CurrentStackLocation;
      FILE_OBJECT* OriginalFileObject;
    } Overlay;
    UCHAR Apc[0x58];
  } Tail;
};
struct IO_REMOVE_LOCK_COMMON_BLOCK {
  BOOLEAN Removed;
  BOOLEAN Reserved[3];
  LONG IoCount;
  KEVENT RemoveEvent;
};
struct IO_REMOVE_LOCK {
  IO_REMOVE_LOCK_COMMON_BLOCK Common;
};
inline constexpr UCHAR SL_FORCE_ACCESS_CHECK = 0x1;  // Flags of a create
inline constexpr ULONG FILE_DEVICE_UNKNOWN = 0x22, FILE_DEVICE_SECURE_OPEN = 0x100;
inline constexpr ULONG DO_BUFFERED_IO = 0x4, DO_DEVICE_INITIALIZING = 0x80, DO_POWER_PAGABLE = 0x2000;
inline constexpr CCHAR IO_NO_INCREMENT = 0;
static_assert(sizeof(IO_STACK_LOCATION) == 0x48 && sizeof(IRP) == 0xd0 && sizeof(FILE_OBJECT) == 0xd8);
static_assert(sizeof(DEVICE_OBJECT) == 0x150 && sizeof(DRIVER_OBJECT) == 0x150 && sizeof(IO_REMOVE_LOCK) == 0x20);
static_assert(__builtin_offsetof(IO_STACK_LOCATION, Parameters.DeviceIoControl.IoControlCode) == 0x18);
static_assert(__builtin_offsetof(IO_STACK_LOCATION, FileObject) == 0x30);
static_assert(__builtin_offsetof(IRP, IoStatus) == 0x30);
static_assert(__builtin_offsetof(IRP, Tail.Overlay.CurrentStackLocation) == 0xb8);
static_assert(__builtin_offsetof(DRIVER_OBJECT, MajorFunction) == 0x70);
static_assert(__builtin_offsetof(DEVICE_OBJECT, DeviceExtension) == 0x40);

// ---- Security ----
struct GENERIC_MAPPING {
  ACCESS_MASK GenericRead, GenericWrite, GenericExecute, GenericAll;
};
enum SECURITY_IMPERSONATION_LEVEL { SecurityAnonymous, SecurityIdentification, SecurityImpersonation };
struct SECURITY_SUBJECT_CONTEXT {
  PACCESS_TOKEN ClientToken;
  SECURITY_IMPERSONATION_LEVEL ImpersonationLevel;
  PACCESS_TOKEN PrimaryToken;
  PVOID ProcessAuditId;
};
struct ACCESS_STATE {
  LUID OperationID;
  BOOLEAN SecurityEvaluated, GenerateAudit, GenerateOnClose, PrivilegesAllocated;
  ULONG Flags;
  ACCESS_MASK RemainingDesiredAccess, PreviouslyGrantedAccess, OriginalDesiredAccess;
  SECURITY_SUBJECT_CONTEXT SubjectSecurityContext;
  PSECURITY_DESCRIPTOR SecurityDescriptor;  // more follows
};
struct IO_SECURITY_CONTEXT {
  PVOID SecurityQos;
  ACCESS_STATE* AccessState;
  ACCESS_MASK DesiredAccess;
  ULONG FullCreateOptions;
};
struct PRIVILEGE_SET;
enum TOKEN_INFORMATION_CLASS { TokenUser = 1, TokenGroups = 2, TokenIntegrityLevel = 25 };
struct SID_AND_ATTRIBUTES {
  PSID Sid;
  ULONG Attributes;
};
struct TOKEN_USER {
  SID_AND_ATTRIBUTES User;
};
struct TOKEN_GROUPS {
  ULONG GroupCount;
  SID_AND_ATTRIBUTES Groups[1];
};
inline constexpr ULONG SE_GROUP_LOGON_ID = 0xC0000000;
static_assert(__builtin_offsetof(ACCESS_STATE, SubjectSecurityContext) == 0x20);

// ---- Memory ----
inline constexpr POOL_FLAGS POOL_FLAG_NON_PAGED = 0x40;  // zeroed, never executable
struct PHYSICAL_MEMORY_RANGE {
  PHYSICAL_ADDRESS BaseAddress;
  LARGE_INTEGER NumberOfBytes;
};
struct MM_COPY_ADDRESS {
  union {
    PVOID VirtualAddress;
    PHYSICAL_ADDRESS PhysicalAddress;
  };
};
inline constexpr ULONG MM_COPY_MEMORY_PHYSICAL = 1, MM_COPY_MEMORY_VIRTUAL = 2;
inline constexpr ULONG PAGE_READONLY = 0x02, PAGE_READWRITE = 0x04, PAGE_NOCACHE = 0x200;
inline constexpr ULONG MM_GET_PHYSICAL_MEMORY_RANGES_INCLUDE_FILE_ONLY = 1;
inline constexpr ULONG MM_GET_PHYSICAL_MEMORY_RANGES_INCLUDE_ALL_PARTITIONS = 2;

// ---- Performance counters of the processor ----
enum PHYSICAL_COUNTER_RESOURCE_DESCRIPTOR_TYPE {
  ResourceTypeSingle,
  ResourceTypeRange,
  ResourceTypeExtendedCounterConfiguration,
  ResourceTypeOverflow,
};
struct PHYSICAL_COUNTER_RESOURCE_DESCRIPTOR {
  PHYSICAL_COUNTER_RESOURCE_DESCRIPTOR_TYPE Type;
  ULONG Flags;
  union {
    ULONG CounterIndex;
    struct {
      ULONG Begin, End;
    } Range;
  } u;
};
struct PHYSICAL_COUNTER_RESOURCE_LIST {
  ULONG Count;
  PHYSICAL_COUNTER_RESOURCE_DESCRIPTOR Descriptors[1];
};
struct KTRAP_FRAME {  // on ARM64
  UCHAR Head[0x90];
  ULONG Spsr, Esr;
  ULONG64 Sp;
  ULONG64 X[19];
  ULONG64 Lr, Fp, Pc;
};
enum HAL_SET_INFORMATION_CLASS { HalProfileSourceInterval, HalProfileSourceInterruptHandler };
struct HAL_DISPATCH {  // more follows
  ULONG Version;
  PVOID HalQuerySystemInformation;
  NTSTATUS (*HalSetSystemInformation)(HAL_SET_INFORMATION_CLASS information_class, ULONG size, PVOID buffer);
};
static_assert(sizeof(PHYSICAL_COUNTER_RESOURCE_LIST) == 20 && sizeof(KTRAP_FRAME) == 0x150);
static_assert(__builtin_offsetof(KTRAP_FRAME, Pc) == 0x148 && __builtin_offsetof(KTRAP_FRAME, Lr) == 0x138);
static_assert(__builtin_offsetof(HAL_DISPATCH, HalSetSystemInformation) == 0x10);

// ---- Event tracing ----
struct EVENT_DESCRIPTOR {
  USHORT Id;
  UCHAR Version, Channel, Level, Opcode;
  USHORT Task;
  ULONGLONG Keyword;
};
struct EVENT_DATA_DESCRIPTOR {
  ULONGLONG Ptr;
  ULONG Size, Reserved;
};
struct EVENT_FILTER_DESCRIPTOR;
using ETWENABLECALLBACK = void(LPCGUID source, ULONG control_code, UCHAR level, ULONGLONG match_any_keyword,
                               ULONGLONG match_all_keyword, EVENT_FILTER_DESCRIPTOR* filter, PVOID context);
static_assert(sizeof(EVENT_DESCRIPTOR) == 16 && sizeof(EVENT_DATA_DESCRIPTOR) == 16);

#include "driver/nt/nt_functions.h"
#endif
