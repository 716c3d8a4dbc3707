package findingstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
)

// A search reads a hundred candidates for a page of twenty books, so their texts are one column and their
// numbers are one.
const (
	packedPrice     = 1 << 21
	packedCondition = 1 << 3
)

var candidateColumns = "b.id, " + marketrows.JoinTexts("b.name", "b.authors", "b.course", "b.university_key") +
	", (CAST(b.edition AS BIGINT) * 8 + b.condition) * 2097152 + b.price"

func readCandidate() ([]any, func() book.Candidate) {
	var id, numbers int64
	var c book.Candidate
	return []any{&id, marketrows.Texts{&c.Name, &c.Authors, &c.Course, &c.University}, &numbers}, func() book.Candidate {
		c.ID, c.Edition = book.ID(id), int(numbers/packedPrice/packedCondition)
		c.Condition, c.Price = book.Condition(numbers/packedPrice%packedCondition), money.Amount(numbers%packedPrice)
		return c
	}
}

// FindBooksByCourseOrTitle implements finding.Reader.
func (s Reader) FindBooksByCourseOrTitle(ctx context.Context, course, title string, c finding.Criteria, n int) ([]book.Candidate, error) {
	found, err := s.findByKey(ctx, "course_key", course, c, n)
	if err != nil {
		return nil, err
	}
	more, err := s.findByKey(ctx, "title_key", title, c, n)
	return append(found, more...), err
}

// findByKey finds the newest books with a value in an indexed column.
func (s Reader) findByKey(ctx context.Context, column, key string, c finding.Criteria, n int) ([]book.Candidate, error) {
	if key == "" {
		return nil, nil
	}
	of := idQuery{"SELECT id FROM books WHERE status = 0 AND " + column + " = ? ORDER BY id DESC LIMIT ?", []any{key, s.Bounds.Hits}, newestFirst}
	return newestOf(ctx, s.Read, of, criteria(c), n, candidateColumns, readCandidate)
}

// FindBooksByWords implements finding.Reader.
func (s Reader) FindBooksByWords(ctx context.Context, groups [][]string, c finding.Criteria, n int) ([]book.Candidate, error) {
	if len(groups) == 0 {
		return nil, nil
	}
	return newestWith(ctx, s.Read, openFullText(s.Read, s.Bounds), groups, c, rawsql.UpperBound(book.ID(0)), n, candidateColumns, readCandidate)
}

// FindTerms implements finding.Reader.
func (s Reader) FindTerms(ctx context.Context, words []string) ([]string, error) {
	if len(words) == 0 {
		return nil, nil
	}
	return findTerms(ctx, s.Read, words)
}

// maxPrefixTerms bounds the terms from which the shortest are selected: a seller could post
// millions with one prefix.
const maxPrefixTerms = 5000

// FindTermsByPrefix implements finding.Reader. Its upper bound is the highest code point, which no
// word contains.
func (s Reader) FindTermsByPrefix(ctx context.Context, prefix string, n int) ([]string, error) {
	return rawsql.Collect(ctx, s.Read.Conn, rawsql.Text[string], `SELECT term FROM (SELECT term FROM terms
		WHERE term >= ? AND term < ? ORDER BY term LIMIT ?) AS nearest ORDER BY length(term), term LIMIT ?`,
		prefix, prefix+"\U0010FFFF", maxPrefixTerms, n)
}

// FindTermsBySpelling implements finding.Reader.
func (s Reader) FindTermsBySpelling(ctx context.Context, spellings []string, n int) ([]string, error) {
	if len(spellings) == 0 {
		return nil, nil
	}
	marks, args := rawsql.In(spellings)
	return rawsql.Collect(ctx, s.Read.Conn, rawsql.Text[string], "SELECT DISTINCT term FROM spellings WHERE spelling IN ("+marks+") ORDER BY term LIMIT ?", append(args, n)...)
}
