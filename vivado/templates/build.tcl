# From Verilog to a bitstream. In this folder:
#
#   vivado -mode batch -source build.tcl -tclargs --until bit --jobs 4
#
# Stages: package, design, synth, impl, bit. Results lie in work/<key>; the key changes with the sources and with these
# scripts. A stage that has its stamp there is not run again.

set folder [file dirname [file normalize [info script]]]
foreach script {settings common package_ip block_design synthesis implementation bitstream} {
    source [file join $folder $script.tcl]
}
if {[catch {sagen::prepare $folder $argv; sagen::run_stages} message options]} {
    puts "ERROR: \[sagen\] $message"
    return -options $options $message
}
