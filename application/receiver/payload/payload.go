// Package payload has types for the payloads of the ten most common events, for
// receiver.OnTyped. They contain the members that handlers commonly need; an untyped
// handler gets the whole payload.
//
// The package is not part of the domain because its struct tags are the sender's wire
// format, and not part of an HTTP adapter because payloads also arrive in other ways.
// A member that the sender may omit or set to null is a pointer, or has its zero value
// if that loses nothing.
package payload

import "time"

// Envelope has the members that every payload has.
type Envelope struct {
	Action       string        `json:"action"`
	Sender       User          `json:"sender"`
	Repository   Repository    `json:"repository"`
	Organization *Organization `json:"organization"`
	Installation *Installation `json:"installation"`
}

// User is an account: a person, an organization or a program.
type User struct {
	ID        int64  `json:"id"`
	Login     string `json:"login"`
	Type      string `json:"type"`
	HTMLURL   string `json:"html_url"`
	AvatarURL string `json:"avatar_url"`
}

// Organization is the organization that a repository belongs to.
type Organization struct {
	ID    int64  `json:"id"`
	Login string `json:"login"`
}

// Installation is the app installation that the delivery is for.
type Installation struct {
	ID int64 `json:"id"`
}

// Repository is the repository of the event.
type Repository struct {
	ID            int64  `json:"id"`
	Name          string `json:"name"`
	FullName      string `json:"full_name"`
	Owner         User   `json:"owner"`
	Private       bool   `json:"private"`
	Fork          bool   `json:"fork"`
	Archived      bool   `json:"archived"`
	DefaultBranch string `json:"default_branch"`
	HTMLURL       string `json:"html_url"`
	CloneURL      string `json:"clone_url"`
}

// Label is a label of issues and pull requests.
type Label struct {
	ID    int64  `json:"id"`
	Name  string `json:"name"`
	Color string `json:"color"`
}

// Change has the value of a field before an edit.
type Change struct {
	From string `json:"from"`
}

// Changes are the edited fields.
type Changes struct {
	Title *Change `json:"title"`
	Body  *Change `json:"body"`
}

// Push is the payload of a push of commits or a tag.
type Push struct {
	Ref        string     `json:"ref"`
	Before     string     `json:"before"`
	After      string     `json:"after"`
	Created    bool       `json:"created"`
	Deleted    bool       `json:"deleted"`
	Forced     bool       `json:"forced"`
	Compare    string     `json:"compare"`
	Commits    []Commit   `json:"commits"`
	HeadCommit *Commit    `json:"head_commit"` // null when a ref is deleted
	Pusher     Author     `json:"pusher"`
	Sender     User       `json:"sender"`
	Repository Repository `json:"repository"`
}

// Commit is one commit of a push.
type Commit struct {
	ID        string    `json:"id"`
	Message   string    `json:"message"`
	Timestamp time.Time `json:"timestamp"`
	URL       string    `json:"url"`
	Author    Author    `json:"author"`
	Committer Author    `json:"committer"`
	Distinct  bool      `json:"distinct"`
	Added     []string  `json:"added"`
	Removed   []string  `json:"removed"`
	Modified  []string  `json:"modified"`
}

// Author is an author or committer as named in a commit.
type Author struct {
	Name     string `json:"name"`
	Email    string `json:"email"`
	Username string `json:"username"`
}

// Release is the payload of events about a release.
type Release struct {
	Envelope
	Release struct {
		ID          int64      `json:"id"`
		TagName     string     `json:"tag_name"`
		Target      string     `json:"target_commitish"`
		Name        string     `json:"name"`
		Body        string     `json:"body"`
		Draft       bool       `json:"draft"`
		Prerelease  bool       `json:"prerelease"`
		CreatedAt   time.Time  `json:"created_at"`
		PublishedAt *time.Time `json:"published_at"`
		HTMLURL     string     `json:"html_url"`
		Author      User       `json:"author"`
	} `json:"release"`
}
