package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/poll"
	"github.com/octavo-books/octavo/test/servers"
)

// mailServer counts the mails that it gets and returns the errors of respond.
type mailServer struct {
	mu      sync.Mutex
	got     map[int64]int
	tries   map[int64]int
	respond func(m message.Message, attempt int) error
}

func newMailServer() *mailServer { return &mailServer{got: map[int64]int{}, tries: map[int64]int{}} }

func (p *mailServer) PublishMessages(_ context.Context, messages []message.Message) []error {
	p.mu.Lock()
	defer p.mu.Unlock()
	errs := make([]error, len(messages))
	for i, m := range messages {
		p.tries[m.ID]++
		if p.respond != nil {
			errs[i] = p.respond(m, p.tries[m.ID])
		}
		if errs[i] == nil {
			p.got[m.ID]++
		}
	}
	return errs
}

func (p *mailServer) sent(id int64) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.got[id]
}

// all reports whether the messages 1 to n were sent.
func (p *mailServer) all(n int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.got) == n
}

func (p *mailServer) tried(id int64) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tries[id]
}

type noMeter struct{}

func (noMeter) CountOutcome(message.Kind, mailer.Outcome) {}

func code(id int64) message.Message {
	return message.Message{ID: id, Kind: message.Verification, To: "ada@u.rochester.edu", Lang: "en", Code: "12345678",
		CreatedAt: time.Now(), ExpiresAt: time.Now().Add(time.Hour)}
}

func publish(t *testing.T, q *Queue, messages ...message.Message) {
	t.Helper()
	for _, err := range q.PublishMessages(t.Context(), messages) {
		must.Do(t, err)
	}
}

// consume runs a mailer until stop is called or the test ends.
func consume(t *testing.T, q *Queue, p *mailServer) (stop func()) {
	t.Helper()
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	c := must.Get(NewConsumer(q, p, system.Clock{}.Now, noMeter{}, log, ConsumerConfig{Workers: 4, ShutdownGrace: time.Second}))(t)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { c.Run(ctx) })
	stop = func() { cancel(); running.Wait() }
	t.Cleanup(stop)
	return stop
}

func TestAMessageIsPublishedAsACloudEvent(t *testing.T) {
	onEachBroker(t, func(t *testing.T, p testBroker) {
		publish(t, p.open(t), code(7))
		bodies := p.raw(t, Topic)
		if len(bodies) != 1 {
			t.Fatalf("on the broker: %q", bodies)
		}
		var event map[string]any
		must.Do(t, json.Unmarshal([]byte(bodies[0]), &event))
		data := event["data"].(map[string]any)
		if event["specversion"] != "1.0" || event["id"] != "7" || event["type"] != "octavo.mail.verification" || event["source"] != source ||
			data["to"] != "ada@u.rochester.edu" || data["lang"] != "en" || data["code"] != "12345678" {
			t.Errorf("event: %s", bodies[0])
		}
	})
}

func TestManyMailersSendEachMessageOnceAndEmptyTheQueue(t *testing.T) {
	onEachBroker(t, func(t *testing.T, p testBroker) {
		mails := newMailServer()
		for range 3 {
			consume(t, p.open(t), mails)
		}
		q := p.open(t)
		for n := range 50 {
			publish(t, q, code(int64(2*n+1)), code(int64(2*n+2)))
		}
		poll.For(t, "all sent", func() bool { return mails.all(100) })
		poll.For(t, "an empty queue", func() bool { return len(p.raw(t, Topic)) == 0 })
		for id := int64(1); id <= 100; id++ {
			if n := mails.sent(id); n != 1 {
				t.Errorf("message %d was sent %d times, want 1", id, n)
			}
		}
	})
}

