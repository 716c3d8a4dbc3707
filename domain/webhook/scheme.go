package webhook

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // some senders sign with it; as an HMAC it is not broken
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"fmt"
	"hash"
	"slices"
	"strconv"
	"strings"
	"time"
)

var (
	// ErrSignature refuses a request that the secret did not sign.
	ErrSignature = errors.New("webhook: the signature does not match")
	// ErrTimestamp refuses a request that the secret signed at another time, beyond the
	// tolerance.
	ErrTimestamp = errors.New("webhook: the timestamp is too old or in the future")
)

// TimestampPlace is where a request has the time of its signature: a header, a path into
// the body, or the name of a pair beside the signature.
type TimestampPlace struct {
	Header, JSON, Pair string

	Unit      string        // s (the default), ms or rfc3339
	Tolerance time.Duration // either way, from 1 s to 24 h; default Tolerance
}

// The algorithms of a sender.
const (
	algorithmToken   = "token"
	algorithmEd25519 = "ed25519"
	algorithmECDSA   = "ecdsa-p256"
	algorithmRSA     = "rsa-sha256"
)

var (
	hashes     = map[string]func() hash.Hash{"hmac-sha1": sha1.New, "hmac-sha256": sha256.New, "hmac-sha512": sha512.New}
	algorithms = []string{"hmac-sha256", "hmac-sha1", "hmac-sha512", algorithmEd25519, algorithmECDSA, algorithmRSA, algorithmToken}
	units      = []string{"s", "ms", "rfc3339"}
)

// scheme is one way in which a sender signs.
type scheme struct {
	signed    template
	text      string // the template, for people
	algorithm string
	signature extractor
	timestamp *clock // nil if none is signed
	id        places
	required  [][]string // headers; one of each group
}

// clock is a compiled TimestampPlace.
type clock struct {
	TimestampPlace
	from place // unless Pair is set
}

// compileScheme compiles what c says of signatures. id is read for {id}.
func (c CustomSender) compileScheme(id places) (sc *scheme, err error) {
	sc = &scheme{algorithm: cmp.Or(c.Algorithm, "hmac-sha256"), id: id, text: cmp.Or(c.Signed, "{body}")}
	if !slices.Contains(algorithms, sc.algorithm) {
		return nil, fmt.Errorf("webhook: algorithm %.40q must be one of %s", c.Algorithm, strings.Join(algorithms, ", "))
	}
	if sc.signature, err = compileExtractor(c.Signature); err != nil {
		return nil, err
	}
	if sc.algorithm == algorithmToken {
		if c.Signed != "" || c.Timestamp != (TimestampPlace{}) {
			return nil, fmt.Errorf("webhook: signed and timestamp have no effect with the algorithm token")
		}
		sc.text = ""
	} else if sc.signed, err = parseTemplate(sc.text); err != nil {
		return nil, fmt.Errorf("webhook: signed %w", err)
	}
	if sc.timestamp, err = c.compileClock(sc); err != nil {
		return nil, err
	}
	if sc.signed.has(idPart) && (id.hash || id.fallback != "") && len(id.list) == 0 {
		return nil, fmt.Errorf("webhook: signed has {id}, but the id has no place")
	}
	sc.require()
	return sc, nil
}

func (c CustomSender) compileClock(sc *scheme) (*clock, error) {
	t := c.Timestamp
	if t.Header+t.JSON+t.Pair == "" {
		if t != (TimestampPlace{}) || sc.signed.has(timestampPart) {
			return nil, fmt.Errorf("webhook: timestamp needs a header, a path as json, or a pair")
		}
		return nil, nil //nolint:nilnil // no timestamp is signed
	}
	t.Unit = cmp.Or(t.Unit, units[0])
	switch {
	case !slices.Contains(units, t.Unit):
		return nil, fmt.Errorf("webhook: timestamp: the unit %.40q must be one of %s", t.Unit, strings.Join(units, ", "))
	case t.Tolerance != 0 && (t.Tolerance < time.Second || t.Tolerance > 24*time.Hour):
		return nil, fmt.Errorf("webhook: timestamp: the tolerance %s is not from 1s to 24h", t.Tolerance)
	case t.Pair != "" && (t.Header+t.JSON != "" || sc.signature.Format != "pairs"):
		return nil, fmt.Errorf("webhook: timestamp: pair is instead of header and json, and needs a signature of the format pairs")
	case t.Pair != "":
		return &clock{TimestampPlace: t}, sc.checkClock(place{})
	}
	from, err := compilePlace("timestamp", Place{Header: t.Header, JSON: t.JSON})
	if err != nil {
		return nil, err
	}
	return &clock{t, from}, sc.checkClock(from)
}

