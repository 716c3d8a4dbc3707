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
var Locales = []string{"en-US", "fr-FR", "de-DE", "ja-JP", "pt-BR", "pl-PL"}

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

// Open opens a CSV file and returns the cells of its rows.
func Open(t *testing.T, locale string, file []byte) [][]Cell {
	t.Helper()
	return parse(t, convert(t, locale, file, "fods"))
}

// Save opens a CSV file and saves it as CSV again.
func Save(t *testing.T, locale string, file []byte) []byte {
	t.Helper()
	return convert(t, locale, file, `csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false`)
}

func convert(t *testing.T, locale string, file []byte, to string) []byte {
	t.Helper()
	office, err := exec.LookPath("soffice")
	if err != nil {
		servers.Missing(t, "LibreOffice", install)
	}
	dir := servers.Dir(t)
	must.Do(t, os.MkdirAll(filepath.Join(dir, "profile", "user"), 0o700))
	must.Do(t, os.WriteFile(filepath.Join(dir, "profile", "user", "registrymodifications.xcu"), []byte(fmt.Sprintf(profile, locale)), 0o600))
	must.Do(t, os.WriteFile(filepath.Join(dir, "file.csv"), file, 0o600))
	kind, _, _ := strings.Cut(to, ":")
	cmd := exec.Command(office, "-env:UserInstallation=file://"+filepath.Join(dir, "profile"), "--headless", "--norestore",
		"--infilter="+asPeopleOpenIt, "--convert-to", to, "--outdir", filepath.Join(dir, "out"), filepath.Join(dir, "file.csv"))
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	ended := must.Get(child.Start(cmd))(t)
	select {
	case <-ended:
	case <-time.After(poll.Limit):
		_ = cmd.Process.Kill()
		t.Fatal("soffice does not end")
	}
	return must.Get(os.ReadFile(filepath.Join(dir, "out", "file."+kind)))(t)
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
