package e2e_test

import (
	"context"
	"testing"

	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/servers"
)

// authStore is a store with the way in which clients of its test authenticate.
type authStore struct {
	settings func(*testing.T) []string
	mode     string
}

// authStores are those of everyStore, each with one of the ways to authenticate, which do not depend on stores. Postgres
// without Redis is left to the deep run: with Redis, Postgres keeps the accounts, too, and the contracts of sessions
// and limits run over Postgres elsewhere.
func authStores(t *testing.T) map[string]authStore {
	t.Helper()
	all := map[string]authStore{}
	for name, settings := range everyStore(t) {
		switch name {
		case "Redis":
			all[name+", "+byCookie] = authStore{settings, byCookie}
		case "Replicas":
			all[name+", "+byCookie], all[name+", "+byBearer] = authStore{settings, byCookie}, authStore{settings, byBearer}
		case "Postgres":
			if deep.On() {
				all[name+", "+byBearer] = authStore{settings, byBearer}
			}
		default:
			all[name+", "+byBearer] = authStore{settings, byBearer}
		}
	}
	return all
}

// everyStore are the settings of the auth service for each store: SQLite, Postgres, and
// Postgres with Redis for sessions and limits. Replicas always use the last one.
func everyStore(t *testing.T) map[string]func(*testing.T) []string {
	t.Helper()
	asStarted := func(*testing.T) []string { return nil }
	if e2e.OverReplicas() {
		return map[string]func(*testing.T) []string{"Replicas": asStarted}
	}
	return map[string]func(*testing.T) []string{
		"SQLite": asStarted, "Postgres": onPostgres,
		"Redis": func(t *testing.T) []string { return append(onPostgres(t), onRedis(t)...) },
	}
}

// onPostgres returns the settings for an empty database with the current schema.
func onPostgres(t *testing.T) []string {
	t.Helper()
	env := []string{"DATABASE_URL=" + database.PostgresURL(t)}
	if out, code := e2e.Octavo(t, env, "migrate", "up"); code != 0 {
		t.Fatalf("migrate up: %d %s", code, out)
	}
	return env
}

// onRedis returns the settings for sessions and limits in an empty Redis.
func onRedis(t *testing.T) []string {
	t.Helper()
	redis := servers.Redis(t)
	t.Cleanup(func() {
		client := redis.Client()
		defer func() { _ = client.Close() }()
		if keys, err := client.DBSize(context.Background()).Result(); err != nil || keys == 0 {
			t.Errorf("Redis holds %d keys, %v: it was not used", keys, err)
		}
	})
	return []string{"REDIS_URL=" + redis.WithLongTimeouts()}
}
