package doctor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/mail"
	"github.com/octavo-books/octavo/adapters/redisstore"
	"github.com/octavo-books/octavo/cmd/config"
)

// maxClockSkew is how far clocks may differ. Beyond it, codes and tokens expire
// noticeably early or late.
const maxClockSkew = 2 * time.Second

func checkClock(name string, theirs time.Time) []finding {
	skew := time.Since(theirs).Abs()
	if skew < maxClockSkew {
		return nil
	}
	return []finding{warn(name, fmt.Sprintf("differs from ours by %s", skew.Round(time.Second)), "synchronise all clocks with NTP")}
}

func checkRedis(ctx context.Context, s *config.Settings, parts config.Components) []finding {
	if s.Storage.RedisURL == "" || !parts.Identity() {
		return nil
	}
	client, err := redisstore.Connect(s.Storage.RedisURL)
	if err != nil {
		return []finding{failed("redis", err, "check REDIS_URL")}
	}
	defer func() { _ = client.Close() }()
	info, err := client.ServerInfo(ctx)
	if err != nil {
		return []finding{failed("redis", err, "check REDIS_URL, and that the server runs and accepts us")}
	}
	all := append([]finding{passed("redis", "version %s", info.Version)}, checkPersistence("redis", info, "signs people out")...)
	return append(all, checkClock("redis clock", info.Clock)...)
}

// checkPersistence checks that Redis neither evicts keys nor loses them on a restart.
func checkPersistence(name string, info redisstore.ServerInfo, consequence string) []finding {
	var all []finding
	if !info.Persists {
		all = append(all, warn(name, "loses its data on a restart, which "+consequence, "set appendonly yes, and run a replica"))
	}
	if info.Eviction != "" && info.Eviction != "noeviction" {
		all = append(all, warn(
			name, "evicts keys when its memory is full ("+info.Eviction+"), which "+consequence, "set maxmemory-policy noeviction",
		))
	}
	return all
}

func checkQueue(ctx context.Context, s *config.Settings, parts config.Components) []finding {
	if s.Storage.QueueURL == "" || !parts.Identity() && !parts.Mailer {
		return nil
	}
	q, err := s.ConnectQueue(slog.New(slog.DiscardHandler))
	if err != nil {
		return []finding{failed("queue", err, "check QUEUE_URL")}
	}
	defer func() { _ = q.Close() }()
	if err := q.Check(ctx); err != nil {
		return []finding{failed("queue", err, "check QUEUE_URL, and that the broker runs; NATS needs JetStream (nats-server -js)")}
	}
	all := []finding{passed("queue", "answers")}
	if info, err := queueServerInfo(ctx, s.Storage.QueueURL); err == nil {
		all = append(all, checkPersistence("queue", info, "loses mails that were not sent yet")...)
	}
	return all
}

var errNotRedis = errors.New("the queue is not on Redis")

func queueServerInfo(ctx context.Context, address string) (redisstore.ServerInfo, error) {
	if !strings.HasPrefix(address, "redis") {
		return redisstore.ServerInfo{}, errNotRedis
	}
	client, err := redisstore.Connect(address)
	if err != nil {
		return redisstore.ServerInfo{}, err
	}
	defer func() { _ = client.Close() }()
	return client.ServerInfo(ctx)
}

// checkTraces sends an empty batch to the collector, if one is configured.
func checkTraces(ctx context.Context, _ *config.Settings, _ config.Components) []finding {
	cfg, err := config.TracingConfig()
	switch {
	case err != nil:
		return []finding{failed("traces", err, "check the OTEL_ variables")}
	case !cfg.On:
		return nil
	case cfg.Console:
		return []finding{passed("traces", "printed")}
	}
	if err := cfg.Check(ctx); err != nil {
		return []finding{warn("traces", config.OneLine(err), "check OTEL_EXPORTER_OTLP_ENDPOINT and _HEADERS, and that the collector accepts OTLP over HTTP (port 4318)")}
	}
	return []finding{passed("traces", "the collector accepts them")}
}

// checkSupport says that people who are told to ask have nobody to ask.
func checkSupport(_ context.Context, s *config.Settings, parts config.Components) []finding {
	if !parts.Market || s.Mail.SupportMail != "" {
		return nil
	}
	return []finding{warn("questions", "SUPPORT_MAIL is unset: pages and mails, as about a suspension, say whom to ask but give no address",
		"set SUPPORT_MAIL, e.g. help@example.edu")}
}

func checkMail(ctx context.Context, s *config.Settings, parts config.Components) []finding {
	sends := parts.Mailer || parts.Identity() && s.Storage.QueueURL == "" || parts.Webhooks && s.Webhooks.AlertMail != ""
	if s.Mail.SMTPURL == "" || !sends {
		return nil
	}
	cfg, err := mail.ParseConfig(s.Mail.SMTPURL, s.Mail.MailFrom)
	if err != nil {
		return []finding{failed("mail", err, "check SMTP_URL and MAIL_FROM")}
	}
	sender, err := mail.New(cfg)
	if err == nil {
		defer sender.Close()
		err = sender.Check(ctx)
	}
	if err != nil {
		return []finding{failed("mail", err, "check SMTP_URL, and that the server accepts mails from us")}
	}
	return []finding{passed("mail", "the server at %s accepts us", cfg.Host)}
}
