package challenge

import "maps"

// Client is where a code was typed.
type Client struct {
	Key   string // what counts as one client, see limit.ClientKey
	Known bool   // the account was signed in from there before
}

// Attempts count what was typed for one code. Each source has tries of its own and
// strangers have a number in all, so that guessing stays hopeless from any number of
// sources, and strangers cannot use up the tries of a source that is known.
type Attempts struct {
	ByUnknown int
	ByClient  map[string]int // by source, known or not; never changed in place
}

// Add counts a try. false: this guesser has none left, nothing was counted and
// the code must not be looked at.
func (t Attempts) Add(by Client) (Attempts, bool) {
	if t.Exhausted(by) {
		return t, false
	}
	from := maps.Clone(t.ByClient)
	if from == nil {
		from = map[string]int{}
	}
	from[by.Key]++
	t.ByClient = from
	if !by.Known {
		t.ByUnknown++
	}
	return t, true
}

// Exhausted reports whether the guesser has no try left.
func (t Attempts) Exhausted(by Client) bool {
	return t.ByClient[by.Key] >= MaxAttempts || !by.Known && t.ByUnknown >= MaxUnknownAttempts
}
