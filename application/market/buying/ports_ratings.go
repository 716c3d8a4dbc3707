package buying

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/rating"
	"github.com/octavo-books/octavo/domain/user"
)

// RatingStore stores ratings.
type RatingStore interface {
	// SaveRating stores a rating in the place of one of the same order and side.
	SaveRating(ctx context.Context, r rating.Rating) error
	// RemoveRatings deletes the ratings of a user, and the texts that the user has written.
	RemoveRatings(ctx context.Context, id user.ID) error
}

// RatingReader reads ratings.
type RatingReader interface {
	// ListRatings lists the ratings of an order, at most one of each side.
	ListRatings(ctx context.Context, id order.ID) ([]rating.Rating, error)
	// CountRatings counts the people who have rated a user.
	CountRatings(ctx context.Context, of user.ID) (rating.Count, error)
	// ListRatingsBy lists at most n ratings by a user of orders with ids below before, newest
	// order first; 0 means no bound.
	ListRatingsBy(ctx context.Context, by user.ID, before order.ID, n int) ([]rating.Rating, error)
	// HasUpheldReport reports whether an admin has found something wrong in a report about a
	// person after a time.
	HasUpheldReport(ctx context.Context, about user.ID, after time.Time) (bool, error)
}
