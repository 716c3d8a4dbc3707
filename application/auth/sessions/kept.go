package sessions

import "github.com/octavo-books/octavo/domain/retention"

// Kept is what the room keeps about people.
var Kept = []retention.Record{
	{
		What: "Devices: browser, system and network address of each sign-in",
		Why:  "so that you see them and can end them", HowLong: retention.UntilEnded, Where: retention.InDatabase,
	},
	{What: "Access tokens of yours, as hashes", Why: "for your scripts", HowLong: retention.UntilRemoved, Where: retention.InDatabase},
}
