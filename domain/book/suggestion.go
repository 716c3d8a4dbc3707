package book

import (
	"slices"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/text"
)

// Bounds of years: before the first no book was printed, and catalogues write years such as 9999 for unknown ones.
const (
	MinYear = 1450
	MaxYear = 2100
)

// Suggestion is what is known of the books with an ISBN.
type Suggestion struct {
	Name    string
	Authors string // empty: unknown
	Edition int    // 0: unknown
	Year    int    // in which it was published; 0: unknown
	Course  string // empty: unknown
}

// Check refuses a suggestion with which no book could be posted; ErrInvalid names every
// invalid field.
func (s Suggestion) Check() error {
	c := checker{fault.CheckFields(ErrInvalid)}
	c.text("name", s.Name, MaxName)
	c.authors(s.Authors)
	if s.Edition != 0 {
		c.between("edition", s.Edition, 1, MaxEdition)
	}
	if s.Year != 0 {
		c.between("year", s.Year, MinYear, MaxYear)
	}
	if s.Course != "" {
		c.text("course", s.Course, MaxCourse)
	}
	return c.Err()
}

// Suggest returns what most posts of an ISBN agree on, newest first: the most frequent name
// and, among the posts with that name, the most frequent edition and course, and the most frequent authors
// of those that have some. Names and courses
// are compared as in matching and returned in their most frequent spelling. Of equally frequent
// ones it takes that of the newest post. It returns false without posts.
func Suggest(posts []Details) (Suggestion, bool) {
	if len(posts) == 0 {
		return Suggestion{}, false
	}
	posts = mostFrequent(posts, func(d Details) string { return TitleKey(d.Name) })
	name := mostFrequent(posts, func(d Details) string { return d.Name })[0].Name
	edition := mostFrequent(posts, func(d Details) int { return d.Edition })[0].Edition
	named := slices.DeleteFunc(slices.Clone(posts), func(d Details) bool { return d.Authors == "" })
	posts = mostFrequent(posts, func(d Details) string { return text.Key(d.Course) })
	course := mostFrequent(posts, func(d Details) string { return d.Course })[0].Course
	s := Suggestion{Name: name, Edition: edition, Course: course}
	if len(named) > 0 {
		s.Authors = mostFrequent(named, func(d Details) string { return d.Authors })[0].Authors
	}
	return s, true
}

// mostFrequent returns the posts with the most frequent value, in their order. Of equally
// frequent values it takes the one that comes first.
func mostFrequent[T comparable](posts []Details, value func(Details) T) []Details {
	groups := map[T][]Details{}
	var best []Details
	for _, p := range posts {
		groups[value(p)] = append(groups[value(p)], p)
	}
	for _, p := range posts {
		if group := groups[value(p)]; len(group) > len(best) {
			best = group
		}
	}
	return best
}
