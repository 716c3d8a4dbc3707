package pushing

import "github.com/octavo-books/octavo/domain/retention"

// Kept is what the room keeps about people.
var Kept = []retention.Record{
	{
		What: "Browsers that you let show notifications, with the addresses and keys that their push services gave them",
		Why:  "to tell you what has happened", HowLong: retention.UntilEnded, Where: retention.InDatabase,
	},
	{
		What: "Your quiet hours",
		Why:  "to tell you nothing meanwhile", HowLong: retention.WithAccount, Where: retention.InDatabase,
	},
}
