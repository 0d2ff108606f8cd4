/* Stands in for libnvidia-ml.so.1: RTX 4090s with fixed readings, so that the real pynvml can be
 * tested where no card is. Built by gcc when the tests need it.
 *
 *   STUB_NVML_CARDS=2                      how many cards
 *   STUB_NVML_FAIL=name=code,name@1=code   a call fails, for all cards or for one index
 *   STUB_NVML_HANG=name or name@1          a call never returns
 *   STUB_NVML_DIE=name                     the process dies in a call
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int Return;
typedef struct { int index; } Card;
static Card cards[16];

static int count(void) {
    const char *text = getenv("STUB_NVML_CARDS");
    return text ? atoi(text) : 2;
}

/* Whether `list` names the call, for this card; its code after `=`. */
static int named(const char *list, const char *call, int index, int *code) {
    char one[128], with[128];
    snprintf(with, sizeof with, "%s@%d", call, index);
    while (list && *list) {
        size_t length = strcspn(list, ",");
        snprintf(one, sizeof one, "%.*s", (int)length, list);
        char *equals = strchr(one, '=');
        if (equals) *equals = 0;
        if (!strcmp(one, call) || (index >= 0 && !strcmp(one, with))) {
            if (code && equals) *code = atoi(equals + 1);
            return 1;
        }
        list += length + (list[length] == ',');
    }
    return 0;
}

static Return enter(const char *call, int index) {
    int code = 0;
    if (named(getenv("STUB_NVML_HANG"), call, index, 0))
        for (;;) pause();
    if (named(getenv("STUB_NVML_DIE"), call, index, 0)) raise(SIGSEGV);
    named(getenv("STUB_NVML_FAIL"), call, index, &code);
    return code;
}

#define ENTER(index) do { Return code = enter(__func__, index); if (code) return code; } while (0)
#define NUMBER(name, type, expression) \
    Return name(Card *card, type *out) { ENTER(card->index); int i = card->index; (void)i; \
        *out = (type)(expression); return 0; }
#define TEXT(name, ...) \
    Return name(Card *card, char *out, unsigned size) { ENTER(card->index); int i = card->index; \
        (void)i; snprintf(out, size, __VA_ARGS__); return 0; }

Return nvmlInitWithFlags(unsigned flags) {
    (void)flags;
    ENTER(-1);
    for (int i = 0; i < 16; i++) cards[i].index = i;
    return 0;
}
Return nvmlShutdown(void) { return 0; }
const char *nvmlErrorString(Return code) {
    switch (code) {
    case 3: return "Not Supported";
    case 9: return "Driver Not Loaded";
    case 15: return "GPU is lost";
    case 18: return "RM has detected an NVML/RM version mismatch.";
    default: return "Unknown Error";
    }
}
Return nvmlSystemGetDriverVersion(char *out, unsigned size) {
    ENTER(-1);
    snprintf(out, size, "580.65.06");
    return 0;
}
Return nvmlDeviceGetCount_v2(unsigned *out) { ENTER(-1); *out = (unsigned)count(); return 0; }
Return nvmlDeviceGetHandleByIndex_v2(unsigned index, Card **out) {
    ENTER((int)index);
    if (index >= (unsigned)count()) return 2;
    *out = &cards[index];
    return 0;
}

TEXT(nvmlDeviceGetName, "NVIDIA GeForce RTX 4090")
TEXT(nvmlDeviceGetUUID, "GPU-00000000-0000-4000-8000-%012d", i)
TEXT(nvmlDeviceGetVbiosVersion, "95.02.3C.80.%02X", i)
NUMBER(nvmlDeviceGetMinorNumber, unsigned, i)
NUMBER(nvmlDeviceGetPerformanceState, unsigned, 2)
NUMBER(nvmlDeviceGetFanSpeed, unsigned, 61 + i)
NUMBER(nvmlDeviceGetPowerUsage, unsigned, 431250 + i)
NUMBER(nvmlDeviceGetPowerManagementLimit, unsigned, 450000)
NUMBER(nvmlDeviceGetEnforcedPowerLimit, unsigned, 450000)
NUMBER(nvmlDeviceGetPowerManagementDefaultLimit, unsigned, 450000)
NUMBER(nvmlDeviceGetCurrPcieLinkGeneration, unsigned, 4)
NUMBER(nvmlDeviceGetMaxPcieLinkGeneration, unsigned, 4)
NUMBER(nvmlDeviceGetCurrPcieLinkWidth, unsigned, 16)
NUMBER(nvmlDeviceGetMaxPcieLinkWidth, unsigned, 16)
NUMBER(nvmlDeviceGetPersistenceMode, unsigned, 1)
NUMBER(nvmlDeviceGetCurrentClocksEventReasons, unsigned long long, 4)
NUMBER(nvmlDeviceGetCurrentClocksThrottleReasons, unsigned long long, 4)

