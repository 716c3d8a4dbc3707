package main

import (
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/must"
)

const root = "../../.."

func stored(t *testing.T) figures {
	t.Helper()
	all := must.Get(readFigures(filepath.Join(root, figuresFile)))(t)
	if len(all) == 0 {
		t.Fatal(figuresFile + " has no figures")
	}
	return all
}

func text(t *testing.T, name string) string {
	t.Helper()
	b := must.Get(os.ReadFile(filepath.Join(root, name)))(t)
	return string(b)
}

func TestTheDocumentShowsTheFiguresThatWerePrinted(t *testing.T) {
	all, have := stored(t), text(t, document)
	want := must.Get(withTables(have, all))(t)
	if have != want {
		t.Error(document + " differs from " + figuresFile + ": go run ./test/tools/performance draw")
	}
	for name, chart := range charts(all) {
		if text(t, "docs/images/"+name) != chart {
			t.Error(name + " differs from " + figuresFile + ": go run ./test/tools/performance draw")
		}
		if !strings.Contains(have, "](images/"+name+")") {
			t.Error(document + " does not show " + name)
		}
	}
}

func TestEachFigureHasACommandAndWasMeasured(t *testing.T) {
	all := stored(t)
	for _, table := range tables(all) {
		for _, r := range table.rows {
			for _, name := range r.runs() {
				if len(all[name].Commands) == 0 || all[name].At.IsZero() {
					t.Errorf("%s, %s: nothing says how %s was measured", table.name, r.label, name)
				}
			}
			for _, c := range r.cells {
				if _, found := c.value(all); !found {
					t.Errorf("%s, %s: %s was not measured", table.name, r.label, c.figure)
				}
			}
		}
	}
}

func TestFiguresAreReadFromWhatIsPrinted(t *testing.T) {
	found := parseBenchmarks("goos: linux\nBenchmarkDelivery/push/floor-2   \t 100\t 12 ns/op\t 27.7 cpu-µs/delivery\n" +
		"BenchmarkServer \t1\t0.5 me-warm-cpu-ms\nPASS\n")
	maps.Copy(found, parseLoad("                          req/s   p50 ms   p99 ms     CPU µs   RSS MB\n"+
		"page at 100,000, limit/skip        1020     15.30    19.20        979       65\ndashboard         failed\n"))
	maps.Copy(found, parseList("exec to ready, empty database:    50 ms\nbinary:      61067426 bytes\nfirst start, wall: 88 s\n"))
	want := map[string]float64{
		"Delivery/push/floor ns/op": 12, "Delivery/push/floor cpu-µs/delivery": 27.7, "Server me-warm-cpu-ms": 0.5,
		"page at 100,000, limit/skip: req/s": 1020, "page at 100,000, limit/skip: p50 ms": 15.3, "page at 100,000, limit/skip: p99 ms": 19.2,
		"page at 100,000, limit/skip: CPU µs": 979, "page at 100,000, limit/skip: RSS MB": 65,
		"exec to ready, empty database ms": 50, "binary bytes": 61067426, "first start, wall s": 88,
	}
	if !maps.Equal(found, want) {
		t.Errorf("%v, want %v", found, want)
	}
}

func TestNumbersAreGrouped(t *testing.T) {
	for n, want := range map[float64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1234: "-1,234", -123: "-123"} {
		if got := number(n, 0); got != want {
			t.Errorf("%v is shown as %s, want %s", n, got, want)
		}
	}
	if got := number(1234.56, 1); got != "1,234.6" {
		t.Error(got)
	}
}

func TestChartsTellInWordsWhatTheyShow(t *testing.T) {
	for name, chart := range charts(stored(t)) {
		seen := map[string]bool{}
		for decoder := xml.NewDecoder(strings.NewReader(chart)); ; {
			token, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if start, ok := token.(xml.StartElement); ok {
				seen[start.Name.Local] = true
			}
		}
		for _, element := range []string{"title", "desc", "text"} {
			if !seen[element] {
				t.Errorf("%s has no <%s>", name, element)
			}
		}
	}
}

func TestLabelsOfLinesDoNotCoverEachOther(t *testing.T) {
	moved := apart([]float64{100, 101, 350, 359, 358})
	slices.Sort(moved)
	for i := 1; i < len(moved); i++ {
		if moved[i]-moved[i-1] < lineGap || moved[i] > bottom {
			t.Errorf("labels at %v", moved)
		}
	}
}
