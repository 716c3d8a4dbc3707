package webhook

import (
	"cmp"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/domain/webhook/rawjson"
)

// Challenge is a request with which a sender checks a new URL, and its answer. It is not
// stored. A request that is recognised by its body must be signed; one that is recognised by
// its method, query or a header is verified if it has a signature.
type Challenge struct {
	When   Condition
	Answer Answer
}

// Condition recognises a request: by the method, and by a text at one of JSON (a path into the
// body), Form, Query and Header, which has to equal Equals unless that is empty. There is
// nothing at the path Absent.
type Condition struct {
	Method                            string
	JSON, Form, Query, Header, Equals string
	Absent                            string
}

// Answer is what a challenge is answered: by default 200, text/plain and no body. In Body,
// {query.NAME}, {json.PATH}, {header.NAME}, {hmac_hex:…} and {hmac_base64:…} of one of them
// stand for texts, for the type application/json as inside a JSON string.
type Answer struct {
	Status int
	Type   string
	Body   string
}

// Reply is the answer to a challenge. If Confirm is not empty, the sender waits for a request
// to that URL before anything else.
type Reply struct {
	Status     int
	Type, Body string
	Confirm    string
}

// ErrChallenge refuses a challenge whose answer cannot be made from it.
var ErrChallenge = errors.New("webhook: the request asks for an answer but lacks what it is made of")

type challenge struct {
	method              string
	path, absent        rawjson.Path
	form, query, header string
	equals              string
	token               string // the parameter that has to be the sender's verify token
	status              int
	kind                string
	body                []answerPart
	confirm             rawjson.Path // the URL to confirm
}

// answerPart is a text of an answer, or where it is taken from.
type answerPart struct {
	literal string
	hmac    string // hex or base64 of it
	query   string
	from    place
}

// The limits of an answer.
const (
	maxChallenges    = 8
	maxAnswer        = 2000
	maxAnswerPart    = 1000
	maxUnsignedInput = 256
)

var answerTypes = []string{"text/plain", "application/json"}

func (s *Sender) addChallenges(all []Challenge) error {
	if len(all) > maxChallenges {
		return fmt.Errorf("webhook: there are more than %d challenges", maxChallenges)
	}
	for _, c := range all {
		one, err := c.compile()
		if err != nil {
			return fmt.Errorf("webhook: challenge: %w", err)
		}
		if one.usesKey() && !one.isSigned() && (s.takes(bodyText) || s.takes(bodyForm)) {
			return fmt.Errorf("webhook: challenge: an answer with an HMAC to anybody would sign bodies of the kinds form and text; recognise the challenge by its body")
		}
		s.challenges = append(s.challenges, one)
	}
	return nil
}

func (c Challenge) compile() (one *challenge, err error) {
	one = &challenge{
		method: strings.ToUpper(c.When.Method), form: c.When.Form, query: c.When.Query, equals: c.When.Equals,
		status: cmp.Or(c.Answer.Status, 200), kind: cmp.Or(c.Answer.Type, answerTypes[0]),
	}
	given := 0
	for _, text := range []string{c.When.JSON, c.When.Form, c.When.Query, c.When.Header} {
		if text != "" {
			given++
		}
	}
	switch {
	case given > 1 || given == 0 && (one.method == "" || one.method == "POST"):
		return nil, fmt.Errorf("when needs exactly one of json, form, query and header, or another method than POST")
	case given == 0 && one.equals != "":
		return nil, fmt.Errorf("equals has no effect without json, form, query or header")
	case one.status < 200 || one.status > 299:
		return nil, fmt.Errorf("the status %d is not from 200 to 299", one.status)
	case !slices.Contains(answerTypes, one.kind):
		return nil, fmt.Errorf("the type %.40q must be one of %s", one.kind, strings.Join(answerTypes, ", "))
	}
	if c.When.Header != "" {
		if one.header, err = canonicalHeader("header", c.When.Header); err != nil {
			return nil, err
		}
	}
	if one.path, err = optionalPath(c.When.JSON); err != nil {
		return nil, err
	}
	if one.absent, err = optionalPath(c.When.Absent); err != nil {
		return nil, err
	}
	one.body, err = parseAnswer(c.Answer.Body, one.kind)
	return one, err
}

func optionalPath(text string) (rawjson.Path, error) {
	if text == "" {
		return nil, nil
	}
	path, err := rawjson.ParsePath(text)
	if err != nil {
		return nil, fmt.Errorf("%.100q %w", text, err)
	}
	return path, nil
}

// parseAnswer parses a body in which {…} is a part. In JSON, other braces stand for
// themselves.
func parseAnswer(text, kind string) (parts []answerPart, err error) {
	if len(text) > maxAnswer {
		return nil, fmt.Errorf("the answer is longer than %d bytes", maxAnswer)
	}
	for rest := text; rest != ""; {
		open := strings.IndexByte(rest, '{')
		if open < 0 {
			return append(parts, answerPart{literal: rest}), nil
		}
		inside, after, closed := strings.Cut(rest[open+1:], "}")
		p, known := parseAnswerPart(inside)
		switch {
		case closed && known:
			parts, rest = append(parts, answerPart{literal: rest[:open]}, p), after
		case kind == answerTypes[0]:
			return nil, fmt.Errorf("the answer has the unknown part {%s}; the parts are {query.NAME}, {json.PATH}, {header.NAME}, {hmac_hex:…} and {hmac_base64:…}", shown(inside))
		default:
			parts, rest = append(parts, answerPart{literal: rest[:open+1]}), rest[open+1:]
		}
		if len(parts) > maxParts {
			return nil, fmt.Errorf("the answer has more than %d parts", maxParts)
		}
	}
	return parts, nil
}

