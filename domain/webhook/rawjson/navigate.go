package rawjson

import "iter"

// Member returns the undecoded value of a member of a JSON object, nil if there is none or
// the text is not a valid object. Keys are compared as by Members; of repeated keys the last
// one counts. It neither decodes nor allocates, whatever the size of the text.
func Member(object []byte, key string) []byte {
	if key == "" {
		return nil
	}
	values, bad := Members(object, key)
	if bad >= 0 {
		return nil
	}
	return values[0]
}

// Elements yields the undecoded elements of a JSON array, none of any other text. It ends
// at the first syntax error. It neither decodes nor allocates.
func Elements(array []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		i := skipSpace(array, 0)
		if at(array, i) != '[' {
			return
		}
		if i = skipSpace(array, i+1); at(array, i) == ']' {
			return
		}
		s := scanner{data: array}
		for {
			end := s.value(i)
			if end < 0 || !yield(array[i:end]) {
				return
			}
			if i = skipSpace(array, end); at(array, i) != ',' {
				return
			}
			i = skipSpace(array, i+1)
		}
	}
}

// First returns the first byte that is not white space, 0 if there is none.
func First(text []byte) byte { return at(text, skipSpace(text, 0)) }
