#!/bin/sh
# examples/nccl on the software device, with test/fake_nccl.c as NCCL: in one process on several devices, and in processes that MPI starts. The
# programs compare all numbers and count the host's waits. Then each is shown to notice what is wrong.
. "$(dirname "$0")/common.sh"
fake="$build/test/.libs/fake_nccl.so"
[ -e "$fake" ] && [ -x "$build/test/nccl_devices" ] || skip 'the NCCL programs are not built'
BATON_NCCL_LIBRARY=$fake
export BATON_NCCL_LIBRARY
output=$(mktemp "${TMPDIR:-/tmp}/baton-nccl.XXXXXX")
trap 'rm -f "$output"' EXIT
trap 'exit 1' HUP INT TERM

# wanted STATUS STEPS COMMAND...: the exit status, and how many lines say "ok".
wanted() {
    status=0 want=$1 steps=$2; shift 2
    timeout 120 "$@" >"$output" 2>&1 || status=$?
    [ "$status" -eq "$want" ] || problem "$*: exit status $status, not $want: $(tail -n 5 "$output")"
    found=$(grep -c '^ok ' "$output") || :
    [ "$found" -eq "$steps" ] || problem "$*: $found steps were right, not $steps"
}

# Eight element types, three calls.
for devices in 1 2 3 4 8; do
    BATON_DRIVER=soft:$devices wanted 0 24 "$build/test/nccl_devices"
done
BATON_NCCL_LIBRARY=libnccl-of-nowhere.so BATON_DRIVER=soft wanted 77 0 "$build/test/nccl_devices"
BATON_NCCL_LIBRARY=libm.so.6 BATON_DRIVER=soft wanted 77 0 "$build/test/nccl_devices"
BATON_DRIVER=cuda BATON_CUDA_LIBRARY=libcuda-of-nowhere.so wanted 77 0 "$build/test/nccl_devices"

# ---- processes: one step more each, MPI's own call

[ -x "$build/test/nccl_processes" ] && [ "${MPIEXEC:-no}" != no ] || skip 'there is no MPI'
[ "$SANITIZE" = no ] || skip "MPI itself leaks under the sanitizers"
options=
if "$MPIEXEC" --version 2>&1 | grep -qi 'open.*mpi\|openrte'; then
    options='--oversubscribe --mca btl self,vader --mca plm isolated'
    [ "$(id -u)" -ne 0 ] || options="$options --allow-run-as-root"
fi
for ranks in 1 2 3; do
    # shellcheck disable=SC2086
    BATON_DRIVER=soft:2 wanted 0 $((25 * ranks)) "$MPIEXEC" $options -n $ranks "$build/test/nccl_processes"
    [ "$(grep -c 'MPI_Allreduce.*host waits: [1-9]' "$output")" -eq "$ranks" ] || problem "MPI's own call did not make the host wait on $ranks ranks"
done
finish
