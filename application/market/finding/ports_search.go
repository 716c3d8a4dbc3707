package finding

import (
	"context"

	"github.com/octavo-books/octavo/domain/book"
)

// SearchIndex finds candidates for a search among the books for sale, newest first.
type SearchIndex interface {
	// FindBooksByCourseOrTitle finds books by the folded course and by the folded title,
	// at most n of each. An empty key finds nothing.
	FindBooksByCourseOrTitle(ctx context.Context, course, title string, c Criteria, n int) ([]book.Candidate, error)
	// FindBooksByWords finds at most n books whose terms include at least one word of
	// every group.
	FindBooksByWords(ctx context.Context, groups [][]string, c Criteria, n int) ([]book.Candidate, error)
}

// Vocabulary contains the terms of all books ever listed.
type Vocabulary interface {
	// FindTerms returns those of the words that are terms.
	FindTerms(ctx context.Context, words []string) ([]string, error)
	// FindTermsByPrefix lists at most n terms that begin with prefix, the shortest first,
	// then in byte order. It may consider only the first few thousand.
	FindTermsByPrefix(ctx context.Context, prefix string, n int) ([]string, error)
	// FindTermsBySpelling lists at most n terms that share one of the spellings, see
	// book.Spellings, in byte order.
	FindTermsBySpelling(ctx context.Context, spellings []string, n int) ([]string, error)
}
