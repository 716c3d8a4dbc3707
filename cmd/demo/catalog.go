package demo

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/octavo-books/octavo/domain/book"
)

// catalog is the list of all works in the order of popularity. A work is a function of its
// number, so that the catalog needs no memory.
type catalog struct {
	works int // works with copies for sale; higher numbers exist, but nobody sells them
	head  int // popular works, for the first years
	seed  uint64
}

const (
	copiesPerWork = 8
	maxWorks      = 1_000_000
)

func newCatalog(books int, seed uint64) catalog {
	works := min(max(books/copiesPerWork, 40), maxWorks)
	return catalog{works: works, head: works / 5, seed: seed}
}

// work is a textbook.
type work struct {
	number  int
	title   string // without the author
	author  string // the surname of the first
	authors string
	subject subject
	course  string
	edition int // the newest
}

// titles is how many distinct works there are.
const titles = len(subjects) * topicsPerSubject * len(forms) * lastNames

// stride visits every title once in a pseudo-random order; it is coprime to titles.
const stride = 1_000_003

func (c catalog) work(number int) work {
	at := (number*stride + int(c.seed%uint64(titles))) % titles
	s := subjects[at%len(subjects)]
	at /= len(subjects)
	topic := s.topics[at%topicsPerSubject]
	at /= topicsPerSubject
	form := forms[at%len(forms)]
	mixed := mix(c.seed, uint64(number))
	author := surname(at / len(forms))
	return work{
		number: number, subject: s, title: fmt.Sprintf(form, topic), author: author, authors: authors(author, mixed),
		course:  s.code + " " + strconv.Itoa(c.courseNumber(number, mixed)) + level(number, c.head, mixed),
		edition: 1 + int(mixed>>40%9),
	}
}

// authors returns the full names of one to three authors, the first with this surname.
func authors(first string, mixed uint64) string {
	var names string
	for n := range 1 + [...]uint64{0, 0, 0, 1, 1, 2}[mixed>>8%6] {
		mixed = mix(mixed, n)
		given := firstNames[mixed%uint64(len(firstNames))]
		if n == 0 {
			names = given + " " + first
			continue
		}
		names += ", " + given + " " + surname(int(mixed>>16%uint64(lastNames)))
	}
	return names
}

// manyWorks is from how many works on course numbers have four digits.
const manyWorks = 5_000

// courseNumber assigns popular works to large courses of the first years, the others to many
// small courses, and works that nobody sells to further ones.
func (c catalog) courseNumber(number int, mixed uint64) int {
	digit := 1
	if c.works > manyWorks {
		digit = 10
	}
	switch {
	case number < c.head:
		return 100 + int(mixed%200)
	case number < c.works:
		return 300*digit + int(mixed%uint64(400*digit))
	}
	return 700*digit + int(mixed%uint64(300*digit))
}

// level is the letter after some course numbers: writing, honors, laboratory.
func level(number, head int, mixed uint64) string {
	if number < head {
		return ""
	}
	return [...]string{"", "", "", "W", "H", "L"}[mixed>>20%6]
}

// popularity flattens the top of the Zipf distribution, so that one in a few hundred copies is
// of the most popular work.
const popularity = 50

// popular draws a work: work n with a probability in proportion to 1 / (n + popularity).
func (c catalog) popular(r *rand.Rand) work {
	top := math.Pow(float64(c.works+popularity)/popularity, r.Float64())
	return c.work(min(int(popularity*top)-popularity, c.works-1))
}

// rare draws a work with few copies for sale.
func (c catalog) rare(r *rand.Rand) work { return c.work(c.head + r.IntN(c.works-c.head)) }

// unsold draws a work without a copy for sale.
func (c catalog) unsold(r *rand.Rand) work { return c.work(c.works + r.IntN(2*c.works)) }

// isbn returns the ISBN of an edition: valid, deterministic, and different from all others.
func (w work) isbn(edition int) book.ISBN {
	const bodies = 100_000_000
	body := (w.number*10 + edition) * 41_121_337 % bodies // coprime to bodies
	digits := fmt.Sprintf("978%d%08d", w.number%2, body)
	return book.ISBN(digits + checkDigit(digits))
}

// checkDigit is the thirteenth digit: with alternating weights 1 and 3, the sum is a multiple
// of ten.
func checkDigit(twelve string) string {
	sum := 0
	for i, d := range twelve {
		weight := 1 + 2*(i%2)
		sum += weight * int(d-'0')
	}
	return strconv.Itoa((10 - sum%10) % 10)
}

// dollars is the price of a copy. It decreases with the condition and with every newer edition.
func (w work) dollars(edition int, c book.Condition, r *rand.Rand) float64 {
	worth := map[book.Condition]float64{book.New: 0.85, book.LikeNew: 0.68, book.Good: 0.52, book.Fair: 0.36, book.Poor: 0.2}[c]
	age := math.Pow(0.72, float64(w.edition-edition))
	return float64(w.subject.price) / 100 * worth * age * (0.8 + 0.4*r.Float64())
}

// mix hashes two numbers to 64 bits with splitmix64.
func mix(a, b uint64) uint64 {
	z := a + (b+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
