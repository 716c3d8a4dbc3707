package gormstore

import (
	"context"
	"time"

	"gorm.io/gorm"
)

// InLine is how many wait for their turn to write.
func (db *DB) InLine() int {
	db.turns.mu.Lock()
	defer db.turns.mu.Unlock()
	return len(db.turns.line)
}

// Shared reports whether two parts are or were in one transaction.
func Shared(a, b *gorm.DB) bool {
	return a.Statement.ConnPool.(*transaction).work == b.Statement.ConnPool.(*transaction).work
}

// Patience is how long a writer waits for its turn.
const Patience = patience

// Turns is the line of writers without a database.
type Turns = turns

// Take waits for the turn.
func Take(t *Turns, ctx context.Context) error { //nolint:revive // the line is what it is about
	_, err := t.take(ctx)
	return err
}

// TakeTime lets groups take in others for as long as somebody comes.
func (db *DB) TakeTime() { db.groupTime = time.Hour }

// CheckCopy compares a copy of a database with the rows that it should have.
var CheckCopy = checkCopy
