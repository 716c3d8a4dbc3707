package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
)

const candidateColumns = "b.id, b.course, b.title_key, b.price"

func readCandidate() ([]any, func() book.Candidate) {
	var id, price int64
	var course, title string
	return []any{&id, &course, &title, &price}, func() book.Candidate {
		return book.Candidate{ID: book.ID(id), Course: course, Title: title, Price: money.Cents(price)}
	}
}

// Exact is market.Index. Each key has an index of its own.
func (s *Store) Exact(ctx context.Context, course, title string, c market.Criteria, n int) ([]book.Candidate, error) {
	var found []book.Candidate
	for _, key := range []struct{ condition, value string }{{"b.course_key = ?", course}, {"b.title_key = ?", title}} {
		if key.value == "" {
			continue
		}
		w := shelved(c, plainUniversity, plainPrice) // the key's index is the one to use
		w.and(key.condition, key.value)
		some, err := collectUpTo(ctx, s.read, n, readCandidate,
			"SELECT "+candidateColumns+" FROM books b "+w.String()+" ORDER BY b.id DESC LIMIT ?", append(w.args, n)...)
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	return found, nil
}

// Containing is market.Index. What can be narrowed by a mark is narrowed in the
// full-text index itself, so that a rare university does not make a common word
// slow.
func (s *Store) Containing(ctx context.Context, groups [][]string, c market.Criteria, n int) ([]book.Candidate, error) {
	if len(groups) == 0 {
		return nil, nil
	}
	groups = append([][]string(nil), groups...)
	if c.University != "" {
		groups = append(groups, []string{universityMark(c.University)})
	}
	if c.Course != "" {
		groups = append(groups, []string{courseMark(c.Course)})
	}
	if c.Condition != 0 {
		groups = append(groups, []string{gradeMark(c.Condition)})
	}
	var w where
	w.and("b.id = s.rowid AND b.status = 0")
	w.and(s.read.searching(), s.read.expression(groups))
	w.narrow(c, indexedPrice)
	return collectUpTo(ctx, s.read, n, readCandidate,
		"SELECT "+candidateColumns+" FROM book_search s CROSS JOIN books b "+w.String()+" ORDER BY s.rowid DESC LIMIT ?", append(w.args, n)...)
}

// Known is market.Vocabulary.
func (s *Store) Known(ctx context.Context, words []string) ([]string, error) {
	if len(words) == 0 {
		return nil, nil
	}
	marks, args := list(words)
	return collect(ctx, s.read, text, "SELECT term FROM terms WHERE term IN ("+marks+")", args...)
}

// beginningsSeen bounds the terms that are looked at for the shortest: somebody
// might post a million of them.
const beginningsSeen = 5000

// Starting is market.Vocabulary. Words hold letters and digits, all below the
// highest code point.
func (s *Store) Starting(ctx context.Context, prefix string, n int) ([]string, error) {
	return collect(ctx, s.read, text, `SELECT term FROM (SELECT term FROM terms
		WHERE term >= ? AND term < ? ORDER BY term LIMIT ?) AS nearest ORDER BY length(term), term LIMIT ?`,
		prefix, prefix+"\U0010FFFF", beginningsSeen, n)
}

// Resembling is market.Vocabulary.
func (s *Store) Resembling(ctx context.Context, spellings []string, n int) ([]string, error) {
	if len(spellings) == 0 {
		return nil, nil
	}
	marks, args := list(spellings)
	return collect(ctx, s.read, text, "SELECT DISTINCT term FROM spellings WHERE spelling IN ("+marks+") ORDER BY term LIMIT ?", append(args, n)...)
}