func TestAMessageDeliveredTwiceIsSentOnce(t *testing.T) {
	onEachBroker(t, func(t *testing.T, p testBroker) {
		q, mails := p.open(t), newMailServer()
		publish(t, q, code(1))
		body := p.raw(t, Topic)[0]
		p.put(t, body)
		p.put(t, body)
		stop := consume(t, p.open(t), mails)
		poll.For(t, "an empty queue", func() bool { return mails.sent(1) > 0 && len(p.raw(t, Topic)) == 0 })
		stop()
		p.put(t, body)
		consume(t, p.open(t), mails)
		poll.For(t, "an empty queue", func() bool { return len(p.raw(t, Topic)) == 0 })
		if n := mails.sent(1); n != 1 {
			t.Errorf("sent %d times, want 1", n)
		}
	})
}

func TestAPermanentFailureBecomesADeadLetterWithoutItsSecrets(t *testing.T) {
	onEachBroker(t, func(t *testing.T, p testBroker) {
		q, mails := p.open(t), newMailServer()
		mails.respond = func(message.Message, int) error {
			return errors.Join(mailer.ErrPermanent, errors.New("no such mailbox"))
		}
		m := code(1)
		m.Link = "https://books.example.edu/secret"
		m.Params = map[string]string{message.ParamBook: "Calculus"}
		publish(t, q, m)
		consume(t, q, mails)
		poll.For(t, "an empty queue", func() bool { return len(p.raw(t, Topic)) == 0 })
		dead := p.raw(t, DeadTopic)
		if len(dead) != 1 || !strings.Contains(dead[0], "ada@u.rochester.edu") || !strings.Contains(dead[0], "Calculus") {
			t.Fatalf("dead: %q", dead)
		}
		if strings.Contains(dead[0], "12345678") || strings.Contains(dead[0], "secret") {
			t.Errorf("the dead letter has a secret: %s", dead[0])
		}
	})
}

func TestGarbageBecomesADeadLetterAndStopsNoMailer(t *testing.T) {
	onEachBroker(t, func(t *testing.T, p testBroker) {
		q, mails := p.open(t), newMailServer()
		publish(t, q, code(1))
		for _, body := range []string{"", "{", "null", `{"specversion":"1.0"}`, `{"specversion":"1.0","id":"9","type":"octavo.mail.x","data":{"to":5}}`} {
			p.put(t, body)
		}
		publish(t, q, code(2))
		consume(t, q, mails)
		poll.For(t, "both sent", func() bool { return mails.sent(1) == 1 && mails.sent(2) == 1 })
		poll.For(t, "the rest dead", func() bool { return len(p.raw(t, Topic)) == 0 && len(p.raw(t, DeadTopic)) == 5 })
	})
}

func TestAnExpiredMessageIsNotSent(t *testing.T) {
	onEachBroker(t, func(t *testing.T, p testBroker) {
		q, mails := p.open(t), newMailServer()
		old := code(1)
		old.ExpiresAt = time.Now().Add(-time.Second)
		publish(t, q, old, code(2))
		consume(t, q, mails)
		poll.For(t, "an empty queue", func() bool { return mails.sent(2) == 1 && len(p.raw(t, Topic)) == 0 })
		if mails.sent(1) != 0 {
			t.Error("the expired message was sent")
		}
	})
}

func TestATemporaryFailureIsRetried(t *testing.T) {
	onEachBroker(t, func(t *testing.T, p testBroker) {
		q, mails := p.open(t), newMailServer()
		mails.respond = func(_ message.Message, attempt int) error {
			if attempt == 1 {
				return errors.New("greylisted")
			}
			return nil
		}
		publish(t, q, code(1))
		consume(t, q, mails)
		poll.For(t, "sent at the second try", func() bool { return mails.sent(1) == 1 && mails.tried(1) == 2 })
		poll.For(t, "an empty queue", func() bool { return len(p.raw(t, Topic)) == 0 })
	})
}

