// Dex serves an OpenID provider at a loopback address, with one client and one person, until
// it is killed:
//
//	dex ADDRESS REDIRECT-URI EMAIL PASSWORD
package main

import (
	"context"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/dexidp/dex/server"
	"github.com/dexidp/dex/server/connectors"
	"github.com/dexidp/dex/server/signer"
	"github.com/dexidp/dex/storage"
	"github.com/dexidp/dex/storage/memory"
	"github.com/dexidp/dex/web"
	"golang.org/x/crypto/bcrypt"
)

func main() {
	if len(os.Args) != 5 {
		log.Fatal("usage: dex ADDRESS REDIRECT-URI EMAIL PASSWORD")
	}
	address, redirect, email, password := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	logger := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	hash, err := bcrypt.GenerateFromPassword([]byte(password), 10)
	if err != nil {
		log.Fatal(err)
	}
	store := memory.New(logger)
	store = storage.WithStaticClients(store, []storage.Client{{ID: "octavo", Secret: "s3cret", Name: "Octavo", RedirectURIs: []string{redirect}}})
	store = storage.WithStaticPasswords(store, []storage.Password{{Email: email, Hash: hash, Username: "Ann Lee", UserID: "08a8684b-db88-4b73-90a9-3cd1661f5466"}}, logger)
	store = storage.WithStaticConnectors(store, []storage.Connector{{ID: "local", Type: connectors.LocalConnector, Name: "Email"}})
	ctx := context.Background()
	keys, err := (&signer.LocalConfig{KeysRotationPeriod: "6h"}).Open(ctx, store, time.Hour, time.Now, logger)
	if err != nil {
		log.Fatal(err)
	}
	dex, err := server.NewServer(ctx, server.Config{
		Issuer: "http://" + address, Storage: store, SkipApprovalScreen: true, Logger: logger, Signer: keys, Web: server.WebConfig{WebFS: web.FS()},
	})
	if err != nil {
		log.Fatal(err)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal((&http.Server{Handler: dex, ReadHeaderTimeout: time.Minute}).Serve(l))
}
