package contract

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/application/market/selling"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/pasted"
	"github.com/octavo-books/octavo/domain/savedsearch"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func marketImports(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"the valid lines of a file are posted and found":                  importedLines,
		"a dry run posts nothing and uses nothing up":                     dryImport,
		"a file that is no list of books is refused as a whole":           brokenFiles,
		"a person posts ten thousand lines a day":                         importQuota,
		"an import that broke off is completed under its key":             resumedImport,
		"an import that broke off without a key says what is missing":     brokenImport,
		"a checked file is posted by jobs with its progress":              storedImport,
		"cancelling ends the posting of a file":                           cancelledImport,
		"a stored file is deleted with its owner, and after a week":       deletedImport,
		"a file from a spreadsheet is read as it was meant":               spreadsheetLines,
		"amounts say whether days come first, in any currency":            importedAmounts,
		"dates that can be two are decided by the file or rejected":       importedDates,
		"wrong cells of a stored file are corrected in place":             correctedImport,
		"semicolons with points before decimals do not say how dates are": pointedImport,
		"the columns of a stored file are named by its owner":             assignedImport,
		"a file that is sent twice lists its books once":                  repeatedImport,
		"of equal lines those that its owner has are left out":            equalLines,
		"a downloaded book is not listed again, sold or changed":          returnedImport,
	})
}

const importHeader = "Name,EDITION,course,price,condition,date,isbn,comments,shelf\n"

// csvOf is a file with so many valid lines.
func csvOf(n int) []byte {
	var b strings.Builder
	b.WriteString(importHeader)
	for i := range n {
		fmt.Fprintf(&b, "Calculus %d,3,MTH 161,10.50,good,2026-09-01,,,x\n", i)
	}
	return []byte(b.String())
}

func importedLines(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	b.Request(t, bob, book.RequestDraft{Name: "Topology", Course: "MTH 440"})
	b.save(t, bob, savedsearch.Draft{Query: "zoology"}, false)
	file := "\ufeff" + importHeader +
		"Topology,2,MTH 440,12,New,2026-09-01,0-306-40615-2,\"Two\nlines, and a \"\"quote\"\"\",A1\r\n" + // lines 2 and 3
		"\n" +
		"Algebra,x,,1e3,old,soon,123,,A2\n" + // line 5
		"Zoology,1,BIO 7,0.01,poor,1788220800000,,,\n" +
		"Bad,\"1,BIO,1,New,2026-09-01,,,\n" // an open quote until the end
	got := must.Get(b.Imports.Import(t.Context(), ann, market.IdempotencyKey{}, []byte(file), selling.ImportOptions{}))(t)
	if got.Accepted != 2 || len(got.Books) != 2 || got.Replayed || got.Books[0].Comments != "Two\nlines, and a \"quote\"" || got.Books[0].ISBN != "9780306406157" || got.Books[1].Price != 1 {
		t.Fatalf("imported %+v", got)
	}
	if len(got.Rejected) != 2 || got.Rejected[0].Line != 5 || len(got.Rejected[0].Fields) != 6 || got.Rejected[1].Line != 7 || got.Rejected[1].Fields[market.RecordField] == "" {
		t.Errorf("rejected %+v", got.Rejected)
	}
	b.RunAllJobs(t)
	kinds := fmt.Sprint(b.NotificationsOf(t, bob))
	if !strings.Contains(kinds, string(notification.MatchFound)) || !strings.Contains(kinds, string(notification.SearchHit)) {
		t.Errorf("bob was notified of %s", kinds)
	}
	if kinds := b.NotificationsOf(t, ann); len(kinds) != 0 {
		t.Errorf("the seller was notified of %v", kinds)
	}
	if found, _, err := b.Catalogue.Search(t.Context(), bob, "topology", finding.Filter{}, market.Page{}); err != nil || len(found) != 1 || found[0].SellerName != "ann" {
		t.Errorf("found %+v, %v", found, err)
	}
}

func dryImport(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	for range 2 {
		got := must.Get(b.Imports.Import(t.Context(), ann, market.IdempotencyKey{Value: "k"}, csvOf(selling.MaxImportLines), selling.ImportOptions{DryRun: true}))(t)
		if got.Accepted != selling.MaxImportLines || len(got.Books) != 0 || got.Replayed {
			t.Errorf("accepts %d, posts %d", got.Accepted, len(got.Books))
		}
	}
	if mine, _, err := b.Listings.ListMine(t.Context(), ann, market.Page{}); err != nil || len(mine) != 0 {
		t.Errorf("a dry run posted %d books: %v", len(mine), err)
	}
	must.Get(b.Imports.Import(t.Context(), ann, market.IdempotencyKey{Value: "k"}, csvOf(1), selling.ImportOptions{}))(t)
}

