package sample

// subjects has, for the events with a specific payload, its members besides sender and
// repository.
var subjects = map[string]func() object{
	"push":                        push,
	"pull_request":                func() object { return object{"number": 14, "pull_request": pullRequest()} },
	"pull_request_review":         func() object { return object{"pull_request": pullRequest(), "review": review()} },
	"pull_request_review_comment": func() object { return object{"pull_request": pullRequest(), "comment": reviewComment()} },
	"pull_request_review_thread": func() object {
		return object{"pull_request": pullRequest(), "thread": object{"node_id": "PRT_kwDO", "comments": []any{reviewComment()}}}
	},
	"issues":             func() object { return object{"issue": issue()} },
	"issue_comment":      func() object { return object{"issue": issue(), "comment": comment()} },
	"commit_comment":     func() object { return object{"comment": comment()} },
	"discussion_comment": func() object { return object{"discussion": thing("discussion"), "comment": comment()} },
	"label":              func() object { return object{"label": label()} },
	"check_run":          func() object { return object{"check_run": checkRun()} },
	"workflow_run":       func() object { return object{"workflow_run": workflowRun(), "workflow": thing("workflow")} },
	"workflow_job":       func() object { return object{"workflow_job": workflowJob()} },
	"workflow_dispatch": func() object {
		return object{"ref": "refs/heads/main", "workflow": ".ci/print.yml", "inputs": object{"copies": "200"}}
	},
	"release": func() object { return object{"release": release()} },
	"create": func() object {
		return object{"ref": "term-2026", "ref_type": "branch", "master_branch": "main", "description": "", "pusher_type": "user"}
	},
	"delete": func() object { return object{"ref": "term-2025", "ref_type": "branch", "pusher_type": "user"} },
	"fork":   func() object { return object{"forkee": repository()} },
	"gollum": func() object {
		return object{"pages": []any{object{
			"page_name": "Home", "title": "Home", "action": "edited", "sha": commitA,
			"html_url": host + "/octavo-campus/course-reader/wiki/Home",
		}}}
	},
	"ping": func() object {
		return object{"zen": "Measure twice, print once.", "hook_id": 77, "hook": object{
			"type": "Repository", "id": 77, "name": "web", "active": true, "events": []string{"*"},
		}}
	},
	"repository": func() object { return object{} },
	"public":     func() object { return object{} },
	"watch":      func() object { return object{} },
	"star":       func() object { return object{"starred_at": noon} },
	"status": func() object {
		return object{
			"id": 64, "sha": commitA, "name": "octavo-campus/course-reader", "state": "success", "context": "ci/print",
			"description": "200 pages", "target_url": nil, "created_at": noon, "updated_at": noon,
		}
	},
	"installation": func() object { return object{"installation": thing("installation"), "repositories": []any{}} },
	"installation_repositories": func() object {
		return object{"installation": thing("installation"), "repositories_added": []any{}, "repositories_removed": []any{}}
	},
	"repository_dispatch": func() object { return object{"branch": "main", "client_payload": object{"copies": 200}} },
	"repository_import":   func() object { return object{"status": "success"} },
	"organization":        func() object { return object{"membership": thing("membership")} },
	"member":              func() object { return object{"member": user("grace")} },
	"membership":          func() object { return object{"member": user("grace"), "team": thing("team"), "scope": "team"} },
	"team_add":            func() object { return object{"team": thing("team")} },
}

func push() object {
	return object{
		"ref": "refs/heads/main", "before": commitB, "after": commitA, "base_ref": nil, "created": false, "deleted": false, "forced": false,
		"compare": host + "/octavo-campus/course-reader/compare/9d2b7e5c3a1f...4f8c0d6a1be2", "head_commit": commit(commitA, "Correct the year on page 81"),
		"commits": []any{commit(commitB, "Set chapter 7\n\nWith the new figure."), commit(commitA, "Correct the year on page 81")},
		"pusher":  object{"name": "ada", "email": "ada@campus.example"},
	}
}

// branch is one side of a pull request.
func branch(ref, sha string) object {
	return object{"label": "octavo-campus:" + ref, "ref": ref, "sha": sha, "user": user("octavo-campus"), "repo": repository()}
}

