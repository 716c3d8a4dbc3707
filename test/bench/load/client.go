package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// request is a prepared HTTP request.
type request []byte

func get(path, token string) request { return ask("GET", path, token, "") }

// browserGet accepts compressed answers, as browsers do. With a token it comes from somebody who is signed in at the pages.
func browserGet(path, token string) request {
	head := "GET " + path + " HTTP/1.1\r\nHost: octavo\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n"
	if token != "" {
		head += "Cookie: octavo_access=" + token + "\r\n"
	}
	return request(head + "\r\n")
}

func post(path, token, body string) request { return ask("POST", path, token, body) }

func ask(method, path, token, body string) request {
	head := method + " " + path + " HTTP/1.1\r\nHost: octavo\r\n"
	if token != "" {
		head += "Authorization: Bearer " + token + "\r\nCookie: octavo_access=" + token + "\r\n"
	}
	if body != "" {
		head += fmt.Sprintf("Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	}
	return request(head + "\r\n" + body)
}

// generateLoad sends requests on all connections as fast as they are answered, and returns the
// latency of each.
func generateLoad(address string, w work, connections int, long time.Duration) ([]time.Duration, error) {
	until := time.Now().Add(long)
	took, errs := make([][]time.Duration, connections), make([]error, connections)
	var all sync.WaitGroup
	for i := range connections {
		all.Go(func() { took[i], errs[i] = askOn(address, w, until) })
	}
	all.Wait()
	var sum []time.Duration
	for _, t := range took {
		sum = append(sum, t...)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if len(sum) == 0 {
		return nil, errors.New("no answer came in time")
	}
	return sum, nil
}

func askOn(address string, w work, until time.Time) (took []time.Duration, err error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	answers := bufio.NewReaderSize(conn, 64<<10)
	for began := time.Now(); began.Before(until); {
		if _, err := conn.Write(w.next()); err != nil {
			return took, err
		}
		resp, err := http.ReadResponse(answers, nil)
		if err != nil {
			return took, err
		}
		if resp.StatusCode != w.status && resp.StatusCode != w.other {
			b, _ := io.ReadAll(resp.Body)
			return took, fmt.Errorf("status %d: %s", resp.StatusCode, b)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			return took, err
		}
		now := time.Now()
		took = append(took, now.Sub(began))
		began = now
	}
	return took, nil
}
