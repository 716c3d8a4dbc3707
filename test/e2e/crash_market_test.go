package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/poll"
)

func TestAnImportThatACrashInterruptsIsCompletedByItsRepeat(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t)
	seller := s.Student("seller@mit.edu", "Sam")
	const lines = 2000
	file := "name,edition,course,price,condition,date,ISBN,Comments\n"
	for n := range lines {
		file += fmt.Sprintf("Shelf %d,1,CSC 101,12.50,good,2026-09-01,,\n", n)
	}
	interrupted := make(chan struct{})
	go func() {
		defer close(interrupted)
		_, _ = importFile(seller, file) // the program is killed before it answers
	}()
	if !poll.Until(func() bool { return countExported(t, seller) != 0 }) {
		t.Fatal("the import never posted a book")
	}
	s.Kill()
	<-interrupted
	s.Restart()
	t.Logf("%d books were posted before the crash", countExported(t, seller))
	a, err := importFile(seller, file)
	var done struct {
		Data struct{ Accepted int }
	}
	if err != nil || a.Status != http.StatusOK || json.Unmarshal(a.Body, &done) != nil || done.Data.Accepted != lines {
		t.Errorf("the repeat answers %d, %v with %d accepted, want 200 with %d", a.Status, err, done.Data.Accepted, lines)
	}
	if n := countExported(t, seller); n != lines {
		t.Errorf("%d books are posted, want %d", n, lines)
	}
}

func importFile(c e2e.Client, file string) (e2e.Answer, error) {
	r, err := http.NewRequest(http.MethodPost, c.URL+"/api/books/importBooks", strings.NewReader(file))
	if err != nil {
		return e2e.Answer{}, err
	}
	r.Header.Set("Content-Type", "text/csv")
	r.Header.Set("Idempotency-Key", "the shelf")
	r.Header.Set("Authorization", "Bearer "+c.Token)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return e2e.Answer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	return e2e.Answer{Status: resp.StatusCode, Header: resp.Header, Body: body}, err
}

// countExported counts the lines of one's own books.
func countExported(t *testing.T, c e2e.Client) int {
	t.Helper()
	return strings.Count(string(c.Must(t, http.StatusOK, "GET", "/api/books/exportMyBooks", nil).Body), "\"Shelf ")
}

func TestAcknowledgedMessagesReportsAndSearchesSurviveACrash(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t)
	seller := s.Student("seller@mit.edu", "Sam")
	type kept struct {
		student            e2e.Client
		book               string
		sent               []string
		reported, searched bool
	}
	var all []*kept
	var wg sync.WaitGroup
	begun := make(chan struct{}, 100)
	for worker := range 4 {
		k := &kept{student: s.Student(fmt.Sprintf("buyer%d@mit.edu", worker), "Bea")}
		k.book = seller.Post(t, fmt.Sprintf("Crash %d", worker), "CSC 101")
		all = append(all, k)
		wg.Go(func() {
			done := func(path string, body map[string]any) bool {
				a, err := k.student.Do("POST", path, body)
				return err == nil && a.Status == http.StatusCreated
			}
			for n := range 50 { // fewer than the limit of a minute
				text := fmt.Sprintf("Message %d of %d.", n, worker)
				if !done("/api/user/sendMessage", map[string]any{"bookId": k.book, "text": text}) {
					return
				}
				k.sent = append(k.sent, text)
				switch n {
				case 5:
					k.reported = done("/api/user/report", map[string]any{"bookId": k.book, "reason": "spam"})
				case 8:
					k.searched = done("/api/user/saveSearch", map[string]any{"query": "topology", "mail": false})
				case 12:
					begun <- struct{}{}
				}
			}
		})
	}
	<-begun
	s.Kill()
	wg.Wait()
	s.Restart()
	for worker, k := range all {
		got := messagesOf(t, k.student)
		for _, text := range k.sent {
			if !strings.Contains(got, text) {
				t.Errorf("%q of %d is lost", text, worker)
			}
		}
		if again, err := k.student.Do("POST", "/api/user/report", map[string]any{"bookId": k.book, "reason": "spam"}); k.reported && (err != nil || again.Status != http.StatusConflict) {
			t.Errorf("the report of %d is lost: reported again: %d, %v; want 409", worker, again.Status, err)
		}
		if k.searched && !strings.Contains(string(k.student.Must(t, http.StatusOK, "GET", "/api/user/getSavedSearches", nil).Body), "topology") {
			t.Errorf("the search of %d is lost", worker)
		}
	}
}

// messagesOf returns the messages of somebody's only conversation.
func messagesOf(t *testing.T, c e2e.Client) string {
	t.Helper()
	var conversations struct{ Data []struct{ ID string } }
	a := c.Must(t, http.StatusOK, "GET", "/api/user/getConversations", nil)
	if err := json.Unmarshal(a.Body, &conversations); err != nil || len(conversations.Data) == 0 {
		return ""
	}
	return string(c.Must(t, http.StatusOK, "GET", "/api/user/getMessages/"+conversations.Data[0].ID+"?limit=200", nil).Body)
}

func TestBackgroundWorkThatACrashInterruptsIsDoneAfterTheRestart(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t)
	seller, reader := s.Student("seller@mit.edu", "Sam"), s.Student("reader@mit.edu", "Rea")
	reader.Must(t, http.StatusCreated, "POST", "/api/user/saveSearch", map[string]any{"query": "topology", "mail": false})
	const books = 25
	for n := range books { // each leaves a job that looks for saved searches
		seller.Post(t, fmt.Sprintf("Topology %d", n), "MTH 440")
	}
	s.Kill()
	s.Restart()
	found := func() int {
		a := reader.Must(t, http.StatusOK, "GET", "/api/user/getNotifications?limit=100", nil)
		return strings.Count(string(a.Body), `"kind":"search_hit"`)
	}
	if !poll.Until(func() bool { return found() >= books }) || found() != books {
		t.Errorf("told of %d books, want each of %d once", found(), books)
	}
	left := ""
	if !poll.Until(func() bool {
		out, code := s.Octavo("work", "list")
		left = out
		return code == 0 && !strings.Contains(out, "match_searches") && strings.Contains(out, "delete_expired")
	}) {
		t.Errorf("left is %s", left)
	}
}
