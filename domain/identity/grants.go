package identity

// Grants are what the rules of a provider give a person for what it claims about them.
type Grants struct {
	Roles, Groups []string // names as user.CleanLabels returns them
	Admin         bool
	Campus        string // of which Admin is; empty: as other admins
}