// checkClock refuses a timestamp that is not signed: anybody could replace it.
func (sc *scheme) checkClock(from place) error {
	covered := sc.signed.has(timestampPart) || from.path != nil && sc.signed.has(bodyPart) ||
		from.header != "" && slices.Contains(sc.signed.headers(), from.header)
	if covered {
		return nil
	}
	for _, p := range sc.signed {
		if p.kind == jsonPart && slices.Equal(p.path, from.path) {
			return nil
		}
	}
	return fmt.Errorf("webhook: the timestamp is not in signed, so anybody could change it; add {timestamp}")
}

// require lists the headers without which nothing is verified.
func (sc *scheme) require() {
	add := func(names ...string) {
		if len(names) > 0 && !slices.ContainsFunc(sc.required, func(group []string) bool { return slices.Equal(group, names) }) {
			sc.required = append(sc.required, names)
		}
	}
	if header := sc.signature.from.header; header != "" {
		add(header)
	}
	if sc.timestamp != nil && sc.timestamp.from.header != "" {
		add(sc.timestamp.from.header)
	}
	for _, name := range sc.signed.headers() {
		add(name)
	}
	if sc.signed.has(idPart) {
		add(sc.id.headers()...)
	}
}

// isUsedBy reports whether the request has a signature of this scheme.
func (sc *scheme) isUsedBy(r Request) bool {
	if header := sc.signature.from.header; header != "" {
		return len(r.Header[header]) > 0
	}
	return len(sc.signature.from.path.Find(r.Body)) > 0
}

// check verifies a request at now.
func (sc *scheme) check(k *schemeKey, r Request, now time.Time, tolerance time.Duration) error {
	found := sc.signature.extract(r, k.prefix)
	if sc.algorithm == algorithmToken {
		if found.n == 0 || !k.isToken(found.list[:found.n]) {
			return ErrSignature
		}
		return nil
	}
	at, id := sc.stamp(r, &found), ""
	if sc.signed.has(idPart) {
		if id = sc.id.read(r); id == "" {
			return ErrSignature
		}
	}
	if found.n == 0 || sc.timestamp != nil && at == "" || !sc.matches(k, r, id, at, &found) {
		return ErrSignature
	}
	if sc.timestamp != nil && !sc.timestamp.isFresh(at, now, tolerance) {
		return ErrTimestamp
	}
	return nil
}

// stamp returns the timestamp as it is written.
func (sc *scheme) stamp(r Request, found *texts) string {
	switch {
	case sc.timestamp == nil:
		return ""
	case sc.timestamp.Pair != "":
		return sc.signature.valueOf(found, sc.timestamp.Pair)
	}
	return sc.timestamp.from.read(r)
}

// matches reports whether one of the signatures is right. HMACs are compared in constant
// time.
func (sc *scheme) matches(k *schemeKey, r Request, id, at string, found *texts) bool {
	if k.mac == nil {
		return k.matchesPublic(sc, r, sc.signed.fill(r, id, at), found)
	}
	state := k.mac.get()
	defer k.mac.put(state)
	sc.signed.hash(state, r, id, at)
	want := state.result()
	var buffer [maxDecoded]byte
	matched := false
	for _, text := range found.list[:found.n] {
		given := sc.signature.decode(text, &buffer)
		matched = hmac.Equal(want, given) || matched
	}
	return matched
}

// isFresh reports whether the time at is within the tolerance, either way.
func (c *clock) isFresh(at string, now time.Time, tolerance time.Duration) bool {
	stamp, ok := c.parse(at)
	return ok && now.Sub(stamp).Abs() <= cmp.Or(tolerance, c.Tolerance, Tolerance)
}

func (c *clock) parse(at string) (time.Time, bool) {
	if c.Unit == "rfc3339" {
		stamp, err := time.Parse(time.RFC3339, at)
		return stamp, err == nil
	}
	digits := 12 // seconds of that many digits last for 30,000 years
	if c.Unit == "ms" {
		digits = 15
	}
	if at == "" || len(at) > digits || strings.Trim(at, "0123456789") != "" {
		return time.Time{}, false
	}
	n, err := strconv.ParseInt(at, 10, 64)
	if c.Unit == "ms" {
		return time.UnixMilli(n), err == nil
	}
	return time.Unix(n, 0), err == nil
}

// format writes a time as parse reads it.
func (c *clock) format(now time.Time) string {
	switch c.Unit {
	case "rfc3339":
		return now.UTC().Format(time.RFC3339)
	case "ms":
		return strconv.FormatInt(now.UnixMilli(), 10)
	}
	return strconv.FormatInt(now.Unix(), 10)
}
