package user

import (
	"slices"
	"strings"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/text"
)

// The kinds of labels. They mean nothing to Octavo: applications learn them as claims.
const (
	RoleLabel  LabelKind = "role"
	GroupLabel LabelKind = "group"
)

// LabelKind says whether a label is a role or a group.
type LabelKind string

// The limits of labels.
const (
	MaxLabels    = 50 // of one kind and source
	maxLabelName = 100
)

// ErrLabelInvalid rejects the name of a role or group.
var ErrLabelInvalid = fault.New(fault.Invalid, "bad_request", "There may be at most 50 roles or groups. Each has 1 to 100 characters on one line.")

// Label is a role or a group of a user.
type Label struct {
	Kind   LabelKind
	Name   string
	Source string // the service whose claims gave it; empty if an admin did
}

// CleanLabels returns names without repetitions, in alphabetical order.
func CleanLabels(names []string) ([]string, error) {
	clean := make([]string, 0, len(names))
	for _, name := range names {
		name = strings.TrimSpace(name)
		if text.Blank(name) || text.Line(name, maxLabelName) != name {
			return nil, ErrLabelInvalid
		}
		clean = append(clean, name)
	}
	slices.Sort(clean)
	if clean = slices.Compact(clean); len(clean) > MaxLabels {
		return nil, ErrLabelInvalid
	}
	return clean, nil
}

// LabelNames returns the names of labels of one kind, each once and in alphabetical order. It is never nil.
func LabelNames(all []Label, kind LabelKind) []string {
	names := []string{}
	for _, l := range all {
		if l.Kind == kind {
			names = append(names, l.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
