package finding

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// SuggestionKind is what a suggestion is.
type SuggestionKind string

// The kinds.
const (
	SuggestedTitle  SuggestionKind = "title"
	SuggestedCourse SuggestionKind = "course"
	SuggestedISBN   SuggestionKind = "isbn"
)

// SearchSuggestion is what a search could be for.
type SearchSuggestion struct {
	Kind SuggestionKind
	Counted
}

// Counted is a text with the number of books for sale that have it, up to MaxSuggestedCount.
type Counted struct {
	Text  string
	Count int
}

// Bounds of suggestions.
const (
	MaxSuggested        = 8
	MaxSuggestedCount   = 100
	maxSuggestedCourses = 3 // unless the text has a digit, as courses do
	minISBNPrefix       = 5 // digits: books with fewer are too many to be worth a choice
)

// Suggest returns at most MaxSuggested titles, courses and ISBNs of books for sale that a text may be the
// beginning of. Titles are those that a search for it would list first.
func (c *Catalogue) Suggest(ctx context.Context, by user.Caller, typed string) ([]SearchSuggestion, error) {
	return market.ReadFor(ctx, by, c, c.standby, func(ctx context.Context, c *Catalogue) ([]SearchSuggestion, error) {
		return c.suggest(ctx, by, typed)
	})
}

func (c *Catalogue) suggest(ctx context.Context, by user.Caller, typed string) ([]SearchSuggestion, error) {
	q, err := book.ParseQuery(typed)
	if err != nil {
		return nil, err
	}
	found, err := c.suggestISBNs(ctx, typed, q.ISBN)
	if err != nil || len(found) > 0 || !book.Completable(q.Key) {
		return found, err
	}
	courses, err := c.suggestCourses(ctx, q.Key)
	if err != nil {
		return nil, err
	}
	titles, err := c.suggestTitles(ctx, search{Query: q, campus: text.Key(by.University)}, MaxSuggested-len(courses))
	return append(courses, titles...), err
}

func suggestions(kind SuggestionKind, all []Counted) []SearchSuggestion {
	out := make([]SearchSuggestion, len(all))
	for i, c := range all {
		out[i] = SearchSuggestion{kind, c}
	}
	return out
}

// suggestISBNs lists those that begin with the digits of a text, with or without their prefix.
func (c *Catalogue) suggestISBNs(ctx context.Context, typed string, whole book.ISBN) ([]SearchSuggestion, error) {
	prefixes := []string{string(whole)}
	if whole == "" {
		digits := strings.NewReplacer("-", "", " ", "").Replace(typed)
		if len(digits) < minISBNPrefix || strings.Trim(digits, "0123456789") != "" {
			return nil, nil
		}
		prefixes = []string{digits, "978" + digits}
	}
	for _, prefix := range prefixes {
		found, err := c.reader.ListISBNsFrom(ctx, prefix, MaxSuggested, MaxSuggestedCount)
		if err != nil || len(found) > 0 {
			return suggestions(SuggestedISBN, found), err
		}
	}
	return nil, nil
}

func (c *Catalogue) suggestCourses(ctx context.Context, key string) ([]SearchSuggestion, error) {
	n := maxSuggestedCourses
	if strings.ContainsAny(key, "0123456789") {
		n = MaxSuggested
	}
	found, err := c.reader.ListCoursesFrom(ctx, key, n, MaxSuggestedCount)
	return suggestions(SuggestedCourse, found), err
}

func (c *Catalogue) suggestTitles(ctx context.Context, s search, n int) ([]SearchSuggestion, error) {
	if n == 0 || len(s.Words) == 0 {
		return nil, nil
	}
	known, err := c.reader.FindTerms(ctx, s.Lookups())
	if err != nil {
		return nil, err
	}
	s.Key = "" // courses are suggested by themselves
	candidates, _, err := c.candidates(ctx, s, known)
	if err != nil {
		return nil, err
	}
	names := make(map[book.ID]string, len(candidates))
	for _, b := range candidates {
		names[b.ID] = b.Name
	}
	var found []Counted
	var keys []string
	for _, h := range book.Rank(s.Query, s.campus, candidates) {
		if key := book.TitleKey(names[h.ID]); !slices.Contains(keys, key) && utf8.RuneCountInString(names[h.ID]) <= book.MaxQuery {
			keys, found = append(keys, key), append(found, Counted{Text: names[h.ID]})
		}
		if len(keys) == n {
			break
		}
	}
	counts, err := c.reader.CountBooksByTitle(ctx, keys, MaxSuggestedCount)
	for i, count := range counts {
		found[i].Count = count
	}
	return suggestions(SuggestedTitle, found), err
}
