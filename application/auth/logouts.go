package auth

import (
	"time"

	"github.com/octavo-books/octavo/domain/job"
	"github.com/octavo-books/octavo/domain/user"
)

// Logout selects sign-ins at applications that end. The applications are told of each once.
type Logout struct {
	User user.ID
	// Sessions are sessions of applications, or those of Octavo in which they were begun; nil: any.
	Sessions []user.SessionID
	Client   string // only at this one; "": at any
	At       time.Time
}

// LogoutJob is the kind of jobs that tell an application of the end of a session. Their arguments are an
// EndedSession in JSON.
const LogoutJob job.Kind = "backchannel_logout"

// EndedSession is a session of an application that has ended.
type EndedSession struct {
	Client  string         `json:"client"`
	User    user.ID        `json:"user"`
	Session user.SessionID `json:"session"`
}

// LogoutOf ends the sign-ins of sessions, as a part of SideEffects.
func (d *Deps) LogoutOf(of user.ID, sessions ...user.SessionID) []Logout {
	if len(sessions) == 0 {
		return nil
	}
	return []Logout{{User: of, Sessions: sessions, At: d.Now()}}
}

// LogoutOfAll ends all sign-ins of a user.
func (d *Deps) LogoutOfAll(of user.ID) []Logout { return []Logout{{User: of, At: d.Now()}} }

// ServiceSignIn is a session that was begun at another service, which may end it.
type ServiceSignIn struct {
	Session user.SessionID
	User    user.ID
	Service string // the name of the provider; "": the session was begun here
	Subject string
	SID     string // as the service calls its session; may be empty
	Until   time.Time
}
