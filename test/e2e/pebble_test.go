package e2e_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/octavo-books/octavo/test/gobuild"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/poll"
	"github.com/octavo-books/octavo/test/servers"
)

// pebble is a certificate authority for which every name leads to this machine.
type pebble struct {
	directory, management string
	caFile                string // who vouches for these addresses
	client                *http.Client
}

var pebbleFolder = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "octavo-pebble-") })

// buildPebble builds the program once, from a module of its own, test/pebble.
var buildPebble = sync.OnceValues(func() (string, error) {
	dir, err := pebbleFolder()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "pebble")
	return path, gobuild.Program(context.Background(), "../pebble", path, "github.com/letsencrypt/pebble/v2/cmd/pebble")
})

// startPebble starts an authority that asks for its challenges at two ports of this machine.
func startPebble(t *testing.T, secure, plain int) pebble {
	t.Helper()
	servers.NotShort(t, "Pebble")
	program := must.Get(buildPebble())(t)
	listen, manage := servers.Address(t), servers.Address(t)
	certificate, key := selfSigned(t)
	p := pebble{directory: "https://" + listen + "/dir", management: "https://" + manage, caFile: certificate, client: trusting(t, certificate)}
	config := must.Get(json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": listen, "managementListenAddress": manage, "certificate": certificate, "privateKey": key,
		"httpPort": plain, "tlsPort": secure, "keyAlgorithm": "ecdsa", "retryAfter": map[string]int{"authz": 1, "order": 1},
		"profiles": map[string]any{"default": map[string]any{"description": "90 days", "validityPeriod": 7776000}},
	}}))(t)
	start(t, []string{"PEBBLE_VA_NOSLEEP=1"}, program, "-config", save(t, "pebble.json", string(config)), "-dnsserver", serveNames(t))
	poll.For(t, "Pebble answers", func() bool {
		resp, err := p.client.Get(p.directory)
		return err == nil && resp.Body.Close() == nil
	})
	return p
}

// settings are those of a program that trusts the authority.
func (p pebble) settings() []string {
	return []string{"ACME_DIRECTORY=" + p.directory, "ACME_CA_FILE=" + p.caFile}
}

// roots are those of the certificates that the authority makes.
func (p pebble) roots(t *testing.T) *x509.CertPool {
	t.Helper()
	resp := must.Get(p.client.Get(p.management + "/roots/0"))(t)
	defer func() { _ = resp.Body.Close() }()
	pool := x509.NewCertPool()
	if text := must.Get(io.ReadAll(resp.Body))(t); !pool.AppendCertsFromPEM(text) {
		t.Fatalf("no root: %s", text)
	}
	return pool
}

// trusting returns a client that trusts the certificates in a file.
func trusting(t *testing.T, path string) *http.Client {
	t.Helper()
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(must.Get(os.ReadFile(path))(t)) {
		t.Fatal(path)
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}}
}

// serveNames serves DNS over TCP, in which every name has the address 127.0.0.1, and returns where.
func serveNames(t *testing.T) string {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go answerNames(c)
		}
	}()
	return l.Addr().String()
}

// answerNames answers the queries of a connection. The length of each precedes it.
func answerNames(c net.Conn) {
	defer func() { _ = c.Close() }()
	for {
		var length [2]byte
		if _, err := io.ReadFull(c, length[:]); err != nil {
			return
		}
		query := make([]byte, binary.BigEndian.Uint16(length[:]))
		if _, err := io.ReadFull(c, query); err != nil {
			return
		}
		answer := answerName(query)
		if _, err := c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)); err != nil {
			return
		}
	}
}

func answerName(query []byte) []byte {
	var m dnsmessage.Message
	if m.Unpack(query) != nil || len(m.Questions) != 1 {
		return nil
	}
	m.Response, m.Authoritative, m.Additionals = true, true, nil
	if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
		m.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, Type: q.Type}, Body: &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}},
		}}
	}
	answer, _ := m.Pack() // what was unpacked can be packed
	return answer
}
