package account

import "github.com/octavo-books/octavo/domain/retention"

// Kept is what the room keeps about people.
var Kept = []retention.Record{
	{
		What: "Account: email address, name, university, campus mailbox, payment name, language, role",
		Why:  "to know you and to write to you", HowLong: retention.WithAccount, Where: retention.InDatabase,
	},
	{What: "Password, as a hash", Why: "to sign you in", HowLong: retention.WithAccount, Where: retention.InDatabase},
	{
		What: "What you and our staff did with accounts, with the network address",
		Why:  "to find mistakes and attacks", HowLong: retention.BySetting, Where: retention.InDatabase,
	},
	{
		What: "Emails to you that wait or were sent, their codes and links only until then",
		Why:  "to deliver them", HowLong: "seven days", Where: retention.InDatabase,
	},
	{
		What: "Requests to the server: time, kind of page, network address",
		Why:  "to find faults and attacks", HowLong: retention.BySetting, Where: retention.InLog,
	},
}
