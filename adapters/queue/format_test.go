package queue

import (
	"fmt"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/poll"
	"github.com/octavo-books/octavo/test/servers"
)

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
