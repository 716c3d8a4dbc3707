package picture

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/octavo-books/octavo/domain/photo"
)

// Work reads one picture and writes its Pictures or why they could not be made. It is the
// whole life of a process, whose limits it sets first. It returns the exit code.
func Work(in io.Reader, out, complaints io.Writer) int {
	runtime.LockOSThread() // the priority is that of the thread
	if err := limitProcess(); err != nil {
		fmt.Fprintln(complaints, "limits:", err)
		return 1
	}
	debug.SetMemoryLimit(maxMemory / 2)
	data, err := io.ReadAll(io.LimitReader(in, photo.MaxBytes+1))
	if err != nil {
		fmt.Fprintln(complaints, err)
		return 1
	}
	pictures, err := convert(data)
	if _, err := out.Write(appendAnswer(nil, pictures, err)); err != nil {
		fmt.Fprintln(complaints, err)
		return 1
	}
	return 0
}

const (
	maxMemory    = 1 << 30 // of a worker; the largest picture takes 600 MB
	maxProcessor = 15      // seconds
)

// refusals are the errors of convert. An answer begins with 0, or with the position of one
// here, counted from 1.
var refusals = []error{photo.ErrDamaged, photo.ErrFormat, photo.ErrTooDetailed, photo.ErrTooLarge, photo.ErrEmpty}

var errAnswer = errors.New("a worker gave no complete answer")

func appendAnswer(b []byte, p photo.Pictures, err error) []byte {
	if err != nil {
		for i, refusal := range refusals {
			if err.Error() == refusal.Error() {
				return append(b, byte(i+1))
			}
		}
		return append(b, 1)
	}
	b = append(b, 0)
	for _, n := range []int{p.Width, p.Height, len(p.Large), len(p.Thumb)} {
		b = binary.BigEndian.AppendUint32(b, uint32(n))
	}
	return append(append(b, p.Large...), p.Thumb...)
}

func readAnswer(b []byte) (photo.Pictures, error) {
	const header = 1 + 4*4
	switch {
	case len(b) == 1 && b[0] > 0 && int(b[0]) <= len(refusals):
		return photo.Pictures{}, refusals[b[0]-1]
	case len(b) < header || b[0] != 0:
		return photo.Pictures{}, errAnswer
	}
	number := func(i int) int { return int(binary.BigEndian.Uint32(b[1+4*i:])) }
	large, thumb, data := number(2), number(3), b[header:]
	if large+thumb != len(data) || large == 0 || thumb == 0 {
		return photo.Pictures{}, errAnswer
	}
	return photo.Pictures{Width: number(0), Height: number(1), Large: data[:large], Thumb: data[large:]}, nil
}
