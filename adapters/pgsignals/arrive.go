package pgsignals

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
)

// arrivalTimeout is how long Arrive waits for a notification.
const arrivalTimeout = 2 * time.Second

// Arrive reports whether a connection to dsn that listens hears the notifications of another
// one. It uses a channel of its own, so that no process notices.
func Arrive(ctx context.Context, dsn string) (bool, error) {
	settings, err := settingsOf(dsn)
	if err != nil {
		return false, err
	}
	listener, err := pgx.ConnectConfig(ctx, settings)
	if err != nil {
		return false, errConnect
	}
	defer func() { _ = listener.Close(context.WithoutCancel(ctx)) }()
	sender, err := pgx.ConnectConfig(ctx, settings)
	if err != nil {
		return false, errConnect
	}
	defer func() { _ = sender.Close(context.WithoutCancel(ctx)) }()
	for _, step := range []struct {
		on        *pgx.Conn
		statement string
	}{{listener, "LISTEN octavo_doctor"}, {sender, "NOTIFY octavo_doctor"}} {
		if _, err := step.on.Exec(ctx, step.statement); err != nil {
			return false, err
		}
	}
	waiting, cancel := context.WithTimeout(ctx, arrivalTimeout)
	defer cancel()
	_, err = listener.WaitForNotification(waiting)
	if err != nil && waiting.Err() != nil && ctx.Err() == nil {
		return false, nil
	}
	return err == nil, err
}

var errConnect = errors.New("the database does not accept a connection") // the cause may name the user

// settingsOf parses a DSN and omits the cause of an error, which may quote a password.
func settingsOf(dsn string) (*pgx.ConnConfig, error) {
	settings, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, errors.New("the URL of the database is malformed")
	}
	if settings.ConnectTimeout == 0 { // not in the DSN
		settings.DialFunc = (&net.Dialer{Timeout: dialTimeout}).DialContext
	}
	settings.RuntimeParams["application_name"] = "octavo signals"
	settings.DefaultQueryExecMode = pgx.QueryExecModeExec
	return settings, nil
}
