package signin

import (
	"context"
	"encoding/base64"
	"strings"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

// ErrSignInsThrottled answers sign-ins to an address with too many wrong passwords from
// all clients together. Only the right password from a known client gets another answer.
var ErrSignInsThrottled = fault.New(fault.Limited, "sign_ins_throttled",
	"There were too many wrong passwords for this address. If yours is right, we have sent an email to it: open the link, approve this sign-in, and sign in again.").
	WithDetail("reason", "APPROVAL")

// attackMails limits the mails that warn an owner of guessing from many clients.
var attackMails = limit.Rule{Burst: 1, Period: 24 * time.Hour}

// retryThrottled is the Retry-After of a throttled client. A later attempt may be refused as
// well, until the owner approves the client.
const retryThrottled = time.Minute

// throttle counts a wrong password for an address, whether or not it has an account, and
// returns ErrSignInsThrottled while there are too many of them. A right password is not
// counted, and passes from a known client. All other attempts do the same work and get the
// same answer, so that guesses above the limit reveal nothing, not even which clients are
// known. It counts after the comparison and before the answer, so concurrent guesses cannot
// exceed the limit: only an answer reveals something.
func (s *SignIns) throttle(ctx context.Context, email user.Email, right bool, from user.ClientInfo) error {
	failures := limit.Request{Name: "account failures of " + string(email), Rule: s.Rules.AccountFailures}
	count := s.RateLimiter.CheckLimit
	if !right {
		count = func(ctx context.Context, now time.Time, r limit.Request) (time.Duration, error) {
			return s.RateLimiter.AllowRequests(ctx, now, r)
		}
	}
	wait, err := count(ctx, s.Now(), failures)
	if err != nil || wait == 0 {
		return err
	}
	by, err := s.ChallengeClient(ctx, email, from)
	if err != nil || right && by.Known {
		return err
	}
	if err := s.offerApproval(ctx, email, right, by, from); err != nil {
		return err
	}
	return ErrSignInsThrottled.After(retryThrottled)
}

// offerApproval warns the owner of an account of the attack, once a day. If the password was
// right, it also mails a link that approves this client; otherwise it does the same work.
// Wrong passwords count against limits of their own, so that strangers cannot use up the
// mails of the owner.
func (s *SignIns) offerApproval(ctx context.Context, email user.Email, right bool, by challenge.Client, from user.ClientInfo) error {
	alarm, err := s.AllowMail(ctx, "record of attacks", email, []limit.Rule{attackMails})
	if err != nil {
		return err
	}
	kind := "record of approvals"
	if !right {
		kind = "record of no approvals from " + by.Key
	}
	mail, err := s.AllowMail(ctx, kind, email, s.Rules.Mails)
	if err != nil {
		return err
	}
	return s.Storage.WithAddressLock(ctx, []user.Email{email}, func(ctx context.Context, st auth.Stores) error {
		u, _, err := auth.Optional(st.LockUserByEmail(ctx, email))
		if err != nil {
			return err
		}
		owner := user.User{Email: email, Lang: u.Lang.Or(user.EN)} // of an account or not
		reachable := u.Verified && !u.Suspended()
		approval, err := s.newApproval(ctx, st, right && mail, owner, by, from)
		if err != nil {
			return err
		}
		err = record(ctx, st, reachable && right && mail, auth.SideEffects{Messages: []message.Message{approval}})
		if err != nil || !alarm {
			return err
		}
		return record(ctx, st, reachable, auth.SideEffects{
			AuditEntries: []audit.Entry{s.AuditEntry(user.Caller{From: from}, "sign_in.attacked", u.ID, "")},
			Messages:     []message.Message{s.SecurityNotice(message.SignInAttack, owner, from)},
		})
	})
}

// record stores side effects, or does as much work and stores nothing.
func record(ctx context.Context, st auth.Stores, really bool, e auth.SideEffects) error {
	if really {
		return st.RecordSideEffects(ctx, e)
	}
	return st.RecordDecoy(ctx, e)
}

// newApproval stores the challenge of a link that approves a client, in place of an older
// one for the address, and returns the mail with it. Unless it is wanted, it stores a decoy.
func (s *SignIns) newApproval(
	ctx context.Context, st auth.Stores, wanted bool, to user.User, by challenge.Client, from user.ClientInfo,
) (message.Message, error) {
	token, err := challenge.NewLink(s.Random)
	if err != nil {
		return message.Message{}, err
	}
	token += "." + base64.RawURLEncoding.EncodeToString([]byte(by.Key))
	purpose := challenge.SignInApproval
	if !wanted {
		purpose = challenge.Decoy
	}
	c := s.CodeKey.New(purpose, to.Email, 0, token, s.Now())
	m := s.SecurityNotice(message.SignInApproval, to, from)
	m.Link, m.ExpiresAt = s.BaseURL+"/approve?token="+token, c.ExpiresAt
	return m, st.PutChallenge(ctx, c)
}

// PendingApproval returns the client that ApproveClient would approve, as limit.ClientKey
// names it, and changes nothing. It returns challenge.ErrLinkInvalid where ApproveClient
// would.
func (s *SignIns) PendingApproval(ctx context.Context, token string) (client string, err error) {
	_, client, err = s.findApproval(ctx, token)
	return client, err
}

// findApproval returns the challenge of an approval's link that has not expired, used or
// not, and the client it is for. The token contains the client, and the digest covers it.
func (s *SignIns) findApproval(ctx context.Context, token string) (challenge.Challenge, string, error) {
	random, encoded, _ := strings.Cut(token, ".")
	client, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
	if err != nil || len(encoded) > 64 || !challenge.IsLink(random) {
		return challenge.Challenge{}, "", challenge.ErrLinkInvalid
	}
	c, err := s.Storage.FindLink(ctx, s.CodeKey.LinkDigest(challenge.SignInApproval, token))
	if err == nil && (c.Purpose != challenge.SignInApproval || !s.Now().Before(c.ExpiresAt)) {
		err = challenge.ErrLinkInvalid
	}
	return c, string(client), err
}

// ApproveClient makes a client known to the account that the token was mailed for: it may
// then sign in with the right password while the account is throttled. It signs nobody in.
// Approving twice is not an error; anything but a valid token is challenge.ErrLinkInvalid.
func (s *SignIns) ApproveClient(ctx context.Context, token string, from user.ClientInfo) error {
	c, client, err := s.findApproval(ctx, token)
	if err != nil || !c.UsedAt.IsZero() {
		return err
	}
	return s.Storage.WithAddressLock(ctx, []user.Email{c.Email}, func(ctx context.Context, st auth.Stores) error {
		if used, err := st.UseChallenge(ctx, c, s.Now()); err != nil || !used {
			return err // a concurrent request has approved it
		}
		u, _, err := auth.Optional(st.LockUserByEmail(ctx, c.Email))
		if err != nil {
			return err
		}
		if !u.Verified || u.Suspended() {
			return challenge.ErrLinkInvalid
		}
		return st.RecordSideEffects(ctx, auth.SideEffects{
			AuditEntries: []audit.Entry{s.AuditEntry(user.Caller{ID: u.ID, From: from}, "sign_in.approved", u.ID, "from "+client)},
			KnownClient:  s.NewKnownClient(u.ID, client),
		})
	})
}
