package sources

import "context"

// Reload reads the rules, the secrets and the sources again. After an error in any of them, all stay unchanged.
func (w *Sources) Reload(ctx context.Context) {
	if err := w.reload(); err != nil {
		w.log.Error("the forwarding rules, sources and secrets are unchanged", "error", err)
		return
	}
	if err := w.service.PublishRules(ctx); err != nil { // the service tries it again
		w.log.Warn("commands in other processes do not know the new rules yet", "error", err)
	}
	w.log.Info("forwarding rules read", "rules", len(w.service.Rules()))
	w.log.Info("webhook sources read", "sources", len(w.current))
	w.secrets.logReload(w.settings)
}

// reload prepares everything that can fail before it changes anything.
func (w *Sources) reload() error {
	s, err := w.secrets.reload(w.settings)
	if err != nil {
		return err
	}
	all, err := s.WebhookSecrets()
	if err != nil {
		return err
	}
	rules, err := s.ForwardingRules()
	if err != nil {
		return err
	}
	sources, err := s.WebhookSources()
	if err != nil {
		return err
	}
	setSources, err := w.prepare(sources)
	if err != nil {
		return err
	}
	if err := w.service.SetRules(rules, all[0].Value); err != nil {
		return err
	}
	w.mu.Lock()
	err = w.secrets.set(all)
	w.mu.Unlock()
	if err != nil {
		return err
	}
	setSources()
	w.service.WarnOfRules()
	return nil
}
