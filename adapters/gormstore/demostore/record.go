package demostore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"gorm.io/gorm"
)

// The table demo_campus has one row while a campus is incomplete. It is created with the first
// batch and dropped at the end, so that no other database has it.
const (
	recordTable  = "demo_campus"
	createRecord = "CREATE TABLE demo_campus (campus TEXT NOT NULL, batches BIGINT NOT NULL)"
)

// ErrNotEmpty refuses a database with accounts.
var ErrNotEmpty = errors.New("the database is not empty: demo data goes only into a new one")

var errNotAlone = errors.New("another octavo demo is filling this database")

// Recipe is what the rows of a campus depend on, apart from its day.
type Recipe struct {
	Books, Users int
	Seed         uint64
	Fee          int
	Currency     string
	Domains      string
	Passwords    bool // whether the accounts have one
}

// Campus is one that is being loaded.
type Campus struct {
	Recipe
	Now          time.Time
	PasswordHash string
	Batches      int `json:"-"` // so many are loaded
}

// UnfinishedError says that a database holds a part of a campus.
type UnfinishedError struct{ Begun Campus }

func (e UnfinishedError) Error() string {
	b := e.Begun
	return fmt.Sprintf("the database has an unfinished demo campus, which octavo demo --books %d --users %d --seed %d completes (CURRENCY %s, domains %s, fee %d, passwords: %t)",
		b.Books, b.Users, b.Seed, b.Currency, b.Domains, b.Fee, b.Passwords)
}

// CheckFinished returns an UnfinishedError if the database holds a part of a campus.
func CheckFinished(ctx context.Context, db *gormstore.DB) error {
	switch c, begun, err := findRecord(ctx, db); {
	case err != nil:
		return err
	case begun:
		return UnfinishedError{c}
	}
	return nil
}

func findRecord(ctx context.Context, db *gormstore.DB) (c Campus, begun bool, err error) {
	begun, err = db.HasTable(ctx, recordTable)
	if err != nil || !begun {
		return c, false, err
	}
	var text string
	_, read := db.SQL()
	if err = read.QueryRowContext(ctx, "SELECT campus, batches FROM demo_campus").Scan(&text, &c.Batches); err != nil {
		return c, false, gormstore.WrapUnavailable(err)
	}
	return c, true, json.Unmarshal([]byte(text), &c)
}

// Begin implements demo.Store.
func (s *Store) Begin(ctx context.Context, c Campus) (Campus, error) {
	found, begun, err := findRecord(ctx, s.db)
	if err != nil || begun {
		return found, err
	}
	switch used, err := authstore.HasUsers(ctx, s.db); {
	case err != nil:
		return c, err
	case used:
		return c, ErrNotEmpty
	}
	text, err := json.Marshal(c)
	if err != nil {
		return c, err
	}
	return c, s.db.Atomically(ctx, func(tx *gorm.DB) error {
		if err := tx.Exec(createRecord).Error; err != nil {
			return err
		}
		if err := s.prepare(tx); err != nil {
			return err
		}
		return tx.Exec("INSERT INTO demo_campus (campus, batches) VALUES (?, 0)", string(text)).Error
	})
}
