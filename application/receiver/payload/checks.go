package payload

import "time"

// CheckRun is the payload of events about a check of a commit.
type CheckRun struct {
	Envelope
	CheckRun struct {
		ID          int64      `json:"id"`
		Name        string     `json:"name"`
		HeadSHA     string     `json:"head_sha"`
		ExternalID  string     `json:"external_id"`
		Status      string     `json:"status"`
		Conclusion  string     `json:"conclusion"` // "" until it is completed
		StartedAt   time.Time  `json:"started_at"`
		CompletedAt *time.Time `json:"completed_at"`
		DetailsURL  string     `json:"details_url"`
		HTMLURL     string     `json:"html_url"`
		Output      struct {
			Title   string `json:"title"`
			Summary string `json:"summary"`
		} `json:"output"`
	} `json:"check_run"`
	RequestedAction *struct {
		Identifier string `json:"identifier"`
	} `json:"requested_action"` // for the action requested_action
}

// WorkflowRun is the payload of events about a run of a workflow.
type WorkflowRun struct {
	Envelope
	WorkflowRun struct {
		ID         int64     `json:"id"`
		Name       string    `json:"name"`
		HeadBranch string    `json:"head_branch"`
		HeadSHA    string    `json:"head_sha"`
		RunNumber  int       `json:"run_number"`
		Event      string    `json:"event"`
		Status     string    `json:"status"`
		Conclusion string    `json:"conclusion"` // "" until it is completed
		WorkflowID int64     `json:"workflow_id"`
		CreatedAt  time.Time `json:"created_at"`
		UpdatedAt  time.Time `json:"updated_at"`
		HTMLURL    string    `json:"html_url"`
	} `json:"workflow_run"`
	Workflow struct {
		ID   int64  `json:"id"`
		Name string `json:"name"`
		Path string `json:"path"`
	} `json:"workflow"`
}

// WorkflowJob is the payload of events about one job of a run.
type WorkflowJob struct {
	Envelope
	WorkflowJob struct {
		ID          int64      `json:"id"`
		RunID       int64      `json:"run_id"`
		Name        string     `json:"name"`
		HeadSHA     string     `json:"head_sha"`
		Status      string     `json:"status"`
		Conclusion  string     `json:"conclusion"` // "" until it is completed
		StartedAt   time.Time  `json:"started_at"`
		CompletedAt *time.Time `json:"completed_at"`
		Labels      []string   `json:"labels"`
		HTMLURL     string     `json:"html_url"`
		Steps       []struct {
			Number     int    `json:"number"`
			Name       string `json:"name"`
			Status     string `json:"status"`
			Conclusion string `json:"conclusion"`
		} `json:"steps"`
	} `json:"workflow_job"`
}
