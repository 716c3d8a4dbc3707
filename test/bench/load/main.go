// Load sends requests to the built program over HTTP as fast as it answers, and prints the
// cost of each kind of request: requests per second, latency, processor time of the server
// and its peak memory. The server has one processor to itself, the clients another.
//
//	octavo demo --books 1000000 --users 20000        # with DATA_DIR=campus, once
//	go build -o load ./test/bench/load
//	./load -octavo bin/octavo -data campus [-only search] [-seconds 4] [-profiles folder]
//
// The data are copied first, so that a campus can be used again. Profiles of the
// processor are written one file a kind, for go tool pprof.
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
	"time"
)

const (
	serverCore, clientCore = "0", "1"
	connections            = 16
)

func main() {
	program := flag.String("octavo", "bin/octavo", "the program to measure")
	data := flag.String("data", "data", "a DATA_DIR that octavo demo has filled")
	only := flag.String("only", "", "which kinds of requests, as a regular expression")
	seconds := flag.Float64("seconds", 4, "how long each kind is measured; a quarter of it warms up")
	profiles := flag.String("profiles", "", "a folder for profiles of the processor; taking them costs some of it")
	flag.Parse()
	if err := run(*program, *data, *only, *profiles, time.Duration(*seconds*float64(time.Second))); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func run(program, data, only, profiles string, long time.Duration) error {
	wanted, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	runtime.GOMAXPROCS(1)
	if err := pin(os.Getpid(), clientCore); err != nil {
		return err
	}
	s, err := start(program, data, profiles)
	if err != nil {
		return err
	}
	defer s.stop()
	works, err := prepare(s.address)
	if err != nil {
		return err
	}
	fmt.Printf("%-30s %9s %8s %8s %10s %8s\n", "", "req/s", "p50 ms", "p99 ms", "CPU µs", "RSS MB")
	for _, w := range works {
		if !wanted.MatchString(w.name) {
			continue
		}
		if _, err := generateLoad(s.address, w, long/4); err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		if err := s.report(w, long); err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
	}
	return nil
}

// report measures one kind of request and prints a line.
func (s *server) report(w work, long time.Duration) error {
	if err := s.resetPeak(); err != nil {
		return err
	}
	profiled := s.profile(w.name, long)
	before, began := s.cpu(), time.Now()
	took, err := generateLoad(s.address, w, long)
	if err := errors.Join(err, <-profiled); err != nil {
		return err
	}
	wall, cpu := time.Since(began), s.cpu()-before
	slices.Sort(took)
	n := len(took)
	fmt.Printf("%-30s %9.0f %8.2f %8.2f %10.0f %8d\n", w.name, float64(n)/wall.Seconds(),
		milliseconds(took[n/2]), milliseconds(took[n*99/100]), float64(cpu.Microseconds())/float64(n), s.peak()>>20)
	return nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// itoa formats a number in a path.
func itoa(n int) string { return strconv.Itoa(n) }
