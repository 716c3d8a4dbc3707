package webhook

// HashesBody reports whether the ids of the sender's deliveries are made of their bodies.
func (s *Sender) HashesBody() bool {
	s = s.orHost()
	return s.id.hash && len(s.id.list) == 0
}
