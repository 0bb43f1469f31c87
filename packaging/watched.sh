#!/bin/sh
# Run tests with the sanitizers of the core, and show what they report: packaging/watched.sh PYTHON TESTS...
# First a planted fault of each kind must be noticed, and its report be seen: otherwise silence would mean nothing.
python=$1
shift
reports=$PWD/build/sanitizer-reports
rm -rf "$reports"
mkdir -p "$reports"

# -s: what pytest captures goes with the process that a sanitizer ends. AddressSanitizer writes files in any case.
# Leaks are not looked for: Python keeps much until its end.
watched() {
    env LD_PRELOAD="$WATCHERS" PYTHONMALLOC=malloc ASAN_OPTIONS="detect_leaks=0:log_path=$reports/report" \
        UBSAN_OPTIONS=print_stacktrace=1 "$python" -m pytest -s -q -p no:faulthandler "$@"
}

planted() {
    if watched packaging/planted_faults.py -k "$1" > "$reports/said" 2>&1 || ! cat "$reports"/* | grep -q "$2"; then
        echo "The sanitizers did not notice a planted fault ($2): this run would find nothing." >&2
        exit 3
    fi
    rm -f "$reports"/*
}

planted beyond_the_end heap-buffer-overflow
planted overflow "signed integer overflow"
watched "$@"
status=$?
if [ -n "$(ls "$reports")" ]; then
    cat "$reports"/* >&2
    echo "The sanitizers found a fault; the reports are in $reports." >&2
    [ $status -ne 0 ] || status=1
fi
exit $status
