package factors

import "github.com/octavo-books/octavo/domain/retention"

// Kept is what the room keeps about people.
var Kept = []retention.Record{
	{
		What: "Passkeys, and the encrypted secret of an authenticator app",
		Why:  "to sign you in", HowLong: retention.UntilRemoved, Where: retention.InDatabase,
	},
}