func parseAnswerPart(text string) (p answerPart, known bool) {
	if function, rest, ok := strings.Cut(text, ":"); ok && strings.HasPrefix(function, "hmac_") {
		p.hmac, text = strings.TrimPrefix(function, "hmac_"), rest
		if p.hmac != "hex" && p.hmac != "base64" {
			return p, false
		}
	}
	kind, name, _ := strings.Cut(text, ".")
	var err error
	switch kind {
	case "query":
		p.query = name
		return p, name != ""
	case "json":
		p.from, err = compilePlace("json", Place{JSON: name})
	case "header":
		p.from, err = compilePlace("header", Place{Header: name})
	default:
		return p, false
	}
	return p, err == nil
}

func (c *challenge) usesKey() bool {
	return slices.ContainsFunc(c.body, func(p answerPart) bool { return p.hmac != "" })
}

// isSigned reports whether a request must be signed because its body is what it is
// recognised by.
func (c *challenge) isSigned() bool { return c.path != nil }

// matches reports whether the request is this challenge.
func (c *challenge) matches(s *Sender, r Request) bool {
	if c.method != "" && c.method != r.method() || c.absent != nil && c.absent.Find(r.Body) != nil {
		return false
	}
	value, given := "", true
	switch {
	case c.path != nil:
		value = c.path.Text(r.Body)
		given = value != ""
	case c.form != "":
		value = place{form: c.form}.read(r)
		given = value != ""
	case c.query != "":
		value, given = r.query(c.query)
	case c.header != "":
		value = r.header(c.header)
		given = value != ""
	}
	if !given || c.equals != "" && value != c.equals {
		return false
	}
	if c.token == "" {
		return true
	}
	token, _ := r.query(c.token)
	return s.options.VerifyToken != "" && subtle.ConstantTimeCompare([]byte(token), []byte(s.options.VerifyToken)) == 1
}

// IsChallenge reports whether the sender checks its URL with the request, which is not a
// delivery, and whether the answer is only for a request that the secret signed. The body need
// not have been read yet; then a challenge that is recognised by it is not found.
func (s *Sender) IsChallenge(r Request) (found, signed bool) {
	s = s.orHost()
	one := s.challengeOf(r)
	if one == nil {
		return false, false
	}
	return true, one.isSigned() || s.special == nil && s.schemes[s.schemeOf(r)].isUsedBy(r)
}

// UsesURL reports whether the sender signs the URL or checks it by a query, so that Request.URL
// matters.
func (s *Sender) UsesURL() bool {
	s = s.orHost()
	return s.usesURL
}

func (s *Sender) signsURL() bool {
	return slices.ContainsFunc(s.schemes, func(sc *scheme) bool { return sc.signed.has(urlPart) || sc.signed.has(decodedURLPart) })
}

func (s *Sender) findURL() bool {
	return s.signsURL() || slices.ContainsFunc(s.challenges, func(c *challenge) bool {
		return c.query != "" || slices.ContainsFunc(c.body, func(p answerPart) bool { return p.query != "" })
	})
}

// ChecksByForm reports whether the request, whose body has not been read, may be a form with
// which the sender checks its URL without signing it.
func (s *Sender) ChecksByForm(r Request) bool {
	return r.mediaType() == formType && slices.ContainsFunc(s.orHost().challenges, func(c *challenge) bool { return c.form != "" })
}

func (s *Sender) challengeOf(r Request) *challenge {
	for _, one := range s.challenges {
		if one.matches(s, r) {
			return one
		}
	}
	return nil
}

// Reply answers a request for which Sender.IsChallenge holds. The error is ErrChallenge.
func (k *SenderKey) Reply(r Request) (Reply, error) {
	one := k.sender.challengeOf(r)
	if one == nil {
		return Reply{}, ErrChallenge
	}
	_, signed := k.sender.IsChallenge(r)
	reply := Reply{Status: one.status, Type: one.kind}
	var body strings.Builder
	for _, p := range one.body {
		text, err := k.replyPart(p, r, signed)
		if err != nil {
			return Reply{}, err
		}
		if one.kind == "application/json" && p.literal == "" {
			quoted, _ := json.Marshal(text) // a string always marshals
			text = string(quoted[1 : len(quoted)-1])
		}
		body.WriteString(text)
	}
	reply.Body = body.String()
	if one.confirm != nil {
		reply.Confirm = one.confirm.Text(r.Body)
		if !isOfVendor(reply.Confirm, k.sender.certificate.allowed) {
			return Reply{}, ErrChallenge
		}
	}
	return reply, nil
}

func (k *SenderKey) replyPart(p answerPart, r Request, signed bool) (text string, err error) {
	switch {
	case p.query != "":
		text, _ = r.query(p.query)
	case p.from.header != "" || p.from.path != nil:
		text = p.from.read(r)
	default:
		return p.literal, nil
	}
	if text == "" || len(text) > maxAnswerPart {
		return "", ErrChallenge
	}
	if p.hmac == "" {
		return text, nil
	}
	if len(k.keys) == 0 || k.keys[0].mac == nil || !signed && !isHarmless(text) {
		return "", ErrChallenge
	}
	state := k.keys[0].mac.get()
	defer k.keys[0].mac.put(state)
	state.text(text)
	if p.hmac == "base64" {
		return base64.StdEncoding.EncodeToString(state.result()), nil
	}
	return hex.EncodeToString(state.result()), nil
}

// isHarmless reports whether anybody may have an HMAC of the text: it cannot be a body that
// the sender would sign.
func isHarmless(text string) bool {
	for i := range len(text) {
		if !isHarmlessByte(text[i]) {
			return false
		}
	}
	return len(text) <= maxUnsignedInput
}

func isHarmlessByte(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || strings.IndexByte("-_", c) >= 0
}
