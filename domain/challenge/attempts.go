package challenge

import "maps"

// Client is where a code was entered.
type Client struct {
	Key   string // what counts as one client, see limit.ClientKey
	Known bool   // the account was signed in from this client before
}

// Attempts counts the attempts at one code. Each client has attempts of its own, and
// all unknown clients together have a total, so that guessing is hopeless from any
// number of addresses and unknown clients cannot use up the attempts of a known one.
type Attempts struct {
	ByUnknown int
	ByClient  map[string]int // by Client.Key, known or not; never modified in place
}

// Add counts an attempt. It returns false when the client has none left: then it has
// counted nothing and the code must not be compared.
func (a Attempts) Add(by Client) (Attempts, bool) {
	if a.Exhausted(by) {
		return a, false
	}
	from := maps.Clone(a.ByClient)
	if from == nil {
		from = map[string]int{}
	}
	from[by.Key]++
	a.ByClient = from
	if !by.Known {
		a.ByUnknown++
	}
	return a, true
}

// Exhausted reports whether the client has no attempts left.
func (a Attempts) Exhausted(by Client) bool {
	return a.ByClient[by.Key] >= MaxAttempts || !by.Known && a.ByUnknown >= MaxUnknownAttempts
}
