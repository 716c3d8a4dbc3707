package githubpayload_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/receiver/githubpayload"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/domain/webhook/sample"
)

func TestEveryEventOfGitHubHasAPayload(t *testing.T) {
	for _, name := range webhook.GitHub.EventNames() {
		event, _, _ := strings.Cut(string(name), ".")
		payload := githubpayload.New(event)
		if payload == nil {
			if !undescribed[event] {
				t.Errorf("%s has none", event)
			}
			continue
		}
		if text, ok := sample.Payload(name); ok {
			if err := json.Unmarshal(text, payload); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if githubpayload.New("frobnication") != nil {
		t.Error("an unknown event has a payload")
	}
}

// undescribed are events that GitHub sends without describing them.
var undescribed = map[string]bool{}

func TestAPayloadHasAllMembers(t *testing.T) {
	var issues githubpayload.IssuesEvent
	if err := json.Unmarshal([]byte(`{"action":"edited","changes":{"title":{"from":"old"}},"installation":{"id":7,"node_id":"x"},
		"issue":{"number":3,"title":"new","author_association":"OWNER","created_at":"2026-11-26T12:00:00Z","labels":[{"name":"bug"}],"assignee":null}}`), &issues); err != nil {
		t.Fatal(err)
	}
	if issues.Changes.Title.From != "old" || issues.Installation.ID != 7 || issues.Issue.AuthorAssociation != "OWNER" || issues.Issue.Labels[0].Name != "bug" || issues.Issue.Assignee != nil {
		t.Errorf("got %+v", issues)
	}
	if got := issues.Issue.CreatedAt.Time; !got.Equal(time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)) {
		t.Errorf("created at %s", got)
	}
}

// GitHub writes the times of a repository as a text, and in a push as a number.
func TestATimeIsReadInEachForm(t *testing.T) {
	want := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		`"2026-11-26T12:00:00Z"`: want, `"2026-11-26T13:00:00+01:00"`: want, `"2026-11-26 12:00:00"`: want, "1795694400": want, "null": {}, `""`: {}, `"soon"`: {},
	} {
		var push githubpayload.PushEvent
		if err := json.Unmarshal([]byte(`{"repository":{"created_at":`+text+`}}`), &push); err != nil || !push.Repository.CreatedAt.Equal(want) {
			t.Errorf("%s is read as %s, %v", text, push.Repository.CreatedAt, err)
		}
	}
	again, err := json.Marshal([]githubpayload.Time{{Time: want}, {}})
	if err != nil || string(again) != `["2026-11-26T12:00:00Z",null]` {
		t.Errorf("written as %s, %v", again, err)
	}
}
