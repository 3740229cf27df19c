# Arguments of commands, objects and their properties.

proc stub::fail {text} { return -code error "stub: $text" }

# Splits arguments into options and the rest; every option must be known.
proc stub::parse {command flags values least most arguments} {
    set found [dict create]
    set rest {}
    while {$arguments ne {}} {
        set arguments [lassign $arguments word]
        if {![regexp {^-[a-z]} $word]} {
            lappend rest $word
        } elseif {$word in $flags} {
            dict set found $word 1
        } elseif {$word in $values} {
            if {$arguments eq {}} { fail "$command: $word needs a value" }
            set arguments [lassign $arguments argument]
            dict set found $word $argument
        } else {
            fail "$command: unknown option $word"
        }
    }
    set count [llength $rest]
    if {$count < $least || $count > $most} { fail "$command: $count arguments, $least to $most are allowed" }
    dict set found rest $rest
    return $found
}

proc stub::option {options name {default ""}} {
    if {[dict exists $options $name]} { return [dict get $options $name] }
    return $default
}

proc stub::object {name what} { dict set stub::kind $name $what; return $name }
proc stub::is {name what} {
    if {![dict exists $stub::kind $name] || [dict get $stub::kind $name] ne $what} { fail "`$name` is no $what" }
    return $name
}
proc stub::is_file {path} { if {![file isfile $path]} { fail "no file $path" }; return $path }
proc stub::config {cell name} { return [dict get $stub::value $cell CONFIG.$name] }

# Answer of a get_ command: found, or empty with -quiet, or an error.
proc stub::found {command options name what} {
    if {[dict exists $stub::kind $name] && [dict get $stub::kind $name] eq $what} { return $name }
    if {[option $options -quiet 0]} { return "" }
    fail "$command: no $what `$name`"
}

proc set_property {args} {
    set o [stub::parse set_property {} {-dict} 1 3 $args]
    set rest [dict get $o rest]
    if {[dict exists $o -dict]} { set pairs [dict get $o -dict] } else { set pairs [lrange $rest 0 1] }
    set object [lindex $rest end]
    if {![dict exists $stub::kind $object]} { stub::fail "set_property: no object `$object`" }
    foreach {name value} $pairs {
        if {$name ni [list_property $object]} { stub::fail "set_property: $object has no property $name" }
        dict set stub::value $object $name $value
        stub::changed $object $name $value
    }
}
proc get_property {name object} {
    if {![dict exists $stub::kind $object]} { stub::fail "get_property: no object `$object`" }
    if {$name ni [list_property $object]} { stub::fail "get_property: $object has no property $name" }
    return [dict get $stub::value $object $name]
}
proc list_property {object} {
    set what [dict get $stub::kind $object]
    if {$what eq "cell"} { return [dict keys [dict get $stub::value $object]] }
    return [dict get $stub::properties $what]
}
proc stub::changed {object name value} {
    switch -- $name {
        CONFIG.PSU__CRL_APB__PL0_REF_CTRL__FREQMHZ { made_clock $object CONFIG.PSU__CRL_APB__PL0_REF_CTRL__ACT_FREQMHZ 1499.985 $value }
        CONFIG.PCW_FPGA0_PERIPHERAL_FREQMHZ { made_clock $object CONFIG.PCW_ACT_FPGA0_PERIPHERAL_FREQMHZ 1000.0 $value }
        board_part { if {$value ni [get_board_parts *]} { fail "no board part $value" } }
        ip_repo_paths { foreach path $value { if {![file isfile $path/component.xml]} { fail "no IP in $path" } } }
        top {
            set known [lmap path [dict get $stub::files sources_1] { file rootname [file tail $path] }]
            if {$value ni "$known system_wrapper"} { fail "no module $value" }
        }
    }
}
# The greatest frequency at or below the one asked for.
proc stub::made_clock {cell name pll wanted} {
    set best 0
    for {set a 1} {$a < 64} {incr a} {
        for {set b 1} {$b < 64} {incr b} {
            set f [expr {$pll / ($a * $b)}]
            if {$f <= $wanted + 1e-9 && $f > $best} { set best $f }
        }
    }
    dict set stub::value $cell $name [format %.6f $best]
}
