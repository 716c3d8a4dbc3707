package openidprofile

import (
	"net/url"
	"slices"
	"strings"
	"time"
)

// logoutEvent is in every logout token.
const logoutEvent = "http://schemas.openid.net/event/backchannel-logout"

// channels are the modules of the profiles of logouts that the provider tells applications of.
func channels() []Module {
	return []Module{
		{BackChannel, "oidcc-backchannel-logout-discovery-endpoint-verification", func(r *run) { r.supports("backchannel") }},
		{BackChannel, "oidcc-backchannel-rp-initiated-logout", tellsByBackChannel},
		{FrontChannel, "oidcc-frontchannel-logout-discovery-endpoint-verification", func(r *run) { r.supports("frontchannel") }},
		{FrontChannel, "oidcc-frontchannel-rp-initiated-logout", tellsByFrontChannel},
	}
}

// supports skips the module if the provider has no such channel, and wants sid in what goes through it.
func (r *run) supports(channel string) {
	r.needs(r.discovery[channel+"_logout_supported"] == true, channel+" logout")
	r.must(r.discovery[channel+"_logout_session_supported"] == true, "the logout has no sid")
	r.endpoint("end_session_endpoint")
}

func tellsByBackChannel(r *run) {
	r.supports("backchannel")
	t, _ := r.signsOut(r.Back)
	var token string
	for until := time.Now().Add(time.Minute); token == "" && time.Now().Before(until); <-time.After(20 * time.Millisecond) {
		all := r.Channel.tokens()
		if at := slices.IndexFunc(all, func(one string) bool { return r.verify(r.Back, one)["sid"] == t.claims["sid"] }); at >= 0 {
			token = all[at]
		}
	}
	r.must(token != "" && t.claims["sid"] != nil, "the client has heard %d times, and not of %v", len(r.Channel.tokens()), t.claims["sid"])
	claims := r.verify(r.Back, token)
	events, _ := claims["events"].(map[string]any)
	event, _ := events[logoutEvent].(map[string]any)
	r.must(event != nil && len(event) == 0 && claims["jti"] != nil && claims["nonce"] == nil, "the logout token is %v", claims)
	r.must(claims["sub"] == nil || claims["sub"] == t.claims["sub"], "it is about %v", claims["sub"])
}

func tellsByFrontChannel(r *run) {
	r.supports("frontchannel")
	t, page := r.signsOut(r.Front)
	at := slices.IndexFunc(page.Frames, func(address string) bool { return strings.HasPrefix(address, r.Front.FrontChannelURI) })
	r.must(at >= 0, "the page loads %v", page.Frames)
	loaded, err := url.Parse(page.Frames[at])
	r.check(err)
	q := loaded.Query()
	r.must(len(q) == 2 && q.Get("iss") == r.Issuer && q.Get("sid") == t.claims["sid"], "it loads %s", loaded)
}
