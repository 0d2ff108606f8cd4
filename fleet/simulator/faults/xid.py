"""What the driver writes for an Xid. Form and texts as in public bug reports."""

# Numbers whose line names the program that was running.
OF_A_PROGRAM = frozenset({8, 13, 31, 32, 43, 45, 68, 69, 94, 109})

TEXTS = {
    8: "Channel 00000010",
    13: "Graphics SM Warp Exception on (GPC 3, TPC 2, SM 1): Out Of Range Address",
    31: (
        "Ch 0000000c, intr 00000000. MMU Fault: ENGINE GRAPHICS GPC4 GPCCLIENT_T1_3 faulted @ "
        "0x7f3a_54000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ"
    ),
    32: "Channel ID 0000001c intr0 00040000",
    38: "Ch 00000018, engmask 00000101, intr 10000000",
    43: "Ch 00000010",
    45: "Ch 00000018",
    46: "GPU stopped processing",
    48: (
        "An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at "
        "partition 5, subpartition 1."
    ),
    54: "GPU power cables are not connected properly",
    61: "PMU Breakpoint 0x20004a1d",
    62: "2027a1b4 00007a0e 00000000 2027a6b2 2027a5d2 2027a6e6 20278cf2 00000000",
    63: "Row Remapper: New row (0x000000000041f2c0) marked for remapping, reset gpu to activate.",
    64: "Row Remapper: Error writing new row remap entry",
    69: "Class Error: ChId 0010, Class 0000c9c0, Offset 000001b4, Data 00000000, ErrorCode 000c",
    74: "NVLink: fatal error detected on link 0(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)",
    79: "GPU has fallen off the bus.",
    92: "High single-bit ECC error rate",
    94: "Contained: LTC (5,0). RST: No, D-RST: No",
    95: "Uncontained: LTC TAG (5,0). RST: Yes, D-RST: No",
    109: "Ch 00000010, errorString CTX SWITCH TIMEOUT, Info 0x5c00d",
    119: (
        "Timeout after 6s of waiting for RPC response from GPU0 GSP! Expected function 76 "
        "(GSP_RM_CONTROL) (0x2080a0a4 0x4)."
    ),
    120: (
        "GSP task exception: Load access fault (cause: 0x5) @ pc:0xffffffff9380a3c2, "
        "partition: 4#0, task: 0"
    ),
    143: "GPU initialization error",
    154: "GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)",
}


def line(number: int, bdf: str, pid: int | None, program: str) -> str:
    """The driver's line for Xid `number` on the card at `bdf` (`0000:41:00.0`)."""
    text = TEXTS.get(number, f"Event 0x{number:04x} reported by GSP-RM")
    who = "pid='<unknown>', name=<unknown>"
    if number in OF_A_PROGRAM and pid is not None:
        who = f"pid={pid}, name={program}"
    return f"NVRM: Xid (PCI:{bdf.rsplit('.', 1)[0]}): {number}, {who}, {text}"