func brokenFiles(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	for _, file := range []string{"", "\n", "name\n", "\xff\xfe", "name,name,edition,course,price,condition,date\n", "a\x00b,c\n", "{\"name\":1}", strings.ReplaceAll(importHeader, "price", "cost")} {
		refused(t, must.Err(b.Imports.Import(t.Context(), ann, market.IdempotencyKey{}, []byte(file), selling.ImportOptions{})), market.ErrCSV)
	}
	for _, separator := range []string{";", "\t"} {
		file := strings.ReplaceAll(string(csvOf(2)), ",", separator)
		if got, err := b.Imports.Import(t.Context(), ann, market.IdempotencyKey{}, []byte(file), selling.ImportOptions{DryRun: true}); err != nil || got.Accepted != 2 {
			t.Errorf("with %q between cells: %+v, %v", separator, got, err)
		}
	}
	if got, err := b.Imports.Import(t.Context(), ann, market.IdempotencyKey{}, []byte(importHeader), selling.ImportOptions{}); err != nil || got.Accepted != 0 || got.Replayed {
		t.Errorf("without lines: %+v, %v", got, err)
	}
}

func importQuota(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	must.Get(b.Imports.Import(t.Context(), ann, market.IdempotencyKey{}, csvOf(60), selling.ImportOptions{}))(t)
	refused(t, must.Err(b.Imports.Import(t.Context(), ann, market.IdempotencyKey{}, csvOf(selling.MaxImportLines-59), selling.ImportOptions{})), selling.ErrImportLimit)
	refused(t, must.Err(b.Imports.Import(t.Context(), ann, market.IdempotencyKey{}, csvOf(selling.MaxImportLines+1), selling.ImportOptions{})), selling.ErrImportLimit)
	if mine, err := b.Ports.ListBooksPostedBy(t.Context(), ann.ID, 0, 100); err != nil || len(mine) != 60 {
		t.Errorf("%d books are posted: %v", len(mine), err)
	}
	b.Clock.Advance(24 * time.Hour)
	must.Get(b.Imports.Import(t.Context(), ann, market.IdempotencyKey{}, csvOf(1), selling.ImportOptions{}))(t)
}

// faultyStore fails every transaction after the first n.
type faultyStore struct {
	market.Store
	n int
}

func (s *faultyStore) Atomically(ctx context.Context, do func(context.Context, market.Stores) error) error {
	if s.n--; s.n < 0 {
		return errBoom
	}
	return s.Store.Atomically(ctx, do)
}

func resumedImport(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	deps := b.Deps
	deps.Store = &faultyStore{b.Ports, 2}
	k, file := market.IdempotencyKey{Value: "k", BodyHash: [32]byte{1}}, csvOf(230)
	if _, err := b.Over(deps).Imports.Import(t.Context(), ann, k, file, selling.ImportOptions{}); !errors.Is(err, errBoom) {
		t.Fatalf("broke off with %v", err)
	}
	b.Clock.Advance(time.Minute)
	first := must.Get(b.Imports.Import(t.Context(), ann, k, file, selling.ImportOptions{}))(t)
	again := must.Get(b.Imports.Import(t.Context(), ann, k, file, selling.ImportOptions{}))(t)
	if first.Replayed || !again.Replayed || len(first.Books) != 230 || len(again.Books) != 230 {
		t.Fatalf("%d, then %d books", len(first.Books), len(again.Books))
	}
	for i := range first.Books {
		if first.Books[i].Book != again.Books[i].Book || first.Books[i].Name != fmt.Sprintf("Calculus %d", i) {
			t.Errorf("line %d: %+v, then %+v", i, first.Books[i], again.Books[i])
		}
	}
	if mine, err := b.Ports.ListBooksPostedBy(t.Context(), ann.ID, 0, 500); err != nil || len(mine) != 230 {
		t.Errorf("%d books are posted: %v", len(mine), err)
	}
	refused(t, must.Err(b.Imports.Import(t.Context(), ann, market.IdempotencyKey{Value: "k", BodyHash: [32]byte{2}}, csvOf(2), selling.ImportOptions{})), market.ErrKeyReused)
}

