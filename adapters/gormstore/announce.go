package gormstore

import (
	"sync"

	"gorm.io/gorm"
)

// board holds one bell for each topic that somebody in this process waits for.
type board struct {
	mu    sync.Mutex
	bells map[string]chan struct{}
}

// Announce rings the bell of a topic once the transaction of Atomically that tx
// is part of has committed, and never if it does not. It says that something
// changed, not what; in other processes nothing rings.
func Announce(tx *gorm.DB, topic string) {
	if t, ok := tx.Statement.ConnPool.(*transaction); ok {
		t.topics[topic] = true
	}
}

// OnCommit calls do once the transaction of Atomically that pool is of has
// committed, and never if it does not. do must not use the database.
func OnCommit(pool Pool, do func()) {
	if t, ok := pool.(*transaction); ok {
		t.onCommit = append(t.onCommit, do)
	}
}

// committed lets those know who wanted to.
func (db *DB) committed(t *transaction) {
	for _, do := range t.onCommit {
		do()
	}
	db.board.ring(t.topics)
}

// Announced is the bell of a topic. Rings that nobody took melt into one; of
// several who wait one gets it.
func (db *DB) Announced(topic string) <-chan struct{} { return db.board.bell(topic) }

func (b *board) bell(topic string) chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bells == nil {
		b.bells = map[string]chan struct{}{}
	}
	if b.bells[topic] == nil {
		b.bells[topic] = make(chan struct{}, 1)
	}
	return b.bells[topic]
}

func (b *board) ring(topics map[string]bool) {
	for topic := range topics {
		select {
		case b.bell(topic) <- struct{}{}:
		default:
		}
	}
}
