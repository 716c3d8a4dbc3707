package queue

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/poll"
	"github.com/octavo-books/octavo/test/servers"
)

// In a cluster each script must use keys of one slot, and after a failover the mailers must
// find the new master by themselves.
func TestAClusterAndSentinelsCarryMailsThroughAFailover(t *testing.T) {
	deep.Only(t, "starts twelve servers; test/e2e has a failover, too")
	t.Parallel()
	onRedisGroups(t, func(t *testing.T, p testBroker) {
		q, mails := p.open(t), newMailServer()
		mails.respond = func(m message.Message, attempt int) error {
			switch {
			case m.ID == 2 && attempt == 1:
				return errors.New("greylisted")
			case m.ID == 3:
				return mailer.ErrPermanent
			}
			return nil
		}
		consume(t, p.open(t), mails)
		consume(t, p.open(t), mails)
		publish(t, q, code(1), code(2), code(3), code(1))
		poll.For(t, "sent, and one dead", func() bool {
			return mails.sent(1) == 1 && mails.sent(2) == 1 && len(p.raw(t, DeadTopic)) == 1 && len(p.raw(t, Topic)) == 0
		})
		p.kill()
		poll.For(t, "published again", func() bool { return q.PublishMessages(t.Context(), []message.Message{code(4)})[0] == nil })
		poll.For(t, "and sent", func() bool { return mails.sent(4) == 1 })
		if n := mails.sent(1); n != 1 { // a broker that has lost its ledger may deliver it again
			t.Errorf("the first was sent %d times", n)
		}
		p.wipe(t)
		poll.For(t, "published again", func() bool { return q.PublishMessages(t.Context(), []message.Message{code(5)})[0] == nil })
		poll.For(t, "and sent", func() bool { return mails.sent(5) >= 1 })
	})
}

func TestEveryMailIsSentWhenOneOfThreeMailersDies(t *testing.T) {
	t.Parallel()
	onRealBrokers(t, func(t *testing.T, p testBroker) {
		const all = 100
		mails, dying, last := newMailServer(), newMailServer(), p.open(t)
		dying.respond = func(m message.Message, _ int) error {
			_ = last.Close() // the mail server takes the mail, but its mailer cannot report it
			mails.PublishMessages(t.Context(), []message.Message{m})
			return nil
		}
		for _, consumer := range []struct {
			q          *Queue
			mailServer *mailServer
		}{{p.open(t), mails}, {p.open(t), mails}, {last, dying}} {
			consume(t, consumer.q, consumer.mailServer)
		}
		q := p.open(t)
		for id := range int64(all) {
			publish(t, q, code(id+1))
		}
		poll.For(t, "all sent", func() bool { return mails.all(all) && len(p.raw(t, Topic)) == 0 })
		died := 0
		for id := int64(1); id <= all; id++ {
			n := mails.sent(id)
			if n < 1 || n > 1+dying.tried(id) {
				t.Errorf("message %d was sent %d times, by the dying mailer %d", id, n, dying.tried(id))
			}
			died += dying.tried(id)
		}
		if died == 0 {
			t.Error("the dying mailer had no message in flight")
		}
	})
}

func TestARestartOfNATSLosesNoAcknowledgedMessage(t *testing.T) {
	t.Parallel()
	s := servers.NATS(t)
	p := natsTestBroker(s.URL)
	q, mails := p.open(t), newMailServer()
	publish(t, q, code(1), code(2), code(3))
	s.Kill()
	s.Restart()
	poll.For(t, "published again", func() bool { return q.PublishMessages(t.Context(), []message.Message{code(4), code(1)})[0] == nil })
	consume(t, p.open(t), mails)
	poll.For(t, "all sent", func() bool { return mails.all(4) && len(p.raw(t, Topic)) == 0 })
	for id := int64(1); id <= 4; id++ {
		if n := mails.sent(id); n != 1 {
			t.Errorf("message %d was sent %d times", id, n)
		}
	}
}

func TestNATSDropsADuplicateWithinItsWindow(t *testing.T) {
	t.Parallel()
	p := natsTestBroker(servers.NATS(t).URL)
	publish(t, p.open(t), code(1), code(1), code(2))
	publish(t, p.open(t), code(1))
	if queued := p.raw(t, Topic); len(queued) != 2 {
		t.Errorf("queued: %q", queued)
	}
}

func TestStreamsThatAnOperatorMadeAreUsedIfTheyFit(t *testing.T) {
	t.Parallel()
	good := jetstream.StreamConfig{Name: streamName, Subjects: []string{Topic}, Retention: jetstream.WorkQueuePolicy, Storage: jetstream.MemoryStorage, Duplicates: time.Minute}
	keeps, elsewhere, foreign := good, good, good
	keeps.Retention = jetstream.LimitsPolicy
	elsewhere.Subjects = []string{"octavo.post"}
	foreign.Name = "another"
	for name, c := range map[string]struct {
		made jetstream.StreamConfig
		says string // "" is to fit
	}{
		"a work queue in memory":       {good, ""},
		"one that keeps what was sent": {keeps, "WorkQueue"},
		"one of another subject":       {elsewhere, Topic},
		"the subject is another's":     {foreign, "overlap"},
	} {
		t.Run(name, func(t *testing.T) {
			p := natsTestBroker(servers.NATS(t).URL)
			q, mails := p.open(t), newMailServer()
			js := q.broker.(*natsBroker).js
			must.Get(js.CreateStream(t.Context(), c.made))(t)
			err := q.PublishMessages(t.Context(), []message.Message{code(1)})[0]
			if c.says == "" {
				consume(t, q, mails)
				poll.For(t, "sent", func() bool { return mails.sent(1) == 1 })
				return
			}
			if !errors.Is(err, mailer.ErrUnreachable) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("publishing: %v", err)
			}
			if err := q.Check(t.Context()); c.made.Name == streamName && (err == nil || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("checking: %v", err)
			}
		})
	}
}
