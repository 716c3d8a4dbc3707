package relevance_test

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

// query is a line of a set of queries.
type query struct {
	text             string
	wanted, notFirst []book.ID
	kind             string
}

// lines reads a tab-separated file without its header.
func lines(t *testing.T, name string) (all [][]string) {
	t.Helper()
	file := must.Get(os.Open(filepath.Join("testdata", name)))(t)
	defer func() { _ = file.Close() }()
	in := bufio.NewScanner(file)
	for in.Scan() {
		all = append(all, strings.Split(in.Text(), "\t"))
	}
	must.Do(t, in.Err())
	return all[1:]
}

func readQueries(t *testing.T, name string) (all []query) {
	t.Helper()
	for _, f := range lines(t, name) {
		all = append(all, query{f[0], readIDs(t, f[1]), readIDs(t, f[2]), f[3]})
	}
	return all
}

func readIDs(t *testing.T, list string) (ids []book.ID) {
	t.Helper()
	for id := range strings.SplitSeq(list, ",") {
		if id != "" {
			ids = append(ids, book.ID(must.Get(strconv.Atoi(id))(t)))
		}
	}
	return ids
}

const seller user.ID = 1

// readBooks reads the catalogue as books for sale. Their conditions are the same, so that nothing but
// the words, the price and the age decide.
func readBooks(t *testing.T) (all []book.Book) {
	t.Helper()
	now := time.Unix(1_790_000_000, 0)
	for _, f := range lines(t, "catalogue.tsv") {
		b := book.Book{
			ID: readIDs(t, f[0])[0], Seller: seller, University: "Campus", CreatedAt: now, ListedAt: now,
			Details: book.Details{
				Name: f[1], Authors: f[2], Edition: editionOf(f[3]), Course: f[4], ISBN: book.ISBN(f[5]), Condition: book.Good, Date: now,
				Price: money.Amount(must.Get(strconv.Atoi(strings.ReplaceAll(f[6], ".", "")))(t)),
			},
		}
		all = append(all, b)
	}
	return all
}

// editionOf returns the number in an edition as printed, 1 without one.
func editionOf(printed string) int {
	digits := strings.TrimLeftFunc(printed, func(r rune) bool { return r < '0' || r > '9' })
	if end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
		digits = digits[:end]
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 1
	}
	return n
}
