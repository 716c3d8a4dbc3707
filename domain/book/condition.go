package book

import "strings"

// Condition is the grade of a copy. The numbers are stored; a higher one is worse.
type Condition int

// The grades, from best to worst.
const (
	New Condition = iota + 1
	LikeNew
	Good
	Fair
	Poor
)

var grades = [...]struct{ name, meaning string }{
	New:     {"New", "Unused and unmarked; all that came with it is there, codes unredeemed."},
	LikeNew: {"Like New", "Read, but looks new: no marks, no creases, binding tight."},
	Good:    {"Good", "Used with care: a few notes or highlights, light wear, every page there."},
	Fair:    {"Fair", "Well used: many marks or worn corners, yet every page is there and readable."},
	Poor:    {"Poor", "Heavily worn or damaged, but the whole text can be read."},
}

// Conditions lists the grades from best to worst.
func Conditions() []Condition { return []Condition{New, LikeNew, Good, Fair, Poor} }

// ParseCondition returns the grade with a name, ignoring case; false if there is none.
func ParseCondition(s string) (Condition, bool) {
	for _, c := range Conditions() {
		if strings.EqualFold(c.String(), strings.TrimSpace(s)) {
			return c, true
		}
	}
	return 0, false
}

// String returns the name, such as "Like New".
func (c Condition) String() string {
	if c < New || c > Poor {
		return ""
	}
	return grades[c].name
}

// Meaning describes in a sentence what a buyer may expect.
func (c Condition) Meaning() string {
	if c < New || c > Poor {
		return ""
	}
	return grades[c].meaning
}
