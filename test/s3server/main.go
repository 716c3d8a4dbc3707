// S3server serves an S3 store of one bucket from a new folder below the given one, until it is
// killed:
//
//	s3server ADDRESS FOLDER BUCKET ACCESS-KEY-ID SECRET-ACCESS-KEY
package main

import (
	"context"
	"log"
	"os"
	"path/filepath"

	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"
)

func main() {
	if len(os.Args) != 6 {
		log.Fatal("usage: s3server ADDRESS FOLDER BUCKET ACCESS-KEY-ID SECRET-ACCESS-KEY")
	}
	address, folder, bucket, id, secret := os.Args[1], os.Args[2], os.Args[3], os.Args[4], os.Args[5]
	objects, attributes := filepath.Join(folder, "objects"), filepath.Join(folder, "attributes")
	for _, path := range []string{filepath.Join(objects, bucket), attributes} {
		if err := os.MkdirAll(path, 0o700); err != nil {
			log.Fatal(err)
		}
	}
	metadata, err := meta.NewSideCar(attributes) // not every file system has extended attributes
	if err != nil {
		log.Fatal(err)
	}
	store, err := posix.New(objects, metadata, posix.PosixOpts{SideCarDir: attributes})
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(embedgw.RunVersityGW(context.Background(), store, &embedgw.Config{
		RootUserAccess: id, RootUserSecret: secret, Ports: []string{address}, MaxConnections: 1000, MaxRequests: 1000, MultipartMaxParts: 10000, Quiet: true,
	}))
}