func brokenImport(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	deps := b.Deps
	deps.Store = &faultyStore{b.Ports, 1}
	got := must.Get(b.Over(deps).Imports.Import(t.Context(), ann, market.IdempotencyKey{}, csvOf(60), selling.ImportOptions{}))(t)
	if got.Accepted != 50 || len(got.Books) != 50 || len(got.Rejected) != 10 || got.Rejected[0].Line != 52 {
		t.Errorf("accepted %d, posted %d, rejected %+v", got.Accepted, len(got.Books), got.Rejected)
	}
	must.Refuse(t, must.Err(b.Over(deps).Imports.Import(t.Context(), ann, market.IdempotencyKey{}, csvOf(1), selling.ImportOptions{})), errBoom, "nothing was posted, and the error is")
}

func storedImport(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	refused(t, must.Err(b.Imports.Progress(t.Context(), ann)), selling.ErrImportNotFound)
	file := append(csvOf(120), "Bad,x,,,,,,,\n"...)
	must.Do(t, b.Imports.Prepare(t.Context(), ann, csvOf(3), pasted.AnyOrder))
	must.Do(t, b.Imports.Prepare(t.Context(), ann, file, pasted.AnyOrder)) // replaces the other one
	s := must.Get(b.Imports.Progress(t.Context(), ann))(t)
	if s.State != selling.ImportChecked || s.Accepted != 120 || s.Posted != 0 || len(s.Rejected) != 1 || s.Rejected[0].Line != 122 || s.Rejected[0].Fields["course"] == "" {
		t.Fatalf("checked %+v", s)
	}
	if last := b.export(t, ann, 10).LastFile; last == nil || last.Lines != 120 || last.CreatedAt.IsZero() {
		t.Errorf("exported %+v", last)
	}
	refused(t, b.Imports.Start(t.Context(), bob, s.ID, false), selling.ErrImportNotFound)
	refused(t, b.Imports.Start(t.Context(), ann, s.ID+1, false), selling.ErrImportState)
	for range 2 {
		must.Do(t, b.Imports.Start(t.Context(), ann, s.ID, false))
	}
	refused(t, b.Imports.Prepare(t.Context(), ann, file, pasted.AnyOrder), selling.ErrImportRunning)
	must.Get(b.Jobs.RunOne(t.Context()))(t)
	if s, err := b.Imports.Progress(t.Context(), ann); err != nil || s.State != selling.ImportRunning || s.Posted != 50 {
		t.Errorf("after one job: %+v, %v", s, err)
	}
	b.RunAllJobs(t)
	if s, err := b.Imports.Progress(t.Context(), ann); err != nil || s.State != selling.ImportDone || s.Posted != 120 || len(s.Rejected) != 1 {
		t.Errorf("in the end: %+v, %v", s, err)
	}
	mine := must.Get(b.Ports.ListBooksPostedBy(t.Context(), ann.ID, 0, 500))(t)
	if len(mine) != 120 || mine[119].Name != "Calculus 0" || mine[0].University != "University of Rochester" || mine[0].Price != 1050 || !mine[0].Date.Equal(time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("%d books are posted, %+v", len(mine), mine[0])
	}
	refused(t, b.Imports.Prepare(t.Context(), ann, []byte("x"), pasted.AnyOrder), market.ErrCSV)
	must.Do(t, b.Imports.Prepare(t.Context(), ann, csvOf(selling.MaxImportLines-119), pasted.AnyOrder))
	s = must.Get(b.Imports.Progress(t.Context(), ann))(t)
	refused(t, b.Imports.Start(t.Context(), ann, s.ID, true), selling.ErrImportLimit)
}

func cancelledImport(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	must.Do(t, b.Imports.Prepare(t.Context(), ann, csvOf(120), pasted.AnyOrder))
	s := must.Get(b.Imports.Progress(t.Context(), ann))(t)
	must.Do(t, b.Imports.Start(t.Context(), ann, s.ID, false))
	must.Get(b.Jobs.RunOne(t.Context()))(t)
	for range 2 {
		must.Do(t, b.Imports.Cancel(t.Context(), ann, s.ID))
	}
	b.RunAllJobs(t)
	if s, err := b.Imports.Progress(t.Context(), ann); err != nil || s.State != selling.ImportCancelled || s.Posted != 50 {
		t.Errorf("cancelled %+v, %v", s, err)
	}
	refused(t, b.Imports.Start(t.Context(), ann, s.ID, false), selling.ErrImportState)
	if mine, err := b.Ports.ListBooksPostedBy(t.Context(), ann.ID, 0, 500); err != nil || len(mine) != 50 {
		t.Errorf("%d books are posted: %v", len(mine), err)
	}
}

