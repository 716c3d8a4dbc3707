#!/bin/sh
# Measures a start of the built program: time from exec to ready with an empty and with an
# existing database (median of 9), CPU time until then, memory when idle, binary size.
# Needs curl. Build first: go tool task build
set -eu

bin=$(pwd)/bin/octavo
[ -x "$bin" ] || { echo "Build it first: go tool task build" >&2; exit 1; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
port=${PORT:-3987}

now() { date +%s%N; }
median() { sort -n | awk '{a[NR]=$1} END {print a[int((NR+1)/2)]}'; }

# start FOLDER: prints "milliseconds cpu-milliseconds resident-kB after two idle seconds"
start() {
	begin=$(now)
	DATA_DIR=$1 PORT=$port LOG_FORMAT=json "$bin" serve >/dev/null 2>&1 &
	pid=$!
	until curl -sf -o /dev/null "http://127.0.0.1:$port/readyz"; do :; done
	took=$((($(now) - begin) / 1000000))
	cpu=$(awk -v hz="$(getconf CLK_TCK)" '{print ($14 + $15) * 1000 / hz}' "/proc/$pid/stat")
	[ "$2" = idle ] && sleep 2
	rss=$(awk '/VmRSS/ {print $2}' "/proc/$pid/status")
	kill "$pid"
	wait "$pid" || true
	echo "$took $cpu $rss"
}

for i in 1 2 3 4 5 6 7 8 9; do start "$dir/empty$i" now; done >"$dir/empty"
start "$dir/one" now >/dev/null
for i in 1 2 3 4 5 6 7 8 9; do start "$dir/one" now; done >"$dir/existing"
start "$dir/one" idle >"$dir/idle"

echo "exec to ready, empty database:    $(cut -d' ' -f1 "$dir/empty" | median) ms"
echo "exec to ready, existing database: $(cut -d' ' -f1 "$dir/existing" | median) ms"
echo "CPU until ready, existing:        $(cut -d' ' -f2 "$dir/existing" | median) ms"
echo "resident when idle:               $(($(cut -d' ' -f3 "$dir/idle") / 1000)) MB"
echo "binary:                           $(wc -c <"$bin") bytes"
