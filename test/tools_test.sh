#!/bin/sh
# The baton command as a user meets it: exit statuses, messages, files. Its own comparison with the CPU stands behind
# every exit status 0; some results are held against numbers worked out by hand.
. "$(dirname "$0")/common.sh"
baton="$build/baton"
[ -x "$baton" ] || skip "$baton is not built"
camera="$top/examples/camera.pgm"
driver=soft
work=$(mktemp -d "${TMPDIR:-/tmp}/baton-tools.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work"
[ "$QUICK" != yes ] || { { printf 'P5\n96 64\n255\n'; tail -c 6144 "$camera"; } >small.pgm; camera=$work/small.pgm; }

run() {         # wanted status, arguments: stdout and stderr go to files
    wanted=$1; shift
    status=0
    timeout 120 "$baton" "$@" >stdout 2>stderr || status=$?
    [ "$status" -eq "$wanted" ] || problem "baton $*: exit status $status, not $wanted: $(cat stderr)"
}

refused() {     # a word of the message, arguments: status 2, one line on stderr, no output and no temporary file
    word=$1; shift
    run 2 "$@"
    [ "$(wc -l <stderr)" -eq 1 ] || problem "baton $*: $(wc -l <stderr) lines on stderr"
    grep -q -- "$word" stderr || problem "baton $*: '$word' is not in: $(cat stderr)"
    for left in out.pgm*; do
        [ ! -e "$left" ] || problem "baton $*: left $left"
        rm -f "$left"
    done
}

demo() {        # wanted status, arguments
    wanted=$1; shift
    run "$wanted" demo --driver "$driver" "$@"
}

refused_file() {    # a word of the message, the file's bytes for printf
    # shellcheck disable=SC2059
    printf "$2" >bad.pgm
    refused "$1" demo --driver "$driver" bad.pgm out.pgm
}

samples() {     # of the last `count` bytes of a file: "1 2 3"
    tail -c "$2" "$1" | od -An -v -tu1 | tr -s ' \n' ' ' | sed 's/^ //; s/ $//'
}

# ---- arguments

run 0 --help
grep -q '^usage: baton' stdout || problem '--help prints no usage'
run 0 --version
[ -z "${VERSION:-}" ] || grep -q "^baton $VERSION " stdout || problem "--version says $(cat stdout)"
run 0 info --driver "$driver"
grep -q '^driver  *soft' stdout || problem 'info does not name the driver'

# Why there is no CUDA, in a sentence: as the reason for the software device, and as the error when CUDA is asked for.
no_cuda() {     # words of the sentence, settings
    words=$1; shift
    for setting in "$@"; do export "${setting?}"; done
    run 0 info
    grep -q '^driver  *soft' stdout || problem "info without CUDA: $(cat stdout)"
    grep -q -- "$words" stdout || problem "info does not say '$words': $(cat stdout)"
    refused "$words" info --driver cuda
    for setting in "$@"; do unset "${setting%%=*}"; done
}

(
    unset BATON_DRIVER CUDA_VISIBLE_DEVICES
    no_cuda 'There is no CUDA driver: libcuda-of-nowhere.so' BATON_CUDA_LIBRARY=libcuda-of-nowhere.so
    no_cuda 'is no CUDA driver' BATON_CUDA_LIBRARY=libm.so.6
    fake="$build/test/.libs/fake_cuda.so"
    if [ -e "$fake" ] && [ "$SANITIZE" = no ]; then
        no_cuda 'too old: it supports CUDA 11.8, and 12.0 is the least' BATON_CUDA_LIBRARY="$fake" FAKE_CUDA_VERSION=11080
        no_cuda 'finds no device' BATON_CUDA_LIBRARY="$fake" FAKE_CUDA_DEVICES=0
        no_cuda 'CUDA_VISIBLE_DEVICES is "none"' BATON_CUDA_LIBRARY="$fake" FAKE_CUDA_INIT=100 CUDA_VISIBLE_DEVICES=none
        no_cuda 'update without a restart' BATON_CUDA_LIBRARY="$fake" FAKE_CUDA_INIT=803
    fi
    finish
) || failures=$((failures + 1))
refused 'command is missing'
refused 'unknown command' nonsense
refused 'option' info --nonsense
refused 'unexpected' info nonsense
refused '' info --driver nonsense
refused '' demo --driver nonsense "$camera" out.pgm
refused 'two are needed' demo
refused 'two are needed' demo "$camera"
refused 'two are needed' demo "$camera" out.pgm more
refused 'nonsense' demo --nonsense "$camera" out.pgm
refused "'-x'" demo -x "$camera" out.pgm
refused 'exclude each other' demo "$camera" out.pgm --graph --host-wait
refused 'exclude each other' demo --host-wait --graph "$camera" out.pgm
refused 'exclude each other' demo "$camera" out.pgm --graph --devices 2
refused 'there is no device 2' demo --driver soft:2 "$camera" out.pgm --devices 3
for number in '' 0 67 two; do
    refused 'devices' demo "$camera" out.pgm --devices "$number"
done
refused 'two are needed' demo --graph "$camera"
refused 'needs a value' demo "$camera" out.pgm --tasks
for number in '' 0 65 -1 4x ' 4' 99999999999999999999; do
    refused 'tasks' demo "$camera" out.pgm --tasks "$number"
done
for number in 0 1000001 many; do
    refused 'repeat' demo "$camera" out.pgm --repeat "$number"
done

# ---- files that are refused

refused 'No such file' demo missing.pgm out.pgm
refused 'irectory' demo . out.pgm
refused_file 'is empty' ''
refused_file 'no PGM' 'hello'
refused_file 'no PGM' 'P'
refused_file 'P2' 'P2\n1 1\n255\n0\n'
refused_file 'P4' 'P4\n8 1\n\377'
refused_file '16 bits' 'P5\n1 1\n65535\n\001\002'
refused_file 'maxval' 'P5\n1 1\n0\n\001'
refused_file 'maxval' 'P5\n1 1\n65536\n\001\002'
refused_file 'larger than maxval' 'P5\n1 1\n15\n\020'
refused_file 'empty (0 x 5)' 'P5\n0 5\n255\n'
refused_file 'header' 'P5\n3'
refused_file 'header' 'P5\n3 # no end'
refused_file 'no number' 'P5\n-3 5\n255\n'
refused_file 'no number' 'P5\n3,5\n255\n'
refused_file 'width is too large' 'P5\n4294967296 1\n255\n'
refused_file 'too large' 'P6\n4294967295 4294967295\n255\nabc'
refused_file 'inside the picture' 'P5\n4294967295 1000000\n255\nabc'
refused_file 'inside the picture' 'P5\n3 3\n255\n12345678'
refused_file 'inside the picture' 'P6\n2 2\n255\n12345678901'

# From a pipe, which cannot tell its length: memory is taken for what comes, not for what the header says.
if [ "$SANITIZE" = no ]; then
    status=0
    printf 'P6\n4294967295 20\n255\nabc' | (ulimit -v 4000000 && timeout 60 "$baton" demo --driver soft /dev/stdin out.pgm) >stdout 2>stderr || status=$?
    [ "$status" -eq 2 ] && grep -q "inside the picture" stderr || problem "a pipe that promises 240 GB gives exit status $status: $(cat stderr)"
fi

# ---- outputs that cannot be written

mkdir folder
refused 'irectory' demo --driver "$driver" "$camera" folder
refused 'No such file' demo --driver "$driver" "$camera" missing/out.pgm
[ ! -c /dev/full ] || refused 'No space' demo --driver "$driver" "$camera" /dev/full
if [ -c /dev/full ]; then
    status=0
    timeout 60 "$baton" --help >/dev/full 2>stderr || status=$?
    [ "$status" -eq 2 ] || problem "a full standard output gives exit status $status"
fi

# ---- sizes

for size in '1 1' '1 7' '7 1' '2 2' '33 17' '257 3' '3 259'; do
    for kind in 'P5 1' 'P6 3'; do
        bytes=$((${size% *} * ${size#* } * ${kind#* }))
        { printf '%s\n# a comment\n%s # another\n255\n' "${kind% *}" "$size"; tail -c "$bytes" "$camera"; } >in.pnm
        demo 0 in.pnm out.pnm --tasks 3
        printf '%s\n%s\n255\n' "${kind% *}" "$size" >header
        head -c "$(wc -c <header)" out.pnm | cmp -s - header || problem "$kind $size: another header"
        [ "$(wc -c <out.pnm)" -eq $(($(wc -c <header) + bytes)) ] || problem "$kind $size: another length"
    done
done

# ---- results

printf 'P5\n2 1\n255\n\000\132' >in.pgm            # 0 90
demo 0 in.pgm out.pgm --tasks 1
[ "$(samples out.pgm 2)" = '30 60' ] || problem "blur of 0 90 is $(samples out.pgm 2)"
demo 0 in.pgm out.pgm --tasks 2
[ "$(samples out.pgm 2)" = '20 70' ] || problem "blur and sharpen of 0 90 is $(samples out.pgm 2)"
printf 'P5\n3 3\n255\n\000\000\000\000\132\000\000\000\000' >in.pgm
demo 0 in.pgm out.pgm --tasks 1
[ "$(samples out.pgm 9)" = '10 10 10 10 10 10 10 10 10' ] || problem "blur of one dot is $(samples out.pgm 9)"
printf 'P5\n2 1\n15\n\001\017' >in.pgm             # 17 255 after scaling: (17 + 17 + 255) / 3, (17 + 255 + 255) / 3
demo 0 in.pgm out.pgm --tasks 1
[ "$(samples out.pgm 2)" = '96 176' ] || problem "blur of 1 15 of 15 is $(samples out.pgm 2)"
{ printf 'P5\n40 30\n255\n'; head -c 1200 /dev/zero | tr '\000' 'x'; } >in.pgm
for tasks in 1 2 64; do
    demo 0 in.pgm out.pgm --tasks "$tasks"
    cmp -s in.pgm out.pgm || problem "a constant picture changes with $tasks tasks"
done

# ---- drivers and ways

demo 0 "$camera" device.pgm
others='soft:2 auto'
! "$baton" info --driver cuda >/dev/null 2>&1 || others="$others cuda"
for driver in $others; do
    demo 0 "$camera" other.pgm
    cmp -s device.pgm other.pgm || problem "$driver gives another picture"
done
driver=soft
demo 0 "$camera" other.pgm --host-wait
cmp -s device.pgm other.pgm || problem 'host waits give another picture'
! grep -q '^first frame, on the device' stdout || problem '--host-wait runs more than the old way'
demo 0 "$camera" other.pgm --tasks 8 --repeat 40
demo 0 "$camera" device.pgm --tasks 8
cmp -s device.pgm other.pgm || problem 'many frames give another picture'
! grep -q "$(printf '\r')" stdout || problem 'a progress line is written to a file'

# ---- several devices

waits_between() { sed -n 's/^host waits between the tasks *\([0-9]*\) .*/\1/p' stdout; }

demo 0 "$camera" device.pgm --tasks 7
gpus=$("$baton" info --driver cuda 2>/dev/null | grep -c '^device') || gpus=0
ways='soft:2/2 soft:3/3 soft:5/4 soft:16/16'
[ "$gpus" -lt 2 ] || ways="$ways cuda/$gpus"
for way in $ways; do
    driver=${way%/*}
    demo 0 "$camera" other.pgm --tasks 7 --repeat 12 --devices "${way#*/}"
    cmp -s device.pgm other.pgm || problem "${way#*/} devices of $driver give another picture"
    [ "$(waits_between)" = 0 ] || problem "on ${way#*/} devices of $driver the host waits '$(waits_between)' times between the tasks"
    grep -q "on ${way#*/} devices in turn" stdout || problem 'the report does not name the devices'
    demo 0 "$camera" other.pgm --tasks 7 --devices "${way#*/}" --host-wait
    cmp -s device.pgm other.pgm || problem "host waits on ${way#*/} devices of $driver give another picture"
done
driver=soft

# ---- report

demo 0 "$camera" out.pgm --repeat 5
between=$(sed -n 's/^host waits between the tasks *\([0-9]*\) .*/\1/p' stdout)
[ "$between" = 0 ] || problem "with hand-off on the device the host waits '$between' times between the tasks"
grep -q '^device waits' stdout || problem 'the report has no device waits'
grep -q 'o-*>wait' stdout || problem 'the timeline shows no hand-off'
awk 'head < 1 && !/^$/ { next } { head = 1 } length($0) > 100 { bad = 1 } END { exit bad }' stdout ||
    problem 'the tables are wider than 100 columns'

# ---- graphs

per_frame() {   # a row's label: "eager graph"
    sed -n "s/^ *$1  *\\([0-9.]*\\)  *\\([0-9.]*\\)\$/\\1 \\2/p" stdout
}

for how in '' '--repeat 2' '--repeat 20' '--tasks 1' '--tasks 3 --repeat 3' '--tasks 64'; do
    # shellcheck disable=SC2086
    demo 0 "$camera" eager.pgm ${how%--repeat*}
    # shellcheck disable=SC2086
    demo 0 "$camera" graph.pgm --graph $how
    cmp -s eager.pgm graph.pgm || problem "--graph $how gives another picture"
done
for driver in $others; do
    demo 0 "$camera" eager.pgm
    demo 0 "$camera" graph.pgm --graph --repeat 3
    cmp -s eager.pgm graph.pgm || problem "--graph gives another picture with $driver"
done
driver=soft
{ printf 'P6\n5 3\n255\n'; tail -c 45 "$camera"; } >in.pnm
demo 0 in.pnm eager.pnm
demo 0 in.pnm graph.pnm --graph --repeat 5
cmp -s eager.pnm graph.pnm || problem '--graph gives another picture of 5 x 3 in color'

demo 0 "$camera" out.pgm --graph --repeat 20
grep -q '^graph  *the filters: 4 submissions, 5 memories, 4 of them written' stdout || problem 'the report does not say what the graph holds'
for row in 'operations submitted:6.00 3.00' 'graph launches, among them:0.00 1.00' 'memories that they took:0.00 5.00' \
    'host waits between the streams:0.00 0.00' 'frames that differ from the CPU:0 0'; do
    [ "$(per_frame "${row%:*}")" = "${row#*:}" ] || problem "'${row%:*}' is '$(per_frame "${row%:*}")', not '${row#*:}'"
done
for row in 'device waits that they needed' 'device waits, these included' 'host waits for the final download'; do
    [ -n "$(per_frame "$row")" ] || problem "the report with --graph has no '$row'"
done
awk 'length($0) > 100 { bad = 1 } END { exit bad }' stdout || problem 'the table with --graph is wider than 100 columns'

# ---- replacing

cp "$camera" same.pgm
demo 0 same.pgm same.pgm
demo 0 "$camera" out.pgm
cmp -s same.pgm out.pgm || problem 'a picture written over its source is another'
ln -s out.pgm link.pgm
demo 0 "$camera" link.pgm --tasks 1
[ -h link.pgm ] || problem 'a symbolic link was replaced'
cmp -s same.pgm out.pgm && problem 'the file behind the link was not written'
for left in *.tmp; do
    [ ! -e "$left" ] || problem "left $left"
done
finish
