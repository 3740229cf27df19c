# Nothing leaves the fabric: clock, reset and every memory port come from the processing system, whose IP constrains
# them itself. So there are no pins, no I/O standards and no input or output delays, and with one clock there are no
# asynchronous groups.

# A shorter file loads faster; the fabric's contents are the same.
set_property BITSTREAM.GENERAL.COMPRESS TRUE [current_design]
