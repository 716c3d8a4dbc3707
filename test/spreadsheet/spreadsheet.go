// Package spreadsheet opens files with LibreOffice as people in several countries do.
package spreadsheet

import (
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/child"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/poll"
	"github.com/octavo-books/octavo/test/servers"
)

// Locales are those of the desktops: they differ in decimals, dates and names of months.
var Locales = []string{"en-US", "fr-FR", "de-DE", "ja-JP", "pt-BR", "pl-PL", "es-ES"}

// Cell is a cell as the spreadsheet has read it.
type Cell struct {
	Type string // string, float, date, time, percentage, currency, boolean; empty for an empty cell
	Text string // as it is shown
}

const install = "apt-get install libreoffice-calc"

// asPeopleOpenIt reads CSV with commas in UTF-8, and whatever looks like a number or a date as one.
const asPeopleOpenIt = "CSV:44,34,76,1,,0,false,true,false"

const profile = `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema">
<item oor:path="/org.openoffice.Setup/L10N"><prop oor:name="ooSetupSystemLocale" oor:op="fuse"><value>%s</value></prop></item>
</oor:items>`

// Open opens CSV files and returns the cells of the rows of each.
func Open(t *testing.T, locale string, files ...[]byte) (cells [][][]Cell) {
	t.Helper()
	for _, opened := range convert(t, locale, "fods", files...) {
		cells = append(cells, parse(t, opened))
	}
	return cells
}

// Save opens a CSV file and saves it as CSV again.
func Save(t *testing.T, locale string, file []byte) []byte {
	t.Helper()
	return convert(t, locale, `csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false`, file)[0]
}

// convert converts all files at once, because most of the time goes into the start of the program.
func convert(t *testing.T, locale, to string, files ...[]byte) (converted [][]byte) {
	t.Helper()
	office, err := exec.LookPath("soffice")
	if err != nil {
		servers.Missing(t, "LibreOffice", install)
	}
	dir := servers.Dir(t)
	must.Do(t, os.MkdirAll(filepath.Join(dir, "profile", "user"), 0o700))
	must.Do(t, os.WriteFile(filepath.Join(dir, "profile", "user", "registrymodifications.xcu"), []byte(fmt.Sprintf(profile, locale)), 0o600))
	args := []string{
		"-env:UserInstallation=file://" + filepath.Join(dir, "profile"), "--headless", "--norestore",
		"--infilter=" + asPeopleOpenIt, "--convert-to", to, "--outdir", filepath.Join(dir, "out"),
	}
	for i, file := range files {
		path := filepath.Join(dir, fmt.Sprintf("%d.csv", i))
		must.Do(t, os.WriteFile(path, file, 0o600))
		args = append(args, path)
	}
	run(t, exec.Command(office, args...))
	kind, _, _ := strings.Cut(to, ":")
	for i := range files {
		converted = append(converted, must.Get(os.ReadFile(filepath.Join(dir, "out", fmt.Sprintf("%d.%s", i, kind))))(t))
	}
	return converted
}

func run(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	ended := must.Get(child.Start(cmd))(t)
	select {
	case <-ended:
	case <-time.After(poll.Limit):
		_ = cmd.Process.Kill()
		t.Fatal("soffice does not end")
	}
}

// document is the part of a flat OpenDocument file that has cells.
type document struct {
	Rows []struct {
		Cells []struct {
			Type     string   `xml:"value-type,attr"`
			Repeated int      `xml:"number-columns-repeated,attr"`
			Lines    []string `xml:"p"`
		} `xml:"table-cell"`
	} `xml:"body>spreadsheet>table>table-row"`
}

func parse(t *testing.T, file []byte) (rows [][]Cell) {
	t.Helper()
	var d document
	must.Do(t, xml.Unmarshal(file, &d))
	for _, r := range d.Rows {
		var cells []Cell
		for _, c := range r.Cells {
			for range max(1, min(c.Repeated, 100)) {
				cells = append(cells, Cell{c.Type, strings.Join(c.Lines, "\n")})
			}
		}
		rows = append(rows, cells)
	}
	return rows
}
