package challenge

import "maps"

// Guesser is where a code was typed.
type Guesser struct {
	Source string // what counts as one client, see limit.ClientKey
	Known  bool   // the account was signed in from there before
}

// Tries count what was typed for one code. Each source has tries of its own and
// strangers have a number in all, so that guessing stays hopeless from any number of
// sources, and strangers cannot use up the tries of a source that is known.
type Tries struct {
	ByStrangers int
	From        map[string]int // by source, known or not; never changed in place
}

// Count counts a try. false: this guesser has none left, nothing was counted and
// the code must not be looked at.
func (t Tries) Count(by Guesser) (Tries, bool) {
	if t.Spent(by) {
		return t, false
	}
	from := maps.Clone(t.From)
	if from == nil {
		from = map[string]int{}
	}
	from[by.Source]++
	t.From = from
	if !by.Known {
		t.ByStrangers++
	}
	return t, true
}

// Spent reports whether the guesser has no try left.
func (t Tries) Spent(by Guesser) bool {
	return t.From[by.Source] >= MaxTries || !by.Known && t.ByStrangers >= MaxStrangerTries
}