func deletedImport(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	for _, who := range []user.Caller{ann, bob} {
		must.Do(t, b.Imports.Prepare(t.Context(), who, csvOf(60), pasted.AnyOrder))
	}
	s := must.Get(b.Imports.Progress(t.Context(), ann))(t)
	must.Do(t, b.Imports.Start(t.Context(), ann, s.ID, false))
	b.DeleteUser(t, ann)
	b.RunAllJobs(t)
	if mine, err := b.Ports.ListBooksPostedBy(t.Context(), ann.ID, 0, 500); err != nil || len(mine) != 0 {
		t.Errorf("%d books of a deleted person are posted: %v", len(mine), err)
	}
	refused(t, must.Err(b.Ports.FindImport(t.Context(), ann.ID)), selling.ErrImportNotFound)
	b.Clock.Advance(selling.ImportLife)
	if n, err := b.Imports.DeleteOld(t.Context()); err != nil || n != 0 {
		t.Errorf("after a week %d are deleted: %v", n, err)
	}
	b.Clock.Advance(time.Second)
	if n, err := b.Imports.DeleteOld(t.Context()); err != nil || n != 1 {
		t.Errorf("later %d are deleted: %v", n, err)
	}
	refused(t, must.Err(b.Imports.Progress(t.Context(), bob)), selling.ErrImportNotFound)
}

// frenchFile is a file as a spreadsheet in French saves it.
const frenchFile = "\ufeffsep=;\r\nMes livres;;;;;;\r\n;;;;;;\r\nTitre;Édition;Cours;Prix (€);État;Disponible;ISBN\r\n" +
	"Algèbre;3e;MTH 165;12,50;comme neuf;07/12/2026;ISBN 978-0-306-40615-7\r\n" + // line 5
	"Topologie;1;MTH 440;1 234,00 $;Bon état;08/12/2026;9,78031E+12\r\n" +
	";;;;;;\r\n" +
	"Total;;;1 246,50;;;\r\n"