func pullRequest() object {
	url := repoURL + "/pulls/14"
	return object{
		"id": 1401, "node_id": "PR_kwDO", "number": 14, "state": "open", "locked": false, "title": "Correct the year on page 81",
		"draft": false,
		"url":   url, "html_url": host + "/octavo-campus/course-reader/pull/14",
		"diff_url":  host + "/octavo-campus/course-reader/pull/14.diff",
		"patch_url": host + "/octavo-campus/course-reader/pull/14.patch", "issue_url": repoURL + "/issues/14",
		"commits_url":         url + "/commits",
		"review_comments_url": url + "/comments", "review_comment_url": repoURL + "/pulls/comments{/number}",
		"comments_url": repoURL + "/issues/14/comments",
		"statuses_url": repoURL + "/statuses/" + commitA, "user": user("ada"), "body": "Closes #12.\r\n\r\nThe catalogue says \"1455\".",
		"created_at": morning, "updated_at": noon, "closed_at": nil, "merged_at": nil, "merge_commit_sha": nil, "assignee": nil,
		"assignees":           []any{user("grace")},
		"requested_reviewers": []any{user("grace")}, "requested_teams": []any{}, "labels": []any{label()}, "milestone": nil,
		"author_association": "OWNER",
		"head":               branch("fix-year", commitA), "base": branch("main", commitB), "auto_merge": nil, "merged": false,
		"mergeable":       nil,
		"rebaseable":      nil,
		"mergeable_state": "unknown", "merged_by": nil, "comments": 0, "review_comments": 0, "maintainer_can_modify": false, "commits": 1,
		"additions": 1, "deletions": 1, "changed_files": 1,
	}
}

func review() object {
	return object{
		"id": 5501, "node_id": "PRR_kwDO", "user": user("grace"), "body": "Checked against the catalogue.", "commit_id": commitA,
		"submitted_at": noon,
		"state":        "approved", "html_url": host + "/octavo-campus/course-reader/pull/14#review-5501",
		"pull_request_url": repoURL + "/pulls/14", "author_association": "MEMBER",
	}
}

func reviewComment() object {
	return object{
		"id": 5601, "node_id": "PRRC_kwDO", "pull_request_review_id": 5501, "url": repoURL + "/pulls/comments/5601", "path": "reader.tex",
		"diff_hunk": "@@ -81,1 +81,1 @@\n-1544\n+1455", "position": 2, "line": 81, "side": "RIGHT", "commit_id": commitA,
		"user": user("grace"),
		"body": "Right.", "created_at": noon, "updated_at": noon, "html_url": host + "/octavo-campus/course-reader/pull/14#discussion-5601",
		"author_association": "MEMBER",
	}
}

func checkRun() object {
	return object{
		"id": 2101, "node_id": "CR_kwDO", "head_sha": commitA, "external_id": "", "url": repoURL + "/check-runs/2101",
		"html_url":    host + "/octavo-campus/course-reader/runs/2101",
		"details_url": host + "/octavo-campus/course-reader/runs/2101", "status": "completed", "conclusion": "success",
		"started_at": morning, "completed_at": noon, "name": "print",
		"output":        object{"title": "200 pages", "summary": "No overfull boxes", "text": nil, "annotations_count": 0},
		"check_suite":   object{"id": 2001, "head_branch": "main", "head_sha": commitA, "status": "completed", "conclusion": "success"},
		"pull_requests": []any{},
	}
}

func workflowRun() object {
	return object{
		"id": 3101, "node_id": "WR_kwDO", "name": "print", "head_branch": "main", "head_sha": commitA, "run_number": 45, "event": "push",
		"status": "completed", "conclusion": "success",
		"workflow_id": 41, "url": repoURL + "/actions/runs/3101", "html_url": host + "/octavo-campus/course-reader/actions/runs/3101",
		"pull_requests": []any{},
		"created_at":    morning, "updated_at": noon, "run_attempt": 1, "run_started_at": morning, "head_repository": repository(),
	}
}

func workflowJob() object {
	return object{
		"id": 3201, "run_id": 3101, "node_id": "CR_kwDO", "head_sha": commitA, "url": repoURL + "/actions/jobs/3201",
		"html_url": host + "/octavo-campus/course-reader/runs/3201",
		"status":   "completed", "conclusion": "success", "started_at": morning, "completed_at": noon, "name": "typeset",
		"labels": []string{"linux"}, "run_attempt": 1,
		"runner_id": 1, "runner_name": "press-1", "runner_group_id": 1, "runner_group_name": "default",
		"steps": []any{object{
			"name": "latexmk", "status": "completed", "conclusion": "success", "number": 1, "started_at": morning, "completed_at": noon,
		}},
	}
}

func release() object {
	return object{
		"id": 6101, "node_id": "RE_kwDO", "tag_name": "2026-fall", "target_commitish": "main", "name": "Fall term", "draft": false,
		"prerelease": false, "author": user("ada"),
		"url": repoURL + "/releases/6101", "html_url": host + "/octavo-campus/course-reader/releases/tag/2026-fall",
		"assets_url": repoURL + "/releases/6101/assets",
		"upload_url": repoURL + "/releases/6101/assets{?name,label}", "tarball_url": repoURL + "/tarball/2026-fall",
		"zipball_url": repoURL + "/zipball/2026-fall",
		"created_at":  morning, "published_at": noon, "assets": []any{}, "body": "Errata up to page 96 are in.",
	}
}
