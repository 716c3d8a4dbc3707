package webhook

import (
	"slices"
	"strings"
	"sync"

	"github.com/octavo-books/octavo/domain/typo"
)

// githubNames holds every name of GitHub's table, sorted. It is built on first use, because
// most programs never need it.
var githubNames = sync.OnceValue(func() (list []EventName) {
	for line := range strings.Lines(githubTable) {
		fields := strings.Fields(line)
		list = append(list, EventName(fields[0]))
		for _, action := range fields[1:] {
			list = append(list, EventName(fields[0]+"."+action))
		}
	}
	slices.Sort(list)
	return list
})

func (s *Sender) names() []EventName {
	switch s.orHost().name {
	case Host.name:
		return names
	case GitHub.name:
		return githubNames()
	}
	return nil
}

// EventNames returns every known name of the sender, events and events with an action,
// sorted. Only Host and GitHub have such a list; GitHub adds names to its own at any time.
// The caller may modify the slice.
func (s *Sender) EventNames() []EventName { return slices.Clone(s.names()) }

// Knows reports whether n is one of EventNames, or whether there is no such list. Of
// GitHub's events without actions in the list, repository_dispatch has those of its users.
func (s *Sender) Knows(n EventName) bool {
	all := s.names()
	_, found := slices.BinarySearch(all, n)
	if found || all == nil || s.orHost().closed {
		return found || all == nil
	}
	event, _, dotted := strings.Cut(string(n), ".")
	i, found := slices.BinarySearch(all, EventName(event))
	return dotted && found && (i+1 == len(all) || !strings.HasPrefix(string(all[i+1]), event+"."))
}

// Nearest is the function Nearest for the names of the sender.
func (s *Sender) Nearest(n EventName) EventName { return typo.Nearest(n, s.names()) }
