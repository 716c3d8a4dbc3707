package inbox

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
)

// Receipt says what became of an accepted delivery.
type Receipt string

// The receipts.
const (
	Stored      Receipt = "stored"      // it is new
	Conflicting Receipt = "conflict"    // another body has its id; stored beside that one
	Redelivered Receipt = "redelivered" // seen before, but dead or unmatched: sent again by the rules of now
	SeenBefore  Receipt = "duplicate"   // seen before, and it waits or was accepted, or no rule matches it now
)

// The limits of looking for earlier deliveries with the same id.
const (
	maxVersions     = 8 // that a body is compared with, the newest
	maxVersionRaces = 5 // lost to other requests with the same id
	maxVersionID    = maxID + 12
)

// NoDedupe is a Source.Dedupe: every delivery is a new one, whatever its id.
const NoDedupe time.Duration = -1

// bodyDedupe is the default Source.Dedupe for ids that are made of the body: they tell a retry
// from a new delivery only by the time.
const bodyDedupe = 5 * time.Minute

// SenderID is the delivery's id as the sender wrote it. Of several deliveries with it, all but
// the first have an ID that ends in ~2, ~3 and so on.
func (d Delivery) SenderID() string {
	if d.Original != "" {
		return d.Original
	}
	return d.ID
}

// version counts the deliveries with the sender's id, from 1.
func (d Delivery) version() int {
	if n, err := strconv.Atoi(strings.TrimPrefix(d.ID, d.Original+"~")); err == nil && d.Original != "" {
		return n
	}
	return 1
}

// Name finds the delivery where its ID alone finds a newer one; only FindDelivery knows.
func (d Delivery) Name() string {
	if d.Original == "" && len(d.Others) > 0 {
		return d.ID + "~1"
	}
	return d.ID
}

// FirstVersion returns the id of a name such as ID~1, which is the first delivery with the id
// where ID is the newest.
func FirstVersion(name string) (id string, ok bool) { return strings.CutSuffix(name, "~1") }

// RepeatedJobs returns those of the jobs that a repeated delivery adds to its existing ones: none
// while nothing is dead, otherwise those by rules that have neither accepted it nor still try.
func RepeatedJobs(existing, jobs []Job) []Job {
	if len(existing) > 0 && (Delivery{Jobs: existing}).State() != Dead.String() {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(jobs), func(j Job) bool {
		return slices.ContainsFunc(existing, func(e Job) bool { return e.Rule == j.Rule && (e.State == Open || e.State == Delivered) })
	})
}

// acceptAgain accepts a delivery whose id, or whose hash, is stored already.
func (s *Service) acceptAgain(ctx context.Context, source string, e webhook.Event, action string) (Receipt, error) {
	end, err := s.versionTurns.take(ctx, source, e.ID)
	if err != nil {
		return "", err
	}
	defer end()
	last := 0
	for range maxVersionRaces {
		versions, err := s.ports.Store.FindVersions(ctx, source, e.ID, maxVersions)
		if err != nil {
			s.log.Error("looking for an earlier delivery failed", "source", source, "id", e.ID, "error", err)
			return "", ErrNotStored
		}
		if len(versions) == 0 { // the same event and body came under another id
			s.ports.Meter.CountDelivery(source, string(SeenBefore))
			return SeenBefore, nil
		}
		if seen, ok := s.sameDelivery(source, e, versions); ok {
			return s.repeat(ctx, seen)
		}
		last = nextVersion(versions, last)
		receipt, err := s.acceptBeside(ctx, source, e, action, versions, last)
		if err != nil || receipt != SeenBefore {
			return receipt, err
		}
	}
	return "", ErrNotStored
}

// nextVersion is the number after those of all versions, and after the last one that was tried:
// a sender may have the id ID~2 of its own.
func nextVersion(versions []Delivery, tried int) int {
	for _, v := range versions {
		tried = max(tried, v.version())
	}
	return tried + 1
}

// sameDelivery returns the version that the delivery repeats. Without its body, a version that
// needs no sending counts as the same.
func (s *Service) sameDelivery(source string, e webhook.Event, versions []Delivery) (seen Delivery, ok bool) {
	for _, v := range versions {
		if v.Payload != nil && !bytes.Equal(v.Payload, e.Payload) {
			continue
		}
		if window := s.dedupe(source, e.ID); window != 0 && (window == NoDedupe || s.ports.Clock.Now().Sub(v.ReceivedAt) >= window) {
			return Delivery{}, false
		}
		state := v.State()
		return v, v.Payload != nil || state == Open.String() || state == Delivered.String()
	}
	return Delivery{}, false
}

// dedupe is how long an id of a source is remembered: 0 as long as it is stored.
func (s *Service) dedupe(source, id string) time.Duration {
	if window := s.sourceNamed(source).Dedupe; window != 0 {
		return window
	}
	if webhook.IsBodyHash(id) {
		return bodyDedupe
	}
	return 0
}

// repeat sends a delivery again if no rule has accepted it and none still tries.
func (s *Service) repeat(ctx context.Context, d Delivery) (Receipt, error) {
	added, err := s.addRepeat(ctx, d)
	if err != nil {
		s.log.Error("sending a repeated delivery again failed", "source", d.Source, "id", d.ID, "error", err)
		return "", ErrNotStored
	}
	receipt := SeenBefore
	if len(added) > 0 {
		receipt = Redelivered
	}
	s.ports.Meter.CountDelivery(d.Source, string(receipt))
	s.log.Info(
		"a delivery was seen before", "source", d.Source, "id", d.ID, "event", string(d.Event), "state", d.State(), "sent_again_to",
		len(added),
	)
	return receipt, nil
}

func (s *Service) addRepeat(ctx context.Context, d Delivery) (added []Job, err error) {
	if len(d.Jobs) > 0 && d.State() != Dead.String() {
		return nil, nil
	}
	jobs, err := s.jobsFor(d, s.Rules())
	if err != nil {
		return nil, noTarget(err)
	}
	if added, err = s.ports.Store.AddRepeat(ctx, d.Seq, jobs); err != nil {
		return nil, err
	}
	s.openJobs.Add(int64(len(added)))
	for _, job := range added {
		s.wakePool(job.Rule)
	}
	return added, nil
}

// acceptBeside stores a version of a delivery beside others. SeenBefore means that there is a
// delivery with that id.
func (s *Service) acceptBeside(
	ctx context.Context, source string, e webhook.Event, action string, versions []Delivery, number int,
) (Receipt, error) {
	conflict := !slices.ContainsFunc(versions, func(v Delivery) bool { return v.Payload == nil || bytes.Equal(v.Payload, e.Payload) })
	original := e.ID
	e.ID += "~" + strconv.Itoa(number)
	one, err := s.newEntry(source, e, action)
	if err != nil {
		return "", err
	}
	one.delivery.Original, one.delivery.Conflict, one.replay = original, conflict, Replay{}
	if err := s.queue(one); err != nil {
		return "", err
	}
	fresh, err := one.wait(ctx)
	switch {
	case err != nil:
		return "", err
	case !fresh:
		return SeenBefore, nil
	case !conflict:
		return Stored, nil
	}
	s.log.Warn(
		"another body arrived under an id that was seen before; it is stored beside", "source", source, "id", original, "event",
		string(e.Name), "as", e.ID,
	)
	return Conflicting, nil
}
