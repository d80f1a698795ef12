# Loaded after the module: what is easier said in Tcl.
namespace eval baton {
    variable collector {}
    namespace export stream create fill add download managed collector
    namespace ensemble create
}

# SCRIPT is called with a level when memory is short: 1, drop what is cheap to make anew; 2, everything that can be.
proc baton::collector {script} {
    variable collector $script
}

# An array of f64; out of memory becomes a collection, and then the same call with the level that it was for.
proc baton::create {elements stream} {
    variable collector
    set level 0
    while {[catch {allocate $elements $stream $level} result options]} {
        lassign [dict get $options -errorcode] - status level
        if {$status ne "BATON_OOM_RETRY"} {
            return -options $options $result
        }
        if {$collector ne {}} {
            uplevel #0 [list {*}$collector $level]
        }
    }
    return $result
}

proc baton::download {array stream} {
    binary scan [bytes $array $stream] d* numbers
    return $numbers
}
