package main

import (
	"fmt"
	"os"
	"strings"
)

// options say how much is measured.
type options struct{ quick bool }

// run is a group of figures that are measured together.
type run struct {
	name  string
	steps []step
}

// step is a command of the shell.
type step struct {
	command string
	shown   bool // in the document, for people who repeat it
	parse   func(out string) map[string]float64
	also    func(*os.ProcessState, map[string]float64) // adds what the command cost
}

func shown(command string, parse func(string) map[string]float64) step {
	return step{command: command, shown: true, parse: parse}
}

func hidden(command string) step { return step{command: command} }

// campuses are the sizes of the demo campuses, the largest last.
func campuses(o options) []int {
	if o.quick {
		return []int{10_000, 100_000}
	}
	return []int{10_000, 100_000, 1_000_000}
}

// demoCost is the figure of what octavo demo costs.
const demoCost = "demo µs/book"

const build = "go tool task build"

// suite is everything that is measured.
func suite(o options) []run {
	few, deliveries, seconds := "", "10000x", "4"
	if o.quick {
		few, deliveries, seconds = " -short", "300x", "0.5"
	}
	runs := []run{
		{"first start", []step{shown("sh test/tools/firststart.sh", parseList)}},
		{"start", []step{shown(build, nil), shown("sh test/tools/measure.sh", parseList)}},
		bench("identity", "auth", "'Server$' -benchtime 1x"+few),
		bench("passwords told apart", "auth", "'OverHTTP/sign-(in|up)/idle' -benchtime 1x"+few),
		bench("addresses told apart", "auth", "'OverHTTP/(reset|redeem|resend|verify)/idle' -benchtime 1x"),
		bench("floors", "auth", "Floor -benchtime 40x"+few),
		bench("webhooks", "webhooks", "Delivery -benchtime "+deliveries+few),
	}
	for _, n := range campuses(o) {
		runs = append(runs, market(n, seconds))
	}
	return runs
}

// bench runs benchmarks of a package of test/bench.
func bench(name, folder, which string) run {
	return run{name, []step{shown("go test ./test/bench/"+folder+" -run '^$' -bench "+which, parseBenchmarks)}}
}

// marketRun names the run on a campus of n books.
func marketRun(n int) string { return fmt.Sprintf("market %d", n) }

func market(books int, seconds string) run {
	folder := fmt.Sprintf("bin/campus-%d", books)
	demo := shown(fmt.Sprintf("DATA_DIR=%s bin/octavo demo --books %d --users %d", folder, books, max(200, books/50)), nil)
	demo.also = func(p *os.ProcessState, to map[string]float64) {
		to[demoCost] = float64((p.UserTime() + p.SystemTime()).Microseconds()) / float64(books)
	}
	return run{marketRun(books), []step{
		hidden(build), hidden("rm -rf " + folder), demo,
		shown(strings.Join([]string{"go run ./test/bench/load -octavo bin/octavo -data", folder, "-seconds", seconds}, " "), parseLoad),
		hidden("rm -rf " + folder),
	}}
}
