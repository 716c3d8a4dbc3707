package servers

import (
	"errors"
	"strconv"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
)

// NATSServer is a NATS server with JetStream within this process.
type NATSServer struct {
	URL     string // nats://127.0.0.1:PORT
	t       testing.TB
	options server.Options
	running *server.Server
}

// NATS starts a server that stores its streams in a folder of the test.
func NATS(t testing.TB) *NATSServer {
	t.Helper()
	port := Port(t)
	s := &NATSServer{URL: "nats://127.0.0.1:" + strconv.Itoa(port), t: t, options: server.Options{
		Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: Dir(t), NoLog: true, NoSigs: true,
	}}
	t.Cleanup(s.Kill)
	s.Restart()
	return s
}

// Kill shuts the server down and closes all connections. A second call does nothing.
func (s *NATSServer) Kill() {
	if s.running == nil {
		return
	}
	s.running.Shutdown()
	s.running.WaitForShutdown()
	s.running = nil
}

// Restart starts it on the same port and data.
func (s *NATSServer) Restart() {
	s.t.Helper()
	options := s.options
	running, err := server.NewServer(&options)
	if err != nil {
		s.t.Fatalf("NATS: %v", err)
	}
	running.Start()
	s.running = running
	until(s.t, "NATS", func() error {
		if !running.Running() || !running.JetStreamEnabled() {
			return errors.New("is not running")
		}
		return nil
	})
}
