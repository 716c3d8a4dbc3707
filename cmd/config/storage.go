package config

import (
	"errors"
	"log/slog"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/queue"
	"github.com/octavo-books/octavo/adapters/redisstore"
)

func (s *Settings) checkStorage() error {
	v := &s.Storage
	if v.DatabaseURL == "" {
		v.DatabaseURL = sqlitePrefix + filepath.Join(v.DataDir, "octavo.db")
	}
	errs := []error{s.checkStandby(), s.checkBlobs(), s.checkQueue()}
	if err := gormstore.CheckDSN(v.DatabaseURL); err != nil {
		errs = append(errs, Errorf("DATABASE_URL", "%v", err))
	}
	if direct := v.DatabaseDirectURL; direct != "" && (s.SQLite() || strings.HasPrefix(
		direct, sqlitePrefix,
	) || gormstore.CheckDSN(direct) != nil) {
		errs = append(errs, Errorf("DATABASE_DIRECT_URL", "must be postgres://… and needs a DATABASE_URL on Postgres"))
	}
	if v.RedisURL != "" {
		if err := redisstore.CheckURL(v.RedisURL); err != nil {
			errs = append(errs, Errorf("REDIS_URL", "%v", err))
		}
	}
	return Together(errs...)
}

// The bounds of READ_MAX_LAG. Less than the time between two checks and an answer would never be
// reached.
const (
	minReadLag = 100 * time.Millisecond
	maxReadLag = 5 * time.Minute
)

func (s *Settings) checkStandby() error {
	var errs []error
	if lag := s.Storage.ReadMaxLag; lag < minReadLag || lag > maxReadLag {
		errs = append(errs, Errorf("READ_MAX_LAG", "must be between 100ms and 5m, not %v", lag))
	}
	read := s.Storage.DatabaseReadURL
	if read == "" {
		return Together(errs...)
	}
	if s.SQLite() || strings.HasPrefix(read, sqlitePrefix) || gormstore.CheckDSN(read) != nil {
		errs = append(errs, Errorf("DATABASE_READ_URL", "must be postgres://… and needs a DATABASE_URL on Postgres"))
	} else if u, err := url.Parse(read); err != nil {
		errs = append(errs, Errorf("DATABASE_READ_URL", "is no URL: in a password, all but letters and digits must be written as %%XX"))
	} else if strings.Contains(u.Host, ",") {
		errs = append(errs, Errorf("DATABASE_READ_URL", "must name one server: how far one standby is behind says nothing about another"))
	}
	return Together(errs...)
}

func (s *Settings) checkQueue() error {
	scheme, _, _ := strings.Cut(s.Storage.QueueURL, "://")
	var err error
	switch scheme {
	case "":
	case "redis", "rediss":
		err = redisstore.CheckURL(s.Storage.QueueURL)
	case "nats", "tls":
		err = queue.CheckNATS(s.Storage.QueueURL)
	default:
		err = errors.New("must begin with redis://, rediss:// or nats://")
	}
	if err != nil {
		return Errorf("QUEUE_URL", "%v", err)
	}
	return nil
}

// ConnectQueue makes the client of the broker of QUEUE_URL.
func (s *Settings) ConnectQueue(log *slog.Logger) (*queue.Queue, error) {
	if !strings.HasPrefix(s.Storage.QueueURL, "redis") {
		return queue.NewNATS(s.Storage.QueueURL, s.Server.BaseURL, log)
	}
	client, err := redisstore.Connect(s.Storage.QueueURL)
	if err != nil {
		return nil, err
	}
	return queue.NewRedis(client.Redis, s.Server.BaseURL), nil
}
