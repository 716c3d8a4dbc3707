// Load sends requests to the built program over HTTP as fast as it answers, and prints the
// cost of each kind of request: requests per second, latency, processor time of the server
// and its peak memory. The server has one processor to itself, the clients another.
//
//	octavo demo --books 1000000 --users 20000        # with DATA_DIR=campus, once
//	go build -o load ./test/bench/load
//	./load -octavo bin/octavo -data campus [-only search] [-seconds 4] [-profiles folder]
//
// -only '^page: ' prints what the home page, a search and the pages of many different books cost a visitor, and the home page a student.
//
// The data are copied first, so that a campus can be used again. Profiles of the
// processor are written one file a kind, for go tool pprof.
//
// With -database the program runs on a campus in Postgres on this machine, which is not copied:
//
//	DATABASE_URL=postgres://… octavo demo --books 10000000 --users 1000000   # once
//	./load -octavo bin/octavo -database postgres://… -routes [-connections 2] [-seconds 2]
//
// It prints the processor time of Postgres as well, the time that statements took there per
// request if pg_stat_statements is installed, and at the end the sizes of all tables and indexes.
// The largest statement of a kind is printed if it took longer than -slow milliseconds. -routes
// measures a route of each kind that people use, in place of the kinds above. Processors are
// shared freely.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

const serverCore, clientCore = "0", "1"

// options say what is measured.
type options struct {
	program, data, database, only, profiles string
	connections                             int
	routes                                  bool
	long                                    time.Duration
	slow                                    float64 // milliseconds
}

func main() {
	var o options
	flag.StringVar(&o.program, "octavo", "bin/octavo", "the program to measure")
	flag.StringVar(&o.data, "data", "data", "a DATA_DIR that octavo demo has filled")
	flag.StringVar(&o.database, "database", "", "in place of -data: the URL of a campus in Postgres, in which writes are left behind")
	flag.StringVar(&o.only, "only", "", "which kinds of requests, as a regular expression")
	flag.BoolVar(&o.routes, "routes", false, "measure routes of all kinds")
	flag.IntVar(&o.connections, "connections", 16, "how many clients send requests at the same time")
	flag.Float64Var(&o.slow, "slow", 25, "print statements that took longer on average, in milliseconds")
	flag.StringVar(&o.profiles, "profiles", "", "a folder for profiles of the processor; taking them costs some of it")
	seconds := flag.Float64("seconds", 4, "how long each kind is measured; a quarter of it warms up")
	flag.Parse()
	o.long = time.Duration(*seconds * float64(time.Second))
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func run(o options) (err error) {
	wanted, err := regexp.Compile(o.only)
	if err != nil {
		return err
	}
	if o.database == "" {
		runtime.GOMAXPROCS(1)
		if err := pin(os.Getpid(), clientCore); err != nil {
			return err
		}
	}
	s, err := start(o)
	if err != nil {
		return err
	}
	defer s.stop()
	find := prepare
	if o.routes {
		find = routes
	}
	works, err := find(s.address)
	if err != nil {
		return err
	}
	fmt.Printf("%-44s %9s %8s %8s %10s %8s%s\n", "", "req/s", "p50 ms", "p99 ms", "CPU µs", "RSS MB", s.postgres.heading())
	for _, w := range works {
		if !wanted.MatchString(w.name) {
			continue
		}
		if err := s.measure(w, o); err != nil {
			first, _, _ := strings.Cut(err.Error(), "\n") // those of the other connections are similar
			fmt.Printf("%-44s %.300s\n", w.name, first)
			failed := fmt.Errorf("%s failed", w.name)
			defer func() { err = errors.Join(err, failed) }()
		}
	}
	return s.postgres.printSizes()
}

// measure sends one kind of request, first to warm up.
func (s *server) measure(w work, o options) error {
	if _, err := generateLoad(s.address, w, o.connections, o.long/4); err != nil {
		return err
	}
	return s.report(w, o)
}

// report measures one kind of request and prints a line.
func (s *server) report(w work, o options) error {
	if err := s.resetPeak(); err != nil {
		return err
	}
	statements, err := s.postgres.snapshot()
	if err != nil {
		return err
	}
	profiled := s.profile(w.name, o.long)
	before, database, began := s.cpu(), s.postgres.cpu(), time.Now()
	took, err := generateLoad(s.address, w, o.connections, o.long)
	if err := errors.Join(err, <-profiled); err != nil {
		return err
	}
	wall, cpu, database := time.Since(began), s.cpu()-before, s.postgres.cpu()-database
	slices.Sort(took)
	n := len(took)
	line, err := s.postgres.since(statements, database, n, o.slow)
	if err != nil {
		return err
	}
	fmt.Printf("%-44s %9.0f %8.2f %8.2f %10.0f %8d%s\n", w.name, float64(n)/wall.Seconds(),
		milliseconds(took[n/2]), milliseconds(took[n*99/100]), float64(cpu.Microseconds())/float64(n), s.peak()>>20, line)
	return nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// itoa formats a number in a path.
func itoa(n int) string { return strconv.Itoa(n) }
