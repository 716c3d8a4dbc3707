package backup

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
)

// PhotosFolder is the name of the folder of photos in DATA_DIR and in the backup of a folder.
const PhotosFolder = "photos"

// PhotosFile is the archive that a bucket has in its place: one object, not two for each photo.
const PhotosFile = "photos.tar"

// errFormat means that the archive is damaged.
var errFormat = errors.New("it is no archive of photos")

// Photos writes an archive of photos.
type Photos struct{ archive *tar.Writer }

// NewPhotos begins an archive. Close ends it.
func NewPhotos(w io.Writer) Photos { return Photos{tar.NewWriter(w)} }

// Add adds a photo.
func (p Photos) Add(name string, data []byte) error {
	if err := p.archive.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(data)), Mode: 0o600}); err != nil {
		return err
	}
	_, err := p.archive.Write(data)
	return err
}

// Close ends the archive.
func (p Photos) Close() error { return p.archive.Close() }

// unpackPhotos unpacks an archive into a new folder, out of which no name leads.
func unpackPhotos(to *os.Root, folder string, r io.Reader) error {
	if err := to.Mkdir(folder, 0o700); err != nil {
		return err
	}
	photos, err := to.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer func() { _ = photos.Close() }()
	for archive := tar.NewReader(r); ; {
		header, err := archive.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%w: %w", errFormat, err)
		case header.Typeflag != tar.TypeReg:
			return fmt.Errorf("%w: it contains %s, which is no file", errFormat, header.Name)
		}
		if err := photos.MkdirAll(path.Dir(header.Name), 0o700); err != nil {
			return err
		}
		if err := writeFile(photos, header.Name, formatReader{archive}); err != nil {
			return err
		}
	}
}

// formatReader marks the errors of reading an archive, to tell them from those of writing.
type formatReader struct{ archive io.Reader }

func (f formatReader) Read(p []byte) (int, error) {
	n, err := f.archive.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w: %w", errFormat, err)
	}
	return n, err
}
