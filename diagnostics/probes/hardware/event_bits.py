"""The bits by which the driver says why it lowers clocks (nvml.h, clocks event reasons). Pure."""

IDLE = 0x1
APPLICATION_CLOCKS = 0x2
POWER_CAP = 0x4
HW_SLOWDOWN = 0x8
SYNC_BOOST = 0x10
SW_THERMAL = 0x20
HW_THERMAL = 0x40
POWER_BRAKE = 0x80
DISPLAY_CLOCKS = 0x100
