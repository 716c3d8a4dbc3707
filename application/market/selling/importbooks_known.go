package selling

import (
	"context"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// A file that is sent twice, or that was downloaded here, has books that its owner has on the market. To list them again would
// offer copies that nobody has.

// ErrImportKnown refuses to list a file of which the owner has all books.
var ErrImportKnown = fault.New(fault.Conflict, "import_known", "You have all of these books already.")

const (
	maxKnown  = MaxImportLines // among so many of a person's newest books those of a file are looked for
	knownPage = 500
)

// likeness is what two copies have in common that are one and the same for those who look for a book.
type likeness struct {
	name, course string
	edition      int
	price        money.Amount
	condition    book.Condition
	isbn         book.ISBN
}

func likenessOf(d book.Details) likeness {
	return likeness{d.Name, d.Course, d.Edition, d.Price, d.Condition, d.ISBN}
}

// known returns the lines of the caller's file whose books the caller has, in ascending order: those with the ID of a book of
// theirs in any status, as downloads have it, and for each other book that is for sale or being sold a line with its details.
func (i *Imports) known(ctx context.Context, by user.Caller, s StoredImport) ([]int, error) {
	lines, err := i.reader.ListImportLines(ctx, by.ID, MaxImportLines)
	if err != nil || len(lines) == 0 {
		return nil, err
	}
	ids, err := i.idsOf(ctx, by, s.File)
	if err != nil {
		return nil, err
	}
	named, copies, err := i.ownBooks(ctx, by, ids)
	if err != nil {
		return nil, err
	}
	var known []int
	for _, l := range lines {
		one := likenessOf(l.Details)
		switch {
		case named[ids[l.Line]]:
			known = append(known, l.Line)
		case copies[one] > 0:
			copies[one]--
			known = append(known, l.Line)
		}
	}
	return known, nil
}

// idsOf returns the IDs of books that a downloaded file has, by its lines.
func (i *Imports) idsOf(ctx context.Context, by user.Caller, f ImportFile) (map[int]book.ID, error) {
	at := slices.IndexFunc(f.Header, func(name string) bool { return text.Key(name) == "id" })
	if at < 0 {
		return nil, nil
	}
	rows, err := i.reader.ListFirstRows(ctx, by.ID, MaxImportLines)
	ids := map[int]book.ID{}
	for _, row := range rows {
		if at < len(row.Cells) {
			if n, ok := id.Parse(strings.TrimPrefix(strings.TrimSpace(row.Cells[at]), "'")); ok { // a text for spreadsheets
				ids[row.Line] = book.ID(n)
			}
		}
	}
	return ids, err
}

// ownBooks returns which of the IDs are books of the caller, and how many others there are of each kind that are for sale or
// being sold.
func (i *Imports) ownBooks(ctx context.Context, by user.Caller, ids map[int]book.ID) (map[book.ID]bool, map[likeness]int, error) {
	named, copies := map[book.ID]bool{}, map[likeness]int{}
	for _, one := range ids {
		named[one] = false
	}
	var before book.ID
	for range maxKnown / knownPage {
		page, err := i.reader.ListBooksPostedBy(ctx, by.ID, before, knownPage)
		if err != nil {
			return nil, nil, err
		}
		for _, b := range page {
			_, asked := named[b.ID]
			switch {
			case asked:
				named[b.ID] = true
			case b.Status == book.ForSale || b.Status == book.Bought || b.Status == book.Verified:
				copies[likenessOf(b.Details)]++
			}
		}
		if len(page) < knownPage {
			break
		}
		before = page[len(page)-1].ID
	}
	return named, copies, nil
}

// leaveOut removes lines from a locked import that is about to run.
func (t *tx) leaveOut(ctx context.Context, s *StoredImport, known []int) error {
	if len(known) == 0 {
		return nil
	}
	lines, err := t.TakeImportLines(ctx, s.Owner, MaxImportLines)
	if err != nil {
		return err
	}
	left := slices.DeleteFunc(slices.Clone(lines), func(l ImportLine) bool {
		_, is := slices.BinarySearch(known, l.Line)
		return is
	})
	if len(left) == 0 {
		return ErrImportKnown
	}
	s.Accepted, s.LeftOut = len(left), len(lines)-len(left)
	return t.ReplaceImportLines(ctx, s.Owner, left)
}
