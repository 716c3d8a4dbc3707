package fault

// Check collects what is wrong with the fields of an input.
type Check struct {
	refusal *Error
	failed  bool
}

// CheckFields begins a check whose error is a copy of a sentinel that names every wrong field.
func CheckFields(refusal *Error) Check { return Check{refusal: refusal} }

// Must names a field and why it is wrong, unless it is right.
func (c *Check) Must(ok bool, field, why string) {
	if !ok {
		c.refusal, c.failed = c.refusal.WithField(field, why), true
	}
}

// Failed reports whether a field is wrong.
func (c *Check) Failed() bool { return c.failed }

// Err returns the error; nil if no field is wrong.
func (c *Check) Err() error {
	if !c.failed {
		return nil
	}
	return c.refusal
}