typedef struct {
    char legacy[16];
    unsigned domain, bus, device, device_id, subsystem;
    char bus_id[32];
} Pci;
Return nvmlDeviceGetPciInfo_v3(Card *card, Pci *out) {
    ENTER(card->index);
    memset(out, 0, sizeof *out);
    out->bus = 0x41 + (unsigned)card->index;
    out->device_id = 0x268410DE;
    snprintf(out->bus_id, sizeof out->bus_id, "00000000:%02X:00.0", out->bus);
    return 0;
}
typedef struct { unsigned version, sensor; int celsius; } Temperature;
Return nvmlDeviceGetTemperatureV(Card *card, Temperature *out) {
    ENTER(card->index);
    out->celsius = 71 + card->index;
    return 0;
}
Return nvmlDeviceGetTemperature(Card *card, unsigned sensor, unsigned *out) {
    (void)sensor;
    ENTER(card->index);
    *out = 71u + (unsigned)card->index;
    return 0;
}
typedef struct { unsigned version; int margin; } Margin;
Return nvmlDeviceGetMarginTemperature(Card *card, Margin *out) {
    ENTER(card->index);
    out->margin = 12 - card->index;
    return 0;
}
Return nvmlDeviceGetTemperatureThreshold(Card *card, unsigned which, unsigned *out) {
    ENTER(card->index);
    *out = which == 1 ? 90 : 84;
    return 0;
}
Return nvmlDeviceGetPowerManagementLimitConstraints(Card *card, unsigned *low, unsigned *high) {
    ENTER(card->index);
    *low = 150000;
    *high = 600000;
    return 0;
}
Return nvmlDeviceGetClockInfo(Card *card, unsigned which, unsigned *out) {
    ENTER(card->index);
    *out = which == 1 ? 2520 : 10251;
    return 0;
}
typedef struct { unsigned gpu, memory; } Utilisation;
Return nvmlDeviceGetUtilizationRates(Card *card, Utilisation *out) {
    ENTER(card->index);
    out->gpu = 97;
    out->memory = 43;
    return 0;
}
typedef struct { unsigned version; unsigned long long total, reserved, free, used; } Memory;
Return nvmlDeviceGetMemoryInfo_v2(Card *card, Memory *out) {
    ENTER(card->index);
    out->total = 24564ULL << 20;
    out->reserved = 350ULL << 20;
    out->used = 20000ULL << 20;
    out->free = 4214ULL << 20;
    return 0;
}
Return nvmlDeviceGetEccMode(Card *card, unsigned *now, unsigned *next) {
    ENTER(card->index);
    *now = *next = 0;
    return 0;
}
Return nvmlDeviceGetRemappedRows(Card *card, unsigned *a, unsigned *b, unsigned *c, unsigned *d) {
    ENTER(card->index);
    *a = *b = *c = *d = 0;
    return 0;
}
typedef struct {
    unsigned id, scope;
    long long at, latency;
    int type;
    Return code;
    union { unsigned number; unsigned long long wide; } value;
} Field;
Return nvmlDeviceGetFieldValues(Card *card, int length, Field *out) {
    ENTER(card->index);
    for (int i = 0; i < length; i++) {
        out[i].code = 0;
        out[i].value.wide = 0;
    }
    return 0;
}
typedef struct { unsigned pid; unsigned long long used; unsigned gpu, compute; } Process;
Return nvmlDeviceGetComputeRunningProcesses_v3(Card *card, unsigned *length, Process *out) {
    ENTER(card->index);
    if (!out) {
        *length = 1;
        return 7;
    }
    *length = 1;
    out[0].pid = 4000u + (unsigned)card->index;
    out[0].used = 19990ULL << 20;
    return 0;
}
