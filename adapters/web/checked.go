package web

import (
	_ "embed"
	"encoding/json"
	"sync"
	"time"

	"github.com/octavo-books/octavo/domain/locale"
	"github.com/octavo-books/octavo/domain/user"
)

//go:embed texts/checked.json
var lastCheck []byte

// Checked is what the last run of axe-core over all pages found. `go tool task accessibility` writes it.
type Checked struct {
	Date       string   `json:"date"`
	Commit     string   `json:"commit"`
	Rules      string   `json:"rules"`    // the version of axe-core
	Settings   []string `json:"settings"` // width, theme and language
	Pages      []string `json:"pages"`    // the paths
	States     int      `json:"states"`   // such as an empty page, one with mistakes, or one that a script has filled
	Checks     int      `json:"checks"`   // a state in a setting is one
	Violations int      `json:"violations"`
}

// Day writes the date as people of a language do.
func (c Checked) Day(lang user.Lang) (string, error) {
	day, err := time.Parse(time.DateOnly, c.Date)
	return locale.Format{Lang: lang}.Date(day), err
}

var checked = sync.OnceValues(func() (c Checked, err error) {
	err = json.Unmarshal(lastCheck, &c)
	return c, err
})

// Checked returns the results that the page /accessibility shows.
func (TextOptions) Checked() (Checked, error) { return checked() }
