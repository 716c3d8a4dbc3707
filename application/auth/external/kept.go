package external

import "github.com/octavo-books/octavo/domain/retention"

// Kept is what the room keeps about people.
var Kept = []retention.Record{
	{
		What: "Who you are at services with which you sign in",
		Why:  "to sign you in", HowLong: retention.UntilRemoved, Where: retention.InDatabase,
	},
}