func TestNoAttemptCountsWhileTheMailServerIsUnreachable(t *testing.T) {
	onEachBroker(t, func(t *testing.T, p testBroker) {
		q, mails := p.open(t), newMailServer()
		unreachable := true
		mails.respond = func(message.Message, int) error {
			if unreachable {
				return mailer.ErrUnreachable
			}
			return nil
		}
		publish(t, q, code(1))
		consume(t, q, mails)
		poll.For(t, "a second attempt", func() bool { return mails.tried(1) >= 2 })
		e, err := q.broker.claim(t.Context(), "1")
		for err == nil && e.state == leased { // being sent at this moment
			e, err = q.broker.claim(t.Context(), "1")
		}
		if err != nil || e.attempt > 1 {
			t.Errorf("the ledger counts try %d, %v", e.attempt, err)
		}
		mails.mu.Lock()
		unreachable = false
		mails.mu.Unlock()
		must.Do(t, q.broker.release(t.Context(), "1", true))
		poll.For(t, "sent", func() bool { return mails.sent(1) == 1 })
	})
}

func TestAMessageOfADeadMailerGoesToAnother(t *testing.T) {
	t.Parallel()
	onRealBrokers(t, func(t *testing.T, p testBroker) { // miniredis has a clock of its own
		q := p.open(t)
		publish(t, q, code(1))
		s := must.Get(q.broker.subscribe(t.Context()))(t)
		if d, err := s.next(t.Context()); err != nil || d == nil {
			t.Fatalf("next: %v, %v", d, err)
		}
		must.Get(q.broker.claim(t.Context(), "1"))(t)
		mails := newMailServer() // the first one never finishes
		consume(t, p.open(t), mails)
		poll.For(t, "sent by another", func() bool { return mails.sent(1) == 1 && len(p.raw(t, Topic)) == 0 })
	})
}

func TestWhileTheBrokerIsDownPublishingReturnsUnreachable(t *testing.T) {
	t.Parallel()
	onRealBrokers(t, func(t *testing.T, p testBroker) {
		q, mails := p.open(t), newMailServer()
		consume(t, p.open(t), mails)
		publish(t, q, code(1))
		poll.For(t, "the first sent", func() bool { return mails.sent(1) == 1 })
		p.kill()
		errs := q.PublishMessages(t.Context(), []message.Message{code(2), code(3)})
		if len(errs) != 2 || slices.ContainsFunc(errs, func(err error) bool { return !errors.Is(err, mailer.ErrUnreachable) }) {
			t.Errorf("while it is down: %v", errs)
		}
		if q.Check(t.Context()) == nil {
			t.Error("Check returned no error")
		}
		p.restart()
		poll.For(t, "published again", func() bool { return q.PublishMessages(t.Context(), []message.Message{code(2)})[0] == nil })
		poll.For(t, "and sent", func() bool { return mails.sent(2) == 1 })
	})
}

func TestAMailerMayStartBeforeItsBroker(t *testing.T) {
	t.Parallel()
	onRealBrokers(t, func(t *testing.T, p testBroker) {
		p.kill()
		q, mails := p.dial(t), newMailServer()
		consume(t, p.dial(t), mails)
		must.Refuse(t, q.PublishMessages(t.Context(), []message.Message{code(1)})[0], mailer.ErrUnreachable, "before it is there")
		p.restart()
		poll.For(t, "published", func() bool { return q.PublishMessages(t.Context(), []message.Message{code(1)})[0] == nil })
		poll.For(t, "and sent", func() bool { return mails.sent(1) == 1 })
	})
}

func TestABrokerThatLostItsDataIsSetUpAgain(t *testing.T) {
	t.Parallel()
	onRealBrokers(t, func(t *testing.T, p testBroker) {
		q, mails := p.open(t), newMailServer()
		consume(t, p.open(t), mails)
		publish(t, q, code(1))
		poll.For(t, "the first sent", func() bool { return mails.sent(1) == 1 })
		p.wipe(t)
		poll.For(t, "published again", func() bool { return q.PublishMessages(t.Context(), []message.Message{code(2)})[0] == nil })
		poll.For(t, "and sent", func() bool { return mails.sent(2) >= 1 }) // without its ledger perhaps twice
	})
}

