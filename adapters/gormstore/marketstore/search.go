package marketstore

import (
	"context"
	"slices"
	"strings"

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

// Exact is market.Index.
func (s *Store) Exact(ctx context.Context, course, title string, c market.Criteria, n int) ([]book.Candidate, error) {
	if s.read.postgres() {
		return s.plainExact(ctx, course, title, c, n)
	}
	found, err := s.ofCourse(ctx, course, c, n)
	if err != nil {
		return nil, err
	}
	more, err := s.ofTitle(ctx, title, c, n)
	return append(found, more...), err
}

func (s *Store) ofCourse(ctx context.Context, course string, c market.Criteria, n int) ([]book.Candidate, error) {
	if course == "" {
		return nil, nil
	}
	found, err := s.marked(ctx, courseMark(course), c, n)
	return slices.DeleteFunc(found, func(f book.Candidate) bool { return book.Key(f.Course) != course }), err
}

func (s *Store) ofTitle(ctx context.Context, title string, c market.Criteria, n int) ([]book.Candidate, error) {
	if title == "" {
		return nil, nil
	}
	found, err := s.marked(ctx, titleMark(title), c, n)
	return slices.DeleteFunc(found, func(f book.Candidate) bool { return f.Title != title }), err
}

// marked finds by a mark that goes with other marks but with no word.
func (s *Store) marked(ctx context.Context, mark string, c market.Criteria, n int) ([]book.Candidate, error) {
	tells := c
	tells.Course = ""
	some, err := s.shortest(ctx, lists([][]string{{mark}}, tells), n)
	if err != nil {
		return nil, err
	}
	return s.matching(ctx, strings.Join(some, " AND "), c, n)
}

// Containing is market.Index.
func (s *Store) Containing(ctx context.Context, groups [][]string, c market.Criteria, n int) ([]book.Candidate, error) {
	if len(groups) == 0 {
		return nil, nil
	}
	if s.read.postgres() {
		return s.plainContaining(ctx, groups, c, n)
	}
	all, err := s.priced(ctx, lists(groups, c), c)
	if err != nil || all == nil {
		return nil, err
	}
	some, err := s.shortest(ctx, all, n)
	if err != nil {
		return nil, err
	}
	found, err := s.matching(ctx, strings.Join(some, " AND "), c, n)
	if len(some) < len(all) {
		found = slices.DeleteFunc(found, func(f book.Candidate) bool { return !answers(f, groups) })
	}
	return found, err
}

// priced adds the lists of the prices in a small range, to be tried first; there are none
// at all if books never had such a price.
func (s *Store) priced(ctx context.Context, all []string, c market.Criteria) ([]string, error) {
	if c.MinPrice == nil && c.MaxPrice == nil {
		return all, nil
	}
	prices, small, err := s.small(ctx, c)
	if err != nil || !small {
		return all, err
	}
	if len(prices) == 0 {
		return nil, nil
	}
	return append(shelfLists(market.Criteria{University: c.University, Condition: c.Condition}, prices...), all...), nil
}

// matching finds the newest books for sale whose entry matches an expression.
func (s *Store) matching(ctx context.Context, expression string, c market.Criteria, n int) ([]book.Candidate, error) {
	w := shelved(c, plainUniversity, plainPrice)
	w.and("b.id = s.rowid")
	w.and("book_search MATCH ?", expression)
	return collectUpTo(ctx, s.read, n, readCandidate,
		"SELECT "+candidateColumns+" FROM book_search s CROSS JOIN books b "+w.String()+" ORDER BY s.rowid DESC LIMIT ?", append(w.args, n)...)
}

// shortest is the first list of fewer than n books, if there is one: whatever
// answers all of them is among these.
func (s *Store) shortest(ctx context.Context, lists []string, n int) ([]string, error) {
	if len(lists) == 1 {
		return lists, nil
	}
	for _, l := range lists {
		length, err := s.length(ctx, l, 0, n)
		if err != nil {
			return nil, err
		}
		if length < n {
			return []string{l}, nil
		}
	}
	return lists, nil
}

// length is how many books with ids below before an expression has, n at most; 0 means
// all ids.
func (s *Store) length(ctx context.Context, expression string, before int64, n int) (int, error) {
	length, _, err := one(ctx, s.read, integer[int],
		"SELECT count(*) FROM (SELECT 1 FROM book_search WHERE book_search MATCH ? AND rowid < ? LIMIT ?)", expression, top(before), n)
	return length, err
}

// answers reports whether a book has a word of each group.
func answers(c book.Candidate, groups [][]string) bool {
	terms := c.Terms()
	return !slices.ContainsFunc(groups, func(words []string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return slices.Contains(terms, w) })
	})
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
