package user

// RuleAdmin makes a regular user an admin because the claims of a service say so, of one campus unless that is empty, or
// takes back what it made. It leaves alone what people have decided, and what another service has. It reports whether
// anything has changed.
func (u *User) RuleAdmin(service string, admin bool, campus string) bool {
	switch {
	case admin && (u.Role == Regular || u.AdminBy == service && u.Role == Admin):
		changed := u.Role != Admin || u.AdminCampus != campus
		u.Role, u.AdminBy, u.AdminCampus = Admin, service, campus
		return changed
	case !admin && u.AdminBy == service && service != "":
		if u.Role == Admin {
			u.Role = Regular
		}
		u.AdminBy, u.AdminCampus = "", ""
		return true
	}
	return false
}

// SetRole gives a role by somebody's decision: no rule takes it away.
func (u *User) SetRole(role Role) { u.Role, u.AdminBy, u.AdminCampus = role, "", "" }
