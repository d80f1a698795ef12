# The behaviours that every binding has. Arguments: the folder with the modules. Prints a line for each, and fails if one does not hold.
load [file join [lindex $argv 0] batontcl.so] Batontcl
load [file join [lindex $argv 0] batontest.so] Batontest
source [file join [file dirname [info script]] .. baton.tcl]

set failures 0
proc behaviour {sentence body} {
    if {[catch {apply [list {} $body]} problem]} {
        incr ::failures
        puts "not ok - $sentence: $problem"
    } else {
        puts "ok - $sentence"
    }
}
proc same {got wanted} {
    if {$got ne $wanted} {
        error "got \"$got\", not \"$wanted\""
    }
}

behaviour {what is filled and added to is downloaded} {
    set s [baton stream]
    set x [baton create 4 $s]
    baton fill $x 40 $s
    baton add $x $x 2 $s
    set y [baton create 4 $s]
    baton add $y $x $x $s
    same [baton download $y $s] {84.0 84.0 84.0 84.0}
}

behaviour {a hand-over to another stream waits on the device and not on the host} {
    set a [baton stream]
    set b [baton stream]
    set x [baton create 4 $a]
    set before [stats]
    gated $a {
        baton fill $x 40 $a
        baton add $x $x 2 $b
        set after [stats]
    }
    same [dict get $after host_waits] [dict get $before host_waits]
    same [dict get $after device_waits] [expr {[dict get $before device_waits] + 1}]
    same [baton download $x $b] {42.0 42.0 42.0 42.0}
}

behaviour {an error has its status and its message} {
    set s [baton stream]
    set x [baton create 4 $s]
    set y [baton create 3 $s]
    same [catch {baton add $x $y 1 $s} message options] 1
    same [lrange [dict get $options -errorcode] 0 1] {BATON BATON_ERR_SHAPE}
    same [expr {[string length $message] > 10 && $message ne "BATON_ERR_SHAPE"}] 1
}

behaviour {what is no handle is refused by name} {
    set s [baton stream]
    same [catch {baton fill "baton-array" 1 $s} message options] 1
    same [lrange [dict get $options -errorcode] 0 1] {BATON BATON_ERR_HANDLE}
    same $message "baton-array is wanted, not baton-array"
}

behaviour {the last value that holds an array gives its memory back} {
    set s [baton stream]
    set before [dict get [stats] live_bytes]
    set x [baton create 100000 $s]
    set held [list $x $x]
    same [expr {[dict get [stats] live_bytes] - $before >= 800000}] 1
    unset x
    baton fill [lindex $held 0] 1 $s
    unset held
    same [dict get [stats] live_bytes] $before
}

behaviour {a managed scope gives an address that is not null, and what its body returns} {
    set s [baton stream]
    set x [baton create 4 $s]
    same [baton managed $s $x addresses {expr {[llength $addresses] == 1 && [lindex $addresses 0] != 0}}] 1
}

behaviour {a managed scope whose body fails is released, and the error passes} {
    set a [baton stream]
    set b [baton stream]
    set x [baton create 4 $a]
    same [catch {baton managed $a [list $x] addresses {error "my own"}} message] 1
    same $message "my own"
    baton fill $x 7 $b
    same [baton download $x $b] {7.0 7.0 7.0 7.0}
}

behaviour {while a scope is open its arrays are refused to others on this thread, and free afterwards} {
    set a [baton stream]
    set b [baton stream]
    set x [baton create 4 $a]
    same [catch {baton managed $a [list $x] addresses {baton fill $x 1 $b}} message options] 1
    same [lindex [dict get $options -errorcode] 1] BATON_ERR_WOULD_DEADLOCK
    baton fill $x 1 $b
}

behaviour {a coroutine cannot leave a managed scope, and the scope ends} {
    set s [baton stream]
    set x [baton create 4 $s]
    same [catch {coroutine one apply {{s x} {baton managed $s [list $x] addresses yield}} $s $x} message] 1
    same $message "cannot yield: C stack busy"
    baton fill $x 1 $s
}

behaviour {out of memory becomes a collection} {
    set s [baton stream]
    limit [expr {[dict get [stats] live_bytes] + 4000000}]
    set ::cache {}
    set ::levels {}
    baton collector {apply {level {lappend ::levels $level; set ::cache {}}}}
    for {set i 0} {$i < 20} {incr i} {
        lappend ::cache [baton create 100000 $s]
    }
    baton collector {}
    limit 0
    same [expr {[llength $::levels] >= 3}] 1
    same [lsort -unique $::levels] 1
    set ::cache {}
}

behaviour {out of memory with nothing to collect is an error, after both levels} {
    set s [baton stream]
    set ::levels {}
    limit [expr {[dict get [stats] live_bytes] + 4000000}]
    baton collector {lappend ::levels}
    set failed [catch {baton create 1000000 $s} message options]
    baton collector {}
    limit 0
    same $failed 1
    same [lindex [dict get $options -errorcode] 1] BATON_ERR_OOM
    same $::levels {1 2}
}

behaviour {values outlive the interpreter and the runtime that made them} {
    interp create child
    load [file join [lindex $::argv 0] batontcl.so] Batontcl child
    set s [interp eval child {baton::stream}]
    set x [interp eval child [list baton::allocate 4 $s 0]]
    interp delete child
    baton fill $x 3 $s
    same [baton download $x $s] {3.0 3.0 3.0 3.0}
    unset x s
}

exit [expr {$failures > 0}]
