package picture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
)

// Converter implements selling.PictureConverter. It decodes each picture in a process of its
// own with a lower priority: whatever a picture does to a decoder, the server keeps its memory
// and its processors, and a decoder that takes too long can be ended.
type Converter struct {
	program string
	args    []string
	all     int64               // slots,
	slots   *semaphore.Weighted // in the order of arrival: how many files somebody sends at once is limited before
}

// The refusals of pictures that are not to blame.
var (
	// ErrBusy means that a picture has waited too long for others, or that this machine can
	// start nothing more.
	ErrBusy = fault.New(fault.Unavailable, "photos_busy", "Too many pictures are being added right now. Please try again.").After(5 * time.Second)
	// ErrKilled means that the system has ended the conversion, usually for want of memory.
	ErrKilled = fault.New(fault.Unavailable, "photos_busy", "There is too little memory for this picture right now. Please try again, or send a smaller one.").After(30 * time.Second)
)

const (
	maxWait    = time.Minute // for other pictures
	maxConvert = time.Minute // for one picture; the worker's own limit is of processor time
	maxSlots   = 4

	// bigPicture is from how many pixels on a picture is converted alone: one of 40 megapixels
	// may take 600 MB.
	bigPicture = 13_000_000
)

// New returns a converter that runs a program with arguments that make it call Work.
func New(program string, args ...string) *Converter {
	all := int64(max(1, min(maxSlots, runtime.GOMAXPROCS(0)/2)))
	return &Converter{program, args, all, semaphore.NewWeighted(all)}
}

// Self is this program, for New. On Linux it is the running one, even if the file was replaced
// since; without /proc, as in a plain chroot, it is the file that was started.
func Self() (string, error) {
	const running = "/proc/self/exe"
	if _, err := os.Stat(running); err == nil {
		return running, nil
	}
	if self, err := os.Executable(); err == nil {
		return self, nil
	}
	started, err := exec.LookPath(os.Args[0])
	if err != nil {
		return "", err
	}
	return filepath.Abs(started)
}

// CheckPicture is selling.PictureConverter.
func (c *Converter) CheckPicture(data []byte) error {
	_, _, err := inspect(data)
	return err
}

// ConvertPicture is selling.PictureConverter.
func (c *Converter) ConvertPicture(ctx context.Context, _ user.ID, data []byte) (photo.Pictures, error) {
	_, pixels, err := inspect(data)
	if err != nil {
		return photo.Pictures{}, err
	}
	needs := int64(1)
	if pixels >= bigPicture {
		needs = c.all
	}
	waiting, enough := context.WithTimeout(ctx, maxWait)
	defer enough()
	if c.slots.Acquire(waiting, needs) != nil {
		if ctx.Err() != nil {
			return photo.Pictures{}, ctx.Err()
		}
		return photo.Pictures{}, ErrBusy
	}
	defer c.slots.Release(needs)
	return c.run(ctx, data)
}

func (c *Converter) run(ctx context.Context, data []byte) (photo.Pictures, error) {
	limited, cancel := context.WithTimeout(ctx, maxConvert)
	defer cancel()
	var out, complaints bytes.Buffer
	work := exec.CommandContext(limited, c.program, c.args...) //nolint:gosec // this program
	work.Stdin, work.Stdout, work.Stderr = bytes.NewReader(data), &out, &complaints
	work.Env = []string{"GOMAXPROCS=1"} // and no secret
	work.WaitDelay = time.Second
	err := work.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return photo.Pictures{}, ctx.Err()
	case killed(work.ProcessState) && limited.Err() == nil:
		return photo.Pictures{}, fmt.Errorf("%w (%w: %.300s)", ErrKilled, err, complaints.Bytes())
	case limited.Err() != nil, errors.As(err, &exit):
		return photo.Pictures{}, fmt.Errorf("%w (%w: %.300s)", photo.ErrTooComplex, err, complaints.Bytes())
	case exhausted(err):
		return photo.Pictures{}, fmt.Errorf("%w (start the conversion of a picture: %w)", ErrBusy, err)
	case err != nil:
		return photo.Pictures{}, fmt.Errorf("start the conversion of a picture: %w", err)
	}
	return readAnswer(out.Bytes())
}

// killed reports whether a worker was ended by a signal, but not because it has used up its
// processor time, which the picture is to blame for.
func killed(s *os.ProcessState) bool {
	if s == nil {
		return false
	}
	status, ok := s.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && s.UserTime()+s.SystemTime() < (maxProcessor-1)*time.Second
}

// exhausted reports whether this machine has no descriptor, process or memory left.
func exhausted(err error) bool {
	return slices.ContainsFunc(
		[]error{syscall.EMFILE, syscall.ENFILE, syscall.EAGAIN, syscall.ENOMEM}, func(limit error) bool { return errors.Is(err, limit) },
	)
}
