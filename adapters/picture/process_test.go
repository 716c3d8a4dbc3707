package picture

import (
	"context"
	"errors"
	"image"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/test/must"
)

func TestAPictureIsConvertedInAProcessOfItsOwn(t *testing.T) {
	c := newConverter(t, workerArgument)
	must.Together(6, func(int) {
		p, err := c.ConvertPicture(t.Context(), 1, jpegOf(t, quarters(300, 200)))
		if err != nil {
			t.Error(err)
			return
		}
		if p.Width != 300 || p.Height != 200 {
			t.Errorf("%d × %d", p.Width, p.Height)
		}
	})
	damaged := jpegOf(t, quarters(300, 200))
	if _, err := c.ConvertPicture(t.Context(), 1, damaged[:len(damaged)/2]); err == nil || err.Error() != photo.ErrDamaged.Error() {
		t.Errorf("half a picture: %v", err)
	}
}

func TestAPictureOfFortyMegapixelsIsConverted(t *testing.T) {
	p, err := convert(pngOf(t, image.NewGray(image.Rect(0, 0, 8000, 5000))))
	if err != nil || p.Width != 1600 || p.Height != 1000 {
		t.Errorf("%d × %d, %v", p.Width, p.Height, err)
	}
}

func TestADecoderThatHangsOrCrashesFailsOnlyItsOwnPicture(t *testing.T) {
	good := jpegOf(t, quarters(40, 40))
	hanging := newConverter(t, hangingArgument)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	must.Refuse(t, must.Err(hanging.ConvertPicture(ctx, 1, good)), context.Canceled, "a decoder that hangs")
	crashing := New("/bin/false")
	for range 2 * maxSlots { // no slot is lost
		if _, err := crashing.ConvertPicture(t.Context(), 1, good); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "exit status 1") {
			t.Errorf("a decoder that crashes: %v", err)
		}
	}
	for _, script := range []string{"kill -KILL $$", "kill -TERM $$"} { // as when memory is short
		if _, err := New("/bin/sh", "-c", script).ConvertPicture(t.Context(), 1, good); fault.KindOf(err) != fault.Unavailable || !errors.Is(err, ErrKilled) {
			t.Errorf("a decoder that is killed: %v", err)
		}
	}
	if _, err := New("/nowhere/octavo").ConvertPicture(t.Context(), 1, good); err == nil || fault.KindOf(err) != 0 {
		t.Errorf("a missing program: %v", err)
	}
	must.Refuse(t, must.Err(New("/bin/echo", "hello").ConvertPicture(t.Context(), 1, good)), errAnswer, "a wrong answer")
}

func TestWithoutDescriptorsAPictureMayBeSentAgain(t *testing.T) {
	for _, err := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM} {
		if !exhausted(os.NewSyscallError("pipe2", err)) {
			t.Errorf("%v is not the machine's fault", err)
		}
	}
	if exhausted(os.ErrNotExist) {
		t.Error("a missing program is no exhaustion")
	}
}
