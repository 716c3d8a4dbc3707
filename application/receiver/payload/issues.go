package payload

import "time"

// Issues is the payload of events about an issue.
type Issues struct {
	Envelope
	Issue    Issue    `json:"issue"`
	Label    *Label   `json:"label"`    // for labeled and unlabeled
	Assignee *User    `json:"assignee"` // for assigned and unassigned
	Changes  *Changes `json:"changes"`  // for edited
}

// Issue is an issue or, for a comment on a pull request, that pull request.
type Issue struct {
	ID          int64      `json:"id"`
	Number      int        `json:"number"`
	Title       string     `json:"title"`
	Body        string     `json:"body"`
	State       string     `json:"state"`
	Locked      bool       `json:"locked"`
	User        User       `json:"user"`
	Labels      []Label    `json:"labels"`
	Assignees   []User     `json:"assignees"`
	Comments    int        `json:"comments"`
	CreatedAt   time.Time  `json:"created_at"`
	UpdatedAt   time.Time  `json:"updated_at"`
	ClosedAt    *time.Time `json:"closed_at"`
	HTMLURL     string     `json:"html_url"`
	PullRequest *struct {
		URL string `json:"url"`
	} `json:"pull_request"` // set if it is a pull request
}

// IssueComment is the payload of events about a comment on an issue or pull request.
type IssueComment struct {
	Envelope
	Issue   Issue    `json:"issue"`
	Comment Comment  `json:"comment"`
	Changes *Changes `json:"changes"` // for edited
}

// Comment is a comment.
type Comment struct {
	ID        int64     `json:"id"`
	Body      string    `json:"body"`
	User      User      `json:"user"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	HTMLURL   string    `json:"html_url"`
}

// PullRequest is the payload of events about a pull request.
type PullRequest struct {
	Envelope
	Number            int      `json:"number"`
	PullRequest       Pull     `json:"pull_request"`
	Label             *Label   `json:"label"`              // for labeled and unlabeled
	Assignee          *User    `json:"assignee"`           // for assigned and unassigned
	RequestedReviewer *User    `json:"requested_reviewer"` // for review_requested and review_request_removed
	Changes           *Changes `json:"changes"`            // for edited
	Before            string   `json:"before"`             // for synchronize
	After             string   `json:"after"`              // for synchronize
}

// Pull is a pull request. Payloads of reviews do not contain Merged and the counts.
type Pull struct {
	ID                 int64      `json:"id"`
	Number             int        `json:"number"`
	Title              string     `json:"title"`
	Body               string     `json:"body"`
	State              string     `json:"state"`
	Draft              bool       `json:"draft"`
	Merged             bool       `json:"merged"`
	Mergeable          *bool      `json:"mergeable"` // null until it is known
	User               User       `json:"user"`
	Labels             []Label    `json:"labels"`
	Assignees          []User     `json:"assignees"`
	RequestedReviewers []User     `json:"requested_reviewers"`
	Head               Branch     `json:"head"`
	Base               Branch     `json:"base"`
	Additions          int        `json:"additions"`
	Deletions          int        `json:"deletions"`
	ChangedFiles       int        `json:"changed_files"`
	CreatedAt          time.Time  `json:"created_at"`
	UpdatedAt          time.Time  `json:"updated_at"`
	ClosedAt           *time.Time `json:"closed_at"`
	MergedAt           *time.Time `json:"merged_at"`
	MergeCommitSHA     string     `json:"merge_commit_sha"`
	HTMLURL            string     `json:"html_url"`
}

// Branch is one side of a pull request.
type Branch struct {
	Label string      `json:"label"`
	Ref   string      `json:"ref"`
	SHA   string      `json:"sha"`
	User  User        `json:"user"`
	Repo  *Repository `json:"repo"` // null once the fork is deleted
}

// PullRequestReview is the payload of events about a review.
type PullRequestReview struct {
	Envelope
	PullRequest Pull `json:"pull_request"`
	Review      struct {
		ID          int64      `json:"id"`
		Body        string     `json:"body"`
		State       string     `json:"state"`
		CommitID    string     `json:"commit_id"`
		SubmittedAt *time.Time `json:"submitted_at"`
		HTMLURL     string     `json:"html_url"`
		User        User       `json:"user"`
	} `json:"review"`
	Changes *Changes `json:"changes"` // for edited
}

// PullRequestReviewComment is the payload of events about a comment on a line.
type PullRequestReviewComment struct {
	Envelope
	PullRequest Pull `json:"pull_request"`
	Comment     struct {
		Comment
		Path     string `json:"path"`
		DiffHunk string `json:"diff_hunk"`
		CommitID string `json:"commit_id"`
		ReviewID int64  `json:"pull_request_review_id"`
	} `json:"comment"`
	Changes *Changes `json:"changes"` // for edited
}