func TestStoppingWaitsForTheMailInFlight(t *testing.T) {
	onEachBroker(t, func(t *testing.T, p testBroker) {
		q, mails := p.open(t), newMailServer()
		begun, finish := make(chan struct{}), make(chan struct{})
		mails.respond = func(message.Message, int) error {
			close(begun)
			<-finish
			return nil
		}
		publish(t, q, code(1))
		stop := consume(t, q, mails)
		<-begun
		stopped := make(chan struct{})
		go func() { stop(); close(stopped) }()
		close(finish)
		<-stopped
		if mails.sent(1) != 1 || len(p.raw(t, Topic)) != 0 {
			t.Errorf("sent %d times, still queued: %q", mails.sent(1), p.raw(t, Topic))
		}
	})
}

func FuzzADeadLetterContainsNoSecret(f *testing.F) {
	f.Add([]byte(`{"specversion":"1.0","id":"7","data":{"to":"a@b.edu","code":"12345678","link":"https://x"}}`))
	f.Add([]byte(`{"data":{"code":{"code":"x"}}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var event struct{ Data map[string]json.RawMessage }
		if err := json.Unmarshal(withoutSecrets(body), &event); err != nil {
			t.Fatalf("not JSON: %v", err)
		}
		if event.Data["code"] != nil || event.Data["link"] != nil {
			t.Errorf("kept a secret of %s", body)
		}
	})
}

// publishDead publishes message 7, and message 8, which becomes a dead letter with a reason of two lines.
func publishDead(t *testing.T, p testBroker) {
	t.Helper()
	q, mails := p.open(t), newMailServer()
	mails.respond = func(message.Message, int) error { return fmt.Errorf("%w:\nno such mailbox", mailer.ErrPermanent) }
	publish(t, q, code(8))
	stop := consume(t, q, mails)
	poll.For(t, "given up", func() bool { return len(p.raw(t, DeadTopic)) == 1 && len(p.raw(t, Topic)) == 0 })
	stop()
	publish(t, q, code(7))
}

var reason = mailer.ErrPermanent.Error() + ": no such mailbox"

// Programs that use the library watermill read these fields.
func TestARedisEntryHasTheFieldsOfWatermill(t *testing.T) {
	t.Parallel()
	connect := clientOf(t, "redis://"+miniredis.RunT(t).Addr())
	p, client := redisTestBroker(connect), connect()
	defer func() { _ = client.Close() }()
	publishDead(t, p)
	for topic, want := range map[string][2]string{
		Topic: {"7", ""}, DeadTopic: {"8", "\x81\xa6reason\xda\x00" + string(rune(len(reason))) + reason},
	} {
		entries, err := client.XRange(t.Context(), topic, "-", "+").Result()
		if err != nil || len(entries) != 1 {
			t.Fatalf("%s: %v, %v", topic, entries, err)
		}
		v := entries[0].Values
		if len(v) != 3 || v["_watermill_message_uuid"] != want[0] || v["metadata"] != want[1] || v["payload"] != p.raw(t, topic)[0] {
			t.Errorf("%s: %q", topic, v)
		}
	}
}

func TestANATSMessageHasTheHeadersOfWatermill(t *testing.T) {
	t.Parallel()
	p := natsTestBroker(servers.NATS(t).URL)
	publishDead(t, p)
	for name, want := range map[string][2]string{streamName: {"7", ""}, deadStreamName: {"8", reason}} {
		stream := must.Get(p.open(t).broker.(*natsBroker).js.Stream(t.Context(), name))(t)
		m := must.Get(stream.GetMsg(t.Context(), stream.CachedInfo().State.LastSeq))(t)
		if h := m.Header; h.Get("_watermill_message_uuid") != want[0] || h.Get("Nats-Msg-Id") != want[0] || h.Get("reason") != want[1] {
			t.Errorf("%s: %q", name, h)
		}
	}
}