func spreadsheetLines(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	got := must.Get(b.Imports.Import(t.Context(), ann, market.IdempotencyKey{}, []byte(frenchFile), selling.ImportOptions{}))(t)
	if got.Accepted != 1 || len(got.Books) != 1 || len(got.Rejected) != 1 {
		t.Fatalf("imported %+v", got)
	}
	is := got.Books[0]
	if is.Name != "Algèbre" || is.Edition != 3 || is.Price != 1250 || is.Condition != book.LikeNew || is.ISBN != "9780306406157" ||
		!is.Date.Equal(time.Date(2026, 12, 7, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("posted %+v", is.Details)
	}
	if wrong := got.Rejected[0]; wrong.Line != 6 || len(wrong.Fields) != 1 || !strings.Contains(wrong.Fields["ISBN"], "shortened") {
		t.Errorf("rejected %+v", got.Rejected)
	}
	f := got.File
	if f.Separator != ";" || f.Encoding != "UTF-8" || f.Dates != pasted.DayFirst || f.Blank != 1 || len(f.Totals) != 1 || f.Totals[0] != 8 {
		t.Errorf("read as %+v", f)
	}
}

// importedAmounts imports files of several countries: where commas are before the decimals, days come first.
func importedAmounts(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	for _, c := range []struct {
		currency, price string
		want            money.Amount // 0: the date can be two
	}{
		{"JPY", "1.200,00", 1200}, {"KWD", "12,500", 12500}, {"KWD", "1.000,000", 1000000}, {"USD", "12,50", 1250},
		{"JPY", "1,200", 0}, {"JPY", "1200", 0}, {"KWD", "12.500", 0}, {"KWD", "1,000.000", 0}, {"USD", "1,200", 0},
	} {
		deps := b.Deps
		deps.Currency, deps.Guard = must.Get(money.ParseCurrency(c.currency))(t), new(market.CurrencyGuard)
		imports := b.Over(deps).Imports
		file := "name\tedition\tcourse\tprice\tcondition\tdate\nAlgebra\t3\tMTH 165\t" + c.price + "\tgood\t07/12/2026\n"
		must.Do(t, imports.Prepare(t.Context(), ann, []byte(file), pasted.AnyOrder))
		got := must.Get(imports.Progress(t.Context(), ann))(t)
		switch {
		case c.want == 0:
			if len(got.Rejected) != 1 || len(got.Rejected[0].Fields) != 1 || !strings.Contains(got.Rejected[0].Fields["date"], "two dates") {
				t.Errorf("%+v: %+v", c, got)
			}
		case len(got.Lines) != 1 || got.Lines[0].Details.Price != c.want || got.Lines[0].Details.Date.Month() != time.December:
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

func importedDates(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	const head = "name,edition,course,price,condition,date\n"
	for name, c := range map[string]struct {
		dates  string
		chosen pasted.DateOrder
		want   string // the first date; "": rejected
	}{
		"nothing decides":            {"07/12/2026 08/11/2026", pasted.AnyOrder, ""},
		"days are chosen":            {"07/12/2026 08/11/2026", pasted.DayFirst, "2026-12-07"},
		"months are chosen":          {"07/12/2026 08/11/2026", pasted.MonthFirst, "2026-07-12"},
		"another date shows days":    {"07/12/2026 25/11/2026", pasted.AnyOrder, "2026-12-07"},
		"another date shows months":  {"07/12/26 11/25/26", pasted.AnyOrder, "2026-07-12"},
		"the dates contradict":       {"07/12/2026 11/25/2026 25/11/2026", pasted.AnyOrder, ""},
		"an international date":      {"2026-12-07", pasted.AnyOrder, "2026-12-07"},
		"a Japanese date":            {"2026年12月7日", pasted.AnyOrder, "2026-12-07"},
		"a year of two digits first": {"26/12/07 26/12/31", pasted.AnyOrder, "2026-12-07"},
	} {
		file := head
		for i, date := range strings.Fields(c.dates) {
			file += fmt.Sprintf("Algebra %d,3,MTH 165,12.50,good,%s\n", i, date)
		}
		got := must.Get(b.Imports.Import(t.Context(), ann, market.IdempotencyKey{}, []byte(file), selling.ImportOptions{Dates: c.chosen}))(t)
		if c.want == "" {
			if len(got.Rejected) == 0 || !strings.Contains(got.Rejected[0].Fields["date"], "two dates") {
				t.Errorf("%s: %+v", name, got)
			}
		} else if len(got.Books) == 0 || got.Books[0].Date.Format(time.DateOnly) != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// pointedImport has semicolons between its cells but a point before its decimals: nothing shows the order of its dates.
func pointedImport(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	const head = "name;edition;course;price;condition;date\n"
	for prices, ambiguous := range map[string]bool{"12.50 13": true, "12,50 13": false, "12 13": false, "12,50 13.50": false} {
		file := head
		for i, price := range strings.Fields(prices) {
			file += fmt.Sprintf("Algebra %d;3;MTH 165;%s;good;07/12/2026\n", i, price)
		}
		got := must.Get(b.Imports.Import(t.Context(), ann, market.IdempotencyKey{}, []byte(file), selling.ImportOptions{DryRun: true}))(t)
		if (len(got.Rejected) == 2) != ambiguous || ambiguous && !strings.Contains(got.Rejected[0].Fields["date"], "two dates") {
			t.Errorf("%s: %+v", prices, got)
		}
	}
}

func correctedImport(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	file := "name,edition,course,price,condition,date\nAlgebra,x,MTH 165,12.50,good,2026-09-01\nTopology,1,,free,good,2026-09-01\nFine,1,MTH 1,5,new,2026-09-01\nBad,\"1,x,1,new,2026-09-01\n"
	must.Do(t, b.Imports.Prepare(t.Context(), ann, []byte(file), pasted.AnyOrder))
	s := must.Get(b.Imports.Progress(t.Context(), ann))(t)
	if s.Accepted != 1 || s.Wrong != 3 || len(s.Rejected) != 3 || s.Rejected[1].Cells[3] != "free" || len(s.Lines) != 1 {
		t.Fatalf("checked %+v", s)
	}
	refused(t, b.Imports.Correct(t.Context(), ann, s.ID+1, nil), selling.ErrImportState)
	must.Do(t, b.Imports.Correct(t.Context(), ann, s.ID, map[int]map[string]string{
		2: {"edition": "2nd"}, 3: {"price": "7,50"}, 4: {"name": "Changed"}, 5: {"name": "x"}, 99: {"name": "x"},
	}))
	s = must.Get(b.Imports.Progress(t.Context(), ann))(t)
	if s.Accepted != 2 || s.Wrong != 2 || len(s.Rejected) != 2 || s.Rejected[0].Line != 3 || len(s.Rejected[0].Fields) != 1 || s.Rejected[0].Cells[3] != "7,50" {
		t.Fatalf("corrected %+v", s)
	}
	f, rows, err := b.Imports.ListRejected(t.Context(), ann)
	if err != nil || len(rows) != 2 || len(f.Header) != 6 || rows[0].Fields["course"] == "" || rows[0].Text != "" ||
		len(rows[1].Cells) != 0 || rows[1].Text != `Bad,"1,x,1,new,2026-09-01` {
		t.Errorf("downloads %+v, %+v, %v", f, rows, err)
	}
	must.Do(t, b.Imports.Start(t.Context(), ann, s.ID, false))
	refused(t, b.Imports.Correct(t.Context(), ann, s.ID, nil), selling.ErrImportState)
	b.RunAllJobs(t)
	mine := must.Get(b.Ports.ListBooksPostedBy(t.Context(), ann.ID, 0, 10))(t)
	if len(mine) != 2 || mine[1].Edition != 2 || mine[0].Name != "Fine" {
		t.Errorf("posted %+v", mine)
	}
	if s = must.Get(b.Imports.Progress(t.Context(), ann))(t); s.State != selling.ImportDone || len(s.Rejected) != 2 {
		t.Errorf("in the end %+v", s)
	}
}

func assignedImport(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	file := "What;Which;For;How much;How good;When;Shelf\nAlgebra;3;MTH 165;12.50;good;07/12/2026;A1\n"
	must.Do(t, b.Imports.Prepare(t.Context(), ann, []byte(file), pasted.AnyOrder))
	s := must.Get(b.Imports.Progress(t.Context(), ann))(t)
	if s.Accepted != 0 || s.File.Missing() == nil || len(s.Rejected) != 0 || len(s.Rows) != 1 || s.Rows[0].Cells[3] != "12.50" {
		t.Fatalf("checked %+v", s)
	}
	refused(t, b.Imports.Start(t.Context(), ann, s.ID, false), selling.ErrImportState)
	for _, fields := range [][]string{{"name"}, {"nonsense", "", "", "", "", "", ""}} {
		refused(t, b.Imports.Assign(t.Context(), ann, s.ID, fields, pasted.AnyOrder), selling.ErrImportState)
	}
	for _, fields := range [][]string{{"name", "edition", "course", "price", "condition", "", ""}, {"name", "edition", "course", "price", "condition", "date", "date"}} {
		refused(t, b.Imports.Assign(t.Context(), ann, s.ID, fields, pasted.AnyOrder), selling.ErrColumns)
	}
	must.Do(t, b.Imports.Assign(t.Context(), ann, s.ID, []string{"name", "edition", "course", "price", "condition", "date", ""}, pasted.MonthFirst))
	s = must.Get(b.Imports.Progress(t.Context(), ann))(t)
	if s.Accepted != 1 || s.Wrong != 0 || s.File.Dates != pasted.MonthFirst || s.Lines[0].Details.Date.Month() != time.July {
		t.Errorf("assigned %+v", s)
	}
	for _, file := range []string{"a;b;c\n1;2;3\n", "a;b;c;d;e;f\n"} { // columns that cannot be enough, and no line
		refused(t, b.Imports.Prepare(t.Context(), ann, []byte(file), pasted.AnyOrder), market.ErrCSV)
	}
}

func repeatedImport(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	list := func(who user.Caller, file []byte, known, left int) {
		t.Helper()
		must.Do(t, b.Imports.Prepare(t.Context(), who, file, pasted.AnyOrder))
		s := must.Get(b.Imports.Progress(t.Context(), who))(t)
		if len(s.Known) != known || s.Accepted != known+left {
			t.Fatalf("%d of %d lines are known, want %d of %d", len(s.Known), s.Accepted, known, known+left)
		}
		if left == 0 {
			refused(t, b.Imports.Start(t.Context(), who, s.ID, false), selling.ErrImportKnown)
			return
		}
		must.Do(t, b.Imports.Start(t.Context(), who, s.ID, false))
		b.RunAllJobs(t)
		if s = must.Get(b.Imports.Progress(t.Context(), who))(t); s.State != selling.ImportDone || s.Posted != left || s.LeftOut != known || len(s.Rejected) != 0 {
			t.Errorf("in the end %+v", s)
		}
	}
	list(ann, csvOf(60), 0, 60)
	list(ann, csvOf(60), 60, 0)
	list(ann, csvOf(61), 60, 1)
	list(bob, csvOf(3), 0, 3) // the books of others do not count
	must.Do(t, b.Imports.Prepare(t.Context(), ann, csvOf(2), pasted.AnyOrder))
	s := must.Get(b.Imports.Progress(t.Context(), ann))(t)
	must.Do(t, b.Imports.Start(t.Context(), ann, s.ID, true)) // on purpose
	b.RunAllJobs(t)
	if mine := must.Get(b.Ports.ListBooksPostedBy(t.Context(), ann.ID, 0, 100))(t); len(mine) != 63 {
		t.Errorf("%d books are posted, want 63", len(mine))
	}
}

// equalLines is the file of a store with several copies of a book: a line is a copy.
func equalLines(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	const head, line = "name,edition,course,price,condition,date,ISBN\n", "Algebra,3,MTH 165,12.50,good,2026-09-01,9780306406157\n"
	known := func(file string) []int {
		t.Helper()
		must.Do(t, b.Imports.Prepare(t.Context(), ann, []byte(file), pasted.AnyOrder))
		return must.Get(b.Imports.Progress(t.Context(), ann))(t).Known
	}
	must.Get(b.Imports.Import(t.Context(), ann, market.IdempotencyKey{}, []byte(head+line+line), selling.ImportOptions{}))(t)
	if got := known(head + line + line + line); !slices.Equal(got, []int{2, 3}) {
		t.Errorf("of three lines with two books %v are known", got)
	}
	mine := must.Get(b.Ports.ListBooksPostedBy(t.Context(), ann.ID, 0, 10))(t)
	must.Get(b.Listings.Unlist(t.Context(), ann, mine[0].ID))(t)
	for _, other := range []string{"12.50", "good", "3,MTH", "9780306406157"} {
		changed := strings.Replace(line, other, map[string]string{"12.50": "12.51", "good": "fair", "3,MTH": "4,MTH", "9780306406157": "9780134685991"}[other], 1)
		if got := known(head + changed + line + line); !slices.Equal(got, []int{3}) {
			t.Errorf("with another %s, %v are known", other, got)
		}
	}
}

func returnedImport(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	sold, changed := b.Post(t, ann, Draft("Algebra", "MTH 165", 1000)), b.Post(t, ann, Draft("Topology", "MTH 440", 2000))
	other := b.Post(t, bob, Draft("Zoology", "BIO 7", 2000))
	file := "id,name,edition,course,price,condition,date\n"
	for _, id := range []book.ID{sold.ID, changed.ID, other.ID} {
		file += "'" + id.String() + ",Changed,1,MTH 1,5,new,2026-09-01\n"
	}
	must.Do(t, b.Imports.Prepare(t.Context(), ann, []byte(file), pasted.AnyOrder))
	b.Buy(t, bob, sold.ID) // while the preview is open
	s := must.Get(b.Imports.Progress(t.Context(), ann))(t)
	if !slices.Equal(s.Known, []int{2, 3}) {
		t.Fatalf("known are %v", s.Known)
	}
	must.Do(t, b.Imports.Start(t.Context(), ann, s.ID, false))
	b.RunAllJobs(t)
	if mine := must.Get(b.Ports.ListBooksPostedBy(t.Context(), ann.ID, 0, 10))(t); len(mine) != 3 {
		t.Errorf("%d books are posted, want 3", len(mine))
	}
	same := b.Post(t, ann, Draft("Geometry", "MTH 9", 1000))
	must.Do(t, b.Imports.Prepare(t.Context(), ann, fmt.Appendf(nil, "name,edition,course,price,condition,date\n%s,%d,%s,10,%s,2026-09-01\n", same.Name, same.Edition, same.Course, same.Condition), pasted.AnyOrder))
	b.Buy(t, bob, same.ID) // it is being sold, and does not come back by its file
	s = must.Get(b.Imports.Progress(t.Context(), ann))(t)
	refused(t, b.Imports.Start(t.Context(), ann, s.ID, false), selling.ErrImportKnown)
}
