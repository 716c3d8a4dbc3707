package meminbox

import (
	"cmp"
	"slices"

	"github.com/octavo-books/octavo/application/inbox"
)

// attempt is a stored attempt with its place in the order of storing, from 1.
type attempt struct {
	inbox.Attempt
	id int
}

// recordAttempt stores an attempt of a job that exists, once.
func (i *Inbox) recordAttempt(a *inbox.Attempt) {
	if a == nil {
		return
	}
	job, ok := i.jobs[a.Job]
	if !ok || slices.ContainsFunc(i.attempts, func(b attempt) bool { return b.Job == a.Job && b.Number == a.Number }) {
		return
	}
	i.stored++
	stored := attempt{*a, i.stored}
	stored.Rule = job.Rule
	i.attempts = append(i.attempts, stored)
	i.deleteAttempts(func(b attempt) bool { return b.Job == a.Job && b.Number <= a.Number-inbox.MaxJobAttempts })
}

// attemptsOf returns the last attempts of a delivery, oldest first.
func (i *Inbox) attemptsOf(seq int64) []inbox.Attempt {
	var all []inbox.Attempt
	for _, a := range i.attempts {
		if i.jobs[a.Job].Seq == seq {
			all = append(all, a.Attempt)
		}
	}
	slices.SortFunc(all, func(a, b inbox.Attempt) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Job, b.Job), cmp.Compare(a.Number, b.Number))
	})
	return all[max(0, len(all)-inbox.MaxDeliveryAttempts):]
}

// limitAttempts deletes all but the last attempts of a delivery.
func (i *Inbox) limitAttempts(seq int64) {
	last := i.attemptsOf(seq)
	i.deleteAttempts(func(a attempt) bool { return i.jobs[a.Job].Seq == seq && !slices.Contains(last, a.Attempt) })
}

func (i *Inbox) pruneAttempts(p inbox.Retention) {
	newest := i.stored
	i.deleteAttempts(func(a attempt) bool { return a.At.Before(p.AttemptsBefore) || a.id <= newest-p.MaxAttempts })
}

func (i *Inbox) deleteAttempts(chosen func(attempt) bool) {
	i.attempts = slices.DeleteFunc(i.attempts, chosen)
}
