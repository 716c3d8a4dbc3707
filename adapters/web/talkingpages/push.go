package talkingpages

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/push"
	"github.com/octavo-books/octavo/domain/user"
)

// pushPages let a browser show notifications while the site is closed. The control is on the page of notifications; its
// script calls the JSON API.
func (p *Pages) pushPages() web.Feature {
	return web.Feature{
		Routes:  []*web.Route{web.Post("/notifications/quiet", p.ForStudents(p.setQuiet))},
		Flashes: map[string]string{"quiet_hours": "Your quiet hours were saved."},
	}
}

// pushView is the control.
type pushView struct {
	Key      string // for which a browser subscribes
	Known    string // JSON: the kinds of the viewer's subscriptions, by the hashes of their addresses
	Groups   []pushGroup
	From, To string // quiet hours
}

// pushGroup is a checkbox for notifications that are chosen together.
type pushGroup struct {
	Label string
	Value string // their kinds
	Usual bool   // chosen until the viewer chooses
}

// groupLabels are what people call the groups.
var groupLabels = map[notification.Group]struct{ Label string }{
	notification.Messages: {Label: "Messages"},
	notification.Bids:     {Label: "Price offers"},
	notification.Trades:   {Label: "My purchases and sales"},
	notification.Looking:  {Label: "Books that I look for"},
	notification.Deciding: {Label: "What admins decide"},
	notification.Own:      {Label: "What I have just done myself"},
}

// pushGroups returns the groups. What people did themselves a moment ago they know.
func pushGroups() (all []pushGroup) {
	for _, g := range notification.Groups() {
		var kinds []string
		for _, k := range g.Kinds() {
			kinds = append(kinds, string(k))
		}
		all = append(all, pushGroup{Label: groupLabels[g].Label, Value: strings.Join(kinds, " "), Usual: g != notification.Own})
	}
	return all
}

// viewPush returns the control for a viewer.
func (p *Pages) viewPush(r *http.Request, by user.Caller) (pushView, error) {
	subscriptions := p.Market.PushSubscriptions
	key, err := subscriptions.Key(by)
	if err != nil {
		return pushView{}, err
	}
	all, err := subscriptions.List(r.Context(), by)
	if err != nil {
		return pushView{}, err
	}
	quiet, err := subscriptions.Quiet(r.Context(), by)
	if err != nil {
		return pushView{}, err
	}
	v := pushView{Key: key, Groups: pushGroups()}
	if !quiet.Off() {
		v.From, v.To = clockOf(quiet.From), clockOf(quiet.To)
	}
	v.Known, err = knownTo(all)
	return v, err
}

// knownTo tells the script which subscriptions are the viewer's, but no addresses.
func knownTo(all []push.Subscription) (string, error) {
	known := map[string][]notification.Kind{}
	for _, s := range all {
		hash := sha256.Sum256([]byte(s.Endpoint))
		kinds := []notification.Kind(s.Kinds)
		if kinds == nil {
			kinds = notification.Kinds()
		}
		known[base64.RawURLEncoding.EncodeToString(hash[:])] = kinds
	}
	text, err := json.Marshal(known)
	return string(text), err
}

const clockLayout = "15:04"

func clockOf(minutes int) string { return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60) }

// minutesOf reads a time of a day; -1 for anything else.
func minutesOf(typed string) int {
	at, err := time.Parse(clockLayout, typed)
	if err != nil {
		return -1
	}
	return at.Hour()*60 + at.Minute()
}

// setQuiet serves POST /notifications/quiet.
func (p *Pages) setQuiet(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	from, to := r.PostForm.Get("from"), r.PostForm.Get("to")
	q := push.Quiet{}
	if from != "" && to != "" {
		q = push.Quiet{From: minutesOf(from), To: minutesOf(to)}
	}
	err := p.Market.PushSubscriptions.SetQuiet(r.Context(), by, q)
	return p.Done(w, r, err, "/notifications", "quiet_hours")
}
