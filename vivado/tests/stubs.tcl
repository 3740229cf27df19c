# A strict stand-in for Vivado: tclsh stubs.tcl VERSION BOARD_FILES FOLDER [argument of build.tcl ...]
#
# Knows the commands that the flow uses, with their options; anything else is an error, as is a file that does not
# exist, a pin, interface, segment or parameter that an IP does not have, a double driver, a clock pin left open, a
# port of the wrong width. BOARD_FILES is 1 where the board files are installed. Versions of the IPs are made up and
# differ by release. It knows nothing of timing, and of Vivado only what these tables say.

namespace eval ipx {}
namespace eval stub {
    variable version
    variable board_files
    variable folder
    variable properties [dict create \
        project {board_part ip_repo_paths} fileset {top} core {name version display_name} \
        bus {master_address_space_ref slave_memory_map_ref} parameter {value} space {range width} block {range width} \
        map {physical_name} run {STATUS PROGRESS DIRECTORY} path {SLACK} segment {OFFSET RANGE} \
        design {BITSTREAM.GENERAL.COMPRESS BITSTREAM.CONFIG.OVERTEMPSHUTDOWN}]
    variable kind [dict create]
    variable value [dict create]
    # Cells (name to IP), nets (pin to driver), interface nets (pin to pin), addresses (space to segments), done things.
    variable cells [dict create]
    variable driver [dict create]
    variable joined [dict create]
    variable mapped [dict create]
    variable excluded [dict create]
    variable files [dict create sources_1 {} constrs_1 {}]
    variable packaged {}
    variable ports {}
    variable state [dict create]
}

foreach part {objects project packager ips design} { source [file join [file dirname [info script]] stubs $part.tcl] }

# Tcl loads its own calendar on first use.
clock format 0 -gmt 1
proc unknown {name args} { stub::fail "unknown command $name" }
rename exit stub::leave
proc exit {args} { stub::fail "unknown command exit" }

set argv [lassign $argv stub::version stub::board_files stub::folder]
set argc [llength $argv]
cd $stub::folder
if {[catch {source build.tcl} message options]} {
    puts stderr [dict get $options -errorinfo]
    stub::leave 1
}
if {$stub::packaged ne {}} { puts "stub: packaged [join $stub::packaged |]" }
stub::leave 0
