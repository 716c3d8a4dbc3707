package sample

const (
	host    = "https://host.example"
	repoURL = host + "/api/repos/octavo-campus/course-reader"
	morning = "2026-09-01T08:15:00Z"
	noon    = "2026-09-01T12:30:00Z"
	commitA = "4f8c0d6a1be2975310fedcba9876543210abcdef"
	commitB = "9d2b7e5c3a1f08642eca0bdf13579acebd024680"
)

// user is an account with its links, as the sender includes it everywhere.
func user(login string) object {
	url := host + "/api/users/" + login
	return object{
		"login": login, "id": 1000 + len(login), "node_id": "U_kgDOAAABcd", "type": "User", "site_admin": false,
		"avatar_url": host + "/avatars/" + login + "?v=4", "gravatar_id": "", "url": url, "html_url": host + "/" + login,
		"followers_url": url + "/followers", "following_url": url + "/following{/other_user}", "gists_url": url + "/gists{/gist_id}",
		"starred_url": url + "/starred{/owner}{/repo}", "subscriptions_url": url + "/subscriptions", "organizations_url": url + "/orgs",
		"repos_url": url + "/repos", "events_url": url + "/events{/privacy}", "received_events_url": url + "/received_events",
	}
}

func organization() object {
	return object{
		"login": "octavo-campus", "id": 501, "node_id": "O_kgDOAAAB9Q", "url": host + "/api/orgs/octavo-campus",
		"description": "Readers and notes, shared by their students", "avatar_url": host + "/avatars/octavo-campus?v=4",
		"repos_url": host + "/api/orgs/octavo-campus/repos", "members_url": host + "/api/orgs/octavo-campus/members{/member}",
	}
}

// links lists the links of a repository object; the URL of each is the repository's
// followed by the name and its suffix.
var links = map[string]string{
	"archive": "/{archive_format}{/ref}", "assignees": "{/user}", "blobs": "{/sha}", "branches": "{/branch}",
	"collaborators": "{/collaborator}", "comments": "{/number}", "commits": "{/sha}", "compare": "/{base}...{head}",
	"contents": "/{+path}", "contributors": "", "deployments": "", "downloads": "", "events": "", "forks": "", "git_commits": "{/sha}",
	"git_refs": "{/sha}", "git_tags": "{/sha}", "hooks": "", "issue_comment": "{/number}", "issue_events": "{/number}",
	"issues": "{/number}",
	"keys":   "{/key_id}", "labels": "{/name}", "languages": "", "merges": "", "milestones": "{/number}",
	"notifications": "{?since,all,participating}", "pulls": "{/number}", "releases": "{/id}", "stargazers": "", "statuses": "/{sha}",
	"subscribers": "", "subscription": "", "tags": "", "teams": "", "trees": "{/sha}",
}

func repository() object {
	r := object{
		"id": 90210, "node_id": "R_kgDOAAFgYg", "name": "course-reader", "full_name": "octavo-campus/course-reader", "private": false,
		"owner": user("octavo-campus"), "html_url": host + "/octavo-campus/course-reader",
		"description": "The reader of History 210, typeset anew each term",
		"fork":        false, "url": repoURL, "created_at": "2024-02-10T09:00:00Z", "updated_at": morning, "pushed_at": noon,
		"git_url": "git://host.example/octavo-campus/course-reader.git", "ssh_url": "git@host.example:octavo-campus/course-reader.git",
		"clone_url": host + "/octavo-campus/course-reader.git", "svn_url": host + "/octavo-campus/course-reader", "homepage": nil,
		"size": 4820, "stargazers_count": 37, "watchers_count": 37, "language": "TeX", "has_issues": true, "has_projects": true,
		"has_downloads": true, "has_wiki": true, "has_pages": false, "forks_count": 5, "mirror_url": nil, "archived": false,
		"disabled":          false,
		"open_issues_count": 3,
		"license": object{
			"key": "cc0-1.0", "name": "CC0 1.0 Universal", "spdx_id": "CC0-1.0", "node_id": "L_kgDO", "url": host + "/api/licenses/cc0-1.0",
		},
		"forks": 5, "open_issues": 3, "watchers": 37, "default_branch": "main", "topics": []string{"history", "reader"},
		"visibility": "public",
	}
	for name, suffix := range links {
		r[name+"_url"] = repoURL + "/" + name + suffix
	}
	return r
}

func commit(id, message string) object {
	return object{
		"id": id, "tree_id": commitB, "distinct": true, "message": message, "timestamp": noon,
		"url":       host + "/octavo-campus/course-reader/commit/" + id,
		"author":    object{"name": "Ada Example", "email": "ada@campus.example", "username": "ada"},
		"committer": object{"name": "Ada Example", "email": "ada@campus.example", "username": "ada"},
		"added":     []string{"chapters/07-printing.tex"}, "removed": []string{}, "modified": []string{"reader.tex", "figures/press.svg"},
	}
}

func label() object {
	return object{
		"id": 31, "node_id": "LA_kwDO", "url": repoURL + "/labels/misprint", "name": "misprint", "color": "b60205", "default": false,
		"description": "A letter or a date is wrong",
	}
}

func issue() object {
	url := repoURL + "/issues/12"
	return object{
		"id": 1201, "node_id": "I_kwDO", "number": 12, "title": "Page 81 names the wrong year", "state": "open", "locked": false,
		"url": url, "repository_url": repoURL, "labels_url": url + "/labels{/name}", "comments_url": url + "/comments",
		"events_url": url + "/events",
		"html_url":   host + "/octavo-campus/course-reader/issues/12", "user": user("grace"), "labels": []any{label()}, "assignee": nil,
		"assignees": []any{},
		"milestone": nil, "comments": 1, "created_at": morning, "updated_at": noon, "closed_at": nil, "author_association": "MEMBER",
		"body": "It should read 1455, see the catalogue.\r\n\r\nFound by the whole seminar.",
	}
}

func comment() object {
	return object{
		"id": 8801, "node_id": "IC_kwDO", "url": repoURL + "/issues/comments/8801",
		"html_url":  host + "/octavo-campus/course-reader/issues/12#comment-8801",
		"issue_url": repoURL + "/issues/12", "user": user("ada"), "created_at": noon, "updated_at": noon, "author_association": "OWNER",
		"body": "Thank you, corrected in the next print.",
	}
}
