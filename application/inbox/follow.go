package inbox

import "github.com/octavo-books/octavo/domain/fault"

// FeedDelivery is a delivery at its position.
type FeedDelivery struct {
	Position int64
	Delivery
}

// Follow chooses the deliveries to follow.
type Follow struct {
	After  int64  // the position after which to begin; negative for the end
	Source string // "" for all
	Match  string // the patterns of Rule.Match, one a line; "" for all
}

// Filter returns the filter, or ErrQuery.
func (f Follow) Filter() (Rule, error) {
	if f.Match == "" {
		f.Match = AnyEvent
	}
	r := Rule{Source: f.Source, Match: f.Match}
	if err := checkName(f.Source); err != nil {
		return r, ErrQuery.WithField("source", "must be the name of a source")
	}
	if err := r.checkMatch(); err != nil {
		return r, ErrQuery.WithField("event", fault.As(err).Fields["match"])
	}
	return r, nil
}

// Follower receives what FollowDeliveries finds. An error of a method ends FollowDeliveries.
type Follower interface {
	// Deliver receives the next delivery, whose payload is nil if it is damaged.
	Deliver(d FeedDelivery) error
	// Progress receives, at the beginning and then every 15 seconds, the position up to which
	// everything has been delivered.
	Progress(position int64) error
}
