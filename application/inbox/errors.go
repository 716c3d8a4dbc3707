package inbox

import (
	"time"

	"github.com/octavo-books/octavo/domain/fault"
)

var (
	// ErrFull refuses a delivery while too many wait, in memory or in the store.
	ErrFull = fault.New(
		fault.Unavailable, "inbox_full", "Too many deliveries are waiting. Please send it again in a moment.",
	).After(2 * time.Second)
	// ErrNotStored refuses a delivery that could not be stored.
	ErrNotStored = fault.New(
		fault.Unavailable, "inbox_not_stored", "The delivery could not be stored. Please send it again in a moment.",
	).After(2 * time.Second)
	// ErrStopped refuses a delivery while the service shuts down.
	ErrStopped = fault.New(
		fault.Unavailable, "inbox_stopped", "The service is stopping. Please send it again in a moment.",
	).After(5 * time.Second)
	// ErrNoID refuses a delivery without an id, because duplicates could not be detected.
	ErrNoID = fault.New(fault.Invalid, "delivery_id_missing", "The delivery has no id.")
	// ErrUnprintable refuses a delivery whose id or event cannot be stored or listed.
	ErrUnprintable = fault.New(fault.Invalid, "delivery_unprintable", "The delivery's id or event is too long or not printable.")
	// ErrNotFound means that no delivery with this id is stored, or no longer.
	ErrNotFound = fault.New(fault.NotFound, "delivery_not_found", "This delivery does not exist.")
	// ErrPayloadGone refuses to redeliver after the payload has been pruned.
	ErrPayloadGone = fault.New(fault.Conflict, "payload_gone", "The delivery's payload is no longer kept.")
	// ErrPayloadDamaged means that the stored payload cannot be read.
	ErrPayloadDamaged = fault.New(fault.Conflict, "payload_damaged", "The delivery's payload is damaged and cannot be read.")
	// ErrNoTarget refuses to redeliver when no rule matches the delivery.
	ErrNoTarget = fault.New(fault.Conflict, "no_target", "No forwarding rule matches this delivery now.")
	// ErrTooManyFollowers refuses another caller of FollowDeliveries.
	ErrTooManyFollowers = fault.New(
		fault.Limited, "too_many_followers", "Too many streams are open. Please close one first.",
	).After(30 * time.Second)
	// ErrQuery refuses an invalid list query.
	ErrQuery = fault.New(fault.Invalid, "query_invalid", "The list query is not valid.")
	// ErrNoRule means that no rule has this key.
	ErrNoRule = fault.New(fault.NotFound, "rule_not_found", "This forwarding rule does not exist.")
	// ErrPausedInFile refuses to resume a rule that is paused in the file of rules.
	ErrPausedInFile = fault.New(
		fault.Conflict, "rule_paused_in_file", "The rule is paused in the file of rules; remove paused: true there.",
	)
	// ErrRule refuses a forwarding rule.
	ErrRule = fault.New(fault.Invalid, "rule_invalid", "The forwarding rule is not valid.")
)
