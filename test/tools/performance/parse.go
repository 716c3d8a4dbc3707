package main

import (
	"regexp"
	"strconv"
	"strings"
)

var benchmarkLine = regexp.MustCompile(`^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+(.+)$`)

// parseBenchmarks reads what `go test -bench` prints. A figure is named "Name/sub unit".
func parseBenchmarks(out string) map[string]float64 {
	found := map[string]float64{}
	for line := range strings.Lines(out) {
		m := benchmarkLine.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		fields := strings.Fields(m[2])
		for i := 0; i+1 < len(fields); i += 2 {
			if n, err := strconv.ParseFloat(fields[i], 64); err == nil {
				found[m[1]+" "+fields[i+1]] = n
			}
		}
	}
	return found
}

// loadColumns are those of test/bench/load.
var loadColumns = []string{"req/s", "p50 ms", "p99 ms", "CPU µs", "RSS MB"}

var loadLine = regexp.MustCompile(`^(\S.*?)\s{2,}(-?\d[\d.]*(?:\s+-?\d[\d.]*){4})\s*$`)

// parseLoad reads the table of test/bench/load. A figure is named "kind of request: column".
func parseLoad(out string) map[string]float64 {
	found := map[string]float64{}
	for line := range strings.Lines(out) {
		m := loadLine.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		for i, text := range strings.Fields(m[2]) {
			if n, err := strconv.ParseFloat(text, 64); err == nil {
				found[m[1]+": "+loadColumns[i]] = n
			}
		}
	}
	return found
}

var listLine = regexp.MustCompile(`^([^:]+):\s+(-?\d[\d.]*)(?:\s+(\S+))?$`)

// parseList reads lines such as "binary: 123 bytes". A figure is named "binary bytes".
func parseList(out string) map[string]float64 {
	found := map[string]float64{}
	for line := range strings.Lines(out) {
		if m := listLine.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			if n, err := strconv.ParseFloat(m[2], 64); err == nil {
				found[strings.TrimSpace(m[1]+" "+m[3])] = n
			}
		}
	}
	return found
}
