package market

import "github.com/octavo-books/octavo/domain/user"

// Signals carries signals between the processes of a market.
type Signals interface {
	// Send tells the other processes that users got notifications. It does not block.
	Send(ids []user.ID)
	// Receive makes it call wake with the users that other processes send. It calls wake
	// without users when signals may have been lost: then anybody may have got
	// notifications.
	Receive(wake func([]user.ID))
}
