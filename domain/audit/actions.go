package audit

// Action is a kind of entry.
type Action struct {
	Code  string // Entry.Action
	Words string // for people, in English
}

// actions are all kinds, in the order in which people choose one.
var actions = []Action{
	{"user.verified", "Confirmed an address"},
	{"user.imported", "Imported an account"},
	{"user.provisioned", "Created an account from a directory"},
	{"user.role_set", "Changed a role"},
	{"user.store_set", "Changed whether somebody is a campus store"},
	{"user.suspended", "Suspended an account"},
	{"user.unsuspended", "Lifted a suspension"},
	{"user.deletion_requested", "Requested a deletion"},
	{"user.deletion_undone", "Kept the account"},
	{"user.deleted", "Deleted an account"},
	{"user.password_changed", "Changed the password"},
	{"user.password_reset", "Reset the password"},
	{"user.password_set", "Set a password"},
	{"user.break_glass", "Changed whether an owner’s password works without the services"},
	{"user.email_change_requested", "Requested another address"},
	{"user.email_changed", "Changed the address"},
	{"user.email_change_undone", "Undid a change of address"},
	{"user.metadata_set", "Changed metadata"},
	{"user.roles_set", "Changed somebody’s roles"},
	{"user.groups_set", "Changed somebody’s groups"},
	{"user.labels_set", "A service changed roles or groups"},
	{"user.exported", "Downloaded somebody’s data"},
	{"user.sessions_ended", "Signed somebody out everywhere"},
	{"session.started", "Signed in"},
	{"session.signed_out", "Signed out"},
	{"session.revoked", "Signed out a device"},
	{"session.others_revoked", "Signed out all other devices"},
	{"session.revoked_by_client", "An application ended a session"},
	{"session.ended_by_service", "A sign-in service ended a session"},
	{"session.reused", "Refresh token used twice"},
	{"session.proved", "Proved their identity"},
	{"sign_in.approved", "Approved a sign-in"},
	{"sign_in.limited", "Too many sign-ins"},
	{"sign_in.attacked", "Sign-ins under attack"},
	{"code.guessed", "Wrong code"},
	{"code.reused", "Code used twice"},
	{"second_factor.enabled", "Turned on the authenticator app"},
	{"second_factor.disabled", "Turned off the authenticator app"},
	{"second_factor.used", "Used the second factor"},
	{"second_factor.guessed", "Wrong second factor"},
	{"second_factor.recovery_codes_renewed", "Renewed the recovery codes"},
	{"passkey.added", "Added a passkey"},
	{"passkey.removed", "Removed a passkey"},
	{"passkey.refused", "Passkey refused"},
	{"identity.linked", "Connected an account"},
	{"identity.refused", "Refused a sign-in with another connected account"},
	{"identity.unlinked", "Disconnected an account"},
	{"invitation.sent", "Invited somebody"},
	{"invitation.accepted", "Accepted an invitation"},
	{"invitation.revoked", "Revoked an invitation"},
	{"consent.given", "Allowed an application"},
	{"consent.withdrawn", "Withdrew a consent"},
	{"client.added", "Added an application"},
	{"client.changed", "Changed an application"},
	{"client.secret_renewed", "Renewed the secret of an application"},
	{"client.removed", "Removed an application"},
	{"machine.added", "Added a machine"},
	{"machine.changed", "Changed a machine"},
	{"machine.secret_renewed", "Renewed the secret of a machine"},
	{"machine.session_ended", "Ended a session of a machine"},
	{"machine.removed", "Removed a machine"},
	{"resource.added", "Added a resource"},
	{"resource.changed", "Changed a resource"},
	{"resource.secret_renewed", "Renewed the secret of a resource"},
	{"resource.removed", "Removed a resource"},
	{"token.created", "Made an access token"},
	{"token.revoked", "Revoked an access token"},
	{"order.confirmed", "Verified a book"},
	{"order.paid", "Paid a seller"},
	{"order.settled", "Settled a sale"},
	{"order.lapsed", "An order lapsed"},
	{"order.cancelled", "Cancelled a sale"},
	{"order.handed_over", "Handed over in person"},
	{"order.withdrawn", "Withdrew from a sale"},
	{"courses.imported", "Uploaded courses"},
	{"courses.removed", "Removed the courses of a term"},
	{"book.repriced", "Changed the price"},
	{"book.unlisted", "Unlisted the book"},
	{"book.relisted", "Relisted the book"},
	{"book.hidden", "Reports unlisted the book"},
	{"report.resolved", "Decided about a report"},
	{"books.unlisted", "Unlisted old books"},
	{"desk.saved", "Changed a desk"},
	{"desk.removed", "Removed a desk"},
	{"place.saved", "Changed a place"},
	{"place.removed", "Removed a place"},
}

// Actions returns all kinds of entries, in the order in which people choose one.
func Actions() []Action { return actions }

// Words describes an action in English; it returns the code of one that is not known any more.
func Words(code string) string {
	for _, a := range actions {
		if a.Code == code {
			return a.Words
		}
	}
	return code
}
