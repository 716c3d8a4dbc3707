package inbox

import (
	"slices"
	"strconv"
	"strings"
	"time"
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

// MaxVersionID is the length limit of the id of a version, in bytes.
const MaxVersionID = MaxID + 12

// NoDedupe is a Source.Dedupe: every delivery is a new one, whatever its id.
const NoDedupe time.Duration = -1

// BodyDedupe is the default Source.Dedupe for ids that are made of the body: they tell a retry
// from a new delivery only by the time.
const BodyDedupe = 5 * time.Minute

// SenderID is the delivery's id as the sender wrote it. Of several deliveries with it, all but
// the first have an ID that ends in ~2, ~3 and so on.
func (d Delivery) SenderID() string {
	if d.Original != "" {
		return d.Original
	}
	return d.ID
}

// Version counts the deliveries with the sender's id, from 1.
func (d Delivery) Version() int {
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
